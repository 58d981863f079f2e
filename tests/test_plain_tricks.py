"""Plain Tricks, the game of the benchmarks: its file is whole and its examples hold, and three
programs play it alike: the module, C (`benchmarks/plain_tricks.c`), and OpenSpiel's Spades."""

from __future__ import annotations

import random

import pytest

from benchmarks.plain_tricks import LEFT, RULES, SPIEL_CARDS, Position, by_hand, game
from rulebook.diagnostics import Problems
from rulebook.tools.examples import run_file

SITUATIONS = {"follows", "cannot follow", "leads", "holds trumps only"}


def test_the_file_is_whole_and_its_examples_hold() -> None:
    problems = Problems()
    results = run_file(str(RULES), problems)
    assert not list(problems)
    assert len(results) >= 7
    assert [result.label for result in results if not result.passed] == []


@pytest.mark.parametrize("seed", range(4))
def test_random_deals_in_the_module_are_those_in_c(seed: int) -> None:
    position = Position(game().start(seed))
    found = by_hand(position)
    if found is None:
        pytest.skip("there is no C compiler here")
    tricks = position.tricks_in_module(seed, 2000)
    assert tricks == found.tricks(seed, 2000)
    assert len(set(tricks)) > 5
    position.prepare()
    assert position.in_module(seed, 10) == 10 * LEFT


def test_open_spiel_plays_the_same_deals() -> None:
    """The legal cards at every play, who leads, and the tricks of both sides."""
    pytest.importorskip("pyspiel", reason="the oracle is not installed")
    seen: set[str] = set()
    for seed in range(100):
        seen |= compare(Position(game().start(seed)), random.Random(seed))
    assert seen == SITUATIONS


def compare(position: Position, dice: random.Random) -> set[str]:
    """Both to the end, by random cards; the situations that came up."""
    ours, theirs = position.match, position.in_spiel(lead=False)
    seen = set()
    table: list[str] = []
    for _ in range(52):
        assert ours.chooser == theirs.current_player()
        legal = [move.text.removeprefix("play ") for move in ours.moves]
        assert sorted(legal) == sorted(SPIEL_CARDS[card] for card in theirs.legal_actions())
        table = [] if len(table) == 4 else table
        seen.add(situation(table, legal))
        card = dice.choice(legal)
        table.append(card)
        ours.play(f"play {card}")
        theirs.apply_action(SPIEL_CARDS.index(card))
    assert ours.over
    assert theirs.is_terminal()
    # A side that makes its bid of 6 has ten points for each trick bid, and one for each above.
    tricks = ours.value("score")
    assert isinstance(tricks, dict)
    points = [spades_points(tricks[side]) for side in ("ns", "ew")]
    assert list(theirs.returns())[:2] == points
    return seen


def situation(table: list[str], legal: list[str]) -> str:
    suits = {card.split(" of ")[1] for card in legal}
    if not table:
        return "holds trumps only" if suits == {"spades"} else "leads"
    return "follows" if suits == {table[0].split(" of ")[1]} else "cannot follow"


def spades_points(tricks: int) -> int:
    return 60 + tricks - 6 if tricks >= 6 else -60


def test_a_difference_would_be_seen() -> None:
    """The same comparison, with one deal's hands changed round in OpenSpiel."""
    pytest.importorskip("pyspiel", reason="the oracle is not installed")
    position = Position(game().start(1))
    hands = position.hands
    position.hands[:] = [hands[1], hands[0], *hands[2:]]
    with pytest.raises(AssertionError):
        compare(position, random.Random(1))
