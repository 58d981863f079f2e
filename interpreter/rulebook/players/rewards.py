"""What random games from a state are worth to each seat, with no knowledge of the game.

A game to its end is worth 1 to a winner and 0 to a loser. Where a match goes over many deals and
keeps a score, games stop at the next shuffle instead, and are worth what the score's gain says:
the gain of a seat's side over the best other side, on a curve from 0 to 1 whose scale is learned
from random games.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rulebook import terms as t
from rulebook.players.outlook import Bytes, Outlook, Results, outlook, read_results, shares
from rulebook.players.sides import Sides
from rulebook.program import ENDED, HEADER, RUNNING, STOPPED
from rulebook.wasm.machine import Machine, Trap
from rulebook.wasm.measured import all_statements, better

if TYPE_CHECKING:
    from rulebook.engine.game import Game

DECISIVE = 0.9
"""Where fewer of the random games than this end within the deal, the deal is judged by its score.
"""
SAMPLE = 24
CHOICES = 1000
FEWEST, MOST = 2, 16
"""Random games for one leaf: so many that they take about so many choices."""
AHEAD = 24
"""Choices after which random games are stopped where they would be long."""


@dataclass(slots=True)
class Worth:
    """Sums over games: how many, what they were worth to each seat, and the gain of the score's
    margin for each seat (0 where none is kept)."""

    games: int
    worth: list[float]
    margin: list[float]


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
    start: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """Each seat's score when the decision was begun."""
    sides: Sides = field(init=False)
    sign: int = field(init=False)
    """-1 where the lowest score is the best, 0 where nothing says which is."""
    outlook: Outlook | None = field(init=False)
    """Where random games are too long to be played to their end, and no score judges deals."""

    def __post_init__(self) -> None:
        self.sides = Sides.of(self.game)
        self.sign = better(self.game.checked)
        self.outlook = None if self.keeps_score else outlook(self.game, self.machine)

    @property
    def keeps_score(self) -> bool:
        """Whether games can be judged by their score."""
        return self.game.score_cells is not None and len(self.sides) > 1 and self.sign != 0

    def begin(self, state: bytes, row: bytes, seed: int, random: bool = True) -> None:
        """Find out how to judge games that begin at a state with a move. Unless they are played
        at `random`, what they gain says nothing yet: `settle` follows."""
        at = HEADER["choices"]
        before = int.from_bytes(state[at : at + 4], "little")
        self.horizon = False
        cells = self.game.score_cells
        if cells is not None and self.keeps_score:
            words = [int.from_bytes(state[at : at + 4], "little", signed=True) for at in cells]
            self.start, self.horizon = np.array(words), True
        results = self.play(state, row, seed, SAMPLE)
        ended = int((results[:, 0] == ENDED).sum())
        if self.horizon and random and ended >= DECISIVE * SAMPLE:
            self.horizon = False
            results = self.play(state, row, seed, SAMPLE)
        if self.horizon:
            self.measure(self.margins(results[:, 4:])[:, self.sides.firsts])
        length = float(results[:, 3].mean()) - before
        if self.outlook is not None:
            length = min(length, AHEAD)
        self.games = max(FEWEST, min(MOST, round(CHOICES / max(1.0, length))))

    def settle(self, seat: int, leaves: Sequence[Worth]) -> None:
        """Learn the scale of gains from leaves that were judged by them."""
        self.measure(np.array([leaf.margin[seat] / leaf.games for leaf in leaves]))

    def measure(self, gains: NDArray[np.float64]) -> None:
        self.scale = max(1.0, math.sqrt(float((gains * gains).mean())))

    def play(self, state: bytes, row: bytes, seed: int, count: int) -> Results:
        """Results of random games, a row for each. Raises `Trap`."""
        machine = self.machine
        machine.look(shuffle=self.horizon, ahead=AHEAD if self.outlook else 0)
        memory = machine.memory
        machine.write(memory.origin, state + row.ljust(memory.row_size, b"\0"))
        machine.call("rollouts", seed, 0, count)
        return read_results(machine, count)

    def rollouts(self, state: bytes, row: bytes, seed: int) -> Worth:
        """What some random games from a state with a move are worth."""
        try:
            return self.worth(self.play(state, row, seed, self.games))
        except Trap:
            # The rules go wrong there; that is nobody's gain.
            worth = [self.games / len(self.sides)] * self.game.players
            return Worth(self.games, worth, [0.0] * self.game.players)

    def stands(self, state: bytes) -> Worth:
        """What a state is worth in which a game or deal is over."""
        cells = [HEADER[name] for name in ("over", "winners", "losers", "choices")]
        cells += self.game.score_cells or [0] * self.game.players
        words = [int.from_bytes(state[at : at + 4], "little", signed=True) for at in cells]
        return self.worth(np.array([words], "<i4"))

    def worth(self, results: Results) -> Worth:
        """Sums over some results."""
        players = self.game.players
        value = shares(results, self.sides)
        margins = np.zeros(players)
        undecided = (results[:, 0] != ENDED) | ((results[:, 1] == 0) & (results[:, 2] == 0))
        if self.horizon:
            margins = self.margins(results[:, 4 : 4 + players])
            value[undecided] = 0.5 + 0.5 * np.tanh(margins[undecided] / (2 * self.scale))
        stopped = results[:, 0] == STOPPED
        if self.outlook is not None and stopped.any():
            value[stopped] = self.outlook.worth(self.tables(len(results))[stopped])
        gained = (margins.sum(axis=0) if self.horizon else margins).tolist()
        return Worth(len(results), value.sum(axis=0).tolist(), gained)

    def tables(self, count: int) -> Bytes:
        """How the table lay at the end of each of the last random games."""
        size = self.game.program.layout.table_size
        data = self.machine.read(self.machine.memory.notes, count * size)
        return np.frombuffer(data, np.uint8).reshape(count, size)

    def margins(self, scores: Results) -> NDArray[np.float64]:
        """For each seat, the gain of its side over that of the best other, by result."""
        gains = self.sign * (scores[:, self.sides.firsts] - self.start[self.sides.firsts])
        best = gains.max(axis=1, keepdims=True)
        # Where a side is the best itself, the best other is the second.
        leads = gains == best
        second = np.where(leads, np.iinfo(np.int64).min, gains).max(axis=1, keepdims=True)
        second = np.where(leads.sum(axis=1, keepdims=True) > 1, best, second)
        found: NDArray[np.float64] = (gains - np.where(leads, second, best)).astype(float)
        return found[:, self.sides.of_seat]

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


def may_be_drawn(game: t.CheckedGame) -> bool:
    """Whether a game can end without anyone having won it."""
    limited = game.plays_limit is not None or game.repeats_limit is not None
    return limited or any(
        isinstance(one, t.Outcome) and one.who is None for one in all_statements(game)
    )
