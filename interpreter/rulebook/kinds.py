"""The kinds of values: what an expression can be, and how wide it is.

Every value comes from a finite set: a bounded number, a flag, a member of an enumeration (cards,
suits, players, ... are enumerations too), or a set of members. `None` among the members is -1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

NUMBER_LIMIT = 1_000_000
"""Numbers whose range nobody declared (reassigned locals, parameters) stay within this."""
WORD_MAX = 2**31 - 1


@dataclass(frozen=True, slots=True, eq=False)
class Enumeration:
    """A finite set of named members. `name` is the word for one of them."""

    name: str
    members: tuple[str, ...]

    @property
    def size(self) -> int:
        return len(self.members)

    @property
    def full(self) -> int:
        """The set of all members, as bits."""
        return (1 << self.size) - 1

    def __repr__(self) -> str:
        return f"Enumeration({self.name})"


@dataclass(frozen=True, slots=True)
class Numbers:
    low: int
    high: int

    def __str__(self) -> str:
        return "a number"


@dataclass(frozen=True, slots=True)
class Flag:
    def __str__(self) -> str:
        return "a yes or no"


@dataclass(frozen=True, slots=True)
class Members:
    """One member of an enumeration, or none where `optional`."""

    enumeration: Enumeration
    optional: bool = False

    def __str__(self) -> str:
        return an(self.enumeration.name) + (" or none" if self.optional else "")


@dataclass(frozen=True, slots=True)
class SetOf:
    enumeration: Enumeration

    def __str__(self) -> str:
        return f"a set of {self.enumeration.name}s"


@dataclass(frozen=True, slots=True)
class NumberRange:
    """The numbers low, low + step, ... up to high; only in `for` and picks."""

    low: int
    high: int

    @property
    def size(self) -> int:
        return max(self.high - self.low + 1, 0)

    def __str__(self) -> str:
        return "a range of numbers"


@dataclass(frozen=True, slots=True)
class GroupsOf:
    """Several sets of cards."""

    enumeration: Enumeration

    def __str__(self) -> str:
        return "a set of groups"


@dataclass(frozen=True, slots=True)
class Nothing:
    """The kind of `none` and of `empty` before they meet another value."""

    word: str

    def __str__(self) -> str:
        return self.word


@dataclass(frozen=True, slots=True)
class Unknown:
    """The kind of an expression that is already reported as wrong; fits everywhere."""

    def __str__(self) -> str:
        return "unknown"


Kind: TypeAlias = Numbers | Flag | Members | SetOf | NumberRange | GroupsOf | Nothing | Unknown

FLAG = Flag()
UNKNOWN = Unknown()
NONE = Nothing("none")
EMPTY = Nothing("empty")


def an(word: str) -> str:
    """The word with the article that goes before it."""
    return f"an {word}" if word[:1] in "aeiou" else f"a {word}"


def number(value: int) -> Numbers:
    return Numbers(value, value)


def same(left: Kind, right: Kind) -> bool:
    """Whether values of the two kinds can be compared or stand for each other."""
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return True
    if isinstance(left, Nothing) or isinstance(right, Nothing):
        other = right if isinstance(left, Nothing) else left
        word = left.word if isinstance(left, Nothing) else str(right)
        return isinstance(other, SetOf if word == "empty" else Members) or left == right
    if isinstance(left, Members) and isinstance(right, Members):
        return left.enumeration is right.enumeration
    if isinstance(left, SetOf) and isinstance(right, SetOf):
        return left.enumeration is right.enumeration
    return type(left) is type(right)


def join(left: Kind, right: Kind) -> Kind:
    """The smallest kind that holds values of both (which are the `same`)."""
    if isinstance(left, Unknown) or isinstance(right, Nothing):
        left, right = right, left
    if isinstance(left, Nothing) and isinstance(right, Members):
        return Members(right.enumeration, True)
    if isinstance(left, Nothing):
        return right
    if isinstance(left, Numbers) and isinstance(right, Numbers):
        return Numbers(min(left.low, right.low), max(left.high, right.high))
    if isinstance(left, Members) and isinstance(right, Members):
        return Members(left.enumeration, left.optional or right.optional)
    return left
