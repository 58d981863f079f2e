"""How strong `search` is: it plays against random players, in each seat in turn, and the share of
its games that it wins is given with a 95 % interval.

    python -m benchmarks.strength GAME [--players N] [--games N] [--iterations N] [--pairs]

`--games` is for each seat (or each pair of seats, with `--pairs`, where `search` plays both seats
of a team). Where some lose rather than some win, not losing counts as winning; a drawn game is not
won.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from rulebook.engine.game import Game, load
from rulebook.engine.match import Match
from rulebook.engine.moves import Move
from rulebook.players.random import RandomPlayer
from rulebook.players.search import SearchPlayer
from rulebook.tools.measures import wilson


def play(game: Game, seed: int, thinkers: dict[int, SearchPlayer]) -> Match:
    match, others = game.start(seed), RandomPlayer(seed)
    while not match.over:
        thinker = thinkers.get(match.chooser)
        move: Move = others.choose(match) if thinker is None else thinker.choose(match)
        match.play(move)
    return match


def measure(
    game: Game, sides: Sequence[Sequence[int]], games: int, iterations: int, first: int
) -> None:
    total = 0
    for side in sides:
        thinkers = {seat: SearchPlayer(game, seat, iterations, seed=1) for seat in side}
        won, start = 0, time.perf_counter()
        for number in range(games):
            match = play(game, first + number, thinkers)
            won += side[0] in match.winners
        total += won
        low, high = wilson(won, games)
        worlds = sum(one.worlds.accepted for one in thinkers.values())
        forced = sum(one.worlds.forced for one in thinkers.values())
        print(
            f"seats {side}: {won / games:.3f} ({low:.3f} to {high:.3f}) of {games} games, "
            f"{(time.perf_counter() - start) / games:.2f} s a game, "
            f"worlds accepted {worlds}, forced {forced}",
            flush=True,
        )
    low, high = wilson(total, games * len(sides))
    print(f"all: {total / games / len(sides):.3f} ({low:.3f} to {high:.3f})", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="How strong `search` is against random players.")
    parser.add_argument("game")
    parser.add_argument("--players", type=int)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", action="store_true")
    given = parser.parse_args()
    game = load(given.game, given.players)
    teams = [list(seats) for _, seats in game.checked.teams]
    sides = teams if given.pairs else [[seat] for seat in range(game.players)]
    measure(game, sides, given.games, given.iterations, given.seed)


if __name__ == "__main__":
    main()
