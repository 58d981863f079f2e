"""What has turned out well for whom, whatever the position: by seat, a mean for each kind of move
and for each move. Choices between kinds of moves are made by it where games are played on, since
bids or passes taken at random say little about a hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

HEAT = 0.03
"""How much worse than another a move may be and still be taken about a third as often."""
PRIOR = 3
"""A move begins with the mean of its kind, as if it had been taken so often."""


@dataclass(slots=True)
class Habits:
    random: Random
    key: Callable[[bytes], bytes]
    kinds: dict[tuple[int, bytes], tuple[int, float]] = field(default_factory=dict)
    moves: dict[tuple[int, bytes], tuple[int, float]] = field(default_factory=dict)

    def learn(self, taken: Sequence[tuple[int, bytes]], worth: Sequence[float]) -> None:
        """Moves taken by seats, and what came of it for each seat."""
        for seat, row in taken:
            for table, key in ((self.kinds, row[:4]), (self.moves, self.key(row))):
                count, total = table.get((seat, key), (0, 0.0))
                table[seat, key] = count + 1, total + worth[seat]

    def kind(self, seat: int, row: bytes) -> float:
        count, total = self.kinds.get((seat, row[:4]), (0, 0.0))
        return (total + 0.5) / (count + 1)

    def move(self, seat: int, row: bytes) -> float:
        count, total = self.moves.get((seat, self.key(row)), (0, 0.0))
        return (total + PRIOR * self.kind(seat, row)) / (count + PRIOR)

    def choose(self, seat: int, rows: Sequence[bytes]) -> bytes:
        """First the kind of move, then the move."""
        kinds = {row[:4]: row for row in rows}
        first = self.draw([(self.kind(seat, row), row) for row in kinds.values()])
        return self.draw([(self.move(seat, row), row) for row in rows if row[:4] == first[:4]])

    def draw(self, found: list[tuple[float, bytes]]) -> bytes:
        best = max(worth for worth, _ in found)
        weights = [math.exp((worth - best) / HEAT) for worth, _ in found]
        return self.random.choices([row for _, row in found], weights)[0]
