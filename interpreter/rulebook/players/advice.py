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
        from rulebook.players.rewards import AHEAD, may_be_drawn
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
        # Tenths are noise, except where all are near each other.
        lowest, highest = worth(told[-1]), worth(told[0])
        near = highest - lowest < 1 if told[0].margin is None else max(highest, -lowest) < MANY
        places = 1 if near else 0
        found = [f"{one.move.shown}: {in_words(one, places)}" for one in told[:MOST]]
        if len(told) > MOST:
            found.append(f"and {len(told) - MOST} more, none of them better")
        best, first = next(one for one in told if one.move == thought.move), told[0]
        if in_words(best, places) != in_words(first, places):
            why = "more of its games went well"
            if first.visits < best.visits:
                why = f"it has tried {first.move.shown} less often"
            found.append(f"It would choose {best.move.shown}: {why}")
        how = "games played on at random"
        if self.player.judge.outlook is not None:
            how = f"{AHEAD} choices at random and the table as it then lies"
        found.append(
            f"Judged by {how}, from {thought.worlds} ways in which the unseen "
            "cards may lie" + (f" ({thought.forced} of them a guess)." if thought.forced else ".")
        )
        if told[0].margin is None and may_be_drawn(match.game.checked):
            found.append(f"A drawn game counts as {part(len(self.player.judge.sides))} of a win.")
        return found


def part(number: int) -> str:
    words = {2: "a half", 3: "a third", 4: "a quarter"}
    return words.get(number, f"1/{number}")


def worth(opinion: Opinion) -> float:
    """What is told of a move, by which the moves are ordered: points, or games of 100."""
    return 100 * opinion.expected if opinion.margin is None else opinion.margin


def in_words(opinion: Opinion, places: int) -> str:
    if opinion.margin is None:
        return f"wins about {worth(opinion):.{places}f} games of 100"
    points = round(opinion.margin, places) + 0.0  # Without the sign of a zero below.
    return f"{points:+.{places}f} points over the best other side in this deal"
