"""Three games under names of their own, made from Coins by changing its data alone."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import yaml

import rulebook
from rulebook.engine.game import Game, load
from rulebook.engine.match import Match
from rulebook.resources import folder
from tests.chance import play_on, random_players

VALID = Path(__file__).resolve().parent / "language" / "valid"
COINS = folder("games") / "coins.yaml"
# What each changes, beside its name and its examples.
CHANGED = {
    "reversed_circle": {"tables"},
    "four_times_ten": {"cards", "tables", "define", "steps"},
    "highest_of_led": {"tables", "define", "about"},
}
ABOUT_IT = {"game", "credits", "link", "names", "examples"}


def path(stem: str) -> Path:
    return VALID / f"{stem}.yaml"


@cache
def game(stem: str) -> Game:
    return load(str(path(stem)))


def trick(stem: str, *plays: str) -> Match:
    """One trick, played from hands that hold a card more; seat 0 leads."""
    rest = [c for c in game(stem).checked.enumerations["card"].members if c not in plays]
    hands = {f"hand of {seat}": [card, rest[seat]] for seat, card in enumerate(plays)}
    match = game(stem).start(1, given={**hands, "leader": 0, "rest": "stock"}, at="one_trick")
    for card in plays:
        match.play(card)
    return match


def outcome(stem: str, *plays: str) -> tuple[object, list[int] | None]:
    """The seat that took the trick, and all scores after it."""
    match = trick(stem, *plays)
    return match.value("leader"), match.scores


@pytest.mark.parametrize("stem", CHANGED)
def test_a_variant_is_sound_and_plays_to_the_end(stem: str) -> None:
    assert rulebook.validate(str(path(stem))) == []
    assert game(stem).name != "Coins"
    match = game(stem).start(3)
    play_on(match, random_players(3))
    assert len(match.winners) == 1
    assert match.scores is not None
    assert match.scores[match.winners[0]] == max(match.scores) >= 10


@pytest.mark.parametrize("stem", CHANGED)
def test_a_variant_changes_nothing_else(stem: str) -> None:
    coins = yaml.safe_load(COINS.read_text(encoding="utf-8"))
    other = yaml.safe_load(path(stem).read_text(encoding="utf-8"))
    differing = {key for key in coins.keys() | other.keys() if coins.get(key) != other.get(key)}
    assert differing - ABOUT_IT == CHANGED[stem]
    assert coins["moves"] == other["moves"]
    assert coins["zones"] == other["zones"]


def test_the_circle_is_reversed() -> None:
    plays = ("4 of cups", "8 of coins", "knave of clubs")
    winner, scores = outcome("reversed_circle", *plays)
    assert (winner, scores) == ("1", [0, 1, 0])
    # A pair decides as before.
    assert outcome("reversed_circle", "9 of cups", "king of clubs", "knave of cups")[0] == "2"
    # In Coins, clubs beat cups.
    coins = load("coins")
    hands = {f"hand of {seat}": [card, f"{seat + 2} of swords"] for seat, card in enumerate(plays)}
    match = coins.start(1, given={**hands, "leader": 0, "rest": "stock"}, at="one_trick")
    for card in plays:
        match.play(card)
    assert match.value("leader") == "2"


def test_four_suits_of_ten_cards() -> None:
    found = game("four_times_ten")
    assert len(found.checked.enumerations["card"].members) == 40
    match = found.start(1)
    assert len(match.moves) == 13
    stock = match.value("stock")
    assert isinstance(stock, list)
    assert len(stock) == 1
    assert outcome("four_times_ten", "4 of wind", "10 of sun", "9 of rain") == ("0", [1, 0, 0])
    assert outcome("four_times_ten", "9 of snow", "10 of snow", "2 of sun") == ("1", [0, 1, 0])


def test_the_highest_card_of_the_suit_led_wins() -> None:
    stem = "highest_of_led"
    assert outcome(stem, "4 of cups", "8 of coins", "knave of cups") == ("2", [0, 0, 1])
    assert outcome(stem, "2 of cups", "king of clubs", "ace of clubs") == ("0", [0, 0, 0])
    assert outcome(stem, "2 of coins", "3 of cups", "ace of swords") == ("0", [1, 0, 0])
