"""A player that thinks, for any game: it tries its moves in worlds that its stream allows.

How it compares them stands in `tree` and `race`. What a world with a move is worth is said by
random games inside the module (`rewards`).
"""

from __future__ import annotations

from collections.abc import Hashable
from random import Random
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from rulebook.kinds import SetOf
from rulebook.players.budget import Budget
from rulebook.players.decision import Thought
from rulebook.players.race import Race
from rulebook.players.rewards import Judge
from rulebook.players.script import is_cards
from rulebook.players.sight import Sight
from rulebook.players.tree import Tree
from rulebook.players.worlds import Worlds
from rulebook.program import ROW_CELL, ROW_HEAD
from rulebook.wasm import Build, generate
from rulebook.wasm.machine import Machine

if TYPE_CHECKING:
    from rulebook.engine.game import Game
    from rulebook.engine.match import Match
    from rulebook.engine.moves import Move

DEFAULT_ITERATIONS = 400

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
        budget = Budget(self.iterations, self.milliseconds)
        if self.milliseconds is None:
            # What was thought before must not matter.
            self.worlds.begin(f"{self.seed} {self.seat} {len(sight.stream)}")
            self.random = Random(f"search {self.seed} {self.seat} {len(sight.stream)}")
        self.worlds.see(sight.stream, sight.start)
        mixed = len({move.name for move in sight.moves}) > 1
        way = Race if mixed and self.judge.keeps_score else Tree
        return way(self, sight, budget).run()


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
