"""Luck and skill: players that think longer and longer, each against the one before.

On each rung the better player sits at each side in turn, with the same chance every time (a
duplicate deal), and the other kind everywhere else. A deal counts with the mean over its seatings,
so good cards help nobody, and the interval is over deals. Everything in a deal comes from its own
seed, what the players draw too: without that, deals of a game without chance would be one game.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rulebook.players.random import RandomPlayer
from rulebook.players.search import SearchPlayer
from rulebook.players.sides import Sides
from rulebook.tools.interrupt import wish_to_end
from rulebook.tools.measures import Z95

if TYPE_CHECKING:
    from rulebook.engine.game import Game
    from rulebook.players import Player

BUDGETS = (0, 25, 100, 400)
"""Iterations for each move; 0 is a random player."""
Verdict: TypeAlias = Literal["stronger", "weaker", "none"]


@dataclass(frozen=True, slots=True)
class Rung:
    """How a budget did against another. Shares are of games won, from 0 to 1; `even` is what a
    side gets where all play alike. `skill` is how much of what lies above that was won: 0 where
    only luck decides, 1 where the better player always wins."""

    better: int
    other: int
    deals: int
    games: int
    won: float
    low: float
    high: float
    even: float

    @property
    def skill(self) -> tuple[float, float, float]:
        """Skill and its 95 % interval."""
        room = 1 - self.even
        if room <= 0:
            return 0.0, 0.0, 0.0
        low, high = ((one - self.even) / room for one in (self.low, self.high))
        return (self.won - self.even) / room, low, high

    @property
    def verdict(self) -> Verdict:
        """What is sure of the better player."""
        if self.low > self.even:
            return "stronger"
        return "weaker" if self.high < self.even else "none"

    def plain(self) -> dict[str, Any]:
        skill, low, high = self.skill
        return {
            "better": name_of(self.better),
            "other": name_of(self.other),
            "deals": self.deals,
            "games": self.games,
            "won": {"value": self.won, "low": self.low, "high": self.high},
            "even": self.even,
            "skill": {"value": skill, "low": low, "high": high},
            "verdict": self.verdict,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Ladder:
    """The rungs as far as they were played, of whole deals; `pairs` and `asked` (deals on each)
    are what was to be played."""

    game: Game
    seed: int
    asked: int
    pairs: list[tuple[int, int]]
    rungs: list[Rung]

    @property
    def whole(self) -> bool:
        return [rung.deals for rung in self.rungs] == [self.asked] * len(self.pairs)

    @property
    def last(self) -> Rung | None:
        """The highest budget against the lowest, if they met."""
        return self.rungs[-1] if len(self.rungs) == len(self.pairs) else None

    def plain(self) -> dict[str, Any]:
        """Everything as values for JSON."""
        return {
            "game": self.game.name,
            "players": self.game.players,
            "options": self.game.options,
            "chance": bool(self.game.checked.chances),
            "seed": self.seed,
            "asked": self.asked,
            "rungs": [rung.plain() for rung in self.rungs],
        }


def name_of(budget: int) -> str:
    return f"search {budget}" if budget else "random"


def games_of(game: Game, deals: int, budgets: Sequence[int] = BUDGETS) -> int:
    """How many games a ladder is."""
    return deals * len(Sides.of(game)) * len(pairs_of(budgets))


def pairs_of(budgets: Sequence[int]) -> list[tuple[int, int]]:
    """Every budget with the one before it, and the highest with the lowest."""
    pairs = list(zip(budgets[1:], budgets, strict=False))
    return [*pairs, (budgets[-1], budgets[0])] if len(budgets) > 2 else pairs


def ladder(
    game: Game,
    deals: int,
    seed: int = 1,
    budgets: Sequence[int] = BUDGETS,
    each: Callable[[int], None] = lambda _: None,
) -> Ladder:
    """`each` hears of the games played so far. The numbers depend on the seed only. Ctrl-C ends
    the run; the deals that are over then count.

    Raises `RuleError` if the rules go wrong, ValueError if nothing can be compared.
    """
    if len(Sides.of(game)) < 2:
        raise ValueError(f"{game.name} has one side alone: nobody can play better than another")
    if deals < 1:
        raise ValueError(f"{deals} deals cannot be played")
    found = Ladder(game, seed, deals, pairs_of(budgets), [])
    played = count(1)
    with wish_to_end() as ending:
        for pair in found.pairs:
            results = []
            for deal in range(deals):
                result = dealt(game, seed_of(seed, deal), pair, lambda: each(next(played)), ending)
                if result is None:
                    break
                results.append(result)
            if results:
                found.rungs.append(rung_of(pair, results))
            if ending():
                break
    return found


def seed_of(seed: int, deal: int) -> int:
    """Unlike for every seed and deal, so that neighbouring seeds share no deals."""
    return Random(f"ladder {seed} {deal}").getrandbits(63)


def dealt(
    game: Game,
    seed: int,
    pair: tuple[int, int],
    heard: Callable[[], None],
    ending: Callable[[], bool],
) -> list[list[float]] | None:
    """What each side won, with the better player on each of them in turn. None if the run is to end
    before all is played."""
    better, other = (seated(game, budget, seed) for budget in pair)
    found = []
    for side in Sides.of(game).seats:
        won = result_of(game, seed, side, better, other, ending)
        if won is None:
            return None
        found.append(won)
        heard()
    return found


def seated(game: Game, budget: int, seed: int) -> list[Player]:
    """A player of the budget for every seat."""
    if not budget:
        return [RandomPlayer(seed) for _ in range(game.players)]
    return [SearchPlayer(game, seat, budget, seed=seed) for seat in range(game.players)]


def result_of(
    game: Game,
    seed: int,
    side: Sequence[int],
    better: Sequence[Player],
    other: Sequence[Player],
    ending: Callable[[], bool],
) -> list[float] | None:
    """For each side, whether it won; in a draw, each has the same share. None if the run is to end
    before the game does."""
    match = game.start(seed)
    while not match.over:
        if ending():
            return None
        seat = match.chooser
        match.play((better if seat in side else other)[seat].choose(match))
    firsts = Sides.of(game).firsts
    if not match.winners:
        return [1 / len(firsts)] * len(firsts)
    return [float(seat in match.winners) for seat in firsts]


def rung_of(pair: tuple[int, int], results: Sequence[list[list[float]]]) -> Rung:
    """The sum of some deals, each with a result for every side that the better player was on."""
    sides = len(results[0])
    shares = [sum(won[at] for at, won in enumerate(deal)) / sides for deal in results]
    even = sum(sum(map(sum, deal)) for deal in results) / (len(results) * sides * sides)
    low, high = interval(shares)
    mean = sum(shares) / len(shares)
    return Rung(*pair, len(results), len(results) * sides, mean, low, high, even)


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of a mean, by the spread of the values and never narrower than one value
    more at either end would make it."""
    many = len(values)
    mean = sum(values) / many
    # One value more, at the far end, keeps values that are all alike from looking sure.
    spread = [*values, 0.0 if mean > 0.5 else 1.0]
    middle = sum(spread) / len(spread)
    variance = sum((one - middle) ** 2 for one in spread) / many
    room = Z95 * math.sqrt(variance / many)
    return max(0.0, mean - room), min(1.0, mean + room)
