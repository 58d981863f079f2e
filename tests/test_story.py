"""The log: what a choice was, for a seat that was not told the cards picked."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from rulebook.engine.events import SPECTATOR, Chose, bits
from rulebook.engine.game import Game, load
from rulebook.engine.match import Match
from rulebook.kinds import SetOf
from rulebook.players.random import RandomPlayer
from rulebook.render.picked import cards_picked
from rulebook.render.story import onlooked, story

ROOT = Path(__file__).resolve().parent.parent
GAMES = sorted([*(ROOT / "games").glob("*.yaml"), *(ROOT / "tests/language/drafts").glob("*.yaml")])

RULES = """\
rulebook: 1
game: Laid
players: 2
cards: {suits: [reds, blues], ranks: [1, 2, 3, 4, 5, 6]}
zones:
  stock: {ordered: yes, seen by: nobody}
  hand: {each: player, seen by: owner}
  pile: {ordered: yes}
  old: {}
  gone: {seen by: nobody}
state:
  latest: suit
moves:
  lay:
    PICK
    do: |
      DO
steps:
  match: |
    gather all cards to stock
    shuffle stock
    deal 4 from stock to each hand
    move first of stock to pile
    repeat 1 times:
      for p in players: p chooses lay
    nobody wins
  cover of cards cs: |
    move pile to old
    move cs to pile
"""
ONE, SOME = "pick: c from hand of mover", "pick: cs are 1..2 cards from hand of mover"
TWO = "pick: |\n      c from hand of mover\n      d from hand of mover where d is not c"


def laid(tmp_path: Path, pick: str, *lines: str) -> Game:
    path = tmp_path / "laid.yaml"
    path.write_text(RULES.replace("PICK", pick).replace("DO", "\n      ".join(lines)))
    return load(str(path))


def held(match: Match, number: int, choice: Chose) -> list[int]:
    value = choice.picks[number].value
    assert value is not None
    return list(bits(value.value)) if isinstance(value.kind, SetOf) else [value.value]


def compared(match: Match) -> tuple[int, int]:
    """How many hidden picks an onlooker is told, and how many not; those told are the true ones."""
    told = untold = 0
    starts = [*(moment.events for moment in match.past), len(match.events)]
    for start, end in pairwise(starts):
        events = match.events[start:end]
        choices = [one for one in events if isinstance(one, Chose)]
        if len(choices) != 1 or choices[0].secret:
            continue
        seen = onlooked(events)
        at = next(at for at, one in enumerate(seen) if isinstance(one, Chose))
        choice = seen[at]
        assert isinstance(choice, Chose)
        for number, picked in enumerate(choice.picks):
            if picked.value is None:
                found = cards_picked(match, choice, seen[at + 1 :], number)
                assert not found or sorted(found) == held(match, number, choices[0])
                told, untold = told + bool(found), untold + (not found)
    return told, untold


@pytest.mark.parametrize(
    ("pick", "lines", "named"),
    [
        (ONE, ["move pile to old", "move c to pile"], True),
        (ONE, ["latest = suit of c", "move c to pile"], True),
        (ONE, ["do cover of (x in hand of mover where x is c)"], False),
        (SOME, ["do cover of cs"], True),
        (TWO, ["move d to old", "move c to pile"], True),
        # An onlooker sees two cards come from the hand, and which was chosen the rules do not say.
        (ONE, ["move lowest rank in hand of mover to old", "if c in hand of mover: move c to pile"],
         False),
        (SOME, ["move cs to pile", "move hand of mover to pile"], False),
        (ONE, ["move c to gone", "move hand of mover to pile"], False),
        (ONE, ["move pile to old"], False),
    ],
)  # fmt: skip  # a line for each
def test_a_card_is_named_where_the_stream_and_the_rules_tell_it(
    tmp_path: Path, pick: str, lines: list[str], named: bool
) -> None:
    game = laid(tmp_path, pick, *lines)
    for seed in range(8):
        match = game.start(seed)
        while not match.over:
            match.play(RandomPlayer(seed).choose(match))
        told, untold = compared(match)
        assert (told, untold)[named] == 0
        assert told + untold == (4 if pick == TWO else 2)


def test_the_log_tells_each_seat_the_card_that_was_laid(tmp_path: Path) -> None:
    match = laid(tmp_path, ONE, "move pile to old", "move c to pile").start(2)
    chosen: list[str] = []
    while not match.over:
        chosen.append(f"Player {match.chooser + 1}: {match.moves[-1].shown}".lower())
        match.play(match.moves[-1])
    for seat in (0, 1, SPECTATOR):
        lines = [line.lower() for line in story(match, match.stream(seat))]
        assert [line for line in lines if "lay" in line] == chosen


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_no_game_names_a_card_that_was_not_chosen(path: Path) -> None:
    game = load(str(path))
    for seed in range(2):
        match = game.start(seed)
        while not match.over and len(match.played) < 120:
            match.play(RandomPlayer(seed).choose(match))
        compared(match)
