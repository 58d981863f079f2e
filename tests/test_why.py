"""What `why` says: of moves that may not be played, and of values."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulebook.engine.explain import AskedOf
from rulebook.engine.game import Game, load
from rulebook.engine.match import Match
from rulebook.players.random import RandomPlayer
from tests.test_play import COINS, Run, flat, rulebook

__all__ = ["rulebook"]


@pytest.fixture(scope="module")
def coinche() -> Game:
    return load("coinche")


@pytest.fixture(scope="module")
def led(coinche: Game) -> Match:
    """The first card of a deal is laid, and the next player holds that suit and another, and has
    declared what there was."""
    for seed in range(200):
        match = coinche.start(seed)
        while not match.over and not match.value("trick"):
            match.play(RandomPlayer(seed).choose(match))
        names = {move.name for move in match.moves}
        cards = match.view(match.chooser).zone("hand", match.chooser).known
        if names == {"play"} and 1 < len(match.moves) < len(cards) - 1:
            return match
    raise AssertionError("no seed leads there")


def cards_of(match: Match) -> tuple[list[str], list[str], list[str]]:
    """The legal cards, the others in hand, and those that the chooser does not hold."""
    legal = {move.values[0] for move in match.moves}
    held = match.view(match.chooser).zone("hand", match.chooser).known
    words = match.words.cards
    return (
        [words[card].shown for card in sorted(legal)],
        [words[card].shown for card in held if card not in legal],
        [card.shown for number, card in enumerate(words) if number not in held],
    )


def test_a_card_is_judged_as_the_move_that_a_player_means(led: Match) -> None:
    legal, others, elsewhere = cards_of(led)
    for card in others:
        reason = led.why(card)
        assert not reason.legal
        assert reason.sentence.startswith(("Follow suit", "Go above", "Trump when"))
        assert set(reason.instead) <= set(legal)
    for card in legal:
        assert led.why(card).sentence == f"`play {card}` is legal"
    for card in elsewhere:
        assert led.why(card).sentence == f"the {card} is not in your hand"


def test_during_the_auction_a_card_is_for_later(coinche: Game) -> None:
    match = coinche.start(3)
    for card in match.words.cards:
        if card.text[0].isdigit():
            continue  # `8 of clubs` also begins a bid.
        told = match.why(card.shown).sentence
        assert told.startswith(
            f"`play {card.shown}` cannot be chosen now: it is the time for `bid`"
        )


def test_what_says_several_cards_is_still_asked_back(led: Match) -> None:
    suits = led.game.checked.enumerations["rank"].members
    told = [led.why(rank).sentence for rank in suits]
    assert any("can mean `play" in one for one in told)
    assert not any("`declare" in one for one in told)


def test_a_card_that_is_not_held_is_said_to_be_elsewhere() -> None:
    match = load("china_hand", 2).start(3)
    while not any(move.name == "lay" for move in match.moves):
        match.play(match.moves[0])
    seat = match.chooser
    view, words = match.view(seat), match.words
    lying = {card: slot for slot in view.slots for card in slot.known}
    told: set[str] = set()
    for number, card in enumerate(words.cards):
        slot = lying.get(number)
        reason = match.why(f"lay {card.shown}")
        assert reason.rule is None or reason.rule.source.path.endswith("china_hand.yaml")
        if slot is None:
            assert reason.sentence == f"you do not hold the {card.shown}"
        elif slot.zone == "up_cards":
            whose = "your up cards" if slot.index == seat else "the up cards of player"
            assert "is not among the cards to choose from: it lies in " in reason.sentence
            assert f"it lies in {whose}" in reason.sentence
        elif slot.index == seat:
            assert "you do not hold" not in reason.sentence
        told.add(reason.sentence.partition("lies in")[2])
    assert len(told) >= 3


def test_values_are_told_with_the_names_at_the_table(coinche: Game) -> None:
    match = coinche.start(3)
    match.name_players(["Ann", "Bo", "Cy", "Di"])
    assert match.why_value("score").value == "0 for North and South, 0 for East and West"
    leader = match.why_value("leader")
    assert leader.value == match.words.players[int(str(match.value("leader")))]
    hands = match.why_value("hand").value
    assert hands.count(" for ") == 4
    assert " for Ann; " in hands


def test_a_value_is_asked_and_told_by_the_name_that_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "holders.yaml"
    path.write_text(HOLDER + "names: {pile: {text: The Heap}, holder: {text: finder of it}}\n")
    match = load(str(path)).start(1)
    assert match.why_value("the heap", 0).lines()[0].startswith("The Heap: nothing")
    assert match.why_value("finder_of_it").text == "finder of it"
    with pytest.raises(KeyError):
        match.why_value("pit")


def test_a_value_of_something_says_what_it_needs(led: Match) -> None:
    with pytest.raises(AskedOf, match="`power` has a value for a card, and none by itself"):
        led.why_value("power")
    reason = led.why("power of king of hearts")
    assert reason.sentence.startswith("`power` has a value for a card")
    assert reason.rule is not None
    assert reason.rule.text.startswith("power")


HOLDER = """\
rulebook: 1
game: Holders
players: 2
cards: {suits: [reds, blues], ranks: [1, 2, 3]}
zones:
  stock: {ordered: yes, seen by: nobody}
  hand: {each: player, seen by: owner}
  pile: {ordered: yes}
define:
  holder: owner of 1 of reds
moves:
  lay: {pick: c from hand of mover, do: move c to pile}
steps:
  match: |
    gather all cards to stock
    shuffle stock
    deal 3 from stock to each hand
    for p in players: p chooses lay
    if holder is none: nobody wins
    nobody wins
"""


def test_where_hidden_cards_lie_is_not_told(tmp_path: Path) -> None:
    path = tmp_path / "holders.yaml"
    path.write_text(HOLDER)
    match = load(str(path)).start(1)
    assert match.why_value("holder").value in match.words.players
    with pytest.raises(ValueError, match="may not see"):
        match.why_value("holder", 0)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("why 1", "`play 2 of cups` is legal."),
        ("why 10.", "`play ace of swords` is legal."),
        ("why 99", "`99` is not a move here"),
        ("why leader", "leader: Bo"),
    ],
)
def test_why_takes_the_numbers_of_the_list(rulebook: Run, typed: str, told: str) -> None:
    arguments = ("--seed", "7", "--names", "Ann,Bo,Cy")
    code, out, _ = rulebook("play", COINS, *arguments, typed=f"{typed}\n")
    assert code == 0
    assert told in flat(out)
