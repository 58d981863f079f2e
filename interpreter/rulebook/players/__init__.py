"""Who chooses: bots and people. `Player` is what a match is played with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rulebook.engine.match import Match
    from rulebook.engine.moves import Move


class Player(Protocol):
    """Chooses for the seat `match.chooser`. It may read what that seat knows (`match.moves`,
    `match.view`, `match.stream`), and leaves the match as it is."""

    def choose(self, match: Match) -> Move: ...
