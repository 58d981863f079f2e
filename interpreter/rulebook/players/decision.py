"""A decision being thought over: what it counts of each move, and what a leaf is worth."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rulebook.players.budget import Budget
from rulebook.players.habits import Habits
from rulebook.players.rewards import Worth
from rulebook.players.sight import Sight
from rulebook.players.worlds import World, header
from rulebook.wasm.machine import Trap

if TYPE_CHECKING:
    from rulebook.engine.moves import Move
    from rulebook.players.search import SearchPlayer

CAUTION = 0.3
"""How much a move's mean is distrusted for few visits, in the final choice."""
HEAD = 16
"""Choices that are made by habit before play goes on at random."""

Rows = dict[Hashable, bytes]
"""The moves of a choice in a world, by what they are called in every world."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """Of one legal move. `expected` is the share of wins (or the worth of the deal's score, from 0
    to 1); `margin` the mean gain over the best other side, where deals are judged by score."""

    move: Move
    visits: int
    expected: float
    margin: float | None


@dataclass(frozen=True, slots=True)
class Thought:
    """The move that was found best, and what is thought of each, best first. `worlds` counts those
    that were used, `forced` those of them that do not agree with everything seen."""

    move: Move
    opinions: tuple[Opinion, ...]
    worlds: int = 0
    forced: int = 0


@dataclass(slots=True)
class Edge:
    visits: int = 0
    weight: float = 0.0
    """The sum of the weights of the visits: 1 for each, or less in a world that is implausible."""
    available: int = 0
    worth: list[float] = field(default_factory=list)
    """Sums for each seat of the means of leaves."""
    margin: float = 0.0
    nodes: dict[int, Node] = field(default_factory=dict)

    def mean(self, seat: int) -> float:
        return self.worth[seat] / self.weight if self.weight else 0.5


@dataclass(slots=True)
class Node:
    edges: dict[Hashable, Edge] = field(default_factory=dict)

    def edge(self, key: Hashable, players: int) -> Edge:
        found = self.edges.get(key)
        if found is None:
            found = self.edges[key] = Edge(worth=[0.0] * players)
        return found


class Decision:
    """What all ways to decide have in common."""

    def __init__(self, player: SearchPlayer, sight: Sight, budget: Budget) -> None:
        self.player = player
        self.sight = sight
        self.budget = budget
        self.worlds = player.worlds
        self.judge = player.judge
        self.random = player.random
        self.players = player.game.players
        identities = player.identities
        hidden = any(any(move.hidden) for move in sight.moves)
        self.root_key: Callable[[bytes, bytes], Hashable] = (
            identities.in_world if hidden else lambda state, row: identities.plain(row)
        )
        self.key = identities.plain
        self.moves = {identities.of_move(move): move for move in sight.moves}
        self.mixed = len({move.name for move in sight.moves}) > 1
        """Whether this is a choice between kinds of moves."""
        self.root = Node()
        self.done = 0
        self.count = 0
        self.before = self.worlds.forced
        self.habits = Habits(self.random, self.key)

    def run(self) -> Thought:
        """Think until the budget is spent."""
        world = self.draw()
        if world is None:
            # No world at all: nothing can be said, and any move is as good.
            return Thought(self.random.choice(self.sight.moves), ())
        self.compare(*world)
        return self.conclusion()

    def compare(self, world: World, rows: Rows) -> None:
        """Count in what the moves are worth, beginning with a world."""
        raise NotImplementedError

    def draw(self) -> tuple[World, Rows] | None:
        """A world and its moves by what the seat calls them, if they are those that it has."""
        for _ in range(3):
            world = self.worlds.draw(lambda: self.budget.out_of_time)
            if world is None:
                return None
            rows = {self.root_key(world.state, row): row for row in world.rows}
            if rows.keys() == self.moves.keys():
                self.count += 1
                return world, rows
        return None

    def flat(
        self,
        world: World,
        rows: Rows,
        moves: Iterable[Hashable],
        weight: float = 1.0,
    ) -> None:
        """Some moves in one world, with the same chance for all."""
        seed = self.random.getrandbits(63)
        for key in moves:
            edge = self.root.edge(key, self.players)
            edge.available += 1
            worth = self.leaf(world.state, rows[key], seed)
            self.count_in([edge], worth, weight)

    def leaf(self, state: bytes, row: bytes, seed: int) -> Worth:
        """What a state with a move is worth: games played on at random, after choices between
        kinds of moves were made by habit."""
        if not self.mixed or self.judge.outlook is not None:
            return self.judge.rollouts(state, row, seed)
        root, taken = state, [(header(state, "chooser"), row)]
        worlds = self.worlds
        while True:
            try:
                worlds.advance(state, row)
            except Trap:
                worth = self.judge.rollouts(state, row, seed)
                break
            after = worlds.machine.state
            if self.judge.is_over(after, root):
                worth = self.judge.stands(after)
                break
            rows = worlds.machine.rows()
            if len(taken) > HEAD or len({one[:4] for one in rows}) == 1:
                worth = self.judge.rollouts(state, row, seed)
                break
            state, seat = after, header(after, "chooser")
            row = self.habits.choose(seat, rows)
            taken.append((seat, row))
        self.habits.learn(taken, [one / worth.games for one in worth.worth])
        return worth

    def count_in(self, path: Sequence[Edge], worth: Worth, weight: float = 1.0) -> None:
        self.done += 1
        for edge in path:
            edge.visits += 1
            edge.weight += weight
            edge.margin += weight * worth.margin[self.player.seat] / worth.games
            for seat in range(self.players):
                edge.worth[seat] += weight * worth.worth[seat] / worth.games

    def conclusion(self) -> Thought:
        seat = self.player.seat
        opinions = [
            Opinion(
                self.moves[key],
                edge.visits,
                edge.mean(seat),
                edge.margin / edge.weight if self.judge.horizon and edge.weight else None,
            )
            for key, edge in self.root.edges.items()
        ]

        def doubt(one: Opinion) -> tuple[float, float]:
            return CAUTION / math.sqrt(max(one.visits, 1)) - one.expected, -(one.margin or 0)

        opinions.sort(key=doubt)
        forced = self.worlds.forced - self.before
        return Thought(opinions[0].move, tuple(opinions), self.count, forced)
