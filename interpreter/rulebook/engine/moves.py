"""Moves as values: a name and what was picked, known by one canonical text.

Records, bots and people hold moves by text, never by their place in a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from rulebook import terms as t
from rulebook.engine.events import bits
from rulebook.engine.words import EXACT, AnyOrder, Forms, Words, fit, tokens
from rulebook.kinds import Kind, Members, Numbers, SetOf
from rulebook.program import ROW_CELL, ROW_HEAD
from rulebook.suggest import closest
from rulebook.wasm.machine import cell

MAX_IMAGINED = 20_000


@dataclass(frozen=True, slots=True)
class Move:
    """A move that was offered or asked about. `str()` is its identity.

    `hidden` holds, for each pick, the position (from 1, counted from the bottom) of a card that the
    chooser cannot see, else None.
    """

    name: str
    kinds: tuple[Kind, ...]
    values: tuple[int, ...]
    hidden: tuple[int | None, ...]
    text: str
    shown: str
    row: bytes

    def __str__(self) -> str:
        return self.text


def row_of(number: int, kinds: tuple[Kind, ...], values: tuple[int, ...]) -> bytes:
    """A move as the module's list holds it."""
    row = number.to_bytes(4, "little").ljust(ROW_HEAD, b"\0")
    for kind, value in zip(kinds, values, strict=True):
        size = ROW_CELL if isinstance(kind, SetOf) else 4
        row += value.to_bytes(size, "little", signed=size == 4).ljust(ROW_CELL, b"\0")
    return row


class MoveReader:
    """Rows to moves, and typed text to moves."""

    def __init__(self, game: t.CheckedGame, words: Words) -> None:
        self.moves = list(game.moves.values())
        self.numbers = {move.name: number for number, move in enumerate(self.moves)}
        self.words = words
        self.said_names: dict[str, Forms] = {}
        self.said_values: dict[tuple[Kind, int], Forms] = {}

    def decode(self, row: bytes) -> Move:
        move = self.moves[int.from_bytes(row[:4], "little")]
        kinds = tuple(pick.variable.kind for pick in move.picks)
        values = tuple(
            int.from_bytes(
                cell(row, i)[: 16 if isinstance(kind, SetOf) else 4],
                "little",
                signed=not isinstance(kind, SetOf),
            )
            for i, kind in enumerate(kinds)
        )
        return self.move(move.name, kinds, values, (None,) * len(kinds))

    def by_position(self, move: Move, hidden: tuple[int | None, ...]) -> Move:
        """The move with positions for the cards that the chooser cannot see; which cards they are
        it no longer knows."""
        values = tuple(
            value if place is None else -1 for value, place in zip(move.values, hidden, strict=True)
        )
        return self.move(move.name, move.kinds, values, hidden)

    def move(
        self,
        name: str,
        kinds: tuple[Kind, ...],
        values: tuple[int, ...],
        hidden: tuple[int | None, ...],
    ) -> Move:
        parts = list(zip(kinds, values, hidden, strict=True))
        text = " ".join(
            [name, *(f"#{h}" if h else self.words.value(k, v, True) for k, v, h in parts)]
        )
        shown = " ".join(
            [
                self.words.shown(name),
                *(f"card {h}" if h else self.words.value(k, v) for k, v, h in parts),
            ]
        )
        row = row_of(self.numbers[name], kinds, values)
        return Move(name, kinds, values, hidden, text, shown, row)

    # ---- typed text ----

    def find(self, typed: str, moves: list[Move]) -> list[Move]:
        """The moves that typed text says best: exactly, else with shortened words, else as far as
        it goes. The name of a move with picks may be left out."""
        words = tokens(typed)
        if not words:
            return []
        best: list[Move] = []
        most = 1
        for move in moves:
            grade = self.grade(words, move)
            if grade > most:
                best, most = [], grade
            if grade == most:
                best.append(move)
        return best

    def grade(self, words: list[str], move: Move) -> int:
        if words == tokens(move.text):
            return EXACT
        picks: list[Forms | AnyOrder] = [
            [[f"#{hidden}"], [str(hidden)]] if hidden else self.part(kind, value)
            for kind, value, hidden in zip(move.kinds, move.values, move.hidden, strict=True)
        ]
        grade = fit(words, [self.names_of(move.name), *picks])
        if picks:
            grade = max(grade, fit(words, picks))
        for template in self.templates(move):
            grade = max(grade, fit(words, template))
        return grade

    def names_of(self, name: str) -> Forms:
        found = self.said_names.get(name)
        if found is None:
            found = self.said_names[name] = [tokens(one) for one in self.words.names_of(name)]
        return found

    def part(self, kind: Kind, value: int) -> Forms | AnyOrder:
        """A value as part of what can be typed; the members of a set come in any order."""
        if isinstance(kind, SetOf):
            single = Members(kind.enumeration)
            return AnyOrder([self.said(single, member) for member in bits(value)])
        return self.said(kind, value)

    def said(self, kind: Kind, value: int) -> Forms:
        """Every way to type a value, as words."""
        found = self.said_values.get((kind, value))
        if found is None:
            found = [tokens(form) for form in self.words.forms(kind, value)]
            self.said_values[kind, value] = found
        return found

    def templates(self, move: Move) -> Iterator[list[Forms | AnyOrder]]:
        """The phrases that the file gives under `words`, with the values in their places."""
        declared = self.moves[self.numbers[move.name]]
        values = {
            pick.variable.name: self.part(kind, value)
            for pick, kind, value in zip(declared.picks, move.kinds, move.values, strict=True)
        }
        for template in declared.words:
            pieces = re.split(r"\{(\w+)\}", template)
            yield [
                values[piece] if number % 2 and piece in values else [[word]]
                for number, piece in enumerate(pieces)
                for word in ([piece] if number % 2 else tokens(piece))
            ]

    def correct(self, typed: str, moves: list[Move]) -> str:
        """The text with its misspelt words mended, if one of the moves is then said; else ""."""
        known: set[str] = set()
        for move in moves:
            ways = [self.names_of(move.name)]
            for part in map(self.part, move.kinds, move.values):
                ways += part.members if isinstance(part, AnyOrder) else [part]
            known.update(word for way in ways for form in way for word in form)
        mended: list[str] = []
        for word in tokens(typed):
            near = [word] if any(one.startswith(word) for one in known) else closest(word, known)
            mended += near
        text = " ".join(mended)
        found = {move.text: move for move in self.find(text, moves)}
        return next(iter(found.values())).shown if len(found) == 1 else ""

    def imagined(self, names: tuple[str, ...], typed: str) -> list[Move]:
        """Every move of these names that the text may speak of, legal or not: what `why` can ask
        of. A pick of several is imagined only as what the text mentions."""
        found: list[Move] = []
        for name in names:
            move = self.moves[self.numbers[name]]
            kinds = tuple(pick.variable.kind for pick in move.picks)
            ranges = [
                self.mentioned(kind, typed) if isinstance(kind, SetOf) else all_of(kind)
                for kind in kinds
            ]
            size = 1
            for one in ranges:
                size *= len(one)
            if size > MAX_IMAGINED:
                continue
            for values in product(*ranges):
                found.append(self.move(name, kinds, values, (None,) * len(kinds)))
        return found

    def mentioned(self, kind: SetOf, typed: str) -> tuple[int, ...]:
        """The set of all members that a text names; nothing if it names none."""
        words, at, found = tokens(typed), 0, 0
        single = Members(kind.enumeration)
        while at < len(words):
            length, member = max(
                (len(form) if words[at : at + len(form)] == form else 0, member)
                for member in range(kind.enumeration.size)
                for form in self.said(single, member)
            )
            found |= 1 << member if length else 0
            at += length or 1
        return (found,) if found else ()


def all_of(kind: Kind) -> range:
    """All values of a one-word kind."""
    if isinstance(kind, Numbers):
        return range(kind.low, kind.high + 1)
    if isinstance(kind, Members):
        return range(kind.enumeration.size)
    return range(0)
