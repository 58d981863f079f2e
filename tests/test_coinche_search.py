"""The adapter that seats colver's heuristic player against `search`: both programs stand alike."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from benchmarks import coinche_search as bench
from benchmarks.coinche_search import CARDS, TURN, Guessing, Mean, card_of, say

pytest.importorskip("colver", reason="the other program is not installed")

DEALS = 12
COINCHE = {0: 1, 1: 2, 2: 4}
CAPOT = 90
"""What colver's points of a side with all tricks hold beside those of the cards."""


def test_both_programs_stand_alike_after_every_card() -> None:
    dice = random.Random(5)
    for deal in islice(bench.deals(5000), DEALS):
        match, env, cards = deal.seated(), deal.env(deal.hands, []), list[int]()
        contract = env.get_contract()
        assert match.value("contract") == contract["value"]
        assert match.value("trump") == bench.SUITS[contract["trump"]]
        assert int(str(match.value("declarer"))) % 2 == contract["team"]
        assert match.value("factor") == COINCHE[contract["coinche"]]
        while len(cards) < len(CARDS):
            assert match.chooser == TURN[env.current_player()]
            legal = {card_of(move.text) for move in match.moves}
            assert legal == set(env.legal_actions())
            cards.append(dice.choice(sorted(legal)))
            env.step(cards[-1])
            say(match, f"play {CARDS[cards[-1]]}")
        points, tricks = list(env.get_points()), list(env.get_tricks_won())
        if 8 in tricks:
            points[tricks.index(8)] -= CAPOT
        assert match.value("card_points") == {"ns": points[0], "ew": points[1]}


def test_the_heuristic_player_is_told_what_its_seat_may_know() -> None:
    """Cards that others hold may change places without changing its card."""
    deal = next(bench.deals(5000))
    match = deal.seated()
    seat = match.chooser
    others = [cards for at, cards in enumerate(deal.hands) if TURN[at] != seat]
    turned = [*others[1:], others[0]]
    hands = [cards if TURN[at] == seat else turned.pop() for at, cards in enumerate(deal.hands)]
    changed = bench.Deal(deal.number, deal.dealer, hands, deal.calls)
    assert changed.hands != deal.hands
    assert Guessing(8).choose(match, deal, []) == Guessing(8).choose(match, changed, [])


def test_the_interval_is_that_of_the_mean() -> None:
    found = Mean.of([1, 2, 3, 4])
    assert found.mean == 2.5
    assert found.high - found.mean == pytest.approx(1.959964 * (5 / 3 / 4) ** 0.5)
