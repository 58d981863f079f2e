"""The checked game: every name resolved, every kind known. What the compiler reads.

Terms mirror the syntax nodes, but desugared: bare attributes have their subject, literals their
kind, `every` is a negated search, and each place that can go wrong at run time carries its span.
Identity matters for declarations (`eq=False`): two entries are the same only if they are one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from rulebook.kinds import Enumeration, Kind, NumberRange
from rulebook.source import Span

# ---- declarations ----


@dataclass(slots=True, eq=False)
class Variable:
    """A local: `let`, `for`, a pick, a parameter, or the member that `where` looks at.

    `lasting` variables belong to steps that wait for choices, so they live in the state block.
    """

    name: str
    kind: Kind
    span: Span
    lasting: bool = False
    read: bool = False
    written: bool = False
    """Assigned after its `let`."""


@dataclass(slots=True, eq=False)
class Table:
    """Values for every member (or pair of members) of its index kinds; -1 is none."""

    name: str
    indexes: tuple[Enumeration | NumberRange, ...]
    kind: Kind
    values: tuple[int, ...]
    """Row-major over the indexes."""
    span: Span | None


@dataclass(frozen=True, slots=True)
class Audience:
    """`seers` while `condition` holds (always, if None), else `otherwise`."""

    seers: str
    condition: Term | None
    otherwise: str


@dataclass(slots=True, eq=False)
class Zone:
    name: str
    each: Enumeration | NumberRange | None
    ordered: bool
    faces: str | None
    audience: Audience
    span: Span
    read: bool = False
    filled: bool = False

    @property
    def size(self) -> int:
        if self.each is None:
            return 1
        if isinstance(self.each, Enumeration):
            return self.each.size
        return self.each.high - self.each.low + 1


@dataclass(slots=True, eq=False)
class State:
    name: str
    kind: Kind
    each: Enumeration | NumberRange | None
    starts: Term | None
    audience: Audience
    outside: bool
    span: Span
    read: bool = False
    written: bool = False

    @property
    def size(self) -> int:
        if self.each is None:
            return 1
        if isinstance(self.each, Enumeration):
            return self.each.size
        return self.each.high - self.each.low + 1


@dataclass(slots=True, eq=False)
class Definition:
    name: str
    parameters: tuple[Variable, ...]
    kind: Kind
    body: tuple[Statement, ...]
    """An expression body is a single `Return`."""
    span: Span


@dataclass(frozen=True, slots=True)
class Pick:
    variable: Variable
    source: Term
    """A set of cards, of members, or a range of numbers."""
    zone: ZoneOf | None
    """The zone a picked card comes from, when the source is a zone or a part of one."""
    span: Span


@dataclass(frozen=True, slots=True)
class Condition:
    """A hard condition. `after` picks must be bound before it can be tested."""

    label: str
    term: Term
    after: int
    span: Span


@dataclass(frozen=True, slots=True)
class Must:
    """Narrows pick number `on`: candidates that `speaks` is for stay only if they satisfy `keep`,
    once any of them does."""

    label: str
    on: int
    speaks: Term | None
    keep: Term
    span: Span


@dataclass(slots=True, eq=False)
class Move:
    name: str
    picks: tuple[Pick, ...]
    conditions: tuple[Condition, ...]
    musts: tuple[Must, ...]
    body: tuple[Statement, ...]
    say: Text | None
    words: tuple[str, ...]
    about: str
    span: Span
    offered: bool = False


@dataclass(slots=True, eq=False)
class Step:
    name: str
    body: tuple[Statement, ...]
    waits: bool
    """Whether a choice is made in it or in a step it calls."""
    span: Span
    parameters: tuple[Variable, ...] = ()


@dataclass(slots=True, eq=False)
class Chance:
    """A place where chance decides, known by its number in the file."""

    number: int
    span: Span


@dataclass(slots=True)
class Option:
    name: str
    about: str
    kind: Kind
    choices: tuple[int, ...]
    """Values named by the file, the default's among them."""
    default: int
    value: int
    span: Span


@dataclass(slots=True)
class CheckedGame:
    """One game at one number of players with one set of option values."""

    name: str
    about: str
    credits: str
    players: int
    player_range: tuple[int, int]
    clockwise: bool
    teams: tuple[tuple[str, tuple[int, ...]], ...]
    options: dict[str, Option]
    enumerations: dict[str, Enumeration]
    suit_of: tuple[int, ...]
    rank_of: tuple[int, ...]
    """Suit and rank of each card of the deck, in deck order; -1 for none."""
    tables: dict[str, Table]
    zones: dict[str, Zone]
    state: dict[str, State]
    definitions: dict[str, Definition]
    moves: dict[str, Move]
    steps: dict[str, Step]
    chances: list[Chance]
    plays_limit: int | None
    repeats_limit: int | None
    names: dict[str, dict[str, str]] = field(default_factory=dict)
    examples: list[tuple[str, object]] = field(default_factory=list)
    used: frozenset[str] = frozenset()
    """The names that rule text mentions."""


# ---- expressions ----


@dataclass(frozen=True, slots=True)
class Base:
    span: Span
    kind: Kind


@dataclass(frozen=True, slots=True)
class Constant(Base):
    """A number, a flag (0, 1), a member's index, -1 for none, or a set's bits."""

    value: int


@dataclass(frozen=True, slots=True)
class Read(Base):
    variable: Variable


@dataclass(frozen=True, slots=True)
class Mover(Base):
    pass


@dataclass(frozen=True, slots=True)
class StateOf(Base):
    state: State
    index: Term | None


@dataclass(frozen=True, slots=True)
class ZoneOf(Base):
    zone: Zone
    index: Term | None


@dataclass(frozen=True, slots=True)
class Lookup(Base):
    """A value of a table; its arguments are in range or checked by `Fit`/`Need`."""

    table: Table
    arguments: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class MovedBy(Base):
    """`player of c`: who last moved the card by a move; none before."""

    card: Term


@dataclass(frozen=True, slots=True)
class OwnerOf(Base):
    """`owner of c`: the player in whose zone (one each: player) the card lies, or none."""

    card: Term


@dataclass(frozen=True, slots=True)
class Seat(Base):
    """The player `steps` seats on (`steps` counted in seat numbers, so left is +1)."""

    player: Term
    steps: int


@dataclass(frozen=True, slots=True)
class NextAmong(Base):
    """The first of `subject` reached from the player's neighbour on; `direction` is +1 or -1."""

    player: Term
    direction: int
    subject: Term


@dataclass(frozen=True, slots=True)
class Call(Base):
    definition: Definition
    arguments: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Function(Base):
    """A built-in number function: larger, smaller, rounded_up, rounded_down, half_up, half_down."""

    name: str
    arguments: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class EndCard(Base):
    which: str
    zone: ZoneOf


@dataclass(frozen=True, slots=True)
class EndCards(Base):
    which: str
    count: Term
    zone: ZoneOf


@dataclass(frozen=True, slots=True)
class Filter(Base):
    subject: Term
    variable: Variable
    condition: Term


@dataclass(frozen=True, slots=True)
class Count(Base):
    subject: Term


@dataclass(frozen=True, slots=True)
class Any(Base):
    """Whether the set has a member."""

    subject: Term


@dataclass(frozen=True, slots=True)
class Aggregate(Base):
    """`word`: sum, most, least (numbers), highest, lowest (a member or none), all highest,
    all lowest (a set)."""

    word: str
    key: Term
    variable: Variable
    subject: Term


@dataclass(frozen=True, slots=True)
class Not(Base):
    operand: Term


@dataclass(frozen=True, slots=True)
class Logic(Base):
    word: str
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Compare(Base):
    """On one-word values, or (with `is` and `is not`) on sets."""

    sign: str
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Contains(Base):
    subject: Term
    item: Term


@dataclass(frozen=True, slots=True)
class Arithmetic(Base):
    """Numbers; the resolver has proved that the result fits 32 bits."""

    sign: str
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class SetOperation(Base):
    """`with`, `without` on two sets of one kind."""

    word: str
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Single(Base):
    """The set of one member, empty for none."""

    member: Term


@dataclass(frozen=True, slots=True)
class IfElse(Base):
    condition: Term
    then: Term
    other: Term


@dataclass(frozen=True, slots=True)
class RangeOf(Base):
    low: Term
    high: Term
    step: int


@dataclass(frozen=True, slots=True)
class Can(Base):
    player: Term
    move: str
    """By name: moves are resolved after definitions."""


@dataclass(frozen=True, slots=True)
class Need(Base):
    """The operand, which must not be none."""

    operand: Term
    use: str


@dataclass(frozen=True, slots=True)
class Fit(Base):
    """The operand, which must lie in `low..high`."""

    operand: Term
    low: int
    high: int
    use: str


@dataclass(frozen=True, slots=True)
class RandomFrom(Base):
    subject: Term
    chance: Chance


@dataclass(frozen=True, slots=True)
class Later(Base):
    """A construct that is checked but not compiled yet."""

    what: str


Term: TypeAlias = (
    Constant
    | Read
    | Mover
    | StateOf
    | ZoneOf
    | Lookup
    | MovedBy
    | OwnerOf
    | Seat
    | NextAmong
    | Call
    | Function
    | EndCard
    | EndCards
    | Filter
    | Count
    | Any
    | Aggregate
    | Not
    | Logic
    | Compare
    | Contains
    | Arithmetic
    | SetOperation
    | Single
    | IfElse
    | RangeOf
    | Can
    | Need
    | Fit
    | RandomFrom
    | Later
)


# ---- statements ----


@dataclass(frozen=True, slots=True)
class Node:
    span: Span


@dataclass(frozen=True, slots=True)
class SetState(Node):
    target: StateOf
    value: Term


@dataclass(frozen=True, slots=True)
class SetVariable(Node):
    variable: Variable
    value: Term


@dataclass(frozen=True, slots=True)
class If(Node):
    branches: tuple[tuple[Term | None, tuple[Statement, ...]], ...]


@dataclass(frozen=True, slots=True)
class For(Node):
    """Walks a copy of the set; players in turn order, from `start` (seat 0 if None)."""

    variable: Variable
    subject: Term
    start: Term | None
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Repeat(Node):
    body: tuple[Statement, ...]
    until: Term | None
    times: Term | None


@dataclass(frozen=True, slots=True)
class While(Node):
    condition: Term
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Do(Node):
    step: str
    arguments: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Return(Node):
    value: Term


@dataclass(frozen=True, slots=True)
class Stop(Node):
    pass


@dataclass(frozen=True, slots=True)
class Choose(Node):
    """`chooser` decides; `seat` (the same unless given) is the mover."""

    chooser: Term
    seat: Term | None
    moves: tuple[str, ...]
    fallback: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MoveCards(Node):
    """`cards` (a set) go to `zone`; `source` when they are known to lie there."""

    cards: Term
    source: ZoneOf | None
    facing: str | None
    bottom: bool
    zone: ZoneOf


@dataclass(frozen=True, slots=True)
class Gather(Node):
    cards: Term | None
    zone: ZoneOf


@dataclass(frozen=True, slots=True)
class Deal(Node):
    """`count` cards from the top of `source` to `target`; with `each`, to every player's, the
    target's index being `each`, starting with `start`."""

    count: Term
    source: ZoneOf
    target: ZoneOf
    each: Variable | None
    start: Term | None


@dataclass(frozen=True, slots=True)
class Shuffle(Node):
    zone: ZoneOf
    chance: Chance


@dataclass(frozen=True, slots=True)
class Text(Node):
    pieces: tuple[str | Term, ...]


@dataclass(frozen=True, slots=True)
class Say(Node):
    text: Text


@dataclass(frozen=True, slots=True)
class Outcome(Node):
    """The game is over; `who` is a set of players (None: nobody wins)."""

    who: Term | None
    wins: bool


@dataclass(frozen=True, slots=True)
class Finish(Node):
    who: Term
    key: Term
    variable: Variable
    lowest: bool


@dataclass(frozen=True, slots=True)
class NotYet(Node):
    """A statement that is checked but not compiled yet."""

    what: str


Statement: TypeAlias = (
    SetState
    | SetVariable
    | If
    | For
    | Repeat
    | While
    | Do
    | Return
    | Stop
    | Choose
    | MoveCards
    | Gather
    | Deal
    | Shuffle
    | Say
    | Outcome
    | Finish
    | NotYet
)
