"""The worked cases of Three Kings, each set up and played in the real engine."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from rulebook.diagnostics import RuleFileError
from rulebook.engine.game import Game, load
from rulebook.engine.match import IllegalMove, Match
from rulebook.pipeline import Setting, compile_source
from rulebook.resources import folder
from rulebook.source import Source
from tests.chance import play_on, random_players

Case = dict[str, Any]
CASES: dict[str, dict[str, Case]] = yaml.safe_load(
    (Path(__file__).parent / "cases" / "three_kings.yaml").read_text(encoding="utf-8")
)


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
    assert len(numbered) == 27


@cache
def prepared(players: int, options: tuple[tuple[str, object], ...]) -> Game:
    return load("three_kings", players, dict(options))


def game_of(case: Case, players: int = 2) -> Game:
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


def spare(case: Case) -> list[str]:
    members = load("three_kings").checked.enumerations["card"].members
    return [card for card in members if card not in mentioned(case)]


def turned_up(case: Case, game: Game | None = None) -> Match:
    """Seat 0 has just turned up the card that the case plays, the last of its hand."""
    given, left = case["given"], spare(case)
    hand = [left.pop() for _ in range(given.get("hand_before", 1) - 1)]
    zones = {
        "hand": {0: [*hand, given["played"]], 1: [left.pop()]},
        "table": given["table"],
        "stock": given.get("stock_top_first", [])[::-1],
        "active": 0,
        "dealer": 1,
    }
    match = (game or game_of(case)).start(1, given=zones, at="one_turn")
    assert match.chooser == 0
    match.play(match.moves[-1])
    assert match.value("laid") == [given["played"]]
    assert match.log(1)[-1] == f"Player 1 turns up {given['played']}"
    return match


def takes(match: Match) -> list[frozenset[str]]:
    """The sets that may be taken."""
    members = match.game.checked.enumerations["card"].members
    return [
        frozenset(card for number, card in enumerate(members) if move.values[0] >> number & 1)
        for move in match.moves
        if move.name in ("take", "take_more")
    ]


def may_leave(match: Match) -> bool:
    return any(move.name == "leave" for move in match.moves)


def sets_of(lists: list[list[str]]) -> set[frozenset[str]]:
    return set(map(frozenset, lists))


# ---- one runner a kind ----


@cases("sets")
def test_case_sets(case: Case) -> None:
    then = case["then"]
    match = turned_up(case)
    found = takes(match)
    assert set(found) == sets_of(then.get("sets", then.get("sets_of_two_table_cards")))
    assert len(set(found)) == len(found)
    assert bool(found) is then["captures"]
    assert may_leave(match) is then["trails"]
    if not then["trails"]:
        with pytest.raises(IllegalMove):
            match.play("leave")


@cases("deal")
def test_case_deal(case: Case) -> None:
    then, players = case["then"], case["given"]["players"]
    if "error" in then:
        with pytest.raises((ValueError, RuleFileError)):
            load("three_kings", players)
        return
    match = game_of(case, players).start(5)
    for seat in range(players):
        assert len(of_seat(match, "hand", seat)) == then["hand_size"]
        assert bool(match.view(seat).zone("hand", seat).known) is then["owner_sees_hand"]
    assert len(listed(match.value("table"))) == then["table_size"]
    assert len(listed(match.value("stock"))) == then["stock"]


@cases("choice")
def test_case_choice(case: Case) -> None:
    then, left = case["then"], spare(case)
    hand = [left.pop() for _ in range(case["given"]["hand_positions"])]
    zones = {"hand": {0: hand, 1: [left.pop()]}, "active": 0}
    match = game_of(case).start(1, given=zones, at="one_turn")
    assert len(match.moves) == then["choices"]
    places = [f"play #{place + 1}" for place in range(len(hand))]
    if then["choice_is"] == "card":
        assert {str(move) for move in match.moves} == {f"play {card}" for card in hand}
        return
    assert sorted(str(move) for move in match.moves) == places
    for card in hand:
        with pytest.raises(IllegalMove) as refused:
            match.play(f"play {card}")
        assert card not in str(refused.value)
        assert "by number" in str(refused.value)


@cases("refill")
def test_case_refill(case: Case) -> None:
    given, then = case["given"], case["then"]
    match = turned_up(case)
    match.play("take " + ", ".join(given["take"]))
    after_the_turn(match, then)
    assert sorted(of_seat(match, "pile", 0)) == sorted([given["played"], *given["take"]])


def after_the_turn(match: Match, then: Case) -> None:
    assert sorted(listed(match.value("table"))) == sorted(then["table"])
    hand = of_seat(match, "hand", 0)
    assert len(hand) == then["hand_after"]
    if then["drawn"] is not None:
        assert hand[-1] == then["drawn"]
    if "stock_after" in then:
        assert listed(match.value("stock"))[::-1] == then["stock_after"]
    assert match.chooser == 1
    assert match.value("laid") == []


@cases("trail")
def test_case_trail(case: Case) -> None:
    match = turned_up(case)
    assert [move.text for move in match.moves] == ["leave"]
    match.play("leave")
    after_the_turn(match, case["then"])


@cases("mandatory")
def test_case_mandatory(case: Case) -> None:
    match = turned_up(case)
    assert set(takes(match)) == sets_of(case["then"]["choices"])
    assert may_leave(match) is case["then"]["may_decline"]


@cases("turn")
def test_case_turn(case: Case) -> None:
    given, then = case["given"], case["then"]
    seed = 1
    while (match := game_of(case, given["players"]).start(seed)).value("dealer") != str(
        given["dealer"]
    ):
        seed += 1
    order = []
    for _ in range(given["players"]):
        order.append(match.chooser)
        seat = match.chooser
        while match.chooser == seat:
            match.play(match.moves[0])
    assert order == then["turn_order"]


def last_turn(case: Case, takers: dict[int, list[list[str]]]) -> Match:
    """A game in which all is played but one card, which can take nothing: it is counted up when
    the card lies on the table. Any card of the table will do, as the last to come there."""
    given, left = case["given"], spare(case)
    players = max([2, *(seat + 1 for seat in given["hand_sizes"])])
    table = list(given["table"]) or [next(card for card in left if card.startswith("king"))]
    last = table.pop(0)
    zones = {
        "hand": {0: [last]},
        "table": table,
        "pile": {seat: [card for one in sets for card in one] for seat, sets in takers.items()},
        "last_taker": given.get("last_taker", "none"),
        "active": 0,
        "dealer": 0,
    }
    match = game_of(case, players).start(1, given=zones, at="one_turn")
    match.play("play #1")
    match.play("leave")
    assert match.over
    return match


@cases("end")
def test_case_end(case: Case) -> None:
    then = case["then"]
    match = last_turn(case, case["given"]["captures"])
    assert match.scores == [then["scores"].get(seat, 0) for seat in range(match.game.players)]
    assert match.winners == then["winners"]
    counted = [line for line in match.log(0) if "for three kings" in line]
    assert len(counted) == match.game.players


@cases("invariant")
def test_case_invariant(case: Case) -> None:
    for captured, value in zip(case["given"]["captures"], case["then"]["values"], strict=True):
        given = {"hand_sizes": {0: 0, 1: 0}, "table": []}
        match = last_turn({**case, "given": given}, {0: [captured]})
        assert match.scores == [value, 0]


# ---- what was reported of other programs, and what no table of cases can say ----


def test_a_hand_without_cards_draws_first_where_only_takers_draw() -> None:
    zones = {"hand": {1: ["2 of clubs"]}, "stock": ["9 of hearts", "4 of hearts"], "active": 0}
    match = load("three_kings", 2, {"draw_after_trail": False}).start(1, given=zones, at="one_turn")
    assert match.chooser == 0
    match.play("play #1")
    assert match.value("laid") == ["4 of hearts"]
    match.play("leave")
    assert of_seat(match, "hand", 0) == []
    assert match.chooser == 1


def test_a_player_without_cards_is_passed_over() -> None:
    zones = {
        "hand": {0: ["2 of clubs"], 2: ["4 of clubs"]},
        "table": ["9 of hearts"],
        "active": 0,
        "dealer": 2,
    }
    match = load("three_kings", 3).start(1, given=zones, at="one_turn")
    match.play("play #1")
    match.play("leave")
    assert match.chooser == 2
    match.play("play #1")
    match.play("leave")
    assert match.over
    assert match.winners == [0, 1, 2]


def test_drawing_before_filling_up_is_a_change_of_the_file_alone() -> None:
    """A stock of one then goes to the hand."""
    path = folder("games") / "three_kings.yaml"
    fill = "      if count table < 4: deal 4 - count table from stock to table\n"
    draw = "    if no laid or draw_after_trail: deal 1 from stock to hand of active\n"
    text = path.read_text(encoding="utf-8")
    assert fill in text
    assert draw in text
    changed = text.replace(fill, "").replace(draw, f"{draw}    if no laid:\n{fill}")
    game = compile_source(Source("changed.yaml", changed), Setting(2, {}))
    case = {
        "given": {
            "played": "6 of hearts",
            "table": ["5 of spades", "jack of clubs", "2 of diamonds", "9 of hearts"],
            "stock_top_first": ["3 of clubs"],
            "hand_before": 4,
        },
        "options": {},
    }
    match = turned_up(case, game)
    match.play("take 5s jc")
    assert of_seat(match, "hand", 0)[-1] == "3 of clubs"
    assert len(listed(match.value("table"))) == 2


def told(match: Match, seat: int) -> list[object]:
    """All that a seat is told: its stream, its log, and what is offered when it is to move."""
    offered = [str(move) for move in match.moves] if match.chooser == seat else []
    reasons = [
        match.why(f"play {card}").sentence for card in ("1", "2", "6h", "7h", "king of clubs")
    ]
    return [match.stream(seat), match.log(seat), offered, reasons if offered else []]


def test_cards_that_nobody_sees_change_nothing_that_is_told() -> None:
    game = load("three_kings", 2)
    unseen = ["6 of hearts", "7 of hearts", "king of clubs", "9 of clubs", "2 of clubs"]
    found = []
    for turn in range(len(unseen)):
        cards = unseen[turn:] + unseen[:turn]
        zones = {
            "hand": {0: cards[:2], 1: cards[2:3]},
            "stock": cards[3:],
            "table": ["king of spades", "king of hearts"],
            "active": 0,
        }
        match = game.start(1, given=zones, at="one_turn")
        found.append([told(match, seat) for seat in (0, 1)])
    assert all(one == found[0] for one in found)
    # Where players see their hands, those of the seat itself make a difference, and no others.
    game = load("three_kings", 2, {"hands_hidden": False})
    for hands, same in ((unseen[:2], True), (unseen[1:3], False)):
        zones = {"hand": {0: hands, 1: unseen[3:4]}, "active": 0}
        others = {"hand": {0: unseen[:2], 1: unseen[4:]}, "active": 0}
        one = game.start(1, given=zones, at="one_turn")
        other = game.start(1, given=others, at="one_turn")
        assert (told(one, 0) == told(other, 0)) is same


def test_no_hand_is_known_to_anyone_all_through_a_game() -> None:
    match = load("three_kings", 3).start(8)
    players = random_players(8)
    while not match.over:
        for seat in range(3):
            view = match.view(seat)
            assert [view.zone("hand", other).known for other in range(3)] == [[], [], []]
            assert view.zone("stock").known == []
        play_on(match, players, 1)
