"""What one seat knows when it is to choose: all that a decision maker is given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rulebook.engine.events import Event
from rulebook.engine.view import View, fold

if TYPE_CHECKING:
    from rulebook.engine.game import Game
    from rulebook.engine.match import Match
    from rulebook.engine.moves import Move


@dataclass(frozen=True, slots=True)
class Sight:
    """The rules, the seat, its stream of events and its legal moves, in canonical order. `start` is
    a state without cards and secrets, where play began in a position that was set up."""

    game: Game
    seat: int
    stream: tuple[Event, ...]
    moves: tuple[Move, ...]
    start: bytes = b""

    @classmethod
    def of(cls, match: Match) -> Sight:
        """Of the seat that is to choose."""
        seat = match.chooser
        start = match.start_known_to(seat)
        return cls(match.game, seat, tuple(match.stream(seat)), tuple(match.moves), start)

    def view(self) -> View:
        """The table as the seat knows it."""
        return fold(self.game.checked, self.seat, self.stream)
