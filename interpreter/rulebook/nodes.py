"""The syntax tree of rule text, as written: no names looked up, no kinds known.

Every node carries the span it was read from. `resolve` turns these into `terms`.
"""

from __future__ import annotations

from typing import TypeAlias

from rulebook.frozen import frozen
from rulebook.source import Span


@frozen
class Node:
    span: Span


@frozen
class Word(Node):
    """A name at a place where only a name can stand."""

    text: str


# ---- expressions ----


@frozen
class Number(Node):
    value: int


@frozen
class Name(Node):
    text: str


@frozen
class Constant(Node):
    """`none`, `yes`, `no`, `empty` or `cards` (the whole deck)."""

    word: str


@frozen
class ListOf(Node):
    """`(a, b, ...)`: several arguments, or a set written out."""

    items: tuple[Expr, ...]


@frozen
class Of(Node):
    """`head of argument`: attribute, table, order, zone, state, definition or card."""

    head: Word
    argument: Expr


@frozen
class StepsOf(Node):
    """`2 left of p`."""

    count: int
    head: Word
    argument: Expr


@frozen
class CardsOf(Node):
    """`cards of X`: all cards of some groups, or of a zone there is one each of, together."""

    argument: Expr


@frozen
class End(Node):
    """`first of Z`, `last of Z` (one card) or `last n of Z` (a set)."""

    which: str
    count: Expr | None
    zone: Expr


@frozen
class Quantity(Node):
    """`any S`, `no S`, `count S`."""

    word: str
    subject: Expr


@frozen
class Aggregate(Node):
    """`sum KEY in S`, `most`/`least KEY in S` (numbers), `highest`/`lowest KEY in S` (a member),
    `all highest KEY in S` (a set)."""

    word: str
    all: bool
    key: Expr
    subject: Expr


@frozen
class Every(Node):
    subject: Expr
    condition: Expr


@frozen
class Where(Node):
    """`S where C`, or with a binder `x in S where C`."""

    subject: Expr
    condition: Expr


@frozen
class Not(Node):
    operand: Expr


@frozen
class Negate(Node):
    operand: Expr


@frozen
class Logic(Node):
    """`and`, `or`, `implies`."""

    word: str
    left: Expr
    right: Expr


@frozen
class Compare(Node):
    """`is`, `is not`, `<`, `<=`, `>`, `>=`."""

    sign: str
    left: Expr
    right: Expr


@frozen
class Member(Node):
    """`x in S`, `x not in S`."""

    item: Expr
    subject: Expr
    negated: bool


@frozen
class Arithmetic(Node):
    """`+ - * / mod` on numbers, `with` and `without` on sets."""

    sign: str
    left: Expr
    right: Expr


@frozen
class IfElse(Node):
    then: Expr
    condition: Expr
    other: Expr


@frozen
class Range(Node):
    low: Expr
    high: Expr
    step: Expr | None


@frozen
class Among(Node):
    """`next of p among S`."""

    start: Expr
    subject: Expr


@frozen
class Can(Node):
    player: Expr
    move: Word


@frozen
class Shape(Node):
    """What several picked cards look like: `2..4 cards of one rank`, `longest run of 3 or more in
    natural of one suit`. `high` is None for "or more"; `run` tells runs from plain sets."""

    run: bool
    longest: bool
    low: int
    high: int | None
    order: Word | None
    one: Word | None


@frozen
class Groups(Node):
    """`(cs are SHAPES from S where C)`: every group of cards of that shape."""

    name: Word
    shapes: tuple[Shape, ...]
    subject: Expr
    condition: Expr | None


@frozen
class Split(Node):
    """`best split of GROUPS by KEY`: groups that share no card and are worth the most."""

    groups: Expr
    key: Expr


@frozen
class Random(Node):
    """`random from S`; only as the whole right side of `=`."""

    subject: Expr


Expr: TypeAlias = (
    Number
    | Name
    | Constant
    | ListOf
    | Of
    | StepsOf
    | CardsOf
    | End
    | Quantity
    | Aggregate
    | Every
    | Where
    | Not
    | Negate
    | Logic
    | Compare
    | Member
    | Arithmetic
    | IfElse
    | Range
    | Among
    | Can
    | Groups
    | Split
    | Random
)


# ---- statements ----


@frozen
class Assign(Node):
    """`target = value`, or `+=` and `-=` when `sign` says so."""

    sign: str
    target: Expr
    value: Expr


@frozen
class Let(Node):
    name: Word
    value: Expr


@frozen
class If(Node):
    """Branches in order; a branch with no condition is the final `else`."""

    branches: tuple[tuple[Expr | None, Block], ...]


@frozen
class For(Node):
    name: Word
    subject: Expr
    start: Expr | None
    body: Block


@frozen
class Repeat(Node):
    """`repeat:`, with `until C` (tested after) or `times` (counted before)."""

    body: Block
    until: Expr | None
    times: Expr | None


@frozen
class While(Node):
    condition: Expr
    body: Block


@frozen
class Do(Node):
    step: Word
    arguments: tuple[Expr, ...]


@frozen
class Return(Node):
    value: Expr


@frozen
class Stop(Node):
    """Leaves the step."""


@frozen
class Choose(Node):
    """`p chooses a, b or c, else d`; `seat` when one person decides for another seat."""

    player: Expr
    moves: tuple[Word, ...]
    fallback: tuple[Word, ...]
    seat: Expr | None


@frozen
class Secretly(Node):
    each: Word
    subject: Expr | None
    move: Word


@frozen
class Move(Node):
    """`move X [face up|down] to [bottom of] Z`."""

    subject: Expr
    facing: str | None
    bottom: bool
    zone: Expr


@frozen
class Gather(Node):
    """`gather all cards to Z` (`subject` None) or `gather S to Z`: back in deck order."""

    subject: Expr | None
    zone: Expr


@frozen
class Deal(Node):
    """`deal n from Z to Y`, or to `each` zone in turn order, starting with a player."""

    count: Expr
    source: Expr
    each: bool
    target: Expr
    start: Expr | None


@frozen
class Shuffle(Node):
    zone: Expr


@frozen
class Turn(Node):
    subject: Expr
    facing: str


@frozen
class Show(Node):
    """`audience` None is everyone."""

    subject: Expr
    audience: Expr | None


@frozen
class Say(Node):
    text: Text


@frozen
class Outcome(Node):
    """`p wins`, `p loses`, or `nobody wins` (`who` None): the game is over."""

    who: Expr | None
    wins: bool


@frozen
class Finish(Node):
    """`players finish by KEY`: the game is over, ranked by the key."""

    who: Expr
    key: Expr
    lowest: bool


Statement: TypeAlias = (
    Assign
    | Let
    | If
    | For
    | Repeat
    | While
    | Do
    | Return
    | Stop
    | Choose
    | Secretly
    | Move
    | Gather
    | Deal
    | Shuffle
    | Turn
    | Show
    | Say
    | Outcome
    | Finish
)
Block: TypeAlias = tuple[Statement, ...]


# ---- the other places where rule text stands ----


@frozen
class Text(Node):
    """A message: plain pieces (str) and expressions, in order."""

    pieces: tuple[str | Expr, ...]


@frozen
class Pick(Node):
    """One thing that a move picks. `form`: `member` (in), `card` (from) or `cards` (are), of which
    only the last has `shapes` and a `condition` of its own."""

    form: str
    name: Word
    shapes: tuple[Shape, ...]
    subject: Expr
    condition: Expr | None


@frozen
class Parameter(Node):
    kind: Word
    name: Word


@frozen
class Head(Node):
    """The left side of a definition or step: `power of card c`."""

    name: Word
    parameters: tuple[Parameter, ...]


@frozen
class KindName(Node):
    """A kind as written: `player`, `strain or none`, `cards`."""

    name: str
    optional: bool


@frozen
class KindRange(Node):
    """A range of numbers as written: `0..511`, `80..160 step 10`."""

    low: int
    high: int
    step: int


KindSpec: TypeAlias = KindName | KindRange


@frozen
class Audience(Node):
    """`SEERS [while C [else SEERS]]`."""

    seers: Word
    condition: Expr | None
    otherwise: Word | None
