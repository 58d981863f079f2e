"""The shipped variants: short, sound, playable, and different from what they change."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

import rulebook
from rulebook.diagnostics import Problems
from rulebook.engine.game import Game, load
from rulebook.engine.record import Record
from rulebook.render.problems import render
from rulebook.resources import find_game, shipped_games, shipped_variants
from rulebook.source import Source
from rulebook.tools.examples import run_source
from tests.chance import play_on, random_players

VARIANTS = shipped_variants()
MAX_LINES = 10


def content(path: Path) -> dict[str, Any]:
    found = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    assert isinstance(found, dict)
    return found


@cache
def game(name: str, players: int | None = None) -> Game:
    return load(name, players=players)


@pytest.mark.parametrize("base", shipped_games())
def test_each_game_has_three_variants(base: str) -> None:
    names = [name for name, path in VARIANTS.items() if content(path)["extends"] == base]
    assert len(names) == 3, names


@pytest.mark.parametrize(("name", "path"), VARIANTS.items())
def test_a_variant_is_short_and_says_what_it_is(name: str, path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MAX_LINES
    assert all(len(line) <= 100 for line in text.splitlines())
    first = text.splitlines()[0]
    assert first.startswith("# yaml-language-server: $schema=")
    assert (path.parent / first.partition("$schema=")[2]).is_file()
    own = content(path)
    assert own["about"]
    assert own["game"].lower().replace(" ", "_") == name
    assert find_game(name) == path


def test_studies_of_coins_say_that_they_are_not_coins() -> None:
    studies = [content(path) for path in VARIANTS.values() if content(path)["extends"] == "coins"]
    for study in studies:
        assert "coins" not in study["game"].lower()
        assert study["about"].startswith("A study made from Coins, and not Coins.")
        assert study["credits"].startswith("After Coins")
        assert "link" in study["remove"]


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_is_sound(name: str) -> None:
    assert rulebook.validate(name) == [], render(rulebook.validate(name))


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_plays_to_its_end_and_replays(name: str, tmp_path: Path) -> None:
    low, high = game(name).checked.player_range
    for players in sorted({low, high}):
        match = game(name, players).start(seed=players)
        play_on(match, random_players(players))
        assert match.over
        record = tmp_path / "played.yaml"
        match.record().save(record)
        again = Record.load(record).replay()
        assert (again.winners, again.scores) == (match.winners, match.scores)
        assert "extends:" not in Record.load(record).rules


@pytest.mark.parametrize("name", VARIANTS)
def test_many_random_games_end_and_are_not_those_of_the_base(name: str) -> None:
    base = content(VARIANTS[name])["extends"]
    own, others = ([*game(one).random_games(100, seed=3)] for one in (name, base))
    # Random players may draw by limit; a variant must not make that much more likely.
    limited = [sum(end for batch in some for end in batch.limited) for some in (own, others)]
    assert limited[0] <= limited[1] + 15
    assert [(b.plays, b.winners) for b in own] != [(b.plays, b.winners) for b in others]


# ---- what each one changes ----


def trick(name: str, *plays: str) -> tuple[object, list[int] | None]:
    """Who leads after one trick, and the scores."""
    rest = [card for card in game(name).checked.enumerations["card"].members if card not in plays]
    hands = {f"hand of {seat}": [card, rest[seat]] for seat, card in enumerate(plays)}
    match = game(name).start(1, given={**hands, "leader": 0, "rest": "stock"}, at="one_trick")
    for card in plays:
        match.play(card)
    return match.value("leader"), match.scores


def test_the_highest_coin_takes_the_trick() -> None:
    plays = ("ace of cups", "2 of coins", "king of cups")
    assert trick("suit_ring", *plays)[0] == "1"
    assert trick("coins", *plays)[0] == "0"
    without = ("4 of cups", "9 of clubs", "knave of swords")
    assert trick("suit_ring", *without)[0] == trick("coins", *without)[0]


def test_only_court_cards_count() -> None:
    plays = ("knave of coins", "9 of coins", "2 of coins")
    assert trick("royal_purse", *plays) == ("0", [1, 0, 0])
    assert trick("coins", *plays) == ("0", [3, 0, 0])
    assert game("royal_purse").options["target"] == "5"


def test_the_other_way_round() -> None:
    plays = ("4 of cups", "8 of coins", "knave of swords")
    assert trick("coins", *plays)[0] == "0"
    assert trick("widdershins", *plays)[0] == "2"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("swift_hand", {"swap": "no", "exchange_after_draw": "no", "picture_gate": "no_gate"}),
        ("costly_pile", {"after_burn": "next_player", "pickup_takes_upcard": "yes"}),
        ("triple_fire", {"two": "extra_turn"}),
        ("seen_kings", {"hands_hidden": "no", "capture": "may"}),
        ("many_kings", {"set_size": "any_sum", "leftovers": "last_capturer"}),
        ("short_coinche", {"target": "500", "contract_check": "rounded", "minimum_points": "0"}),
        (
            "club_coinche",
            {
                "denomination_order": "yes",
                "belote_announcement": "required",
                "undertrump": "optional",
            },
        ),
    ],
)
def test_options_have_other_defaults_and_no_others_change(
    name: str, options: dict[str, str]
) -> None:
    base = game(content(VARIANTS[name])["extends"]).options
    assert game(name).options == {**base, **options}
    assert all(base[option] != chosen for option, chosen in options.items())


def test_three_alike_burn() -> None:
    for name, burns in (("triple_fire", "yes"), ("china_hand", "no")):
        text = (
            f"rulebook: 1\ngame: Test\nextends: {name}\nexamples:\n  three eights:\n"
            "    given: {pile: [3 of clubs, 8 of hearts, 8 of clubs, 8 of spades]}\n"
            f"    expect: {{burns: {burns}}}\n"
        )
        problems = Problems()
        (result,) = run_source(Source("test.yaml", text), problems)
        assert result.passed, result


def test_a_smaller_deck() -> None:
    cards = game("little_kings").checked.enumerations["card"].members
    assert len(cards) == 32
    assert game("little_kings").checked.player_range == (2, 6)


def test_the_first_lead_is_no_trump() -> None:
    (line,) = content(VARIANTS["silent_lead"])["moves"]["play"]["must"]
    musts = [must.label for must in game("silent_lead").checked.moves["play"].musts]
    assert musts[-1] == line
    assert musts[:-1] == [must.label for must in game("coinche").checked.moves["play"].musts]
    hand = [
        "7 of clubs",
        "8 of clubs",
        *(f"{rank} of hearts" for rank in ("7", "8", "9", "10", "jack", "ace")),
    ]
    given = {"hand of 0": hand, "trump": "hearts", "leader": 0, "contract": 100, "declarer": 1}
    for name, count in (("silent_lead", 2), ("coinche", 8)):
        match = game(name).start(1, given=given, at="one_trick")
        assert len([move for move in match.moves if move.text.startswith("play ")]) == count
