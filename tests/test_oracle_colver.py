"""Coinche against `colver`, a program that nobody here wrote.

The same deals are played in both, card by card: legal cards at every play, who takes each trick,
the card points and tricks of both sides. It knows the four suit contracts, and neither no trumps
nor all trumps; it has no combinations, and scores by other rules, so that deals are compared up to
the counting of cards.

Its rules of play are not quite those of our sheet. Two situations differ, and are told apart here
from the cards alone; in all others the two must agree to the card:

* Partner is winning with a trump, on a plain suit that the player cannot follow. Ours must go above
  it with a trump, if a trump is played at all and a higher one is held (S15, B35); there, any card
  may be played.
* An opponent is winning with a trump that the player, who cannot follow, cannot beat. Ours must
  play a lower trump (S14, B1), unless `undertrump: optional` is agreed on; there, any card may be
  played.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import pytest

from rulebook.engine.game import Game, load
from rulebook.engine.match import Match

colver = pytest.importorskip("colver", reason="the oracle is not installed")

SUITS = ("spades", "hearts", "diamonds", "clubs")
RANKS = ("7", "8", "9", "jack", "queen", "king", "10", "ace")
NAMES = [f"{rank} of {suit}" for suit in SUITS for rank in RANKS]
"""Its cards, by number."""
TRUMP_ORDER = ("7", "8", "queen", "king", "10", "ace", "9", "jack")
TURN = (0, 3, 2, 1)
"""Our seats by its numbers, which follow the order of play."""


@cache
def game(undertrump: str) -> Game:
    return load("coinche", options={"undertrump": undertrump})


class Deal:
    """One deal, in both programs."""

    def __init__(self, seed: int, undertrump: str) -> None:
        self.dice = random.Random(seed)
        self.optional = undertrump == "optional"
        self.seen: Counter[str] = Counter()
        pack = list(range(32))
        self.dice.shuffle(pack)
        hands = [pack[8 * seat : 8 * seat + 8] for seat in range(4)]
        self.trump = SUITS[seed % 4]
        team = self.dice.randrange(2)
        self.theirs = colver.Env.deal_with_hands(3, hands)
        self.theirs.set_contract(SUITS.index(self.trump), 80, team, 0)
        self.theirs.set_phase_playing()
        self.ours: Match = game(undertrump).start(
            1,
            given={
                "hand": {str(TURN[s]): [NAMES[c] for c in cards] for s, cards in enumerate(hands)},
                "dealer": TURN[3],
                "contract": 80,
                "trump": self.trump,
                "declarer": TURN[team],
                "factor": 1,
            },
            at="play_deal",
        )

    def play(self) -> Counter[str]:
        """Both to the end, by random cards that both allow; the situations that came up."""
        for trick in range(8):
            table: list[str] = []
            for _ in range(4):
                assert self.ours.chooser == TURN[self.theirs.current_player()]
                legal = self.compare(table)
                card = self.dice.choice(legal)
                self.theirs.step(NAMES.index(card))
                self.ours.play(f"play {card}")
                table.append(card)
            if trick < 7:
                assert self.ours.chooser == TURN[self.theirs.get_trick_lead()]
        self.count()
        return self.seen

    def compare(self, table: list[str]) -> list[str]:
        """The cards that both allow, which are all but where the rules are known to differ."""
        theirs = {NAMES[card] for card in self.theirs.legal_actions()}
        ours = {m.text.removeprefix("play ") for m in self.ours.moves if m.name == "play"}
        hand = {NAMES[card] for card in self.theirs.get_hands()[self.theirs.current_player()]}
        situation = self.situation(table, hand)
        self.seen[situation] += 1
        if situation == "partner's trump":
            assert theirs == hand
            top = max(map(self.height, table))
            held = [card for card in hand if self.height(card) >= 0]
            lower = {card for card in held if self.height(card) < top}
            assert ours == (hand - lower if lower != set(held) else hand)
        elif situation == "unbeaten trump":
            assert theirs == hand
            assert ours == (hand if self.optional else {c for c in hand if self.height(c) >= 0})
        else:
            assert ours == theirs
        return sorted(ours & theirs)

    def height(self, card: str) -> int:
        """Among trumps; -1 for all others."""
        rank, suit = card.split(" of ")
        return TRUMP_ORDER.index(rank) if suit == self.trump else -1

    def situation(self, table: list[str], hand: set[str]) -> str:
        if not table:
            return "lead"
        led = table[0].split(" of ")[1]
        if any(card.endswith(led) for card in hand):
            return "trump led" if led == self.trump else "follows"
        heights = list(map(self.height, table))
        if led == self.trump:
            return "no trump left"
        if max(heights) < 0:
            return "nobody trumped"
        held = [self.height(card) for card in hand if self.height(card) >= 0]
        if heights.index(max(heights)) == len(table) - 2:
            return "partner's trump" if held else "no trump left"
        if held and max(held) < max(heights):
            return "unbeaten trump"
        return "beatable trump" if held else "no trump left"

    def count(self) -> None:
        points, tricks = list(self.theirs.get_points()), tuple(self.theirs.get_tricks_won())
        if 8 in tricks:
            # All tricks count 252 there; what ours makes of them is a matter of scoring.
            points[tricks.index(8)] -= 252 - 162
        found = self.ours.value("card_points")
        assert found == {"ns": points[0], "ew": points[1]}
        assert self.ours.value("tricks") == {"ns": tricks[0], "ew": tricks[1]}


SITUATIONS = {
    "lead",
    "follows",
    "trump led",
    "nobody trumped",
    "no trump left",
    "beatable trump",
    "partner's trump",
    "unbeaten trump",
}


def agree(deals: range, undertrump: str) -> None:
    seen: Counter[str] = Counter()
    for seed in deals:
        seen += Deal(seed, undertrump).play()
    assert seen.keys() == SITUATIONS
    assert seen.total() == 32 * len(deals)


@pytest.mark.parametrize("undertrump", ["any_lower", "optional"])
def test_both_play_the_same_deals(undertrump: str) -> None:
    agree(range(200), undertrump)


@pytest.mark.soak
@pytest.mark.parametrize("undertrump", ["any_lower", "optional"])
@pytest.mark.parametrize("part", range(8))
def test_both_play_many_deals_alike(undertrump: str, part: int) -> None:
    agree(range(1000 * (part + 1), 1000 * (part + 2)), undertrump)


def test_a_difference_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same comparison where ours plays by another rule than it is taken to."""
    monkeypatch.setitem(globals(), "game", lambda undertrump: load_otherwise())
    with pytest.raises(AssertionError):
        agree(range(20), "any_lower")


@cache
def load_otherwise() -> Game:
    return load("coinche", options={"undertrump": "forbidden"})
