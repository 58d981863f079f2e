"""Random play of Coinche inside the module against `colver`, another program for the game.

colver is written in Rust. It plays whole random deals by itself (`rollout`), and one action at a
time for a Python program (`step`). Both count here in decisions a second: bids, doubles and cards,
forced ones included. A rollout does not say how many it made; it is taken to make as many as a deal
that is stepped at random, which it resembles in its scores.

The two games are not quite the same: colver has four strains and no combinations, and stops after
a deal; ours goes on to 1000 points.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from statistics import median

from benchmarks.timing import Row, compare, figure_row, rate

BAR = 5_000_000
GAMES = 2000
DEALS = 200
ROLLOUTS = 10_000


def rows(quick: bool = False) -> list[Row]:
    """Ours, in decisions a second and held to the bar; then how many times colver's two rates it
    is, which are figures and no bars. Empty, after saying so, where colver is not installed."""
    try:
        stepped, rolled = stepped_from_python(), rollouts()
    except ImportError:
        print("left out: Coinche against colver, which is not installed")
        return []
    ours = in_module()
    rounds, seconds = (3, 0.1) if quick else (9, 0.3)
    found: list[Row] = []
    rates: list[float] = []
    for name, theirs in (("colver's rollouts", rolled), ("colver from Python", stepped)):
        result = compare(rate(ours, seconds), rate(theirs, seconds), rounds)
        rates.append(result.a)
        found.append(figure_row(f"Coinche, module to {name}", result))
    note = "decisions in whole random games, on one thread"
    held = Row("Coinche, random play in the module", median(rates), BAR, unit="/s", note=note)
    return [held, *found]


def in_module() -> Callable[[], float]:
    """Whole random games; gives the decisions made."""
    from rulebook.engine.game import load

    machine = load("coinche").fast

    def work() -> float:
        plays = machine.call("games", 1, 0, GAMES)
        assert isinstance(plays, int)
        return plays

    return work


def stepped_from_python() -> Callable[[], float]:
    """Random deals of colver, every action chosen in Python. ImportError without colver."""
    from colver import Env

    dice = random.Random(1)

    def work() -> float:
        made = 0
        for seed in range(DEALS):
            env = Env.deal(dealer=0, seed=seed)
            legal, done = env.legal_actions(), False
            while not done:
                _, _, done, legal = env.step(dice.choice(legal))
                made += 1
        return made

    return work


def rollouts() -> Callable[[], float]:
    """Random deals inside colver, from the first bid on. ImportError without colver."""
    from colver import Env

    env = Env.deal(dealer=0, seed=1)
    each = stepped_from_python()() / DEALS

    def work() -> float:
        env.rollout(ROLLOUTS)
        return each * ROLLOUTS

    return work
