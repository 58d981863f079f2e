"""Random games on all cores against one process: `game.simulate`, start and end of the processes
included.

What two processes gain is less than twice where cores share what they run on, or where something
else runs.
"""

from __future__ import annotations

from benchmarks.timing import Row, compare, figure_row, rate
from rulebook.engine.game import load
from rulebook.tools.shards import cores

GAMES = 500_000


def rows(quick: bool = False) -> list[Row]:
    processes = cores()
    if processes == 1:
        print("left out: scaling over cores, since there is one")
        return []
    game = load("coins")
    games = GAMES // 5 if quick else GAMES

    def on(count: int) -> float:
        return len(game.simulate(games, 1, count))

    result = compare(rate(lambda: on(processes), 0), rate(lambda: on(1), 0), 3)
    note = f"{result.ratio / processes:.2f} a core; {games:,} games of Coins each time"
    return [figure_row(f"simulate, {processes} processes to one", result, note)]
