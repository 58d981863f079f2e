"""How strong `search` is: it plays against random players, in each seat in turn, and the share of
its games that it wins is given with a 95 % interval.

    python -m benchmarks.strength GAME [--players N] [--games N] [--iterations N] [--pairs]
                                       [--prefer MOVE] [--processes N]

`--games` is for each seat (or each pair of seats, with `--pairs`, where `search` plays both seats
of a team). With `--prefer` the others take that move whenever they may (`--prefer pass`), and are
random else. Where some lose rather than some win, not losing counts as winning; a drawn game is not
won.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from functools import cache, partial

from rulebook.engine.game import Game, load
from rulebook.players.random import RandomPlayer
from rulebook.players.search import SearchPlayer
from rulebook.tools.measures import wilson

Side = list[int]
ready = cache(load)


def won(
    name: str, players: int | None, iterations: int, prefer: str, work: tuple[Side, int]
) -> tuple[bool, int, int]:
    """Whether the side wins the game of a seed; its worlds that agreed, and those forced."""
    side, seed = work
    game = ready(name, players)
    thinkers = {seat: SearchPlayer(game, seat, iterations, seed=1) for seat in side}
    match, others = game.start(seed), RandomPlayer(seed)
    while not match.over:
        thinker = thinkers.get(match.chooser)
        preferred = [move for move in match.moves if move.name == prefer]
        if thinker is not None:
            match.play(thinker.choose(match))
        else:
            match.play(preferred[0] if preferred else others.choose(match))
    accepted = sum(one.worlds.accepted for one in thinkers.values())
    forced = sum(one.worlds.forced for one in thinkers.values())
    return side[0] in match.winners, accepted, forced


def sides(game: Game, pairs: bool) -> list[Side]:
    teams = [list(seats) for _, seats in game.checked.teams]
    return teams if pairs else [[seat] for seat in range(game.players)]


def main() -> None:
    parser = argparse.ArgumentParser(description="How strong `search` is against random players.")
    parser.add_argument("game")
    parser.add_argument("--players", type=int)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--prefer", default="", metavar="MOVE")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    play = partial(won, given.game, given.players, given.iterations, given.prefer)
    total = games = 0
    with multiprocessing.get_context("spawn").Pool(given.processes) as pool:
        for side in sides(load(given.game, given.players), given.pairs):
            start = time.perf_counter()
            work = [(side, given.seed + number) for number in range(given.games)]
            found = list(pool.imap_unordered(play, work))
            wins = sum(one[0] for one in found)
            total, games = total + wins, games + len(found)
            print(
                f"seats {side}: {told(wins, len(found))} games, "
                f"{(time.perf_counter() - start) / len(found):.2f} s a game, "
                f"worlds accepted {sum(one[1] for one in found)}, "
                f"forced {sum(one[2] for one in found)}",
                flush=True,
            )
    print(f"all: {told(total, games)} games")


def told(wins: int, games: int) -> str:
    low, high = wilson(wins, games)
    return f"{wins / games:.3f} ({low:.3f} to {high:.3f}) of {games}"


if __name__ == "__main__":
    main()
