"""What `hint` says: the opinion of a player that thinks, given what the person's seat knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulebook.players.sight import Sight

if TYPE_CHECKING:
    from rulebook.engine.match import Match
    from rulebook.players.decision import Opinion
    from rulebook.players.search import SearchPlayer

MOST = 6
MANY = 10
"""From so many points on, they are told as whole numbers."""


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
        told = sorted(thought.opinions, key=lambda one: -worth(one))
        # Tenths of a point are noise, except where there are few points to be had.
        places = 0 if max(abs(worth(one)) for one in told) >= MANY else 1
        found = [f"{one.move.shown}: {in_words(one, places)}" for one in told[:MOST]]
        if len(told) > MOST:
            found.append(f"and {len(told) - MOST} moves that seem worse")
        best = next(one for one in told if one.move == thought.move)
        if in_words(best, places) != in_words(told[0], places):
            first = told[0].move.shown
            found.append(f"It would choose {best.move.shown}: it has tried {first} less often")
        found.append(
            f"Judged by games played on at random, from {thought.worlds} ways in which the unseen "
            "cards may lie" + (f" ({thought.forced} of them a guess)." if thought.forced else ".")
        )
        return found


def worth(opinion: Opinion) -> float:
    """What is told of a move, by which the moves are ordered: points, or games of 100."""
    return 100 * opinion.expected if opinion.margin is None else opinion.margin


def in_words(opinion: Opinion, places: int) -> str:
    if opinion.margin is None:
        return f"wins about {worth(opinion):.0f} games of 100"
    points = round(opinion.margin, places) + 0.0  # Without the sign of a zero below.
    return f"{points:+.{places}f} points over the best other side in this deal"
