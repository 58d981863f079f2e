"""The worked cases of China Hand, each set up and played in the real engine."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from rulebook.engine.game import Game, load
from rulebook.engine.match import IllegalMove, Match

Case = dict[str, Any]
CASES: dict[str, dict[str, Case]] = yaml.safe_load(
    (Path(__file__).parent / "cases" / "china_hand.yaml").read_text(encoding="utf-8")
)
CHOICES = {"pick up": "take_pile", "risk draw": "risk", "flip": "flip"}


def cases(kind: str) -> pytest.MarkDecorator:
    """Each case of a kind as it stands, and once for each of its answers under other options."""
    found = []
    for name, case in CASES[kind].items():
        found.append(pytest.param({**case, "options": {}}, id=name))
        for other in case.get("then_if", ()):
            text = " ".join(f"{option}:{value}" for option, value in other["options"].items())
            found.append(pytest.param({**case, **other}, id=f"{name} {text}"))
    return pytest.mark.parametrize("case", found)


def test_every_kind_of_case_has_a_runner() -> None:
    runners = {name.removeprefix("test_case_") for name in globals()}
    assert set(CASES) <= runners
    numbered = [name for some in CASES.values() for name in some if name[-3:].isdigit()]
    assert len(numbered) == 45


@cache
def prepared(players: int, options: tuple[tuple[str, object], ...]) -> Game:
    return load("china_hand", players, dict(options))


def game_of(case: Case, players: int) -> Game:
    return prepared(players, tuple(case["options"].items()))


def listed(value: object) -> list[str]:
    assert isinstance(value, list)
    return value


def of_seat(match: Match, name: str, seat: int) -> list[str]:
    family = match.value(name)
    assert isinstance(family, dict)
    return listed(family[str(seat)])


def mentioned(value: object) -> set[str]:
    """All texts in a case: its cards are among them."""
    if isinstance(value, dict):
        return set().union(*map(mentioned, value.values()))
    if isinstance(value, list):
        return set().union(*map(mentioned, value))
    return {value} if isinstance(value, str) else set()


def turn(case: Case, at: str = "one_turn") -> tuple[Match, int]:
    """A match where the player of the case is to move, and that player. The others hold three
    cards that the case does not mention; the player has a down card, unless the case says what
    there is."""
    given = case["given"]
    player, out = given.get("player", 0), given.get("out", [])
    players = given.get("players", max(player + 2, 2))
    game = game_of(case, players)
    used = mentioned(case)
    spare = [c for c in game.checked.enumerations["card"].members if c not in used]
    hands = {seat: [spare.pop() for _ in range(3)] for seat in range(players) if seat not in out}
    hands[player] = given.get("hand", given.get("hand_before", []))
    ups = given.get("up", [])
    downs = given.get("down_left_to_right", [spare.pop()] if "up" not in given else [])
    zones = {
        "hand": hands,
        f"up_cards of {player}": ups,
        f"down_cards of {player}": downs,
        "stock": given.get("stock_top_first", given.get("drawn", []))[::-1],
        "pile": given.get("pile_bottom_first", given.get("pile_before", [])),
        "burnt": given.get("burned", []),
        "place": {seat: number + 1 for number, seat in enumerate(out)},
        "active": player,
        "dealer": (player - 1) % players,
    }
    return game.start(1, given=zones, at=at), player


def names_of(match: Match) -> set[str]:
    return {move.name for move in match.moves}


def picked(match: Match, name: str) -> list[list[str]]:
    """The cards of each legal move of a name."""
    members = match.game.checked.enumerations["card"].members
    return [
        [card for number, card in enumerate(members) if move.values[0] >> number & 1]
        for move in match.moves
        if move.name == name
    ]


def ranks_of(match: Match, name: str) -> set[str]:
    return {card.split(" of ")[0] for cards in picked(match, name) for card in cards}


def words(values: list[object]) -> set[str]:
    return set(map(str, values))


def legal(match: Match, text: str) -> bool:
    """Whether a move may be played; where not, it is refused and nothing changes."""
    before = match.copy()
    try:
        match.read(text)
    except IllegalMove:
        with pytest.raises(IllegalMove, match=r"\w"):
            match.play(text)
        assert match.state == before.state
        return False
    return True


def settle(match: Match, player: int) -> None:
    """Where the player may still exchange, nothing is exchanged."""
    if not match.over and match.chooser == player and "keep" in names_of(match):
        match.play("keep")


def hold(match: Match, player: int, then: Case) -> None:
    """All that a case says of the position after the turn."""
    left = (player + 1) % match.game.players
    assert sorted(of_seat(match, "hand", player)) == sorted(
        then.get("hand", of_seat(match, "hand", player))
    )
    assert sorted(of_seat(match, "up_cards", player)) == sorted(
        then.get("up", of_seat(match, "up_cards", player))
    )
    if "down" in then:
        assert of_seat(match, "down_cards", player) == then["down"]
    for key, zone in (("pile", "pile"), ("burned", "burnt")):
        if key in then:
            assert listed(match.value(zone)) == then[key]
    if "stock" in then:
        assert listed(match.value("stock"))[::-1] == then["stock"]
    if then.get("next") == "left":
        assert match.chooser == left
    if "to_move" in then:
        assert match.chooser == then["to_move"]
    if "moves" in then:
        assert names_of(match) == set(then["moves"])
    if then.get("playing_from") == "up":
        assert not of_seat(match, "hand", player)
        offered = {card for cards in picked(match, "lay") for card in cards}
        assert offered <= set(of_seat(match, "up_cards", player))
        assert offered
    if "out" in then:
        place = match.value("place")
        assert isinstance(place, dict)
        gone = [int(seat) for seat in place if place[seat]]
        assert sorted(gone, key=lambda seat: place[str(seat)]) == then["out"]
    if "game_over" in then:
        assert match.over is then["game_over"]
    if "loser" in then:
        assert match.losers == [then["loser"]]
        assert match.winners == [
            seat for seat in range(match.game.players) if seat != then["loser"]
        ]


def lay(cards: list[str]) -> str:
    return f"lay {', '.join(cards)}"


# ---- one runner a kind ----


@cases("starter")
def test_case_starter(case: Case) -> None:
    given, then = case["given"], case["then"]
    game = game_of(case, len(given["hands"]))
    zones = {"hand": given["hands"], "dealer": given["dealer"]}
    match = game.start(1, given=zones, at="opening_turn")
    assert match.chooser == then["starter"]
    assert names_of(match) == {"open"}
    assert ranks_of(match, "open") == words([then["rank_to_open_with"]])


@cases("opening")
def test_case_opening(case: Case) -> None:
    given, then = case["given"], case["then"]
    players = 2
    game = game_of(case, players)
    zones = {
        "hand": {0: given["hand"], 1: ["ace of clubs", "2 of clubs", "ace of spades"]},
        "dealer": 1,
        "stock": given.get("stock_top_first", [])[::-1],
    }
    match = game.start(1, given=zones, at="opening_turn")
    assert match.chooser == 0
    assert {len(cards) for cards in picked(match, "open")} == set(then.get("sizes", [1]))
    if "legal_ranks" in then:
        assert ranks_of(match, "open") == words(then["legal_ranks"])
    if "play" in given:
        match.play(f"open {given['play'][0]}")
        hold(match, 0, then)


@cases("legality")
def test_case_legality(case: Case) -> None:
    match, _ = turn(case)
    assert ranks_of(match, "lay") == words(case["then"]["legal_ranks"])
    if not case["then"]["legal_ranks"]:
        assert names_of(match) == {"take_pile"}
    given = case["given"]
    for card in given["hand"] or given["up"]:
        assert legal(match, lay([card])) is (
            card.split(" of ")[0] in words(case["then"]["legal_ranks"])
        )


@cases("play")
def test_case_play(case: Case) -> None:
    match, _ = turn(case)
    nines = [cards for cards in picked(match, "lay") if cards[0].startswith("9 ")]
    assert {len(cards) for cards in nines} == set(case["then"]["sizes"])


@cases("draw")
def test_case_draw(case: Case) -> None:
    match, player = turn(case)
    match.play(lay(case["given"]["play"]))
    settle(match, player)
    hold(match, player, case["then"])


@cases("burn")
def test_case_burn(case: Case) -> None:
    test_case_draw(case)


@cases("pickup")
def test_case_pickup(case: Case) -> None:
    match, player = turn(case)
    given, then = case["given"], case["then"]
    if "action" in given:
        assert legal(match, CHOICES[given["action"]]) is then["legal"]
        return
    assert names_of(match) == {CHOICES[choice] for choice in then["choices"]}
    match.play("take_pile")
    if case["options"].get("pickup_takes_upcard"):
        assert names_of(match) == {"take_up_card"}
        assert len(match.moves) == len(given["up"])
        match.play("take_up_card 5 of diamonds")
    hold(match, player, then)


@cases("risk")
def test_case_risk(case: Case) -> None:
    match, player = turn(case)
    if "legal" in case["then"]:
        assert legal(match, CHOICES[case["given"]["action"]]) is case["then"]["legal"]
        return
    match.play("risk")
    assert names_of(match) <= {"lay", "take_pile", "risk"}
    hold(match, player, case["then"])


@cases("exchange")
def test_case_exchange(case: Case) -> None:
    given, then = case["given"], case["then"]
    if "hand_before" not in given:
        given = {**given, "hand_before": [*given["laid"], "5 of hearts", "2 of spades"]}
    match, player = turn({**case, "given": given})
    match.play(lay(given["laid"]))
    if "next_player_laid" in given:
        settle(match, player)
        hand = given["next_player_laid"]
        match, _ = following(match, hand)
        match.play(lay(hand))
    change = "exchange " + ", ".join(given["change_to"])
    assert legal(match, change) is then["legal"]
    if then["legal"]:
        match.play(change)
        # Once, and without another draw.
        assert match.over or match.chooser != player or "exchange" not in names_of(match)
        assert len(of_seat(match, "hand", player)) == len(given["hand_before"]) - len(
            given["laid"]
        ) + len(given["drawn"])
    else:
        settle(match, player)
    hold(match, player, then)


def following(match: Match, hand: list[str]) -> tuple[Match, int]:
    """The same position with other cards in the next player's hand."""
    seat = match.chooser
    zones = {
        "hand": {0: of_seat(match, "hand", 0), seat: [*hand, "2 of hearts"]},
        "down_cards": match.value("down_cards"),
        "pile": match.value("pile"),
        "active": seat,
    }
    return match.game.start(1, given=zones, at="one_turn"), seat


@cases("upcards")
def test_case_upcards(case: Case) -> None:
    match, player = turn(case)
    if "play" in case["given"]:
        assert legal(match, lay(case["given"]["play"])) is case["then"]["legal"]
        return
    assert names_of(match) == {"take_pile"}
    match.play("take_pile")
    hold(match, player, case["then"])


@cases("downcards")
def test_case_downcards(case: Case) -> None:
    match, player = turn(case)
    then = case["then"]
    if "legal" in then:
        assert legal(match, "flip") is then["legal"]
        return
    assert [move.text for move in match.moves] == ["flip"]
    assert len(match.moves) == then.get("number_of_choices", 1)
    match.play("flip")
    if "flipped" in then:
        turned = [line for line in match.log(player) if "turns up" in line]
        assert turned == [f"Player {player + 1} turns up {then['flipped']}"]
    hold(match, player, then)


@cases("end")
def test_case_end(case: Case) -> None:
    given, then = case["given"], case["then"]
    match, player = turn(case)
    if "play" not in given:
        assert names_of(match) == {"flip"}
        match.play("flip")
    elif not then.get("legal", True):
        assert not legal(match, lay(given["play"]))
        if "choices" in then:
            assert names_of(match) == {CHOICES[choice] for choice in then["choices"]}
            match.play("take_pile")
    else:
        match.play(lay(given["play"]))
    hold(match, player, then)


@cases("setup")
def test_case_setup(case: Case) -> None:
    given, then = case["given"], case["then"]
    if "players" in given:
        match = load("china_hand", given["players"]).start(3)
        for seat in range(given["players"]):
            assert len(of_seat(match, "hand", seat)) == then["hand"]
            assert len(of_seat(match, "up_cards", seat)) == then["up"]
            assert len(of_seat(match, "down_cards", seat)) == then["down"]
        assert len(listed(match.value("stock"))) == then["stock"]
        return
    zones = {
        "hand": {0: given["hand"], 1: ["king of diamonds", "ace of hearts", "ace of spades"]},
        "up_cards": {0: given["up"], 1: ["9 of clubs", "8 of clubs", "7 of clubs"]},
        "dealer": 1,
    }
    match = game_of(case, 2).start(1, given=zones, at="swaps")
    assert match.chooser == 0
    assert len(match.moves) == 20
    keep = "keep_three " + ", ".join(given["keep_in_hand"])
    assert legal(match, keep) is then["legal"]
    if then["legal"]:
        match.play(keep)
        hold(match, 0, then)
        assert match.chooser == 1


@cases("loop")
def test_case_loop(case: Case) -> None:
    given, then = case["given"], case["then"]
    zones = {
        "hand": given["hands"],
        "pile": given["start_pile"],
        "active": given["to_move"],
    }
    match = game_of(case, given["players"]).start(1, given=zones, at="one_turn")
    start = match.position
    for times in range(2):
        for seat, what in given["line"]:
            assert match.chooser == seat
            match.play(CHOICES[what] if what in CHOICES else lay([what]))
        assert match.position == start
        for seat, cards in then["hands"].items():
            assert sorted(of_seat(match, "hand", seat)) == sorted(cards)
        assert match.value("pile") == then["pile"]
        # The position has now occurred for the second time, and then for the third.
        assert match.limited is match.over is (times == 1)
    assert match.winners == []
