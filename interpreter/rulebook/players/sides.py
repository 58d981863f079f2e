"""Who plays together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rulebook.engine.game import Game


@dataclass(frozen=True, slots=True)
class Sides:
    """The teams, or each player alone: the seats of each side, and the side of each seat."""

    seats: tuple[tuple[int, ...], ...]
    of_seat: tuple[int, ...]

    @classmethod
    def of(cls, game: Game) -> Sides:
        players = range(game.players)
        teams = [tuple(seats) for _, seats in game.checked.teams] or [(seat,) for seat in players]
        present = [tuple(seat for seat in side if seat in players) for side in teams]
        sides = tuple(side for side in present if side)
        found = {seat: number for number, side in enumerate(sides) for seat in side}
        return cls(sides, tuple(found[seat] for seat in players))

    def __len__(self) -> int:
        return len(self.seats)

    @property
    def firsts(self) -> list[int]:
        """The first seat of each."""
        return [side[0] for side in self.seats]
