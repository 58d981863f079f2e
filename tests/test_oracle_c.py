"""Coins from its rule file against Coins written by hand in C: the same games, card by card."""

from __future__ import annotations

import pytest

from benchmarks.coins_c import Coins
from benchmarks.coins_c import load as load_c
from rulebook.engine.game import load
from tests.chance import play_on, random_players


@pytest.fixture(scope="module")
def by_hand() -> Coins:
    found = load_c()
    if found is None:
        pytest.skip("there is no C compiler here")
    return found


@pytest.mark.parametrize(("target", "oldest"), [(10, 0), (15, 2), (1, 1), (40, 0)])
def test_random_games_in_the_module_are_those_in_c(
    by_hand: Coins, target: int, oldest: int
) -> None:
    games, seed = 2000, 20221000 + target
    game = load("coins", options={"target": target, "oldest": oldest})
    expected = by_hand.batch(seed, games, target=target, oldest=oldest)
    (found,) = game.random_games(games, seed)
    assert found.winners == [1 << winner for winner in expected.winners]
    assert found.scores == [list(scores) for scores in expected.scores]
    assert found.plays == expected.plays
    assert not any(found.limited)


def test_a_batch_may_begin_in_the_middle(by_hand: Coins) -> None:
    game = load("coins")
    expected = by_hand.batch(5, 20, first=100_000)
    (found,) = game.random_games(20, 5, first=100_000)
    assert found.plays == expected.plays
    assert found.winners == [1 << winner for winner in expected.winners]


@pytest.mark.parametrize("seed", [7, 2**64 - 1])
def test_a_match_is_that_of_c_card_by_card(by_hand: Coins, seed: int) -> None:
    game = load("coins")
    match = game.start(seed)
    play_on(match, random_players(seed))
    cards = game.checked.enumerations["card"].members
    expected = [(seat, f"play {cards[card]}") for seat, card in by_hand.trace(seed)]
    assert match.played == expected


@pytest.mark.soak
def test_many_random_games_in_the_module_are_those_in_c(by_hand: Coins) -> None:
    game = load("coins")
    first = 0
    for found in game.random_games(1_000_000, seed=1):
        expected = by_hand.batch(1, len(found.plays), first=first)
        assert found.winners == [1 << winner for winner in expected.winners]
        assert found.scores == [list(scores) for scores in expected.scores]
        assert found.plays == expected.plays
        first += len(found.plays)
    assert first == 1_000_000
