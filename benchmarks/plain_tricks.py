"""Plain Tricks (`plain_tricks.yaml`) from one dealt state: as the module plays it on, as C does
(`plain_tricks.c`), and as OpenSpiel's Spades does.

The state is that after the first card was led, so that 51 choices are left, forced ones included.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.by_hand import library
from rulebook.engine.game import Game, load
from rulebook.engine.match import Match

RULES = Path(__file__).with_name("plain_tricks.yaml")
SOURCE = Path(__file__).with_name("plain_tricks.c")
SUITS = ("clubs", "diamonds", "hearts", "spades")
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king", "ace")
SPIEL_CARDS = [f"{rank} of {suit}" for suit in SUITS for rank in RANKS]
"""OpenSpiel's cards, by number."""
BIDS = 52
"""OpenSpiel's first bid, which is none; the next ones are for 1 to 13 tricks."""
LEFT = 51


def game() -> Game:
    return load(str(RULES))


@dataclass(frozen=True)
class Position:
    """A dealt match, and the first card that its first player leads."""

    match: Match

    @cached_property
    def hands(self) -> list[list[str]]:
        hands = self.match.value("hand")
        assert isinstance(hands, dict)
        return list(hands.values())

    @cached_property
    def led(self) -> str:
        return self.match.moves[0].text.removeprefix("play ")

    # ---- inside the module ----

    def prepare(self) -> None:
        """Put the state, with the lead chosen, where the module's rollouts begin."""
        machine = self.match.game.fast
        row = self.match.moves[0].row
        data = self.match.state + row.ljust(machine.memory.row_size, b"\0")
        machine.write(machine.memory.origin, data)

    def in_module(self, seed: int, count: int) -> int:
        """Rollouts from the state prepared last; the choices made in them."""
        made = self.match.game.fast.call("rollouts", seed, 0, count)
        assert isinstance(made, int)
        return made

    def tricks_in_module(self, seed: int, count: int) -> list[int]:
        """What seats 0 and 2 take in each of some rollouts."""
        self.prepare()
        machine = self.match.game.fast
        machine.call("rollouts", seed, 0, count)
        size = machine.memory.result_size
        data = machine.read(machine.memory.results, count * size)
        return [
            int.from_bytes(data[at + 16 : at + 20], "little") for at in range(0, len(data), size)
        ]

    # ---- in OpenSpiel ----

    def in_spiel(self, lead: bool = True) -> Any:
        """The same deal in OpenSpiel, with bids that change nothing in the play."""
        state = spades().new_initial_state()
        for place in range(13):
            for hand in self.hands:
                state.apply_action(SPIEL_CARDS.index(hand[place]))
        for _ in self.hands:
            state.apply_action(BIDS + 3)
        if lead:
            state.apply_action(SPIEL_CARDS.index(self.led))
        return state


def spades() -> Any:
    """OpenSpiel's game. ImportError without OpenSpiel."""
    import pyspiel

    return pyspiel.load_game("spades")


class ByHand:
    """The rollouts of a position in C."""

    def __init__(self, position: Position, found: ctypes.CDLL) -> None:
        self.call = found.plain_tricks_rollouts
        self.call.restype = ctypes.c_int64
        self.call.argtypes = [
            ctypes.POINTER(ctypes.c_uint64),
            ctypes.c_int,
            ctypes.c_int,
            ctypes.c_uint64,
            ctypes.c_int64,
            ctypes.c_int64,
            ctypes.POINTER(ctypes.c_int32),
        ]
        cards = position.match.game.checked.enumerations["card"].members
        sets = [sum(1 << cards.index(card) for card in hand) for hand in position.hands]
        self.hands = (ctypes.c_uint64 * len(sets))(*sets)
        self.leader = position.match.chooser
        self.led = cards.index(position.led)

    def run(self, seed: int, count: int) -> None:
        self.call(self.hands, self.leader, self.led, seed, 0, count, None)

    def tricks(self, seed: int, count: int) -> list[int]:
        found = (ctypes.c_int32 * count)()
        self.call(self.hands, self.leader, self.led, seed, 0, count, found)
        return list(found)


def by_hand(position: Position) -> ByHand | None:
    """None where there is no C compiler."""
    found = library(SOURCE)
    return None if found is None else ByHand(position, found)
