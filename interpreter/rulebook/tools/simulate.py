"""Many random games of one rule file: all their rows as arrays, or what they say in sum.

`stream` plays; `simulate` keeps a row for every game; `survey` keeps sums only, so its memory does
not grow with the number of games. The numbers depend on the game, the seed and the number of games,
never on the number of processes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import wasmtime

from rulebook.diagnostics import Problem
from rulebook.engine.match import RuleError
from rulebook.tools.interrupt import wish_to_end
from rulebook.tools.measures import (
    Distribution,
    Estimate,
    Ints,
    Measure,
    Moments,
    Rows,
    Table,
    measures_of,
)
from rulebook.tools.shards import ALONE, Stopped, Task, cores, play_shards
from rulebook.wasm import Build, Wasm, generate
from rulebook.wasm.measured import better
from rulebook.wasm.writer import CONTROL, RESULT_ROWS

if TYPE_CHECKING:
    from rulebook.engine.game import Game

SEEDS = 2**64
Watch = Callable[[int], None]
"""Told how many games are done."""


def module_of(game: Game) -> tuple[Wasm, Task]:
    wasm = generate(game.program, Build(waiting=False, measured=True))
    task = Task(
        module=bytes(wasmtime.wat2wasm(wasm.text)),
        results=wasm.memory.results,
        width=wasm.memory.result_size // 4,
        most=RESULT_ROWS,
        arguments=CONTROL["arguments"],
        error=CONTROL["error"],
        error_value=CONTROL["error_value"],
    )
    return wasm, task


def stream(
    game: Game,
    games: int,
    seed: int,
    processes: int | None = None,
    alone: float = ALONE,
    on: str | None = None,
) -> Generator[tuple[int, Rows]]:
    """Whole random games in order, some at a time: the number of the first and their rows. `on` is
    the address of a cluster that plays them (see `cluster`).

    Raises `RuleError` if the rules go wrong in one of them, ValueError for numbers that cannot be.
    """
    if games < 0:
        raise ValueError(f"{games} games cannot be played")
    if processes is not None and processes < 1:
        raise ValueError(f"{processes} processes cannot play")
    wasm, task = module_of(game)
    table = Table(game.checked)
    if on is None:
        played = play_shards(task, games, seed % SEEDS, processes or cores(), alone)
    else:
        from rulebook.tools.cluster import cluster_shards

        played = cluster_shards(task, games, seed % SEEDS, on)
    with closing(played) as shards:
        try:
            for first, data in shards:
                yield first, table.rows(data)
        except Stopped as stopped:
            raise RuleError(went_wrong(game, wasm, stopped, seed % SEEDS)) from None


def went_wrong(game: Game, wasm: Wasm, stopped: Stopped, seed: int) -> Problem:
    moment = f"in random game {stopped.game} of seed {seed}"
    if not 0 <= stopped.site < len(wasm.sites):
        message = f"the rules stopped without a reason of their own: {stopped.reason}"
        return Problem("machine-stopped", message, None, label=moment)
    site = wasm.sites[stopped.site]
    message = site.message
    if site.slug == "number-out-of-range":
        message = f"{message}: it is {stopped.value}"
    return Problem(site.slug, message, site.span, label=moment)


# ---- every game ----


@dataclass(frozen=True, slots=True, eq=False)
class Simulation:
    """A row for each game, by its number. All arrays have one entry a game (`winners` and `scores`
    one a seat in it)."""

    game: Game
    seed: int
    rows: Rows
    table: Table

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def winners(self) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Games x seats: who won."""
        return self.table.won(self.rows).astype(bool)

    @property
    def scores(self) -> Rows:
        """Games x seats; 0 where the file has no `score`."""
        return self.rows[:, 4 : 4 + self.game.players]

    @property
    def lengths(self) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
        """Choices made in each game."""
        return self.rows[:, 3]

    @property
    def columns(self) -> dict[str, Ints]:
        """Everything that was counted, by name: `won.SEAT` and `score.SEAT`; `plays`, `shuffles`;
        `offered` (legal moves over all choices) and `forced` (choices with one legal move);
        `led` (whether anybody led alone before the end), `leads` (changes of the lead), `behind`
        (the most a winner was behind) and `comeback`; `shared`, `undecided`, `limited`,
        `limited.plays` and `limited.repeats` (how it ended, 0 or 1); `move.NAME` (times taken) and
        `must.MOVE.LINE` (choices in which the line took a move away)."""
        return self.table.columns(self.rows)

    @property
    def survey(self) -> Survey:
        """What the games say in sum."""
        found = Survey(self.game, self.seed, len(self))
        found.add(self.rows)
        return found


def simulate(
    game: Game,
    games: int = 100_000,
    seed: int = 1,
    processes: int | None = None,
    watch: Watch | None = None,
    alone: float = ALONE,
) -> Simulation:
    """Whole random games. See `Game.simulate`."""
    table = Table(game.checked)
    width = 4 + game.players + len(table.counters)
    kept = np.zeros((games if games > 0 else 0, width), np.int32)
    with closing(stream(game, games, seed, processes, alone)) as shards:
        for first, rows in shards:
            kept[first : first + len(rows)] = rows
            if watch is not None:
                watch(first + len(rows))
    kept.flags.writeable = False
    return Simulation(game, seed % SEEDS, kept, table)


# ---- sums ----


class Survey:
    """The measures of many games: exact sums, in whatever order games are added."""

    def __init__(self, game: Game, seed: int, asked: int) -> None:
        self.game = game
        self.seed = seed
        self.asked = asked
        self.table = Table(game.checked)
        self.all_measures = measures_of(game.checked, game.words)
        names = {name for measure in self.all_measures for name in (measure.over, measure.per)}
        if self.table.ranked:
            names.add("led")
        self.moments = Moments(sorted(names))
        self.distributions = {key: Distribution() for key in self.drawn}

    @cached_property
    def drawn(self) -> dict[str, tuple[str, str]]:
        """What is drawn as a distribution: key -> column and title."""
        found = {"plays": ("plays", "plays in a game")}
        keys = {measure.key for measure in self.all_measures}
        if "deals" in keys:
            found["deals"] = ("shuffles", "shuffles in a game")
        if self.table.scored:
            for seat in range(self.game.players):
                found[f"score.{seat}"] = (f"score.{seat}", f"seat {seat}'s score at the end")
        if self.table.ranked:
            found["leads"] = ("leads", "changes of the lead in a game")
            found["behind"] = ("behind", "the most a winner was behind")
        return found

    @property
    def games(self) -> int:
        return self.moments.games

    @property
    def measures(self) -> list[Measure]:
        """Those that say something: of the lead, where somebody led before the end of a game."""
        led = self.table.ranked and self.moments.sum("led")
        return [measure for measure in self.all_measures if led or measure.group != "lead"]

    @property
    def leader(self) -> str | None:
        """Whose score is the best: that with the `most` or `fewest` points, if it is certain."""
        if not self.table.ranked:
            return None
        return "most" if better(self.game.checked) > 0 else "fewest"

    def add(self, rows: Rows) -> None:
        columns = self.table.columns(rows)
        self.moments.add(columns)
        for key, (column, _) in self.drawn.items():
            self.distributions[key].add(columns[column])

    def estimate(self, measure: Measure) -> Estimate | None:
        return self.moments.estimate(measure)

    def plain(self) -> dict[str, Any]:
        """Everything as values for JSON. The same for any number of processes. One game has no
        intervals."""
        measures: dict[str, Any] = {}
        for measure in self.measures:
            found = self.estimate(measure)
            sure = found if self.games > 1 else None
            measures[measure.key] = {
                "title": measure.title,
                "group": measure.group,
                "value": None if found is None else found.value,
                "low": None if sure is None else sure.low,
                "high": None if sure is None else sure.high,
                "share": measure.share,
            }
        return {
            "game": self.game.name,
            "players": self.game.players,
            "options": self.game.options,
            "bots": "random",
            "seed": self.seed,
            "games": self.games,
            "asked": self.asked,
            "leader": self.leader,
            "measures": measures,
            "distributions": {
                key: {
                    "title": self.drawn[key][1],
                    "counts": {str(value): found.counts[value] for value in sorted(found.counts)},
                }
                for key, found in self.distributions.items()
                if key in measures
            },
        }


def survey(
    game: Game,
    games: int,
    seed: int = 1,
    processes: int | None = None,
    each: Callable[[Survey, int, Rows], None] | None = None,
    alone: float = ALONE,
    on: str | None = None,
) -> Survey:
    """Play games and keep their sums. `each` is called after every shard, with the number of its
    first game. Ctrl-C ends the run; the survey then holds the games so far, which are the first
    ones."""
    found = Survey(game, seed % SEEDS, games)
    shards = stream(game, games, seed, processes, alone, on)
    with wish_to_end() as ending, closing(shards):
        for first, rows in shards:
            found.add(rows)
            if each is not None:
                each(found, first, rows)
            if ending():
                break
    return found
