"""The worked cases of Coins, each set up and played in the real engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from rulebook.diagnostics import RuleFileError
from rulebook.engine.game import Game, load
from rulebook.engine.match import Match
from tests.chance import play_on, random_players

CASES: dict[str, dict[str, dict[str, Any]]] = yaml.safe_load(
    (Path(__file__).parent / "cases" / "coins.yaml").read_text(encoding="utf-8")
)
SEATS = ("0", "1", "2")


def cases(kind: str) -> pytest.MarkDecorator:
    some = CASES[kind].items()
    return pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in some])


def test_every_kind_of_case_has_a_runner() -> None:
    runners = {name.removeprefix("test_case_") for name in globals()}
    assert set(CASES) <= runners
    assert sum(len(some) for some in CASES.values()) == 36


def with_cards(
    game: Game, plays: list[str], leader: int = 0, left: int = 1, **state: object
) -> Match:
    """A match at the beginning of a trick in which these cards will be played in turn; `left` more
    cards are in each hand, and all others are set aside."""
    spare = [c for c in game.checked.enumerations["card"].members if c not in plays]
    hands = {
        str((leader + place) % 3): [card, *spare[left * place : left * (place + 1)]]
        for place, card in enumerate(plays)
    }
    given = {"hand": hands, "leader": leader, "rest": "stock", **state}
    return game.start(1, given=given, at="one_trick")


def scores(totals: dict[int, int]) -> dict[str, int]:
    return {str(seat): total for seat, total in totals.items()}


@cases("tricks")
def test_case_tricks(case: dict[str, Any]) -> None:
    plays, then = case["plays"], case["then"]
    for leader in range(3):
        match = with_cards(load("coins"), plays, leader)
        for place, card in enumerate(plays):
            assert match.chooser == (leader + place) % 3
            if place == 2:
                trick = [*match.game.value(match.state, "trick"), card]  # type: ignore[misc]  # a zone is a list
                assert trick == plays
            match.play(f"play {card}")
        winner = (leader + then["winner"]) % 3
        assert match.value("leader") == str(winner)
        expected = {seat: then["points"] if seat == str(winner) else 0 for seat in SEATS}
        assert match.value("score") == expected
        won = match.value("won")
        assert isinstance(won, dict)
        assert {seat: len(cards) for seat, cards in won.items()} == {
            seat: 3 if seat == str(winner) else 0 for seat in SEATS
        }
        assert match.log(0)[-1].endswith(f"takes the trick with {plays[then['winner']]}")


@cases("tricks")
def test_case_definitions_of_tricks(case: dict[str, Any]) -> None:
    game = load("coins")
    spare = next(c for c in game.checked.enumerations["card"].members if c not in case["plays"])
    match = game.start(1, given={"trick": case["plays"], "hand of 0": [spare]}, at="one_trick")
    assert match.value("winning_card") == case["plays"][case["then"]["winner"]]
    assert match.value("trick_points") == case["then"]["points"]


@cases("deck")
def test_case_deck(case: dict[str, Any]) -> None:
    then = case["then"]
    game = load("coins", case["given"]["players"], {"target": 500})
    cards = game.checked.enumerations["card"].members
    assert len(cards) == then["deck_size"]
    assert sum(card.endswith("of coins") for card in cards) == then["coins_in_deck"]
    assert not any(card.startswith("10 ") for card in cards)
    match = game.start(1)
    hands = match.value("hand")
    assert isinstance(hands, dict)
    assert {len(hand) for hand in hands.values()} == {then["hand_size"]}
    tricks = then["tricks_per_hand"]
    play_on(match, random_players(1), 3 * tricks - 1)
    assert sum(line.count("takes the trick") for line in match.log(0)) == tricks - 1
    dealt = sum(type(event).__name__ == "Gathered" for event in match.events)
    play_on(match, random_players(1), 1)
    assert sum(type(event).__name__ == "Gathered" for event in match.events) == dealt + 1


@cases("legality")
def test_case_legality(case: dict[str, Any]) -> None:
    hand, trick = case["given"]["hand"], case["given"]["trick"]
    game = load("coins")
    given = {"hand": {"0": trick, "1": hand, "2": ["2 of swords"]}, "leader": 0}
    match = game.start(1, given=given, at="one_trick")
    match.play(trick[0])
    assert match.chooser == 1
    assert {str(move) for move in match.moves} == {f"play {c}" for c in case["then"]["legal"]}
    assert all(match.why(card).legal for card in hand)


@cases("order")
def test_case_order(case: dict[str, Any]) -> None:
    match = load("coins", options={"oldest": case["given"]["dealer"]}).start(5)
    order = []
    for _ in range(3):
        order.append(match.chooser)
        match.play(match.moves[0])
    assert order == case["then"]["play_order"]
    assert order[-1] == case["given"]["dealer"]


@cases("next_dealer")
def test_case_next_dealer(case: dict[str, Any]) -> None:
    given, then = case["given"], case["then"]
    winner = given["last_trick_winner"]
    game = load("coins", options={"target": given["target"]})
    match = with_cards(
        game,
        ["ace of cups", "2 of cups", "3 of cups"],
        leader=winner,
        left=0,
        score=scores(given["totals"]),
        dealer=winner,
    )
    for _ in range(3):
        match.play(match.moves[0])
    assert not match.over
    assert match.value("score") == scores(given["totals"])
    assert match.value("dealer") == str(then["dealer"])
    assert match.value("leader") == str(then["leader"])
    assert match.chooser == then["leader"]
    assert len(match.moves) == 16


@cases("first_dealer")
def test_case_first_dealer(case: dict[str, Any]) -> None:
    match = load("coins", options=case["given"]["options"]).start(2)
    assert match.value("dealer") == str(case["then"]["dealer"])
    assert match.chooser == case["then"]["leader"]


@cases("end")
def test_case_end(case: dict[str, Any]) -> None:
    given, then = case["given"], case["then"]
    left = given.get("cards_left_in_each_hand", 1)
    match = with_cards(
        load("coins", options={"target": given["target"]}),
        given["plays"],
        given["leader"],
        left,
        score=scores(given["totals"]),
    )
    for card in given["plays"]:
        assert not match.over
        match.play(card)
    assert match.value("score") == scores(then["totals"])
    assert match.scores == [then["totals"][seat] for seat in range(3)]
    assert match.over is then["game_over"]
    assert match.winners == ([then["winner"]] if then["game_over"] else [])
    if then["game_over"]:
        assert match.moves == []
        hands = match.value("hand")
        assert isinstance(hands, dict)
        assert {len(hand) for hand in hands.values()} == {left}
        assert match.returns == [1.0 if s == then["winner"] else -0.5 for s in range(3)]
        assert match.places == [0 if seat == then["winner"] else 1 for seat in range(3)]


@cases("options")
def test_case_options(case: dict[str, Any]) -> None:
    then = case["then"]
    option = load("coins").checked.options["target"]
    assert list(option.choices) == then["named_choices"] == case["given"]["target_option"]
    assert option.default == 10
    for target in (1, 11, 500):
        assert load("coins", options={"target": target}).options["target"] == str(target)
    refused: tuple[object, ...] = (0, -1, "many")
    for value in refused:
        with pytest.raises(RuleFileError):
            load("coins", options={"target": value})
