"""The checked game: every name resolved, every kind known. What the compiler reads.

Terms mirror the syntax nodes, but desugared: bare attributes have their subject, literals their
kind, `every` is a negated search, and each place that can go wrong at run time carries its span.
Identity matters for declarations (`eq=False`): two entries are the same only if they are one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from rulebook.frozen import frozen
from rulebook.kinds import Enumeration, Kind, NumberRange, Numbers
from rulebook.nodes import Expr
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


@frozen
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
        return 1 if self.each is None else self.each.size


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
    about: str = ""

    @property
    def size(self) -> int:
        return 1 if self.each is None else self.each.size


@dataclass(slots=True, eq=False)
class Definition:
    name: str
    parameters: tuple[Variable, ...]
    kind: Kind
    body: tuple[Statement, ...]
    """An expression body is a single `Return`."""
    span: Span


@frozen
class Pick:
    variable: Variable
    source: Term
    """A set of cards, of members, or a range of numbers."""
    zone: ZoneOf | None
    """The zone a picked card comes from, when the source is a zone or a part of one."""
    span: Span


@frozen
class Condition:
    """A hard condition. `after` picks must be bound before it can be tested."""

    label: str
    term: Term
    after: int
    span: Span


@frozen
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
    also: range = range(0)
    """Numbers that may be chosen beside those."""
    when: Expr | None = None
    """What other options must say where this one has another value than its default."""

    def allows(self, value: int) -> bool:
        """Whether a value of the kind may be chosen, whatever other options say."""
        return not isinstance(self.kind, Numbers) or value in self.choices or value in self.also


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
    alike: str | None
    """The attribute by which positions know cards: suit, rank, or None for the cards themselves."""
    names: dict[str, dict[str, str]] = field(default_factory=dict)
    examples: list[tuple[str, object]] = field(default_factory=list)
    used: frozenset[str] = frozenset()
    """The names that rule text mentions."""


# ---- expressions ----


@frozen
class Base:
    span: Span
    kind: Kind


@frozen
class Constant(Base):
    """A number, a flag (0, 1), a member's index, -1 for none, or a set's bits."""

    value: int


@frozen
class Read(Base):
    variable: Variable


@frozen
class Mover(Base):
    pass


@frozen
class StateOf(Base):
    state: State
    index: Term | None


@frozen
class ZoneOf(Base):
    zone: Zone
    index: Term | None


@frozen
class Lookup(Base):
    """A value of a table; its arguments are in range or checked by `Fit`/`Need`."""

    table: Table
    arguments: tuple[Term, ...]


@frozen
class MovedBy(Base):
    """`player of c`: who last moved the card by a move; none before."""

    card: Term


@frozen
class OwnerOf(Base):
    """`owner of c`: the player in whose zone (one each: player) the card lies, or none."""

    card: Term


@frozen
class FaceUp(Base):
    """Whether a card lies face up; no for no card."""

    card: Term


@frozen
class Above(Base):
    """The cards that lie on a card in its ordered zone; none for no card."""

    card: Term


@frozen
class Seat(Base):
    """The player `steps` seats on (`steps` counted in seat numbers, so left is +1)."""

    player: Term
    steps: int


@frozen
class NextAmong(Base):
    """The first of `subject` reached from the player's neighbour on; `direction` is +1 or -1."""

    player: Term
    direction: int
    subject: Term


@frozen
class Call(Base):
    definition: Definition
    arguments: tuple[Term, ...]


@frozen
class Function(Base):
    """A built-in number function: larger, smaller, rounded_up, rounded_down, half_up, half_down."""

    name: str
    arguments: tuple[Term, ...]


@frozen
class EndCard(Base):
    which: str
    zone: ZoneOf


@frozen
class EndCards(Base):
    which: str
    count: Term
    zone: ZoneOf


@frozen
class Filter(Base):
    subject: Term
    variable: Variable
    condition: Term


@frozen
class Count(Base):
    subject: Term


@frozen
class Any(Base):
    """Whether the set has a member."""

    subject: Term


@frozen
class Aggregate(Base):
    """`word`: sum, most, least (numbers), highest, lowest (a member or none), all highest,
    all lowest (a set)."""

    word: str
    key: Term
    variable: Variable
    subject: Term


@frozen
class Not(Base):
    operand: Term


@frozen
class Logic(Base):
    word: str
    left: Term
    right: Term


@frozen
class Compare(Base):
    """On one-word values, or (with `is` and `is not`) on sets."""

    sign: str
    left: Term
    right: Term


@frozen
class Contains(Base):
    subject: Term
    item: Term


@frozen
class Arithmetic(Base):
    """Numbers; the resolver has proved that the result fits 32 bits."""

    sign: str
    left: Term
    right: Term


@frozen
class SetOperation(Base):
    """`with`, `without` on two sets of one kind."""

    word: str
    left: Term
    right: Term


@frozen
class Single(Base):
    """The set of one member, empty for none."""

    member: Term


@frozen
class IfElse(Base):
    condition: Term
    then: Term
    other: Term


@frozen
class RangeOf(Base):
    low: Term
    high: Term
    step: int


@frozen
class Can(Base):
    player: Term
    move: str
    """By name: moves are resolved after definitions."""


@frozen
class Need(Base):
    """The operand, which must not be none."""

    operand: Term
    use: str


@frozen
class Fit(Base):
    """The operand, which must lie in `low..high`."""

    operand: Term
    low: int
    high: int
    use: str


@frozen
class RandomFrom(Base):
    subject: Term
    chance: Chance


@frozen
class Shape:
    """What a group of cards looks like: `low` to `high` cards (no end if None), of `one` suit or
    rank or any; a run has consecutive places in `order`, and is not part of a longer one where
    `longest`."""

    span: Span
    low: int
    high: int | None
    one: str | None
    order: Table | None
    longest: bool


@frozen
class Groups(Base):
    """Every group of cards of one of the shapes that can be made of a set and satisfies the
    condition."""

    variable: Variable
    shapes: tuple[Shape, ...]
    subject: Term
    condition: Term | None


@frozen
class GroupIn(Base):
    """Whether a set of cards is one of the groups."""

    item: Term
    groups: Term


@frozen
class UnionOf(Base):
    """All cards of some groups together."""

    groups: Term


@frozen
class Split(Base):
    """Of the groups, some that share no card and whose keys have the greatest sum."""

    groups: Term
    variable: Variable
    key: Term


@frozen
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
    | FaceUp
    | Above
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
    | Groups
    | GroupIn
    | UnionOf
    | Split
    | Later
)


# ---- statements ----


@frozen
class Node:
    span: Span


@frozen
class SetState(Node):
    target: StateOf
    value: Term


@frozen
class SetVariable(Node):
    variable: Variable
    value: Term


@frozen
class If(Node):
    branches: tuple[tuple[Term | None, tuple[Statement, ...]], ...]


@frozen
class For(Node):
    """Walks a copy of the set; players in turn order, from `start` (seat 0 if None)."""

    variable: Variable
    subject: Term
    start: Term | None
    body: tuple[Statement, ...]


@frozen
class Repeat(Node):
    body: tuple[Statement, ...]
    until: Term | None
    times: Term | None


@frozen
class While(Node):
    condition: Term
    body: tuple[Statement, ...]


@frozen
class Do(Node):
    step: str
    arguments: tuple[Term, ...] = ()


@frozen
class Return(Node):
    value: Term


@frozen
class Stop(Node):
    pass


@frozen
class Choose(Node):
    """`chooser` decides; `seat` (the same unless given) is the mover."""

    chooser: Term
    seat: Term | None
    moves: tuple[str, ...]
    fallback: tuple[str, ...]


@frozen
class MoveCards(Node):
    """`cards` (a set) go to `zone`; `source` when they are known to lie there."""

    cards: Term
    source: ZoneOf | None
    facing: str | None
    bottom: bool
    zone: ZoneOf


@frozen
class Gather(Node):
    cards: Term | None
    zone: ZoneOf


@frozen
class Deal(Node):
    """`count` cards from the top of `source` to `target`; with `each`, to every player's, the
    target's index being `each`, starting with `start`."""

    count: Term
    source: ZoneOf
    target: ZoneOf
    each: Variable | None
    start: Term | None


@frozen
class Shuffle(Node):
    zone: ZoneOf
    chance: Chance


@frozen
class Text(Node):
    pieces: tuple[str | Term, ...]


@frozen
class Say(Node):
    text: Text


@frozen
class Outcome(Node):
    """The game is over; `who` is a set of players (None: nobody wins)."""

    who: Term | None
    wins: bool


@frozen
class Finish(Node):
    who: Term
    key: Term
    variable: Variable
    lowest: bool


@frozen
class Show(Node):
    """Cards are shown to some players (None: everyone); they stay where they are."""

    cards: Term
    audience: Term | None


@frozen
class TurnCards(Node):
    cards: Term
    facing: str


@frozen
class Secretly(Node):
    """Every player of `loop.subject` chooses in turn; what each chose is done when all have."""

    loop: For
    choice: Choose


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
    | Show
    | TurnCards
    | Secretly
)
