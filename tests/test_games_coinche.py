"""Random games of Coinche under all its options, and what nobody may be told."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from rulebook.engine.game import Game, load
from rulebook.engine.match import Match
from rulebook.kinds import Flag
from rulebook.pipeline import Setting, compile_source
from rulebook.resources import shipped_games
from rulebook.source import Source
from tests.chance import game_seed
from tests.test_conformance import agree, hold, knowledge, watch
from tests.test_games import agreed

SEED = 1000
TARGET = "target"


def values() -> dict[str, list[str]]:
    """Every option with its values, the default first; of a range, its ends as well."""
    found: dict[str, list[str]] = {}
    game = load("coinche")
    for name, option in game.checked.options.items():
        default = game.options[name]
        if name == "first_dealer":
            others = ["none", "0", "1", "2", "3"]
        elif name == TARGET:
            others = ["100", "1000", "2000", "4000"]
        elif name == "minimum_points":
            others = ["0", "82", "100", "162"]
        else:
            choices = (0, 1) if isinstance(option.kind, Flag) else option.choices
            others = [game.words.value(option.kind, choice, True) for choice in choices]
        assert default in others
        found[name] = [default, *(value for value in others if value != default)]
    return found


EVERY_VALUE = [
    pytest.param({name: value}, id=f"{name}-{value}")
    for name, some in values().items()
    for value in some[1:]
]


def combinations(count: int) -> Iterator[dict[str, str]]:
    """Options drawn at random, each from all its values, without what their conditions refuse."""
    dice = random.Random(SEED)
    every = values()
    while count:
        options = {name: dice.choice(some) for name, some in every.items()}
        if agreed("coinche", options):
            yield options
            count -= 1


def play_many(options: dict[str, str], games: int, watched: int = 0) -> None:
    """Random games end, with one side at the target or both; a few are watched move by move."""
    game = load("coinche", options=options)
    target = int(game.options[TARGET])
    for batch in game.random_games(games, SEED):
        for winners, scores, limited in zip(
            batch.winners, batch.scores, batch.limited, strict=True
        ):
            assert not limited
            assert winners in (0b0101, 0b1010)
            assert scores[:2] == scores[2:]
            assert max(scores) >= target
            assert max(scores) == scores[0 if winners == 0b0101 else 1]
    for number in range(watched):
        (batch,) = game.random_games(1, SEED, number)
        match = watch(game, game_seed(SEED, number))
        assert hold(match) == 32
        agree(match, batch, 0)
        every_deal_has_162_points(match)


def every_deal_has_162_points(match: Match) -> None:
    """As the log tells them; nobody's log tells more or less than another's."""
    counted = [int(line.split(": cards ")[1].split(",")[0]) for line in counts(match, 0)]
    assert counted
    assert all(sum(pair) == 162 for pair in zip(counted[::2], counted[1::2], strict=True))
    assert len({tuple(counts(match, seat)) for seat in range(4)}) == 1


def counts(match: Match, seat: int) -> list[str]:
    return [line for line in match.log(seat) if ": cards " in line]


def test_random_games_end() -> None:
    play_many({}, 300, watched=3)


@pytest.mark.parametrize("options", EVERY_VALUE)
def test_random_games_end_under_every_option(options: dict[str, str]) -> None:
    play_many(options, 40)


def test_random_games_end_under_options_at_random() -> None:
    for number, options in enumerate(combinations(8)):
        play_many(options, 40, watched=number % 4 == 0)


@pytest.mark.soak
def test_many_random_games_end() -> None:
    play_many({}, 10_000, watched=300)


@pytest.mark.soak
@pytest.mark.parametrize("options", EVERY_VALUE)
def test_many_random_games_end_under_every_option(options: dict[str, str]) -> None:
    play_many(options, 10_000, watched=20)


@pytest.mark.soak
@pytest.mark.parametrize("options", [*combinations(200)], ids=range(200))
def test_many_random_games_end_under_options_at_random(options: dict[str, str]) -> None:
    play_many(options, 10_000, watched=3)


# ---- who is told what ----

DECLARED = "declared: {each: player, is: cards, seen by: owner}"


def two_deals(game: Game) -> tuple[Match, Match]:
    """The first tricks of two deals that seats 0 and 3 cannot tell apart: seats 1 and 2 have
    changed a card for another, so that only in the first has seat 1 a combination."""
    deck = list(game.checked.enumerations["card"].members)
    tierce = ["jack of spades", "queen of spades", "king of spades"]
    rest = [card for card in deck if card not in tierce]
    hands = {0: rest[:8], 3: rest[8:16], 1: [*tierce, *rest[16:21]], 2: rest[21:]}
    given = {"dealer": 1, "contract": 80, "trump": "hearts", "declarer": 0, "factor": 1}
    found = []
    for one, two in ((tierce[2], rest[21]), (rest[21], tierce[2])):
        swapped = {tierce[2]: one, rest[21]: two}
        held = {
            str(seat): [swapped.get(card, card) for card in cards] for seat, cards in hands.items()
        }
        found.append(game.start(1, given={"hand": held, **given}, at="play_deal"))
    first, second = found
    return first, second


def told(game: Game) -> list[int]:
    """The seats, of 0 and 3, that notice a difference at their turn to play."""
    first, second = two_deals(game)
    assert first.state != second.state
    asked = (game.checked.enumerations["card"].members.index("king of spades"),)
    found: list[int] = []
    for seat in (0, 3):
        assert first.chooser == second.chooser == seat
        if knowledge(first, seat, asked) != knowledge(second, seat, asked):
            found.append(seat)
        card = next(move.text for move in first.moves if move.name == "play")
        for match in (first, second):
            match.play(card)
    return found


def changed(old: str, new: str, **options: str) -> Game:
    text = shipped_games()["coinche"].read_text(encoding="utf-8")
    assert text.count(old) == 1
    return compile_source(Source("coinche.yaml", text.replace(old, new)), Setting(None, options))


@pytest.mark.parametrize("declare", ["choose", "automatic"])
def test_nobody_is_told_of_cards_in_other_hands(declare: str) -> None:
    assert told(load("coinche", options={"declare": declare})) == []


def test_a_secret_that_is_made_visible_is_found_out() -> None:
    seen = DECLARED.replace("owner", "everyone")
    assert told(changed(DECLARED, DECLARED, declare="automatic")) == []
    assert told(changed(DECLARED, seen, declare="automatic")) == [0, 3]


def test_hands_that_are_made_visible_are_found_out() -> None:
    hand = "hand:  {each: player, seen by: owner}"
    assert told(changed(hand, hand.replace("owner", "everyone"))) == [0, 3]
