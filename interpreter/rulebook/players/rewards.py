"""What random games from a state are worth to each seat, with no knowledge of the game.

A game to its end is worth 1 to a winner and 0 to a loser. Where a match goes over many deals and
keeps a score, games stop at the next shuffle instead, and are worth what the score's gain says:
the gain of a seat's side over the best other side, on a curve from 0 to 1 whose scale is learned
from random games.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from rulebook.program import ENDED, HEADER, RUNNING
from rulebook.wasm.machine import Machine, Trap

if TYPE_CHECKING:
    from rulebook.engine.game import Game

DECISIVE = 0.9
"""Where fewer of the random games than this end within the deal, the deal is judged by its score.
"""
SAMPLE = 24
CHOICES = 1000
FEWEST, MOST = 2, 16
"""Random games for one leaf: so many that they take about so many choices."""


HORIZONS: WeakKeyDictionary[Machine, bool] = WeakKeyDictionary()
"""How each machine stands: a call takes longer than a game, so it is told only of changes."""


@dataclass(slots=True)
class Worth:
    """Sums over games: how many, what they were worth to each seat, and the gain of the score's
    margin for each seat (0 where none is kept)."""

    games: int
    worth: list[float]
    margin: list[float]
    ended: int = 0
    """How many were played to their end."""


@dataclass(slots=True)
class Judge:
    """Plays on at random. `begin` before each decision; after it, `horizon` says how games are
    judged."""

    game: Game
    machine: Machine
    horizon: bool = False
    games: int = MOST
    """Random games for one leaf."""
    scale: float = 1.0
    start: tuple[int, ...] = ()
    """Each seat's score when the decision was begun."""
    sides: list[list[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        teams = [list(seats) for _, seats in self.game.checked.teams]
        self.sides = teams or [[seat] for seat in range(self.game.players)]

    def begin(self, state: bytes, row: bytes, seed: int, random: bool = True) -> None:
        """Find out how to judge games that begin at a state with a move; unless they are played
        at `random`, `settle` has the last word."""
        at = HEADER["choices"]
        before = int.from_bytes(state[at : at + 4], "little")
        self.horizon, self.start = False, ()
        cells = self.game.score_cells
        if cells is not None and len(self.sides) > 1:
            self.start = tuple(
                int.from_bytes(state[at : at + 4], "little", signed=True) for at in cells
            )
            self.horizon = True
        results = self.play(state, row, seed, SAMPLE)
        ended = sum(one[0] == ENDED for one in results)
        if self.horizon and random and ended >= DECISIVE * SAMPLE:
            self.horizon = False
            results = self.play(state, row, seed, SAMPLE)
        if self.horizon:
            self.measure([self.margins(one[4:])[side[0]] for one in results for side in self.sides])
        length = sum(one[3] - before for one in results) / SAMPLE
        self.games = max(FEWEST, min(MOST, round(CHOICES / max(1.0, length))))

    def settle(self, seat: int, leaves: Sequence[Worth]) -> None:
        """The same, found out from leaves that were judged by the score."""
        self.measure([leaf.margin[seat] / leaf.games for leaf in leaves])
        games = sum(leaf.games for leaf in leaves)
        self.horizon = sum(leaf.ended for leaf in leaves) < DECISIVE * games

    def measure(self, gains: Sequence[float]) -> None:
        self.scale = max(1.0, math.sqrt(sum(gain * gain for gain in gains) / len(gains)))

    def play(self, state: bytes, row: bytes, seed: int, count: int) -> list[tuple[int, ...]]:
        """Rows of results of random games. Raises `Trap`."""
        machine = self.machine
        if HORIZONS.get(machine) is not self.horizon:
            machine.call("horizon", int(self.horizon))
            HORIZONS[machine] = self.horizon
        memory = machine.memory
        machine.write(memory.origin, state + row.ljust(memory.row_size, b"\0"))
        machine.call("rollouts", seed, 0, count)
        size = memory.result_size
        data = machine.read(memory.results, count * size)
        return list(struct.iter_unpack(f"<{size // 4}i", data))

    def rollouts(self, state: bytes, row: bytes, seed: int) -> Worth:
        """What some random games from a state with a move are worth."""
        count = self.games
        players = self.game.players
        total = Worth(count, [0.0] * players, [0.0] * players)
        try:
            results = self.play(state, row, seed, count)
        except Trap:
            # The rules go wrong there; that is nobody's gain.
            total.worth = [count / len(self.sides)] * players
            return total
        for over, winners, losers, _, *scores in results:
            self.add(total, over, winners, losers, scores)
        return total

    def stands(self, state: bytes) -> Worth:
        """What a state is worth in which a game or deal is over."""
        words = [
            int.from_bytes(state[HEADER[name] : HEADER[name] + 4], "little", signed=True)
            for name in ("over", "winners", "losers")
        ]
        cells = self.game.score_cells or []
        scores = [int.from_bytes(state[at : at + 4], "little", signed=True) for at in cells]
        players = self.game.players
        total = Worth(1, [0.0] * players, [0.0] * players)
        over, winners, losers = words
        self.add(total, over, winners, losers, scores)
        return total

    def add(self, total: Worth, over: int, winners: int, losers: int, scores: list[int]) -> None:
        players = self.game.players
        margins = self.margins(scores) if self.horizon else [0.0] * players
        total.ended += over == ENDED
        if over == ENDED and not winners and losers:
            winners = (1 << players) - 1 & ~losers
        for seat in range(players):
            total.margin[seat] += margins[seat]
            if over == ENDED and winners:
                total.worth[seat] += winners >> seat & 1
            elif self.horizon:
                total.worth[seat] += curve(margins[seat] / self.scale)
            else:
                total.worth[seat] += 1 / len(self.sides)

    def margins(self, scores: list[int] | tuple[int, ...]) -> list[float]:
        """For each seat, the gain of its side over that of the best other."""
        gains = [scores[side[0]] - self.start[side[0]] for side in self.sides]
        found = [0.0] * self.game.players
        for number, side in enumerate(self.sides):
            other = max(gain for at, gain in enumerate(gains) if at != number)
            for seat in side:
                found[seat] = float(gains[number] - other)
        return found

    def is_over(self, state: bytes, root: bytes) -> bool:
        """Whether nothing is to be judged beyond a state: the game is over, or the deal."""
        at = HEADER["over"]
        if int.from_bytes(state[at : at + 4], "little") != RUNNING:
            return True
        if not self.horizon:
            return False
        start = self.game.program.layout.chances
        end = start + 4 * len(self.game.checked.chances)
        return state[start:end] != root[start:end]


def curve(x: float) -> float:
    """From 0 to 1, through a half at 0."""
    return 0.5 + 0.5 * math.tanh(x / 2)
