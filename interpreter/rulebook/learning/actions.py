"""The actions of a game: a fixed list of all moves that can ever be said, and the way to them from
the moves that the module lists.

A move's actions are the products of what its picks can be: a member, a number, a card, the place of
a card that its chooser does not see, a group of cards of the declared shapes over the whole deck.
A move with more than `CAP` of these (three of fifty cards, say) has `places` actions instead: they
stand for the first, second, ... of its moves that are legal at the moment, in canonical order.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rulebook import terms as t
from rulebook.engine.moves import MoveReader
from rulebook.kinds import Flag, Members, Numbers, SetOf
from rulebook.learning.groups import groups_of
from rulebook.program import ROW_CELL, ROW_HEAD
from rulebook.resolve.fold import fold
from rulebook.wasm.batched import picked_card

if TYPE_CHECKING:
    from rulebook.engine.game import Game

CAP = 20_000
"""Actions of a game, at most."""
PLACES = 512
Cells: TypeAlias = "np.ndarray[tuple[int, int], np.dtype[np.uint32]]"
"""Listed moves as rows of 32-bit words."""
Ints: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.int64]]"


class Axis:
    """What one pick can be. `values` has each with its place (None but for unseen cards)."""

    def __init__(self, values: Sequence[tuple[int, int | None]]) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def at(self, cells: Cells) -> Ints:
        """The positions among the values of the picks in so many cells."""
        raise NotImplementedError


class Range(Axis):
    def __init__(self, low: int, high: int, step: int) -> None:
        super().__init__([(value, None) for value in range(low, high + 1, step)])
        self.low, self.step = low, step

    def at(self, cells: Cells) -> Ints:
        value = cells[:, 0].view(np.int32).astype(np.int64)
        found: Ints = (value - self.low) // self.step
        return found


class Cards(Axis):
    """Cards by name and, behind them, by place. Copies of a card are one value."""

    def __init__(self, game: t.CheckedGame, named: bool, placed: bool) -> None:
        names = game.enumerations["card"].members
        firsts = [card for card, name in enumerate(names) if name not in names[:card]]
        values: list[tuple[int, int | None]] = [(card, None) for card in firsts] if named else []
        self.first = np.array([firsts.index(names.index(name)) for name in names])
        self.placed_from = len(values)
        self.named = named
        if placed:
            values += [(-1, place) for place in range(1, len(names) + 1)]
        super().__init__(values)

    def at(self, cells: Cells) -> Ints:
        card, place = cells[:, 0].astype(np.int64), cells[:, 1].astype(np.int64)
        if not self.named:
            return place - 1
        if len(self) == self.placed_from:
            found: Ints = self.first[card]
            return found
        return np.where(place > 0, place - 1 + self.placed_from, self.first[card])


class Groups(Axis):
    def __init__(self, groups: list[int], wide: bool) -> None:
        super().__init__([(group, None) for group in groups])
        self.wide = wide
        self.sorted = np.array(groups, object if wide else np.uint64)

    def at(self, cells: Cells) -> Ints:
        words = cells.astype(np.uint64)
        shift = np.uint64(32)
        group = words[:, 0] | words[:, 1] << shift
        if self.wide:
            group = group.astype(object) | (words[:, 2] | words[:, 3] << shift).astype(object) << 64
        return np.searchsorted(self.sorted, group).astype(np.int64)


class Part:
    """The actions of one move: `count` of them, from `first` on. Without axes they stand for
    legal moves by their number."""

    def __init__(self, move: t.Move, number: int, axes: list[Axis] | None, places: int) -> None:
        self.move = move
        self.number = number
        self.axes = axes
        self.count = places if axes is None else prod(map(len, axes))
        self.first = 0

    def at(self, rows: Cells, states: Ints) -> Ints:
        """The actions of rows of this move; -1 for those beyond the last place."""
        if self.axes is None:
            number = self.numbers(rows, states)
            return np.where(number < self.count, number + self.first, -1)
        found = np.zeros(len(rows), np.int64)
        for pick, axis in enumerate(self.axes):
            start_of = (ROW_HEAD + pick * ROW_CELL) // 4
            found = found * len(axis) + axis.at(rows[:, start_of : start_of + ROW_CELL // 4])
        return found + self.first

    def numbers(self, rows: Cells, states: Ints) -> Ints:
        """The number of each row in its state. Cards that the chooser does not see are in the order
        of their places, as matches offer them: the module's order tells which is higher."""
        places = [
            rows[:, (ROW_HEAD + pick * ROW_CELL) // 4 + 1]
            for pick, declared in enumerate(self.move.picks)
            if picked_card(declared)
        ]
        keys: list[np.ndarray[tuple[int, ...], np.dtype[Any]]] = [*reversed(places), states]
        order = np.lexsort(keys)
        ordered = states[order]
        begun = np.flatnonzero(np.diff(ordered, prepend=-1))
        found = np.empty(len(rows), np.int64)
        found[order] = np.arange(len(rows)) - np.repeat(begun, np.diff([*begun, len(rows)]))
        return found

    def texts(self, reader: MoveReader) -> list[str]:
        name = self.move.name
        if self.axes is None:
            return [f"{name} number {place + 1}" for place in range(self.count)]
        kinds = tuple(pick.variable.kind for pick in self.move.picks)
        return [
            reader.move(
                name, kinds, tuple(value for value, _ in one), tuple(place for _, place in one)
            ).text
            for one in product(*(axis.values for axis in self.axes))
        ]


class Actions:
    """All actions of a game. ValueError if there are more than `CAP`."""

    def __init__(self, game: Game, places: int = PLACES) -> None:
        if not 1 <= places <= CAP:
            raise ValueError(f"{places} is not a number of places from 1 to {CAP:,}")
        self.game = game
        checked = game.checked
        offered = {
            name
            for choice in game.program.choices
            for name in (*choice.moves, *choice.fallback)
            if can_be_legal(checked.moves[name])
        }
        lent = any(choice.seat is not None for choice in game.program.choices)
        self.parts = [
            Part(move, number, axes_of(checked, move, lent), places)
            for number, move in enumerate(checked.moves.values())
            if move.name in offered
        ]
        while sum(part.count for part in self.parts) > CAP:
            largest = max(self.parts, key=lambda part: part.count)
            if largest.count <= places:
                raise ValueError(
                    f"`{game.name}` has more than {CAP:,} moves that can be said, "
                    "too many for a list of actions"
                )
            self.parts[self.parts.index(largest)] = Part(largest.move, largest.number, None, places)
        self.count = 0
        for part in self.parts:
            part.first = self.count
            self.count += part.count

    @property
    def texts(self) -> list[str]:
        """The canonical text of each action."""
        return [text for part in self.parts for text in part.texts(self.game.reader)]

    def of_rows(self, rows: Cells, states: Ints) -> Ints:
        """The action of each listed move, -1 for one that has none; `states` says which state
        lists it."""
        found = np.full(len(rows), -1, np.int64)
        numbers = rows[:, 0]
        for part in self.parts:
            mine = np.flatnonzero(numbers == part.number)
            if len(mine):
                found[mine] = part.at(rows[mine], states[mine])
        return found


def can_be_legal(move: t.Move) -> bool:
    return all(fold(one.term, {}) != 0 for one in move.conditions if one.after == 0)


def axes_of(game: t.CheckedGame, move: t.Move, lent: bool) -> list[Axis] | None:
    """An axis for each pick; None if one alone is too long."""
    axes: list[Axis] = []
    for pick in move.picks:
        axis = axis_of(game, pick, lent)
        if axis is None:
            return None
        axes.append(axis)
    return axes


def axis_of(game: t.CheckedGame, pick: t.Pick, lent: bool) -> Axis | None:
    kind = pick.variable.kind
    if isinstance(kind, SetOf):
        groups = groups_of(game, pick.source, CAP)
        return None if groups is None else Groups(groups, kind.enumeration.size > 64)
    if isinstance(kind, Flag):
        return Range(0, 1, 1)
    if isinstance(kind, Members):
        if picked_card(pick):
            assert pick.zone is not None
            return Cards(game, *named_and_placed(pick.zone, lent))
        if kind.enumeration.name == "card":
            return Cards(game, named=True, placed=False)
        return Range(0, kind.enumeration.size - 1, 1)
    assert isinstance(kind, Numbers)
    source = pick.source
    if isinstance(source, t.RangeOf) and isinstance(source.low, t.Constant):
        low, step = source.low.value, source.step
    else:
        low, step = kind.low, 1
    if (kind.high - low) // step >= CAP:
        return None
    return Range(low, kind.high, step)


def named_and_placed(source: t.ZoneOf, lent: bool) -> tuple[bool, bool]:
    """Whether a card from there may have to be said by name, and by place. `lent`: some seats are
    played by others, who see what they see themselves."""
    audience, faces = source.zone.audience, source.zone.faces is not None
    seers = [audience.seers]
    if audience.condition is not None:
        holds = fold(audience.condition, {})
        both = [audience.seers, audience.otherwise]
        seers = both if holds is None else [both[0] if holds else both[1]]
    own = isinstance(source.index, t.Mover) and not lent
    always = [who == "everyone" or (who == "owner" and own) for who in seers]
    return any(who != "nobody" for who in seers), faces or not all(always)
