"""A player that takes any legal move, each as likely as the others."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rulebook.engine.match import Match
    from rulebook.engine.moves import Move


@dataclass(frozen=True, slots=True)
class RandomPlayer:
    """Each choice is a function of the seed, the seat and the number of moves played before it: it
    takes nothing from the match's chance, and is the same after a resume or a move taken back.

    The number is the BLAKE2b digest (16 bytes, little-endian) of the ASCII text
    `bot SEED SEAT PLAYED`, modulo the number of legal moves.
    """

    seed: int

    def choose(self, match: Match) -> Move:
        text = f"bot {self.seed} {match.chooser} {len(match.played)}"
        number = int.from_bytes(blake2b(text.encode(), digest_size=16).digest(), "little")
        return match.moves[number % len(match.moves)]
