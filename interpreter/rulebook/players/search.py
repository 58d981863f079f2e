"""A player that thinks: Monte Carlo tree search over worlds that its stream allows.

First every legal move is tried in each of a number of worlds, the same for all moves. Then the
better ones are looked into: one tree for all worlds, its edges the moves as their choosers know
them, its nodes what the seat was told after each. An edge is chosen by its mean and an allowance
for how often it could have been and was not (UCB with counts of availability). Leaves are judged
by random games inside the module.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from rulebook.kinds import SetOf
from rulebook.players.habits import Habits
from rulebook.players.rewards import Judge, Worth
from rulebook.players.sight import Sight
from rulebook.players.worlds import World, Worlds, header, is_cards
from rulebook.program import ROW_CELL, ROW_HEAD
from rulebook.wasm import Build, generate
from rulebook.wasm.machine import Machine, Trap

if TYPE_CHECKING:
    from rulebook.engine.game import Game
    from rulebook.engine.match import Match
    from rulebook.engine.moves import Move

DEPTH_FROM = 6
"""Visits of an edge before the search goes on behind it."""
EXPLORE = 0.3
CAUTION = 0.3
"""How much a move's mean is distrusted for few visits, in the final choice."""
MOST_FLAT = 12
"""Moves between kinds that are all tried alike, where games are not judged by the score."""
HEAD = 16
"""Choices that are made by habit before play goes on at random."""
WARM = 0.25
"""The part of the time in which habits are learned, before moves are compared."""
DOUBT = 0.1
"""By how much a choice must be better than others to be about three times as likely."""
WEIGHING = 3
"""One in so many of the leaves may be spent on how plausible worlds are."""
WORLD_USES = 4
"""Descents in one world before the next is drawn."""
DEFAULT_ITERATIONS = 400


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


MACHINES: WeakKeyDictionary[Game, tuple[Machine, Machine]] = WeakKeyDictionary()


def machines(game: Game) -> tuple[Machine, Machine]:
    """A waiting and a random machine that no match uses: nothing of a match is in their memory."""
    found = MACHINES.get(game)
    if found is None:
        fast = Machine(generate(game.program, Build(waiting=False)))
        found = MACHINES[game] = (Machine(game.wasm), fast)
    return found


class SearchPlayer:
    """Thinks for one seat, for a number of iterations (leaves) or of milliseconds. With iterations
    the same seed and the same stream give the same move."""

    def __init__(
        self,
        game: Game,
        seat: int,
        iterations: int | None = None,
        milliseconds: float | None = None,
        seed: int = 0,
    ) -> None:
        self.game = game
        self.seat = seat
        self.iterations = iterations
        self.milliseconds = milliseconds
        if iterations is None and milliseconds is None:
            self.iterations = DEFAULT_ITERATIONS
        self.seed = seed
        waiting, fast = machines(game)
        self.worlds = Worlds(game, seat, seed, waiting)
        self.judge = Judge(game, fast)
        self.random = Random(f"search {seed} {seat}")
        self.identities = Identities(game, self.worlds)

    def choose(self, match: Match) -> Move:
        return self.think(Sight.of(match)).move

    def think(self, sight: Sight) -> Thought:
        """The best move, with opinions. Nothing but the sight is read."""
        moves = {move.text: move for move in sight.moves}
        if len(moves) == 1:
            return Thought(sight.moves[0], ())
        start = perf_counter()
        if self.milliseconds is None:
            # What was thought before must not matter.
            self.worlds.begin(f"{self.seed} {self.seat} {len(sight.stream)}")
            self.random = Random(f"search {self.seed} {self.seat} {len(sight.stream)}")
        self.worlds.see(sight.stream)
        hidden = any(any(move.hidden) for move in sight.moves)
        return Decision(self, sight, hidden).run(start)

    def left(self, start: float, done: int, share: float) -> bool:
        """Whether a share of what may be spent on a decision is not spent yet."""
        if self.milliseconds is not None:
            return (perf_counter() - start) * 1000 < self.milliseconds * share
        assert self.iterations is not None
        return done < self.iterations * share

    def room(self, start: float, done: int) -> int:
        """About how many leaves can still be judged in a decision."""
        if self.milliseconds is None:
            assert self.iterations is not None
            return self.iterations - done
        spent = (perf_counter() - start) * 1000
        return int(max(self.milliseconds - spent, 0) * done / spent)


class Identities:
    """What a move is called in a tree, whatever the world."""

    def __init__(self, game: Game, worlds: Worlds) -> None:
        self.game = game
        self.worlds = worlds
        self.moves = list(game.checked.moves.values())
        self.sizes = [
            [16 if isinstance(pick.variable.kind, SetOf) else 4 for pick in move.picks]
            for move in self.moves
        ]

    def plain(self, row: bytes) -> bytes:
        """The move without what the row holds behind its picks."""
        found = row[:4]
        for i, size in enumerate(self.sizes[int.from_bytes(found, "little")]):
            at = ROW_HEAD + ROW_CELL * i
            found += row[at : at + size]
        return found

    def of_move(self, move: Move) -> Hashable:
        if not any(move.hidden):
            return self.plain(move.row)
        number = move.row[:4]
        return (number, *(h or v for h, v in zip(move.hidden, move.values, strict=True)))

    def in_world(self, state: bytes, row: bytes) -> Hashable:
        """The same for a row of a world, whose cards the seat may not see."""
        move = self.moves[int.from_bytes(row[:4], "little")]
        found: list[int] = []
        hidden = False
        for i, pick in enumerate(move.picks):
            at = ROW_HEAD + ROW_CELL * i
            size = self.sizes[int.from_bytes(row[:4], "little")][i]
            value = int.from_bytes(row[at : at + size], "little", signed=size == 4)
            if pick.zone is not None and is_cards(pick.variable.kind) and size == 4:
                place = self.game.place_of(state, value)
                if place is not None and not self.worlds.sees(state, value, place[0]):
                    hidden, value = True, place[1] + 1
            found.append(value)
        return (row[:4], *found) if hidden else self.plain(row)


class Decision:
    """One decision being thought over."""

    def __init__(self, player: SearchPlayer, sight: Sight, hidden: bool) -> None:
        self.player = player
        self.sight = sight
        self.worlds = player.worlds
        self.judge = player.judge
        self.random = player.random
        self.players = player.game.players
        identities = player.identities
        self.root_key: Callable[[bytes, bytes], Hashable] = (
            identities.in_world if hidden else lambda state, row: identities.plain(row)
        )
        self.key = identities.plain
        self.moves = {identities.of_move(move): move for move in sight.moves}
        self.root = Node()
        self.done = 0
        self.count = 0
        self.weighing = 0
        self.before = self.worlds.forced
        self.mixed = len({move.name for move in sight.moves}) > 1
        """Whether this is a choice between kinds of moves."""
        self.habits = Habits(self.random, self.key)

    # ---- the course ----

    def run(self, start: float) -> Thought:
        kept: list[tuple[World, dict[Hashable, bytes]]] = []
        left = self.player.left
        world = self.draw()
        if world is None:
            # No world at all: nothing can be said, and any move is as good.
            return Thought(self.random.choice(self.sight.moves), ())
        first = next(iter(world[1].values()))
        try:
            self.judge.begin(world[0].state, first, self.random.getrandbits(63), not self.mixed)
        except Trap:
            self.judge.horizon = False
        if self.mixed and self.judge.horizon:
            self.warm(start, world)
            self.race(start, world)
            return self.conclusion()
        while world is not None:
            kept.append(world)
            if self.mixed and len(self.moves) > MOST_FLAT:
                break
            self.flat(world[0], world[1], self.moves)
            if not left(start, self.done + len(self.moves), 0.5):
                break
            world = self.draw()
        at = 0
        while left(start, self.done, 1):
            if at % WORLD_USES == 0:
                number = at // WORLD_USES
                world = kept[number] if number < len(kept) else self.draw() or kept[0]
            at += 1
            assert world is not None
            self.descend(world[0], world[1])
        return self.conclusion()

    def draw(self) -> tuple[World, dict[Hashable, bytes]] | None:
        """A world and its moves by what the seat calls them, if they are those that it has."""
        for _ in range(3):
            world = self.worlds.draw()
            if world is None:
                return None
            rows = {self.root_key(world.state, row): row for row in world.rows}
            if rows.keys() == self.moves.keys():
                self.count += 1
                return world, rows
        return None

    def warm(self, start: float, world: tuple[World, dict[Hashable, bytes]]) -> None:
        """Learn habits, and how to judge games that begin with choices made by them."""
        leaves: list[Worth] = []
        while not leaves or self.player.left(start, self.done, WARM):
            row = self.habits.choose(self.player.seat, list(world[1].values()))
            leaves.append(self.leaf(world[0].state, row, self.random.getrandbits(63)))
            self.done += 1
            if self.done % WORLD_USES == 0:
                world = self.draw() or world
        self.judge.settle(self.player.seat, leaves[len(leaves) // 2 :])

    def race(self, start: float, world: tuple[World, dict[Hashable, bytes]]) -> None:
        """The worse half of the moves drops out again and again, and those that are left are tried
        in more worlds. Each is tried in the same worlds, with the same chance: that tells a little
        better from a little worse much sooner than chances of their own would. Where there is no
        room to try all, habit says which."""
        seat, left = self.player.seat, self.player.left
        moves = list(self.moves)
        room = self.player.room(start, self.done) // 2
        if room < len(moves):
            moves.sort(key=lambda key: -self.habits.move(seat, world[1][key]))
            moves = moves[: max(room, 2)]
        rounds = math.ceil(math.log2(len(moves)))
        pool: list[tuple[World, dict[Hashable, bytes], float]] = []
        at = 0
        for number in range(rounds):
            share = WARM + (1 - WARM) * (number + 1) / rounds
            while True:
                if not pool or self.weighing * WEIGHING < self.done:
                    world = self.draw() or world
                    pool.append((*world, self.plausible(world[0])))
                    chosen = pool[-1]
                else:
                    chosen = pool[at % len(pool)]
                    at += 1
                state, rows, weight = chosen
                self.flat(state, rows, moves, weight)
                if not left(start, self.done + len(moves), share):
                    break
            moves.sort(key=lambda key: -self.root.edges[key].mean(seat))
            moves = moves[: (len(moves) + 1) // 2]

    def plausible(self, world: World) -> float:
        """How well a world explains what the others have lately chosen between kinds of moves,
        from 0 to 1: each would have chosen what turns out well for it there."""
        found = 1.0
        for choice in self.worlds.last_choices(world):
            taken = self.key(choice.row)
            row = next((row for row in choice.rows if self.key(row) == taken), None)
            others = [row for row in choice.rows if row[:4] != taken[:4]]
            if row is None or not others:
                continue
            seat, seed = choice.seat, self.random.getrandbits(63)
            chosen = self.leaf(choice.state, row, seed)
            other = self.leaf(choice.state, self.habits.choose(seat, others), seed)
            gain = chosen.worth[seat] / chosen.games - other.worth[seat] / other.games
            found *= 1 / (1 + math.exp(-gain / DOUBT))
            self.weighing += 2
            self.done += 2
        return found

    def flat(
        self,
        world: World,
        rows: dict[Hashable, bytes],
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

    def descend(self, world: World, rows: dict[Hashable, bytes]) -> None:
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

    # ---- leaves ----

    def leaf(self, state: bytes, row: bytes, seed: int) -> Worth:
        """What a state with a move is worth: games played on at random, after choices between
        kinds of moves were made by habit."""
        if not self.mixed:
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

    def select(self, node: Node, rows: dict[Hashable, bytes], seat: int) -> tuple[Edge, bytes]:
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
        opinions.sort(key=lambda one: CAUTION / math.sqrt(max(one.visits, 1)) - one.expected)
        forced = self.worlds.forced - self.before
        return Thought(opinions[0].move, tuple(opinions), self.count, forced)
