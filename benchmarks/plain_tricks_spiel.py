"""A plain trick game against OpenSpiel, which plays the same as Spades and is written in C++.

Both play the same dealt state on at random: in the module and in C++ whole rollouts, and OpenSpiel
one action at a time from Python too. Rates are in decisions a second, forced ones included.

Search is compared by iterations a second: one descent in the tree, one leaf, which is judged by as
many random games in OpenSpiel as ours plays there. OpenSpiel's search in C++ cannot search Spades,
for which it cannot draw other hands. Its search in Python can, with the hands drawn by a function
from here; and the one in C++ can search the play of a Bridge deal, which is as long.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from benchmarks.plain_tricks import LEFT, Position, by_hand, game, spades
from benchmarks.timing import Comparison, Rate, Row, compare, figure_row, rate, ratio_row
from rulebook.players.search import SearchPlayer
from rulebook.players.sight import Sight

BAR = 1.5
ROLLOUTS = 2000
ITERATIONS = 1000
FEW = 50
"""Iterations of the search in Python, which takes its time."""
EXPLORE = 2.0
ONE_SPADE = "1♠"


def rows(quick: bool = False) -> list[Row]:
    """What needs OpenSpiel is left out, after saying so, where it is not installed."""
    position = Position(game().start(1))
    position.prepare()
    rounds, seconds = (3, 0.1) if quick else (9, 0.3)

    def module() -> float:
        return position.in_module(1, ROLLOUTS)

    def against(theirs: Callable[[], float]) -> Comparison:
        return compare(rate(module, seconds), rate(theirs, seconds), rounds)

    found: list[Row] = []
    name = "plain tricks, module to"
    try:
        found += [
            ratio_row(f"{name} OpenSpiel's rollouts", against(rollouts(position)), BAR),
            figure_row(f"{name} OpenSpiel from Python", against(stepped(position))),
        ]
        missing = False
    except ImportError:
        missing = True
        print("left out: plain tricks and search against OpenSpiel, which is not installed")
    in_c = by_hand(position)
    if in_c is None:
        print("left out: plain tricks against C, since there is no C compiler")
    else:
        if position.tricks_in_module(1, 100) != in_c.tricks(1, 100):
            raise RuntimeError("the module and the C program play different deals")

        def c() -> float:
            in_c.run(1, ROLLOUTS)
            return ROLLOUTS * LEFT

        found.append(figure_row(f"{name} C with bit sets", against(c)))
    return found if missing else found + searches(rounds, seconds)


# ---- random play ----


def rollouts(position: Position) -> Callable[[], float]:
    """OpenSpiel's own, in C++: its search is asked for one simulation, which is the evaluation of
    the state itself by so many rollouts."""
    import pyspiel

    state = position.in_spiel()
    evaluator = pyspiel.RandomRolloutEvaluator(ROLLOUTS, 1)
    bot = pyspiel.MCTSBot(spades(), evaluator, EXPLORE, 1, 1, False, 1, False)

    def work() -> float:
        bot.mcts_search(state)
        return ROLLOUTS * LEFT

    return work


def stepped(position: Position) -> Callable[[], float]:
    """OpenSpiel, every card chosen in Python."""
    start = position.in_spiel()
    dice = random.Random(1)

    def work() -> float:
        state = start.clone()
        while not state.is_terminal():
            state.apply_action(dice.choice(state.legal_actions()))
        return LEFT

    return work


# ---- search ----


def searches(rounds: int, seconds: float) -> list[Row]:
    position = Position(game().start(1))
    sight = Sight.of(position.match)
    player = SearchPlayer(position.match.game, position.match.chooser, ITERATIONS, seed=1)
    player.think(sight)
    games = player.judge.games

    def ours() -> float:
        player.think(sight)
        return ITERATIONS

    found = []
    for theirs, name in (
        (spades_search(position, games), "OpenSpiel's in Python"),
        (bridge_search(games), "OpenSpiel's in C++, on Bridge"),
    ):
        result = compare(rate(ours, seconds), theirs(seconds), rounds)
        note = f"{games} random games a leaf"
        found.append(figure_row(f"search iterations, ours to {name}", result, note))
    return found


def spades_search(position: Position, games: int) -> Callable[[float], Rate]:
    """OpenSpiel's search in Python at the first lead, when nothing is known of other hands."""
    import numpy as np
    from open_spiel.python.algorithms import ismcts, mcts

    dice = random.Random(1)

    def resampled(state: Any, player: int) -> Any:
        actions = state.history()
        cards = actions[:52]
        others = [card for at, card in enumerate(cards) if at % 4 != player]
        dice.shuffle(others)
        drawn = iter(others)
        new = state.get_game().new_initial_state()
        for at, card in enumerate(cards):
            new.apply_action(card if at % 4 == player else next(drawn))
        for action in actions[52:]:
            new.apply_action(action)
        return new

    state = position.in_spiel(lead=False)
    bot = ismcts.ISMCTSBot(
        spades(),
        mcts.RandomRolloutEvaluator(games, np.random.RandomState(1)),
        EXPLORE,
        FEW,
        random_state=np.random.RandomState(1),
        use_observation_string=True,
    )
    bot.set_resampler(resampled)

    def work() -> float:
        bot.step(state)
        return FEW

    return lambda seconds: rate(work, seconds)


def bridge_search(games: int) -> Callable[[float], Rate]:
    """OpenSpiel's search in C++ at the first lead of a Bridge deal."""
    import pyspiel

    state = pyspiel.load_game("bridge(use_double_dummy_result=false)").new_initial_state()
    dice = random.Random(1)
    while state.is_chance_node():
        state.apply_action(dice.choice(state.legal_actions()))
    for bid in (ONE_SPADE, "Pass", "Pass", "Pass"):
        names = {state.action_to_string(action): action for action in state.legal_actions()}
        state.apply_action(names[bid])
    bot = pyspiel.ISMCTSBot(
        1,
        pyspiel.RandomRolloutEvaluator(games, 1),
        EXPLORE,
        ITERATIONS,
        use_observation_string=True,
    )

    def work() -> float:
        bot.step(state)
        return ITERATIONS

    return lambda seconds: rate(work, seconds)
