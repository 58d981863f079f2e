"""Decision makers by name: `random`, `search`, a class of one's own, or a program of one's own.

Those of one's own are given the seat's `Sight` (or what `told` makes of it) and never the match.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Sequence
from inspect import signature
from random import Random
from typing import TYPE_CHECKING, Protocol

from rulebook.players.sight import Sight

if TYPE_CHECKING:
    from rulebook.engine.game import Game
    from rulebook.engine.match import Match
    from rulebook.engine.moves import Move
    from rulebook.players import Player

NAMES = ("random", "search")
LONGEST = 80
FORMS = "random, search, `module:Class` and `exec:PROGRAM`"


class Own(Protocol):
    """A decision maker of one's own; its answer is a move of the sight or the text of one."""

    def choose(self, sight: Sight) -> object: ...


class UnknownBot(ValueError):
    """A name that says no decision maker; the message is a sentence without its end."""


class BotFault(Exception):
    """A decision maker of one's own did what it may not; the message is a sentence."""


class Handed:
    """Gives a decision maker what its seat knows, and reads its answer: a move on offer, or the
    text of one."""

    def __init__(self, name: str, decide: Callable[[Sight], object]) -> None:
        self.name = name
        self.decide = decide

    def choose(self, match: Match) -> Move:
        sight = Sight.of(match)
        try:
            text = str(self.decide(sight))
        except BotFault:
            raise
        except Exception as error:
            raise BotFault(
                f"The bot `{self.name}` stopped with {type(error).__name__}: "
                + ended(short(str(error)))
            ) from error
        for move in sight.moves:
            if move.text == text:
                return move
        raise BotFault(f"The bot `{self.name}` chose `{short(text)}`, which is not legal now.")


def seat_bots(
    game: Game, spec: str, seats: Sequence[int], seed: int, think: float | None = None
) -> dict[int, Player]:
    """A decision maker for each of the seats. `spec` names one for all of them, one for each of
    them, or one for each seat of the game, with commas between; `think` is in milliseconds.

    Raises `UnknownBot`.
    """
    names = [one.strip() for one in spec.split(",")]
    if len(names) == 1:
        names = names * len(seats)
    elif len(names) == game.players:
        names = [names[seat] for seat in seats]
    elif len(names) != len(seats):
        raise UnknownBot(
            f"`--bots` has {len(names)} names; it wants 1, or one for each of the bots "
            f"({len(seats)}), or one for each seat ({game.players})"
        )
    return {
        seat: make(game, name, seat, seed, think) for seat, name in zip(seats, names, strict=True)
    }


def make(game: Game, name: str, seat: int, seed: int, think: float | None = None) -> Player:
    """One decision maker. Raises `UnknownBot`."""
    if name == "random":
        from rulebook.players.random import RandomPlayer

        return RandomPlayer(seed)
    if name == "search":
        from rulebook.players.search import SearchPlayer

        # Of the match's seed, nothing that leads back to it.
        own = Random(f"bot {seed} {seat}").getrandbits(32)
        return SearchPlayer(game, seat, milliseconds=think, seed=own)
    if name.startswith("exec:"):
        from rulebook.players.outside import OutsidePlayer

        return Handed(name, OutsidePlayer(name.removeprefix("exec:")).decide)
    if ":" in name:
        return Handed(name, own_bot(name, game, seat).choose)
    raise UnknownBot(f"there are no bots called `{name}`; the bots there are: {FORMS}")


def short(text: str) -> str:
    """What a bot wrote, for a message: its beginning, without signs that steer the screen."""
    shown = "".join(sign if sign.isprintable() else " " for sign in text.strip()[: LONGEST + 1])
    return shown if len(shown) <= LONGEST else shown[:LONGEST] + "..."


def ended(text: str) -> str:
    """The text as a sentence."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def own_bot(name: str, game: Game, seat: int) -> Own:
    """A class of one's own, made for a seat."""
    made = own_class(name)
    try:
        signature(made).bind(game, seat)
    except ValueError:
        pass  # Made in another language: it tells no signature.
    except TypeError as error:
        raise UnknownBot(
            f"`{name}` cannot be made with the game and the seat, as in `__init__(self, game, "
            f"seat)`: {error}"
        ) from None
    try:
        return made(game, seat)
    except Exception as error:
        kind = type(error).__name__
        raise UnknownBot(f"`{name}` stopped as it was made with {kind}: {error}") from error


def own_class(name: str) -> Callable[[Game, int], Own]:
    """A class by `module:Class`; modules beside one are found too."""
    module, _, attribute = name.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        found = importlib.import_module(module)
    except Exception as error:
        raise UnknownBot(f"the module `{module}` cannot be imported: {error}") from error
    try:
        made: Callable[[Game, int], Own] = getattr(found, attribute)
    except AttributeError:
        raise UnknownBot(f"the module `{module}` has no `{attribute}`") from None
    if not callable(made) or not hasattr(made, "choose"):
        raise UnknownBot(f"`{name}` is not a class with a method `choose`")
    return made
