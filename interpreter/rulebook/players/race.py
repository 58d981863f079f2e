"""Deciding between kinds of moves, such as bids and passes, where a score is kept.

Such choices have many moves that differ little, and what follows depends on what others bid. So
habits are learned first, by which games are then played on. The moves are compared in the same
worlds with the same chance, and the worse half drops out again and again. A world counts as far as
it explains what the others have chosen.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import TYPE_CHECKING

from rulebook.players.budget import Budget
from rulebook.players.decision import Decision, Rows
from rulebook.players.rewards import Worth
from rulebook.players.sight import Sight
from rulebook.players.worlds import World
from rulebook.wasm.machine import Trap

if TYPE_CHECKING:
    from rulebook.players.search import SearchPlayer

TIMES = 4
"""Such choices are few, and harder than others: they get so many times the iterations."""
WARM = 0.25
"""The part of them in which habits are learned, before moves are compared."""
WARM_USES = 4
"""Leaves in one world before the next is drawn."""
DOUBT = 0.1
"""By how much a choice must be better than others to be about three times as likely."""
WEIGHING = 3
"""One in so many of the leaves may be spent on how plausible worlds are."""


class Race(Decision):
    def __init__(self, player: SearchPlayer, sight: Sight, budget: Budget) -> None:
        super().__init__(player, sight, budget.times(TIMES))
        self.weighing = 0
        """Leaves spent on how plausible worlds are."""

    def compare(self, world: World, rows: Rows) -> None:
        first, seed = next(iter(rows.values())), self.random.getrandbits(63)
        try:
            self.judge.begin(world.state, first, seed, random=False)
        except Trap:
            self.judge.horizon = False
        self.warm(world, rows)
        self.race(world, rows)

    def warm(self, world: World, rows: Rows) -> None:
        """Learn habits, and how to judge games that begin with choices made by them."""
        leaves: list[Worth] = []
        while not leaves or self.budget.left(self.done, WARM):
            row = self.habits.choose(self.player.seat, list(rows.values()))
            leaves.append(self.leaf(world.state, row, self.random.getrandbits(63)))
            self.done += 1
            if self.done % WARM_USES == 0:
                world, rows = self.draw() or (world, rows)
        self.judge.settle(self.player.seat, leaves[len(leaves) // 2 :])

    def race(self, world: World, rows: Rows) -> None:
        """Each move that is left is tried in the same worlds, with the same chance: that tells a
        little better from a little worse much sooner than chances of their own would. Where there
        is no room to try all, habit says which."""
        seat = self.player.seat
        moves: list[Hashable] = list(self.moves)
        room = self.budget.room(self.done) // 2
        if room < len(moves):
            moves.sort(key=lambda key: -self.habits.move(seat, rows[key]))
            moves = moves[: max(room, 2)]
        rounds = math.ceil(math.log2(len(moves)))
        pool: list[tuple[World, Rows, float]] = []
        at = 0
        for number in range(rounds):
            share = WARM + (1 - WARM) * (number + 1) / rounds
            while True:
                if not pool or self.weighing * WEIGHING < self.done:
                    world, rows = self.draw() or (world, rows)
                    chosen = world, rows, self.plausible(world)
                    pool.append(chosen)
                else:
                    chosen = pool[at % len(pool)]
                    at += 1
                self.flat(chosen[0], chosen[1], moves, chosen[2])
                if not self.budget.left(self.done + len(moves), share):
                    break
            moves.sort(key=lambda key: -self.root.edges[key].mean(seat))
            moves = moves[: (len(moves) + 1) // 2]

    def plausible(self, world: World) -> float:
        """How well a world explains what the others have lately chosen between kinds of moves,
        from 0 to 1: each would have chosen what turns out well for it there."""
        found = 1.0
        for choice in self.worlds.last_choices(world):
            if choice is None:
                found *= 0.5
                continue
            taken = self.key(choice.row)
            row = next((row for row in choice.rows if self.key(row) == taken), None)
            others = [row for row in choice.rows if row[:4] != taken[:4]]
            if not others:
                continue
            if row is None:
                found *= 0.5
                continue
            seat, seed = choice.seat, self.random.getrandbits(63)
            chosen = self.leaf(choice.state, row, seed)
            other = self.leaf(choice.state, self.habits.choose(seat, others), seed)
            gain = chosen.worth[seat] / chosen.games - other.worth[seat] / other.games
            found *= 1 / (1 + math.exp(-gain / DOUBT))
            self.weighing += 2
            self.done += 2
        return found
