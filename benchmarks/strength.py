"""How strong `search` is: it plays against random players, in each seat in turn, and the share of
its games that it wins is given with a 95 % interval.

    python -m benchmarks.strength GAME [--players N] [--games N] [--iterations N] [--pairs]
                                       [--prefer MOVE] [--processes N]

`--games` is for each seat (or each pair of seats, with `--pairs`, where `search` plays both seats
of a team). With `--prefer` the others take that move whenever they may (`--prefer pass`), and are
random else. Where some lose rather than some win, not losing counts as winning. A game that a limit
ends is drawn: neither won nor lost. What random players alone do is told for comparison.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from dataclasses import dataclass
from functools import cache, partial

from rulebook.engine.game import Game, load
from rulebook.players.random import RandomPlayer
from rulebook.players.search import SearchPlayer
from rulebook.tools.measures import wilson

CHANCE_GAMES = 10_000
Side = list[int]
ready = cache(load)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of one game for the side: its worlds that agreed, and those forced, too."""

    won: bool
    drawn: bool
    accepted: int
    forced: int


def outcome(
    name: str, players: int | None, iterations: int, prefer: str, work: tuple[Side, int]
) -> Outcome:
    side, seed = work
    game = ready(name, players)
    thinkers = {seat: SearchPlayer(game, seat, iterations, seed=seed) for seat in side}
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
    return Outcome(side[0] in match.winners, match.limited, accepted, forced)


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
    play = partial(outcome, given.game, given.players, given.iterations, given.prefer)
    game = load(given.game, given.players)
    everything: list[Outcome] = []
    chance: list[Outcome] = []
    with multiprocessing.get_context("spawn").Pool(given.processes) as pool:
        for side in sides(game, given.pairs):
            start = time.perf_counter()
            work = [(side, given.seed + number) for number in range(given.games)]
            found = list(pool.imap_unordered(play, work))
            print(
                f"seats {side}: {told(found)}; "
                f"{(time.perf_counter() - start) / len(found):.2f} s a game, "
                f"worlds accepted {sum(one.accepted for one in found)}, "
                f"forced {sum(one.forced for one in found)}",
                flush=True,
            )
            everything += found
            chance += by_chance(game, side)
    print(f"all: {told(everything)}")
    if not given.prefer:
        print(f"random players in their place: {told(chance)}")


def by_chance(game: Game, side: Side) -> list[Outcome]:
    """The same where all players are random."""
    games = game.simulate(CHANCE_GAMES, seed=1)
    pairs = zip(games.winners[:, side[0]], games.columns["limited"], strict=True)
    return [Outcome(bool(won), bool(limited), 0, 0) for won, limited in pairs]


def told(found: list[Outcome]) -> str:
    games = len(found)
    won = sum(one.won for one in found)
    drawn = sum(one.drawn for one in found)
    parts = [f"won {share(won, games)}"]
    if drawn:
        lost = games - won - drawn
        parts.append(f"lost {share(lost, games)}, or {share(lost, games - drawn)} of those decided")
    return f"{', '.join(parts)}; of {games:,} games"


def share(part: int, games: int) -> str:
    low, high = wilson(part, games)
    return f"{part / max(games, 1):.3f} ({low:.3f} to {high:.3f})"


if __name__ == "__main__":
    main()
