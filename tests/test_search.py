"""The player that thinks: what it finds, that it can be repeated, and what it is given."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from rulebook.engine.game import Game, load
from rulebook.engine.match import Match
from rulebook.pipeline import compile_source
from rulebook.players.budget import Budget
from rulebook.players.habits import Habits
from rulebook.players.race import Race
from rulebook.players.random import RandomPlayer
from rulebook.players.rewards import Judge
from rulebook.players.search import SearchPlayer, machines
from rulebook.players.sight import Sight
from rulebook.program import ENDED, RUNNING
from rulebook.resolve import Setting
from rulebook.source import Source
from tests.test_worlds import other_match

# Whoever lays the highest card wins at once: only the top card is never wrong.
HIGHEST = """\
rulebook: 1
game: Highest
players: 2
cards:
  suits: [red]
  ranks: [1, 2, 3, 4, 5, 6]
zones:
  stock: {ordered: yes, seen by: nobody}
  hand: {each: player, seen by: owner}
  pile: {ordered: yes, seen by: everyone}
moves:
  lay: {pick: c from hand of mover, do: move c to pile}
steps:
  match: |
    gather all cards to stock
    shuffle stock
    deal 3 from stock to each hand
    for p in players: p chooses lay
    if rank of last of pile > rank of first of pile: 1 wins
    else: 0 wins
"""


@cache
def game_of(name: str, players: int) -> Game:
    return load(name, players)


@cache
def highest() -> Game:
    return compile_source(Source("highest.yaml", HIGHEST))


def at_choice(game: Game, seed: int, moves: int, seat: int = 0) -> Match:
    match, player = game.start(seed), RandomPlayer(seed)
    while len(match.played) < moves or match.chooser != seat or len(match.moves) < 2:
        match.play(player.choose(match))
    return match


def test_it_lays_the_card_that_wins() -> None:
    game = highest()
    for seed in range(8):
        match = game.start(seed)
        thought = SearchPlayer(game, 0, iterations=60).think(Sight.of(match))
        worth = {one.move.values[0]: one.expected for one in thought.opinions}
        assert thought.move == thought.opinions[0].move
        assert worth[thought.move.values[0]] == max(worth.values()) == worth[max(worth)]
        match.play(thought.move)
        card = thought.move.values[0]
        # The last to lay wins or loses by the card alone, which it sees.
        answer = SearchPlayer(game, 1, iterations=60).think(Sight.of(match))
        winning = {m.text for m in match.moves if m.values[0] > card}
        found = {one.move.text: one.expected for one in answer.opinions}
        assert found == {text: float(text in winning) for text in found}


@pytest.mark.parametrize(
    ("name", "players", "moves"),
    [("coins", 3, 50), ("china_hand", 3, 12), ("coinche", 4, 20), ("three_kings", 3, 10)],
)
def test_the_same_stream_and_seed_give_the_same_thought(
    name: str, players: int, moves: int
) -> None:
    game = game_of(name, players)
    match = at_choice(game, 6, moves)
    sight = Sight.of(match)
    one = SearchPlayer(game, 0, iterations=40, seed=3)
    first = one.think(sight)
    assert one.think(sight) == first, "what was thought before does not matter"
    assert SearchPlayer(game, 0, iterations=40, seed=3).think(sight) == first
    assert {o.move.text for o in first.opinions} == {m.text for m in match.moves}
    assert sum(o.visits for o in first.opinions) >= 40
    assert all(0 <= o.expected <= 1 for o in first.opinions)
    assert first.worlds > 0
    assert first.forced == 0


def test_another_seed_thinks_by_other_chance() -> None:
    game = game_of("coins", 3)
    sight = Sight.of(at_choice(game, 6, 10))
    first, second = (SearchPlayer(game, 0, 40, seed=seed).think(sight) for seed in (1, 2))
    assert [o.expected for o in first.opinions] != [o.expected for o in second.opinions]


def test_hidden_cards_do_not_change_its_mind() -> None:
    """The same seat, the same stream, other cards in the other hands: the same thought."""
    game = game_of("coins", 3)
    match = at_choice(game, 6, 15)
    other = other_match(match, 0, 5)
    assert other.state != match.state
    player = SearchPlayer(game, 0, iterations=60)
    assert player.think(Sight.of(other)) == player.think(Sight.of(match))


class Narrow:
    """Stands for a match, and has nothing but what a seat may read."""

    def __init__(self, match: Match) -> None:
        self.game, self.chooser, self.moves = match.game, match.chooser, match.moves
        self.asked = [match.stream(match.chooser)]

    def stream(self, seat: int) -> Any:
        assert seat == self.chooser
        return self.asked[0]

    def start_known_to(self, seat: int) -> bytes:
        assert seat == self.chooser
        return b""


def test_it_reads_nothing_of_the_match_but_stream_and_moves() -> None:
    game = game_of("coins", 3)
    match = at_choice(game, 6, 15)
    expected = SearchPlayer(game, 0, iterations=40).choose(match)
    fresh = load("coins", 3)  # A game that never held a match.
    narrow: Any = Narrow(match)
    narrow.game = fresh
    assert SearchPlayer(fresh, 0, iterations=40).choose(narrow).text == expected.text


def test_its_machines_are_not_those_of_the_match() -> None:
    game = game_of("coins", 3)
    match = at_choice(game, 6, 15)
    waiting, fast = machines(game)
    assert game.machine not in (waiting, fast)
    before = game.machine.state
    SearchPlayer(game, 0, iterations=20).choose(match)
    assert game.machine.state == before
    assert (match.state, match.events) == (match.copy().state, match.copy().events)


def test_a_move_without_a_choice_costs_nothing() -> None:
    game = game_of("coins", 3)
    match, player = game.start(4), RandomPlayer(4)
    while len(match.moves) > 1:
        match.play(player.choose(match))
    thinker = SearchPlayer(game, match.chooser, iterations=10_000)
    thought = thinker.think(Sight.of(match))
    assert (thought.move, thought.opinions) == (match.moves[0], ())
    assert thinker.worlds.proposed == 0


def test_cards_that_nobody_sees_are_chosen_by_position() -> None:
    game = game_of("three_kings", 3)
    match = at_choice(game, 2, 0)
    thought = SearchPlayer(game, 0, iterations=30).think(Sight.of(match))
    assert sorted(o.move.text for o in thought.opinions) == [f"play #{n}" for n in range(1, 5)]
    match.play(thought.move)


def test_long_matches_are_judged_by_the_deal() -> None:
    game = load("coins", 3, {"target": 200})
    match = at_choice(game, 6, 15)
    player = SearchPlayer(game, 0, iterations=40)
    thought = player.think(Sight.of(match))
    assert player.judge.horizon
    assert player.judge.scale >= 1
    assert all(o.margin is not None for o in thought.opinions)
    order = [o.expected for o in thought.opinions]
    margins = [o.margin or 0 for o in thought.opinions]
    best, worst = order.index(max(order)), order.index(min(order))
    assert margins[best] > margins[worst]


def test_short_ones_are_judged_by_who_wins() -> None:
    game = load("coins", 3, {"target": 2})
    player = SearchPlayer(game, 0, iterations=40)
    thought = player.think(Sight.of(at_choice(game, 6, 3)))
    assert not player.judge.horizon
    assert all(o.margin is None for o in thought.opinions)


def test_sides_gain_against_the_best_other_side() -> None:
    game = game_of("coinche", 4)
    four = Judge(game, machines(game)[1], start=np.array([10, 0, 10, 0]))
    scores = np.array([[100, 30, 100, 30], [10, 0, 10, 0]], np.int32)
    assert four.margins(scores).tolist() == [[60, -60, 60, -60], [0, 0, 0, 0]]
    game = game_of("coins", 3)
    three = Judge(game, machines(game)[1], start=np.array([0, 0, 5]))
    scores = np.array([[4, 3, 6], [2, 2, 1]], np.int32)
    assert three.margins(scores).tolist() == [[1, -1, -3], [0, 0, -6]]


def test_results_are_worth_what_they_say() -> None:
    game = game_of("coins", 3)
    judge = Judge(game, machines(game)[1], horizon=True, scale=1.0, start=np.array([0, 0, 0]))
    # Won by seat 2; lost by seat 0; stopped at a score of 9 to 0.
    results = np.array(
        [
            [ENDED, 0b100, 0, 30, 1, 2, 3],
            [ENDED, 0, 0b001, 30, 0, 0, 0],
            [RUNNING, 0, 0, 30, 9, 0, 0],
        ],
        np.int32,
    )
    one = judge.worth(results[:1])
    assert (one.games, one.worth, one.margin) == (1, [0, 0, 1], [-2, -1, 1])
    assert judge.worth(results[1:2]).worth == [0, 1, 1]
    stopped = judge.worth(results[2:])
    assert 0.99 < stopped.worth[0] < 1
    assert 0 < stopped.worth[1] < 0.01
    whole = judge.worth(results)
    assert (whole.games, whole.margin) == (3, [7, -10, -8])
    judge.horizon = False
    assert judge.worth(results[2:]).worth == pytest.approx([1 / 3] * 3)


LOW = """\
rulebook: 1
game: Low
players: 2
cards: {suits: [red], ranks: [1, 2, 3, 4]}
zones:
  stock: {ordered: yes, seen by: nobody}
  hand: {each: player, seen by: owner}
state:
  score: {each: player, is: 0..500}
moves:
  big: {do: score of mover += 5}
  small: {do: score of mover += 1}
  lay: {pick: c from hand of mover, do: move c to stock}
steps:
  match: |
    repeat 8 times:
      gather all cards to stock
      shuffle stock
      deal 2 from stock to each hand
      for p in players: p chooses big or small
      for p in players: p chooses lay
    END
"""


def test_the_lowest_score_may_be_the_best() -> None:
    game = compile_source(Source("low.yaml", LOW.replace("END", "players finish by lowest score")))
    thought = SearchPlayer(game, 0, iterations=20).think(Sight.of(game.start(1)))
    assert thought.move.text == "small"
    game = compile_source(Source("high.yaml", LOW.replace("END", "players finish by score")))
    thought = SearchPlayer(game, 0, iterations=20).think(Sight.of(game.start(1)))
    assert thought.move.text == "big"


def test_a_score_says_nothing_where_somebody_loses() -> None:
    end = "for p in players where score of p > 20: p loses\n    nobody wins"
    game = compile_source(Source("lost.yaml", LOW.replace("END", end)))
    player = SearchPlayer(game, 0, iterations=60)
    assert not player.judge.keeps_score
    assert player.think(Sight.of(game.start(1))).opinions


def test_a_team_that_nobody_is_in_is_no_side() -> None:
    text = BIDDING.replace("players: 4", "players: 4..5").replace("[1, 3]}", "[1, 3], others: [4]}")
    game = compile_source(Source("bidding.yaml", text), Setting(4, {}))
    assert Judge(game, machines(game)[1]).sides.seats == ((0, 2), (1, 3))
    match = game.start(5)
    assert SearchPlayer(game, match.chooser, iterations=20).think(Sight.of(match)).opinions


def test_time_is_kept() -> None:
    from time import perf_counter

    game = game_of("coins", 3)
    sight = Sight.of(at_choice(game, 6, 15))
    player = SearchPlayer(game, 0, milliseconds=150)
    player.think(sight)
    start = perf_counter()
    thought = player.think(sight)
    assert perf_counter() - start >= 0.15
    assert sum(o.visits for o in thought.opinions) > 20


def test_it_beats_random_players() -> None:
    game = game_of("coins", 3)
    thinker = SearchPlayer(game, 0, iterations=32, seed=1)
    won = 0
    for seed in range(12):
        match, others = game.start(seed), RandomPlayer(seed)
        while not match.over:
            match.play((thinker if match.chooser == 0 else others).choose(match))
        won += match.winners == [0]
    assert won >= 8, "chance wins so often less than once in 50 times"


def test_habits_take_what_turned_out_well_and_the_kind_stands_for_what_is_new() -> None:
    good, bad, other = (bytes([kind, 0, 0, 0, value]) for kind, value in ((1, 1), (1, 2), (2, 0)))
    habits = Habits(Random(1), lambda row: row)
    for _ in range(40):
        habits.learn([(0, good), (1, bad)], [0.9, 0.2])
        habits.learn([(0, bad), (0, other)], [0.3, 0.0])
    assert habits.kind(0, good) > habits.kind(0, other)
    assert habits.move(0, good) > habits.move(0, bad)
    taken = [habits.choose(0, [good, bad, other]) for _ in range(100)]
    assert taken.count(good) > 90
    new = bytes([1, 0, 0, 0, 9])
    assert habits.move(0, new) == pytest.approx(habits.kind(0, new))
    assert habits.kind(1, other) == 0.5, "nothing is known of another seat"


def test_a_hand_without_strength_does_not_bid_it_all() -> None:
    """Choices between kinds of moves are played on by habit, not at random."""
    game = game_of("coinche", 4)
    match = at_choice(game, 1, 0, seat=game.start(1).chooser)
    player = SearchPlayer(game, match.chooser, iterations=120)
    thought = player.think(Sight.of(match))
    assert len(thought.opinions) > 0
    assert player.judge.horizon
    highest = [o for o in thought.opinions if o.move.name == "capot" and o.visits]
    assert thought.move.name != "capot"
    assert all(o.expected <= thought.opinions[0].expected for o in highest if o.visits > 5)


# One side of two: the first may bid what it holds, the second may go on. Only a top card pays.
BIDDING = """\
rulebook: 1
game: Bidding
players: 4
teams: {ours: [0, 2], theirs: [1, 3]}
cards:
  suits: [red]
  ranks: [1, 2, 3, 4, 5, 6, 7, 8]
zones:
  stock: {ordered: yes, seen by: nobody}
  hand: {each: player, seen by: owner}
  shown: {each: player, seen by: everyone}
state:
  score: {each: team, is: -1000..1000}
  bidder: {is: player or none, starts: none}
moves:
  bid: {do: bidder = mover}
  pass: {}
  lay: {pick: c from hand of mover, do: move c to shown of mover}
steps:
  match: |
    repeat 20 times: do one_deal
    for t in teams where score of t > 0: t wins
  one_deal: |
    gather all cards to stock
    shuffle stock
    deal 2 from stock to each hand
    bidder = none
    0 chooses bid or pass
    2 chooses bid or pass
    for p in players: p chooses lay
    if bidder is not none:
      score of team of bidder += 10 if 8 of red in shown of bidder else -4
"""


def test_a_choice_tells_of_what_its_seat_holds() -> None:
    """Worlds in which a partner had a reason to bid weigh more than others."""
    game = compile_source(Source("bidding.yaml", BIDDING))
    match = game.start(5)
    match.play("bid")
    player = SearchPlayer(game, 2, iterations=200)
    sight = Sight.of(match)
    decision = Race(player, sight, Budget(200, None))
    player.worlds.see(sight.stream)
    first = decision.draw()
    assert first is not None
    decision.judge.begin(first[0].state, first[0].rows[0], 1, random=False)
    weights: dict[bool, list[float]] = {True: [], False: []}
    best = game.checked.enumerations["card"].members.index("8 of red")
    hand = [zone.name for zone, _ in game.slot_names].index("hand")
    for _ in range(120):
        world = decision.draw()
        assert world is not None
        held = best in game.cards_in(world[0].state, hand)
        weights[held].append(decision.plausible(world[0]))
    assert min(len(some) for some in weights.values()) > 8
    good, poor = (sum(some) / len(some) for some in (weights[True], weights[False]))
    assert good > poor
    forced = replace(first[0], forced=True)
    assert decision.plausible(forced) == 0.5, "nothing is known of it"


def test_a_game_without_zones_is_thought_about() -> None:
    text = HIGHEST[: HIGHEST.index("zones:")] + (
        "state:\n  height: {each: player, is: -1000..1000}\n"
        "moves:\n  rise: {do: height of mover += 1}\n  fall: {do: height of mover -= 1}\n"
        "steps:\n  match: |\n    repeat:\n      for p in players:\n        p chooses rise or fall\n"
        "        if height of p >= 3: p wins\n"
    )
    game = compile_source(Source("nozones.yaml", text))
    match = game.start(1)
    assert SearchPlayer(game, 0, iterations=40).think(Sight.of(match)).move.text == "rise"
    assert game.batch(2).observations.shape[0] == 2


def test_something_is_chosen_however_little_time_there_is() -> None:
    game = game_of("china_hand", 3)
    match = game.start(1)
    assert len(match.moves) > 12
    player = SearchPlayer(game, match.chooser, milliseconds=0.001)
    assert player.think(Sight.of(match)).opinions


MIXED = """\
rulebook: 1
game: Mixed
players: 2
cards: {suits: [red, blue], ranks: [1, 2, 3, 4, 5, 6, 7, 8, 9]}
zones:
  hand: {each: player, seen by: owner}
  pile: {}
moves:
  lay: {pick: c from hand of mover, do: move c to pile}
  pass: {}
steps:
  match: |
    gather all cards to hand of 0
    repeat 3 times: 0 chooses lay or pass
    if count pile is 3: 0 wins
    else: 1 wins
"""


def test_time_that_was_spent_before_the_first_leaf_leaves_an_opinion() -> None:
    game = compile_source(Source("mixed.yaml", MIXED))
    match = game.start(1)
    assert len(match.moves) == 19
    player = SearchPlayer(game, 0, milliseconds=0.001)
    assert player.think(Sight.of(match)).opinions


def test_a_game_is_forgotten_with_its_last_user() -> None:
    import gc
    import weakref

    game = load("china_hand", 3)
    assert SearchPlayer(game, 0).judge.outlook is not None
    seen = weakref.ref(game)
    del game
    gc.collect()
    assert seen() is None
