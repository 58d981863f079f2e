"""Random games of the shipped games under their options: all end or stop at the declared limit."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import pytest

from rulebook import terms as t
from rulebook.engine.game import Batch, Game, load
from rulebook.kinds import Flag, Members
from rulebook.pipeline import Setting, check_file
from tests.chance import game_seed, play_on, random_players
from tests.test_conformance import agree, hold

GAMES = ("china_hand", "three_kings")
SEED = 411


def values(option: t.Option) -> list[str]:
    """Every value that an option offers, as text, and both ends of what else it allows."""
    words = load(GAMES[0]).words
    if isinstance(option.kind, Flag):
        return ["no", "yes"]
    if isinstance(option.kind, Members) and not option.choices:
        return list(option.kind.enumeration.members)
    found = [words.value(option.kind, value, canonical=True) for value in option.choices]
    return found


@cache
def options_of(name: str) -> dict[str, list[str]]:
    return {key: values(option) for key, option in load(name).checked.options.items()}


def one_at_a_time(name: str) -> list[tuple[str, str]]:
    """Each option at each value that is not the default."""
    game = load(name)
    return [
        (option, value)
        for option, offered in options_of(name).items()
        for value in offered
        if game.options[option] != value
    ]


def numbers_of_players(name: str) -> range:
    low, high = load(name).checked.player_range
    return range(low, high + 1)


def random_settings(name: str, count: int) -> Iterator[tuple[int, dict[str, str]]]:
    """Players and options drawn at random, without what the options' conditions refuse."""
    choose = random.Random(SEED)
    while count:
        players = choose.choice(numbers_of_players(name))
        options = {option: choose.choice(offered) for option, offered in options_of(name).items()}
        if agreed(name, options):
            yield players, options
            count -= 1


def agreed(name: str, options: dict[str, str]) -> bool:
    """Whether the options go together. What else is wrong with them is an error."""
    _, found = check_file(name, Setting(options=options))
    errors = {problem.slug for problem in found if problem.severity == "error"}
    assert errors <= {"option-condition"}
    return not errors


def played(game: Game, games: int) -> list[Batch]:
    """Whole random games, each with an end that fits its rules."""
    found = list(game.random_games(games, SEED))
    everyone = (1 << game.players) - 1
    most = game.checked.plays_limit
    for batch in found:
        for winners, limited, plays in zip(batch.winners, batch.limited, batch.plays, strict=True):
            assert plays > 0
            assert winners & ~everyone == 0
            assert bool(winners) is not limited
            assert not limited or game.checked.repeats_limit is not None or most is not None
    return found


def watched(game: Game, games: int) -> None:
    """Games that are looked at after each move: every card is in one place, there is a legal move,
    and the build that plays whole games plays the same ones."""
    (batch,) = game.random_games(games, SEED)
    for number in range(games):
        seed = game_seed(SEED, number)
        match, players = game.start(seed), random_players(seed)
        while not match.over:
            assert match.moves
            assert hold(match) == game.program.layout.deck
            play_on(match, players, 1)
        assert hold(match) == game.program.layout.deck
        agree(match, batch, number)


@pytest.mark.parametrize("name", GAMES)
def test_random_games_end_at_every_number_of_players(name: str) -> None:
    counts = numbers_of_players(name)
    for players in counts:
        played(load(name, players), 300 // len(counts) + 1)


@pytest.mark.parametrize(
    ("name", "option", "value"), [(name, *one) for name in GAMES for one in one_at_a_time(name)]
)
def test_random_games_end_under_every_option(name: str, option: str, value: str) -> None:
    game = load(name, options={option: value})
    played(game, 20)
    watched(game, 1)


@pytest.mark.parametrize("name", GAMES)
def test_random_games_end_under_random_options(name: str) -> None:
    for players, options in random_settings(name, 6):
        game = load(name, players, options)
        played(game, 10)
        watched(game, 1)


@pytest.mark.soak
@pytest.mark.parametrize("name", GAMES)
def test_many_random_games_end(name: str) -> None:
    counts = numbers_of_players(name)
    for players in counts:
        played(load(name, players), 10_000 // len(counts) + 1)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "option", "value"), [(name, *one) for name in GAMES for one in one_at_a_time(name)]
)
def test_many_random_games_end_under_every_option(name: str, option: str, value: str) -> None:
    for players in numbers_of_players(name):
        game = load(name, players, {option: value})
        played(game, 10_000 // len(numbers_of_players(name)))
        watched(game, 3)


@pytest.mark.soak
@pytest.mark.parametrize("name", GAMES)
def test_many_random_games_end_under_random_options(name: str) -> None:
    for players, options in random_settings(name, 200):
        game = load(name, players, options)
        played(game, 100)
        watched(game, 1)
