"""Chance as docs/language.md states it, written a second time, and players who choose by it."""

from __future__ import annotations

from collections.abc import Sequence

from rulebook.engine.match import Match

WORD = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
PLAYERS_SITE = 0xFFFFFFFF


def mix(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & WORD
    return z ^ (z >> 31)


def game_seed(seed: int, number: int) -> int:
    """The seed of one game of a batch."""
    return mix(seed + GOLDEN * (number + 1) & WORD)


class Stream:
    """The draws of one use of a chance site; `use` counts from 0."""

    def __init__(self, seed: int, site: int, use: int = 0) -> None:
        self.state = mix(mix(seed + GOLDEN * (site + 1) & WORD) + GOLDEN * (use + 1) & WORD)

    def next(self) -> int:
        self.state = self.state + GOLDEN & WORD
        return mix(self.state)

    def below(self, n: int) -> int:
        if n == 1:
            return 0
        m = (self.next() >> 32) * n
        if m & 0xFFFFFFFF < n:
            unfair = (2**32 - n) % n
            while m & 0xFFFFFFFF < unfair:
                m = (self.next() >> 32) * n
        return m >> 32

    def shuffled(self, cards: Sequence[int]) -> list[int]:
        found = list(cards)
        for i in range(len(found) - 1, 0, -1):
            j = self.below(i + 1)
            found[i], found[j] = found[j], found[i]
        return found


def random_players(seed: int) -> Stream:
    """What all who choose at random draw from, through a whole game."""
    return Stream(seed, PLAYERS_SITE)


def play_on(match: Match, players: Stream, most: int | None = None) -> None:
    """Play at random to the end, or for so many moves."""
    while not match.over and most != 0:
        match.play(match.listed[players.below(len(match.moves))])
        most = None if most is None else most - 1
