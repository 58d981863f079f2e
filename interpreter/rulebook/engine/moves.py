"""Moves as values: a name and what was picked, known by one canonical text.

Records, bots and people hold moves by text, never by their place in a list.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from rulebook import terms as t
from rulebook.engine.words import Words, matches, tokens
from rulebook.kinds import Kind, Members, Numbers, SetOf
from rulebook.wasm.machine import cell
from rulebook.wasm.writer import ROW_CELL, ROW_HEAD

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

    def decode(self, row: bytes, hidden: tuple[int | None, ...] = ()) -> Move:
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
        return self.move(move.name, kinds, values, hidden or (None,) * len(kinds))

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

    def forms(self, move: Move) -> list[list[str]]:
        """Every way to type a move: its name and picks, or (for moves with picks) the picks
        alone."""
        picks: list[list[str]] = []
        for kind, value, hidden in zip(move.kinds, move.values, move.hidden, strict=True):
            picks.append([f"#{hidden}", str(hidden)] if hidden else self.words.forms(kind, value))
        names = [move.name, self.words.shown(move.name), self.words.entry(move.name, "short")]
        found = [tokens(move.text), tokens(move.shown)]
        for combination in product(*picks):
            tail = tokens(" ".join(combination))
            found += [[*tokens(name.replace("_", " ")), *tail] for name in names if name]
            found += [[*tokens(name), *tail] for name in names[:1]]
            if tail:
                found.append(tail)
        found += self.template_forms(move)
        return found

    def template_forms(self, move: Move) -> list[list[str]]:
        """The forms that the file gives under `words`."""
        declared = self.moves[self.numbers[move.name]]
        found: list[list[str]] = []
        for template in declared.words:
            options = [[template]]
            for pick, kind, value in zip(declared.picks, move.kinds, move.values, strict=True):
                key = "{" + pick.variable.name + "}"
                options = [
                    [text.replace(key, form)]
                    for (text,) in options
                    for form in self.words.forms(kind, value)
                ]
            found += [tokens(text) for (text,) in options]
        return found

    def find(self, typed: str, moves: list[Move]) -> list[Move]:
        """The moves that typed text can mean: those it says exactly, else those it begins."""
        words = tokens(typed)
        if not words:
            return []
        best: dict[int, list[Move]] = {1: [], 2: []}
        for move in moves:
            grade = max((matches(words, form) for form in self.forms(move)), default=0)
            if grade:
                best[grade].append(move)
        return best[2] or best[1]

    def imagined(self, names: tuple[str, ...]) -> list[Move]:
        """Every move of these names that could be said, legal or not: what `why` can ask of."""
        found: list[Move] = []
        for name in names:
            move = self.moves[self.numbers[name]]
            kinds = tuple(pick.variable.kind for pick in move.picks)
            ranges = [everything(kind) for kind in kinds]
            size = 1
            for one in ranges:
                size *= len(one)
            if size > MAX_IMAGINED:
                continue
            for values in product(*ranges):
                found.append(self.move(name, kinds, values, (None,) * len(kinds)))
        return found


def everything(kind: Kind) -> range:
    """All values of a one-word kind (none of a set: there are too many)."""
    if isinstance(kind, Numbers):
        return range(kind.low, kind.high + 1)
    if isinstance(kind, Members):
        return range(kind.enumeration.size)
    return range(0)
