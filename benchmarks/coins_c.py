"""Coins written by hand in C (`coins.c`), called through ctypes."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path

from benchmarks.by_hand import library

SOURCE = Path(__file__).with_name("coins.c")
SEATS = 3


@dataclass(frozen=True)
class Batch:
    """What a batch of games came to: one entry a game, in the order of the games."""

    winners: list[int]
    scores: list[tuple[int, int, int]]
    plays: list[int]


class Coins:
    """The compiled game. `seed` is any integer, taken modulo 2**64."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._games = library.coins_games
        self._games.restype = ctypes.c_int64
        self._games.argtypes = [
            ctypes.c_uint64,
            ctypes.c_int64,
            ctypes.c_int64,
            ctypes.c_int,
            ctypes.c_int,
            ctypes.POINTER(ctypes.c_uint8),
            ctypes.POINTER(ctypes.c_int32),
            ctypes.POINTER(ctypes.c_int32),
        ]
        self._trace = library.coins_trace
        self._trace.restype = ctypes.c_int
        self._trace.argtypes = [
            ctypes.c_uint64,
            ctypes.c_int,
            ctypes.c_int,
            ctypes.POINTER(ctypes.c_uint8),
            ctypes.POINTER(ctypes.c_uint8),
            ctypes.c_int,
        ]

    def run(
        self, seed: int, games: int, *, first: int = 0, target: int = 10, oldest: int = 0
    ) -> int:
        """Play `games` games of the batch `seed`, keep nothing, return the plays of all of them.

        Raises ValueError for a target or seat outside the game's options.
        """
        _check(target, oldest, first, games)
        total: int = self._games(seed, first, games, target, oldest, None, None, None)
        return total

    def batch(
        self, seed: int, games: int, *, first: int = 0, target: int = 10, oldest: int = 0
    ) -> Batch:
        """Play games `first` to `first + games - 1` of the batch `seed`.

        Raises ValueError for a target or seat outside the game's options.
        """
        _check(target, oldest, first, games)
        winners = (ctypes.c_uint8 * games)()
        scores = (ctypes.c_int32 * (games * SEATS))()
        plays = (ctypes.c_int32 * games)()
        self._games(seed, first, games, target, oldest, winners, scores, plays)
        triples = zip(scores[0::3], scores[1::3], scores[2::3], strict=True)
        return Batch(list(winners), list(triples), list(plays))

    def trace(self, seed: int, *, target: int = 10, oldest: int = 0) -> list[tuple[int, int]]:
        """Play the game whose own seed this is; return (seat, card) for every play in order.

        A card is its index in the deck, rank * 4 + suit. Raises ValueError as `run` does.
        """
        _check(target, oldest)
        # A hand deals out 12 points and nobody has won while each seat is below the target.
        capacity = 48 * (SEATS * (target - 1) // 12 + 1)
        cards = (ctypes.c_uint8 * capacity)()
        seats = (ctypes.c_uint8 * capacity)()
        plays: int = self._trace(seed, target, oldest, cards, seats, capacity)
        return list(zip(seats[:plays], cards[:plays], strict=True))


def load() -> Coins | None:
    """The game, compiled; None where there is no C compiler.

    Raises RuntimeError with the compiler's own words when the compiler fails.
    """
    found = library(SOURCE)
    return None if found is None else Coins(found)


def _check(target: int, oldest: int, first: int = 0, games: int = 0) -> None:
    if not 1 <= target <= 500:
        raise ValueError(f"the target is 1 to 500, not {target}")
    if not 0 <= oldest < SEATS:
        raise ValueError(f"the oldest player's seat is 0, 1 or 2, not {oldest}")
    if first < 0 or games < 0:
        raise ValueError("games are counted from 0")
