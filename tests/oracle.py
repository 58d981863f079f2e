"""Expressions worked out a second time, over plain Python values, to hold the generated code to.

A number is an int, a flag a bool, a member its index or None, a set a frozenset of indexes.
Groups of cards and moves are not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any, TypeAlias

from rulebook import terms as t
from rulebook.kinds import Enumeration, Flag, Kind, Members, NumberRange, SetOf

Value: TypeAlias = Any
"""int, bool, None or frozenset[int]."""
Env: TypeAlias = dict[t.Variable, Value]


class Stopped(Exception):
    """The rules go wrong here."""


class Returned(Exception):
    def __init__(self, value: Value) -> None:
        self.value = value


@dataclass(slots=True)
class Position:
    """Zones and state by name, one value for each index; cards bottom first."""

    zones: dict[str, list[list[int]]]
    state: dict[str, list[Value]]
    moved_by: dict[int, int]


def number_of(each: Enumeration | NumberRange | None, index: int) -> int:
    return index - each.low if isinstance(each, NumberRange) else index


def as_value(kind: Kind, number: int) -> Value:
    """A value from the number that stands for it in tables, constants and memory."""
    if isinstance(kind, SetOf):
        return frozenset(i for i in range(kind.enumeration.size) if number >> i & 1)
    if isinstance(kind, Members):
        return None if number < 0 else number
    return bool(number) if isinstance(kind, Flag) else number


class Oracle:
    def __init__(self, game: t.CheckedGame, position: Position) -> None:
        self.game = game
        self.position = position

    def value(self, term: t.Term, env: Env | None = None) -> Value:
        """What a term comes to; `Stopped` where the rules go wrong."""
        method: Callable[[Any, Env], Value] = getattr(self, f"on_{type(term).__name__.lower()}")
        return method(term, {} if env is None else env)

    # ---- values ----

    def on_constant(self, term: t.Constant, env: Env) -> Value:
        return as_value(term.kind, term.value)

    def on_read(self, term: t.Read, env: Env) -> Value:
        return env[term.variable]

    def on_stateof(self, term: t.StateOf, env: Env) -> Value:
        index = 0 if term.index is None else self.value(term.index, env)
        return self.position.state[term.state.name][number_of(term.state.each, index)]

    def cards(self, term: t.ZoneOf, env: Env) -> list[int]:
        index = 0 if term.index is None else self.value(term.index, env)
        return self.position.zones[term.zone.name][number_of(term.zone.each, index)]

    def on_zoneof(self, term: t.ZoneOf, env: Env) -> Value:
        return frozenset(self.cards(term, env))

    def on_lookup(self, term: t.Lookup, env: Env) -> Value:
        place = 0
        for index, argument in zip(term.table.indexes, term.arguments, strict=True):
            found = self.value(argument, env)
            if found is None:
                return None
            size = index.high - index.low + 1 if isinstance(index, NumberRange) else index.size
            place = place * size + number_of(index, found)
        return as_value(term.table.kind, term.table.values[place])

    def on_movedby(self, term: t.MovedBy, env: Env) -> Value:
        card = self.value(term.card, env)
        return None if card is None else self.position.moved_by.get(card)

    def on_ownerof(self, term: t.OwnerOf, env: Env) -> Value:
        card = self.value(term.card, env)
        for zone in self.game.zones.values():
            if isinstance(zone.each, Enumeration) and zone.each.name == "player":
                for seat, cards in enumerate(self.position.zones[zone.name]):
                    if card in cards:
                        return seat
        return None

    def on_seat(self, term: t.Seat, env: Env) -> Value:
        return (self.value(term.player, env) + term.steps) % self.game.players

    def on_nextamong(self, term: t.NextAmong, env: Env) -> Value:
        some = self.value(term.subject, env)
        seat = self.value(term.player, env)
        for _ in range(self.game.players):
            seat = (seat + term.direction) % self.game.players
            if seat in some:
                return seat
        return None

    def on_call(self, term: t.Call, env: Env) -> Value:
        arguments = [self.value(argument, env) for argument in term.arguments]
        inner = dict(zip(term.definition.parameters, arguments, strict=True))
        try:
            self.run(term.definition.body, inner)
        except Returned as returned:
            return returned.value
        raise Stopped

    def on_function(self, term: t.Function, env: Env) -> Value:
        left, right = (self.value(argument, env) for argument in term.arguments)
        if term.name in ("larger", "smaller"):
            return max(left, right) if term.name == "larger" else min(left, right)
        below, exact = left // right * right, Fraction(left, right)
        if term.name == "rounded_down" or below == left:
            return below
        if term.name == "rounded_up":
            return below + right
        half = exact - floor(exact)
        up = half > Fraction(1, 2) or (half == Fraction(1, 2) and term.name == "half_up")
        return below + right if up else below

    def on_endcard(self, term: t.EndCard, env: Env) -> Value:
        cards = self.cards(term.zone, env)
        if not cards:
            return None
        return cards[-1] if term.which == "last" else cards[0]

    def on_endcards(self, term: t.EndCards, env: Env) -> Value:
        count = max(0, self.value(term.count, env))
        cards = self.cards(term.zone, env)
        some = cards[max(0, len(cards) - count) :] if term.which == "last" else cards[:count]
        return frozenset(some)

    # ---- sets ----

    def on_filter(self, term: t.Filter, env: Env) -> Value:
        subject = self.members(term.subject, env)
        return frozenset(
            member
            for member in subject
            if self.value(term.condition, {**env, term.variable: member})
        )

    def members(self, term: t.Term, env: Env) -> list[Value]:
        return sorted(self.value(term, env))

    def on_rangeof(self, term: t.RangeOf, env: Env) -> Value:
        return range(self.value(term.low, env), self.value(term.high, env) + 1, term.step)

    def on_count(self, term: t.Count, env: Env) -> Value:
        return len(self.value(term.subject, env))

    def on_any(self, term: t.Any, env: Env) -> Value:
        return len(self.value(term.subject, env)) > 0

    def on_aggregate(self, term: t.Aggregate, env: Env) -> Value:
        members = self.members(term.subject, env)
        keys = [self.value(term.key, {**env, term.variable: member}) for member in members]
        word = term.word
        if word == "sum":
            return sum(keys)
        if word in ("most", "least"):
            return (max if word == "most" else min)(keys) if keys else 0
        if not members:
            return frozenset() if word.startswith("all ") else None
        best = (max if word.endswith("highest") else min)(keys)
        ties = [member for member, key in zip(members, keys, strict=True) if key == best]
        if word.startswith("all "):
            return frozenset(ties)
        return ties[-1] if word == "highest" else ties[0]

    def on_contains(self, term: t.Contains, env: Env) -> Value:
        return self.value(term.item, env) in self.value(term.subject, env)

    def on_setoperation(self, term: t.SetOperation, env: Env) -> Value:
        left, right = self.value(term.left, env), self.value(term.right, env)
        return left | right if term.word == "with" else left - right

    def on_single(self, term: t.Single, env: Env) -> Value:
        member = self.value(term.member, env)
        return frozenset() if member is None else frozenset([member])

    # ---- logic and numbers ----

    def on_not(self, term: t.Not, env: Env) -> Value:
        return not self.value(term.operand, env)

    def on_logic(self, term: t.Logic, env: Env) -> Value:
        left = self.value(term.left, env)
        if term.word == "and":
            return left and self.value(term.right, env)
        return (left if term.word == "or" else not left) or self.value(term.right, env)

    def on_compare(self, term: t.Compare, env: Env) -> Value:
        left, right = self.value(term.left, env), self.value(term.right, env)
        if term.sign in ("is", "is not"):
            return (left == right) is (term.sign == "is")
        return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[
            term.sign
        ]

    def on_arithmetic(self, term: t.Arithmetic, env: Env) -> Value:
        left, right = self.value(term.left, env), self.value(term.right, env)
        if term.sign == "/":
            return floor(Fraction(left, right))
        if term.sign == "mod":
            return left - right * floor(Fraction(left, right))
        return {"+": left + right, "-": left - right, "*": left * right}[term.sign]

    def on_ifelse(self, term: t.IfElse, env: Env) -> Value:
        return self.value(term.then if self.value(term.condition, env) else term.other, env)

    def on_need(self, term: t.Need, env: Env) -> Value:
        found = self.value(term.operand, env)
        if found is None:
            raise Stopped
        return found

    def on_fit(self, term: t.Fit, env: Env) -> Value:
        found = self.value(term.operand, env)
        if not term.low <= found <= term.high:
            raise Stopped
        return found

    # ---- the lines of a definition ----

    def run(self, body: Sequence[t.Statement], env: Env) -> None:
        for line in body:
            if isinstance(line, t.Return):
                raise Returned(self.value(line.value, env))
            if isinstance(line, t.SetVariable):
                env[line.variable] = self.value(line.value, env)
            elif isinstance(line, t.If):
                self.branch(line, env)
            elif isinstance(line, t.For):
                for member in self.walk(line, env):
                    env[line.variable] = member
                    self.run(line.body, env)
            else:
                raise AssertionError(type(line))

    def branch(self, line: t.If, env: Env) -> None:
        for condition, body in line.branches:
            if condition is None or self.value(condition, env):
                self.run(body, env)
                return

    def walk(self, loop: t.For, env: Env) -> Iterable[Value]:
        """Players in turn order, everything else upwards."""
        members = self.members(loop.subject, env)
        kind = loop.subject.kind
        if not isinstance(kind, SetOf) or kind.enumeration.name != "player":
            return members
        players, step = self.game.players, 1 if self.game.clockwise else -1
        start = 0 if step > 0 else players - 1
        if loop.start is not None:
            start = self.value(loop.start, env)
        return [seat for i in range(players) if (seat := (start + step * i) % players) in members]
