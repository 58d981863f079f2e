"""Deciding by a tree.

First every legal move is tried in each of a number of worlds, the same for all moves. Then the
better ones are looked into: one tree for all worlds, its edges the moves as their choosers know
them, its nodes what the seat was told after each. An edge is chosen by its mean and an allowance
for how often it could have been and was not (UCB with counts of availability).
"""

from __future__ import annotations

import math

from rulebook.players.decision import Decision, Edge, Node, Rows
from rulebook.players.worlds import World, header
from rulebook.wasm.machine import Trap

DEPTH_FROM = 6
"""Visits of an edge before the search goes on behind it."""
EXPLORE = 0.3
MOST_FLAT = 12
"""Moves between kinds that are all tried alike: of more, habit says which are worth it."""
WORLD_USES = 4
"""Descents in one world before the next is drawn."""


class Tree(Decision):
    def compare(self, world: World, rows: Rows) -> None:
        try:
            self.judge.begin(world.state, next(iter(rows.values())), self.random.getrandbits(63))
        except Trap:
            self.judge.horizon = False
        kept = [(world, rows)]
        if not self.mixed or len(self.moves) <= MOST_FLAT:
            self.flat(world, rows, self.moves)
            while self.budget.left(self.done + len(self.moves), 0.5):
                drawn = self.draw()
                if drawn is None:
                    break
                kept.append(drawn)
                self.flat(*drawn, self.moves)
        at = 0
        while not self.done or self.budget.left(self.done):
            if at % WORLD_USES == 0:
                number = at // WORLD_USES
                world, rows = kept[number] if number < len(kept) else self.draw() or kept[0]
            at += 1
            self.descend(world, rows)

    def descend(self, world: World, rows: Rows) -> None:
        """From the root down to a leaf, which is judged."""
        node, state, path = self.root, world.state, []
        waiting = world.rows
        seat = self.player.seat
        while True:
            edge, row = self.select(node, rows, seat)
            path.append(edge)
            if edge.visits < DEPTH_FROM:
                worth = self.leaf(state, row, self.random.getrandbits(63))
                break
            try:
                seen = self.worlds.push(state, row)
            except Trap:
                self.worlds.calm(state, waiting)
                worth = self.judge.rollouts(state, row, self.random.getrandbits(63))
                break
            state = self.worlds.machine.state
            if self.judge.is_over(state, world.state):
                worth = self.judge.stands(state)
                break
            waiting = tuple(self.worlds.machine.rows())
            rows = {self.key(row): row for row in waiting}
            seat = header(state, "chooser")
            node = edge.nodes.setdefault(seen, Node())
        self.count_in(path, worth)

    def select(self, node: Node, rows: Rows, seat: int) -> tuple[Edge, bytes]:
        """The edge to go on by: one not tried yet, or the one with the highest bound."""
        edges = [(node.edge(key, self.players), row) for key, row in rows.items()]
        for edge, _ in edges:
            edge.available += 1
        fresh = [one for one in edges if not one[0].visits]
        if fresh and not self.mixed:
            return self.random.choice(fresh)

        def bound(one: tuple[Edge, bytes]) -> float:
            edge = one[0]
            if not edge.visits:
                hope = self.habits.move(seat, one[1]) + self.random.random() / 1000
                return hope + EXPLORE * math.sqrt(math.log(edge.available + 1))
            return edge.mean(seat) + EXPLORE * math.sqrt(math.log(edge.available) / edge.visits)

        return max(edges, key=bound)
