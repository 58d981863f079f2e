"""Luck and skill: players that think longer and longer, each against the one before.

On each rung the better player sits at each side in turn, with the same chance every time (a
duplicate deal), and the other kind everywhere else. A deal counts with the mean over its seatings,
so good cards help nobody, and the interval is over deals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rulebook.players.random import RandomPlayer
from rulebook.players.search import SearchPlayer

if TYPE_CHECKING:
    from rulebook.engine.game import Game
    from rulebook.players import Player

BUDGETS = (0, 25, 100, 400)
"""Iterations for each move; 0 is a random player."""
Z95 = 1.959964


@dataclass(frozen=True, slots=True)
class Rung:
    """How a budget did against another. Shares are of games won, from 0 to 1; `fair` is what a
    seat gets where all play alike. `skill` is how much of what lies above that was won: 0 where
    only luck decides, 1 where the better player always wins."""

    better: int
    other: int
    deals: int
    games: int
    won: float
    low: float
    high: float
    fair: float

    @property
    def skill(self) -> tuple[float, float, float]:
        """Skill and its 95 % interval."""
        room = 1 - self.fair
        if room <= 0:
            return 0.0, 0.0, 0.0
        low, high = ((one - self.fair) / room for one in (self.low, self.high))
        return (self.won - self.fair) / room, low, high

    @property
    def sure(self) -> bool:
        """Whether the better player surely wins more than its share."""
        return self.low > self.fair

    def plain(self) -> dict[str, Any]:
        skill, low, high = self.skill
        return {
            "better": name_of(self.better),
            "other": name_of(self.other),
            "deals": self.deals,
            "games": self.games,
            "won": self.won,
            "interval": [self.low, self.high],
            "fair": self.fair,
            "skill": skill,
            "skill_interval": [low, high],
        }


def name_of(budget: int) -> str:
    return f"search {budget}" if budget else "random"


def ladder(
    game: Game,
    deals: int,
    seed: int = 1,
    budgets: Sequence[int] = BUDGETS,
    each: Callable[[int], None] = lambda _: None,
) -> list[Rung]:
    """Every budget against the one before it, and the highest against the lowest. `each` hears of
    the games played so far. The numbers depend on the seed only. Raises `RuleError`."""
    pairs = list(zip(budgets[1:], budgets, strict=False))
    if len(budgets) > 2:
        pairs.append((budgets[-1], budgets[0]))
    found: list[Rung] = []
    played = 0
    sides = [list(seats) for _, seats in game.checked.teams]
    sides = sides or [[seat] for seat in range(game.players)]
    for better, other in pairs:
        shares: list[float] = []
        fair = 0.0
        players = {budget: seated(game, budget, seed) for budget in (better, other)}
        for deal in range(deals):
            total = 0.0
            for side in sides:
                won = winners(game, seed + deal, side, players[better], players[other])
                total += won[side[0]]
                fair += sum(won[one[0]] for one in sides) / len(sides)
                played += 1
                each(played)
            shares.append(total / len(sides))
        low, high = interval(shares)
        mean = sum(shares) / deals
        games = deals * len(sides)
        found.append(Rung(better, other, deals, games, mean, low, high, fair / games))
    return found


def seated(game: Game, budget: int, seed: int) -> list[Player]:
    """A player of the budget for every seat."""
    if not budget:
        return [RandomPlayer(seed) for _ in range(game.players)]
    return [SearchPlayer(game, seat, budget, seed=seed) for seat in range(game.players)]


def winners(
    game: Game, seed: int, side: Sequence[int], better: Sequence[Player], other: Sequence[Player]
) -> list[float]:
    """For each seat, whether it won; in a draw, each has the same share."""
    match = game.start(seed)
    while not match.over:
        seat = match.chooser
        match.play((better if seat in side else other)[seat].choose(match))
    if not match.winners:
        sides = len(game.checked.teams) or game.players
        return [1 / sides] * game.players
    return [float(seat in match.winners) for seat in range(game.players)]


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of a mean, by the spread of the values and never narrower than one value
    more at either end would make it."""
    count = len(values)
    mean = sum(values) / count
    # One value more, at the far end, keeps values that are all alike from looking sure.
    spread = [*values, 0.0 if mean > 0.5 else 1.0]
    middle = sum(spread) / len(spread)
    variance = sum((one - middle) ** 2 for one in spread) / count
    room = Z95 * math.sqrt(variance / count)
    return max(0.0, mean - room), min(1.0, mean + room)


def lines(rungs: Sequence[Rung]) -> list[str]:
    """The ladder in sentences."""
    found = []
    for rung in rungs:
        skill, low, high = rung.skill
        verdict = "stronger, surely" if rung.sure else "no sure difference"
        found.append(
            f"{name_of(rung.better)} against {name_of(rung.other)}: wins {100 * rung.won:.1f} of "
            f"100 games ({100 * rung.low:.1f} to {100 * rung.high:.1f}; "
            f"{100 * rung.fair:.1f} where all play alike); {verdict}"
        )
    skill, low, high = rungs[-1].skill
    found.append(
        f"Skill: {100 * max(skill, 0):.0f} parts of 100 ({100 * max(low, 0):.0f} to "
        f"{100 * max(high, 0):.0f}) of what lies above chance go to the player that thinks longest "
        "when it meets the first; the rest is luck, or what thinking so long does not find."
    )
    return found
