"""China Hand: faults that were reported of other programs, and what no table of cases can say."""

from __future__ import annotations

import pytest

from rulebook.engine.game import load
from rulebook.engine.match import IllegalMove
from tests.chance import play_on, random_players
from tests.test_cases_china_hand import legal, names_of, of_seat


def test_the_same_position_in_other_suits() -> None:
    """Suits do not matter: a position returns though two threes have changed places."""
    zones = {
        "hand": {
            0: ["3 of hearts", "3 of spades"],
            1: ["3 of clubs", "3 of diamonds", "4 of spades"],
        },
        "active": 0,
    }
    match = load("china_hand", 2).start(1, given=zones, at="one_turn")
    start = match.position
    for move in ("lay 3h", "lay 4s", "take_pile", "lay 3c", "lay 4s", "take_pile"):
        match.play(move)
    other = load("china_hand", 2).start(
        1,
        given={
            "hand": {
                0: ["3 of clubs", "3 of spades"],
                1: ["3 of hearts", "3 of diamonds", "4 of spades"],
            },
            "active": 0,
        },
        at="one_turn",
    )
    assert match.position == other.position == start


def test_a_number_of_plays_ends_a_game_undecided() -> None:
    match = load("china_hand", 4, {"max_plays": 100}).start(9)
    play_on(match, random_players(9))
    assert match.over
    assert match.limited is (len(match.played) == 100)
    assert not match.limited or match.winners == []


def test_without_swaps_the_lowest_card_opens_at_once() -> None:
    match = load("china_hand", 3, {"swap": False}).start(4)
    assert names_of(match) == {"open"}
    match = load("china_hand", 3).start(4)
    dealer = match.value("dealer")
    order = []
    for _ in range(3):
        assert names_of(match) == {"keep_three"}
        order.append(match.chooser)
        match.play(match.moves[-1])
    assert order == [(int(str(dealer)) + step) % 3 for step in (1, 2, 3)]
    assert names_of(match) == {"open"}


def test_the_lowest_card_is_sought_after_the_swaps() -> None:
    zones = {
        "hand": {0: ["9 of clubs", "8 of clubs", "king of clubs"], 1: ["4 of hearts"]},
        "up_cards": {
            0: ["3 of clubs", "7 of clubs", "6 of clubs"],
            1: ["5 of hearts", "ace of hearts"],
        },
        "dealer": 1,
    }
    match = load("china_hand", 2).start(1, given=zones, at="swaps")
    match.play("keep_three 3 of clubs, 8 of clubs, 9 of clubs")
    match.play("keep_three 4 of hearts, 5 of hearts, ace of hearts")
    assert (match.chooser, [move.text for move in match.moves]) == (0, ["open 3 of clubs"])


def test_a_card_that_is_not_held_is_refused() -> None:
    zones = {
        "hand": {0: ["9 of hearts", "4 of diamonds", "6 of diamonds"], 1: ["king of spades"]},
        "active": 0,
    }
    match = load("china_hand", 2).start(1, given=zones, at="one_turn")
    assert not legal(match, "lay king of spades")
    match.play("lay 9 of hearts")
    assert "9 of hearts" not in of_seat(match, "hand", 0)
    assert match.value("pile") == ["9 of hearts"]


def test_after_an_exchange_the_card_withdrawn_counts_no_more() -> None:
    zones = {
        "hand": {
            0: ["9 of diamonds", "5 of hearts", "2 of spades"],
            1: ["8 of spades", "3 of clubs"],
        },
        "pile": ["4 of clubs"],
        "stock": ["6 of clubs"],
        "active": 0,
    }
    match = load("china_hand", 2).start(1, given=zones, at="one_turn")
    match.play("lay 9 of diamonds")
    match.play("exchange 6 of clubs")
    assert [move.text for move in match.moves] == ["lay 8 of spades"]


def test_equal_cards_of_several_players_burn() -> None:
    zones = {
        "hand": {
            0: ["8 of clubs", "king of clubs"],
            1: ["8 of hearts", "king of hearts"],
            2: ["8 of spades", "king of spades"],
            3: ["8 of diamonds", "king of diamonds"],
        },
        "active": 0,
    }
    match = load("china_hand", 4).start(1, given=zones, at="one_turn")
    for card in ("8c", "8h", "8s", "8d"):
        match.play(f"lay {card}")
    assert (match.value("pile"), match.chooser) == ([], 3)


def test_a_down_card_is_not_told_to_anyone_before_it_is_turned() -> None:
    """A flip by somebody else, or at another time, is refused without a word of the card."""
    zones = {
        "hand": {0: ["9 of hearts"]},
        "down_cards": {0: ["king of spades"], 1: ["queen of spades"]},
        "active": 0,
    }
    match = load("china_hand", 2).start(1, given=zones, at="one_turn")
    for text in ("flip", "lay king of spades", "lay queen of spades"):
        with pytest.raises(IllegalMove) as refused:
            match.play(text)
        reason = str(refused.value).replace(text.removeprefix("lay "), "")
        assert "spades" not in reason
    for seat in (0, 1):
        view = match.view(seat)
        assert view.zone("down_cards", 0).known == view.zone("down_cards", 1).known == []


def test_what_a_seat_may_not_see_changes_nothing_that_it_is_told() -> None:
    """Down cards (its own too), the stock and other hands are changed round among themselves; the
    same moves are then played as long as none of these cards comes up."""
    game = load("china_hand", 2)
    mine = ["9 of hearts", "5 of clubs", "5 of hearts", "king of clubs"]
    unseen = [
        "4 of clubs",
        "7 of clubs",
        "8 of clubs",
        "queen of clubs",
        "ace of clubs",
        "2 of clubs",
    ]
    found = []
    for turn in range(len(unseen)):
        cards = unseen[turn:] + unseen[:turn]
        zones = {
            "hand": {0: mine, 1: cards[:2]},
            "down_cards": {0: cards[2:3], 1: cards[3:4]},
            "stock": cards[4:],
            "pile": ["3 of spades"],
            "active": 0,
        }
        match = game.start(1, given=zones, at="one_turn")
        before = [str(move) for move in match.moves]
        reasons = [
            match.why(text).sentence for text in ("flip", "lay 7 of clubs", "risk", "lay 8c")
        ]
        match.play("lay 9 of hearts")
        assert match.chooser == 1
        reasons.append(match.why("lay 5 of hearts").sentence)
        found.append([match.stream(0), match.log(0), before, reasons[:-1]])
    assert all(one == found[0] for one in found)


def test_down_cards_and_other_hands_stay_unknown_all_through_a_game() -> None:
    match = load("china_hand", 3).start(8)
    players = random_players(8)
    for _ in range(120):
        for seat in range(3):
            view = match.view(seat)
            for other in range(3):
                assert view.zone("down_cards", other).known == []
            assert view.zone("stock").known == []
            hand = view.zone("hand", seat)
            assert len(hand.known) == hand.count
        play_on(match, players, 1)


def test_the_hand_chosen_at_the_start_is_told_to_its_owner_alone() -> None:
    match = load("china_hand", 3).start(8)
    chooser = match.chooser
    hand = of_seat(match, "hand", chooser)
    others = [seat for seat in range(3) if seat != chooser]
    match.play("keep_three " + ", ".join(hand))
    deck = match.game.checked.enumerations["card"].members
    for seat in others:
        assert match.view(seat).zone("hand", chooser).known == []
        assert not any(card in line for card in hand for line in match.log(seat))
    known = {deck[card] for card in match.view(chooser).zone("hand", chooser).known}
    assert known == set(hand)
