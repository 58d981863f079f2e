"""The program: what the lowering hands to the code generator.

Steps that wait for choices are cut into blocks, numbered through the whole game; everything else
stays structured. The layout gives every value its address in the flat state block.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from rulebook import terms as t
from rulebook.frozen import frozen
from rulebook.kinds import Enumeration, SetOf
from rulebook.source import Span

HEADER = {
    # offset in the state block: what stands there (32 bits each, the last two 64)
    "resume": 0,
    "over": 4,
    "winners": 8,
    "losers": 12,
    "mover": 16,
    "chooser": 20,
    "choice": 24,
    "choices": 28,
    "seed": 32,
    "bot": 40,
}
HEADER_SIZE = 48
ROW_HEAD = 8
ROW_CELL = 16
"""A move in a list: its number, then a cell for each pick."""
RUNNING, ENDED, LIMITED, STOPPED = 0, 1, 2, 3
"""Values of `over`: play goes on, the rules ended it, a declared limit ended it, a random game was
not to go on."""


@frozen
class Site:
    """A place where something can go wrong at run time."""

    slug: str
    message: str
    span: Span


@dataclass(slots=True)
class Layout:
    """Addresses within the state block, in bytes from its beginning."""

    deck: int
    words: int
    """64-bit words of a set of cards."""
    chances: int = HEADER_SIZE
    places: int = 0
    frame: dict[t.Variable, int] = field(default_factory=dict)
    hidden: dict[tuple[int, str], int] = field(default_factory=dict)
    """Cells of loops, by the identity of the loop and what they hold."""
    hidden_cells: list[tuple[int, int]] = field(default_factory=list)
    """Address and size of each of those cells."""
    returns: dict[str, int] = field(default_factory=dict)
    table: int = 0
    table_size: int = 0
    """Where the state entries and then the sets of the zones stand."""
    state: dict[t.State, int] = field(default_factory=dict)
    bits: dict[t.Zone, int] = field(default_factory=dict)
    orders: dict[t.Zone, int] = field(default_factory=dict)
    """Of ordered zones: a 32-bit count and one byte a card, for each of its slots."""
    lies: int = 0
    """Where the sets of the zones begin."""
    slots: dict[t.Zone, int] = field(default_factory=dict)
    slot_count: int = 0
    faces: int = 0
    """The set of cards that lie face down."""
    moved_by: int = 0
    size: int = HEADER_SIZE

    @property
    def order_stride(self) -> int:
        return 4 + (self.deck + 3) // 4 * 4

    def take(self, size: int, align: int = 4) -> int:
        """Room for some bytes; the block grows."""
        address = -(-self.size // align) * align
        self.size = address + size
        return address

    def width(self, kind: object) -> int:
        """Bytes of a value of the kind."""
        if isinstance(kind, SetOf):
            return 8 * set_words(kind.enumeration)
        return 4


def row_size(game: t.CheckedGame) -> int:
    """Bytes of a move in a list, the same for all moves of a game."""
    picks = max((len(move.picks) for move in game.moves.values()), default=0)
    return ROW_HEAD + ROW_CELL * max(picks, 1)


def set_words(enumeration: Enumeration) -> int:
    return 2 if enumeration.size > 64 else 1


# ---- blocks ----


@frozen
class Jump:
    target: int


@frozen
class Branch:
    condition: t.Term
    then: int
    other: int


@frozen
class Offer:
    """Wait for a choice; play goes on at `resume`, which carries the choice out. A choice that is
    made and carried out at once goes on at `after`."""

    choice: int
    resume: int
    after: int


@frozen
class Enter:
    """Run a waiting step, then go on at `back`."""

    step: str
    entry: int
    back: int


@frozen
class Leave:
    """The end of a waiting step: back to where it was entered from."""

    step: str


@frozen
class ForStart:
    """Prepares a walk: evaluates the set (or range) and forgets where it stood."""

    loop: t.For


@frozen
class ForNext:
    """Takes the next member and goes on at `body`, or at `done` when none is left."""

    loop: t.For
    body: int
    done: int


@frozen
class TimesStart:
    loop: t.Repeat


@frozen
class TimesNext:
    loop: t.Repeat
    body: int
    done: int


@frozen
class Keep:
    """Puts the move that was chosen secretly aside."""

    choice: int
    loop: t.For


@frozen
class Reveal:
    """Carries out, in turn order, what was chosen secretly."""

    choice: int
    loop: t.For


@frozen
class SetParameters:
    """The arguments of a waiting step, before it is entered."""

    do: t.Do


@frozen
class Turn:
    """Back to the head of an open-ended loop, counted by the hang guard."""

    target: int
    span: Span


@frozen
class Apply:
    """Carries out the move that was chosen."""

    choice: int


Action: TypeAlias = t.Statement | ForStart | TimesStart | SetParameters | Apply | Keep | Reveal
Exit: TypeAlias = Jump | Branch | Offer | Enter | Leave | ForNext | TimesNext | Turn


@dataclass(slots=True)
class Block:
    step: str
    actions: list[Action] = field(default_factory=list)
    """Statements that do not wait, and what loops, calls and choices need done, in order."""
    exit: Exit | None = None


@dataclass(slots=True)
class Program:
    game: t.CheckedGame
    layout: Layout
    blocks: list[Block]
    entries: dict[str, int]
    """First block of each waiting step; the step's last block leaves it."""
    exits: dict[str, int]
    choices: list[t.Choose]
    secret: set[int]
    """Choices that are kept until all have chosen."""
    may_end: set[str]
    """Steps and moves in which the game can end (`step:name`, `move:name`)."""
