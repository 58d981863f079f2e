"""Faults reported of other programs for games that are drafts here: the same situations, played."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulebook

HEARTS = Path(__file__).resolve().parent / "language" / "drafts" / "hearts.yaml"


def legal(match: rulebook.Match) -> list[str]:
    return sorted(move.text.removeprefix("play ") for move in match.moves)


@pytest.mark.parametrize(
    ("hand", "allowed"),
    [
        (["queen of spades", "5 of hearts", "9 of diamonds"], ["9 of diamonds"]),
        (["queen of spades", "5 of hearts"], ["5 of hearts", "queen of spades"]),
    ],
)
def test_the_first_trick_takes_penalty_cards_from_a_hand_of_nothing_else(
    hand: list[str], allowed: list[str]
) -> None:
    given = {"leader": 0, "hand": {0: ["2 of clubs"], 1: hand}}
    match = rulebook.load(str(HEARTS)).start(1, given=given, at="one_trick")
    match.play("2 of clubs")
    assert legal(match) == allowed


@pytest.mark.parametrize(
    ("thrown", "allowed"),
    [("5 of hearts", ["3 of spades", "ace of hearts"]), ("5 of spades", ["3 of spades"])],
)
def test_a_heart_thrown_on_another_suit_breaks_hearts(thrown: str, allowed: list[str]) -> None:
    game = rulebook.load(str(HEARTS))
    before = {"leader": 0, "taken": {0: ["2 of clubs", "3 of clubs", "4 of clubs", "5 of clubs"]}}
    hands = {
        0: ["ace of diamonds", "ace of hearts", "3 of spades"],
        1: [thrown, "6 of clubs"],
        2: ["2 of diamonds"],
    }
    match = game.start(1, given={**before, "hand": hands}, at="one_trick")
    assert legal(match) == ["3 of spades", "ace of diamonds"]
    match.play("ace of diamonds")
    match.play(thrown)
    left = {0: ["ace of hearts", "3 of spades"]}
    later = {**before, "broken": match.value("broken"), "hand": left}
    assert legal(game.start(1, given=later, at="one_trick")) == allowed
