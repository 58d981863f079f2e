"""What `hint` says: the opinion of a player that thinks, given what the person's seat knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulebook.players.sight import Sight

if TYPE_CHECKING:
    from rulebook.engine.match import Match
    from rulebook.players.search import SearchPlayer

MOST = 6


class Adviser:
    """Thinks when asked, for one seat; `think` is in milliseconds."""

    def __init__(self, seat: int, think: float | None) -> None:
        self.seat = seat
        self.think = think
        self.player: SearchPlayer | None = None

    def lines(self, match: Match) -> list[str]:
        from rulebook.players.search import SearchPlayer

        if self.player is None:
            self.player = SearchPlayer(match.game, self.seat, milliseconds=self.think)
        thought = self.player.think(Sight.of(match))
        if not thought.opinions:
            only = len({one.text for one in match.moves}) == 1
            return [
                f"{thought.move.shown}: the only move."
                if only
                else "Nothing can be said of these moves."
            ]
        found = []
        for one in thought.opinions[:MOST]:
            if one.margin is None:
                worth = f"wins about {100 * one.expected:.0f} games of 100"
            else:
                worth = f"{one.margin:+.1f} points over the best other side in this deal"
            found.append(f"{one.move.shown}: {worth}")
        if len(thought.opinions) > MOST:
            found.append(f"and {len(thought.opinions) - MOST} moves that seem worse")
        found.append(
            f"Judged by games played on at random, from {thought.worlds} ways in which the unseen "
            "cards may lie" + (f" ({thought.forced} of them a guess)." if thought.forced else ".")
        )
        return found
