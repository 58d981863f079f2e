"""What is measured in games, and how sure the numbers are.

A game is a row of whole numbers, by column. A measure is the sum of one column over the sum of
another: games won a game, legal moves a choice. `Moments` keeps the exact sums that their values
and intervals are made of, so that nothing depends on the order in which games are added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from rulebook import terms as t
from rulebook.program import ENDED, LIMITED
from rulebook.walks import inside
from rulebook.wasm.measured import kept_score, ranked_score, shown_counters

if TYPE_CHECKING:
    from rulebook.engine.words import Words

Z95 = 1.959963984540054
EXACT = 2**63
"""Smaller whole numbers fit a cell of an array."""
Ints: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.int64]]"
Rows: TypeAlias = "np.ndarray[tuple[int, int], np.dtype[np.int32]]"


class Table:
    """The columns of one game: names, and how they come from the module's rows."""

    def __init__(self, game: t.CheckedGame) -> None:
        self.players = game.players
        self.teams = [frozenset(seats) for _, seats in game.teams]
        self.counters = shown_counters(game)
        score = kept_score(game)
        self.scored = score is not None
        self.ranked = ranked_score(game) is not None
        self.plays_limit, self.repeats_limit = game.plays_limit, game.repeats_limit
        of_teams = score is not None and score.each is not game.enumerations["player"]
        seats = range(self.players)
        self.entry = [team_of(game, seat) if of_teams else seat for seat in seats]
        """The entry of `score` that is a seat's."""

    def rows(self, data: bytes) -> Rows:
        width = 4 + self.players + len(self.counters)
        return np.frombuffer(data, dtype="<i4").reshape(-1, width)

    def won(self, rows: Rows) -> Ints:
        """Games x seats, 1 for a seat that won; if only losers are told, the others won."""
        seats = np.arange(self.players)
        winners, losers = rows[:, 1:2] >> seats & 1, rows[:, 2:3] >> seats & 1
        told = rows[:, 1:2] != 0
        found = np.where(told, winners, np.where(rows[:, 2:3] != 0, 1 - losers, 0))
        return found.astype(np.int64)

    def columns(self, rows: Rows) -> dict[str, Ints]:
        """Every column, 64 bits wide."""
        cells = np.ascontiguousarray(rows.T, np.int64)
        first = 4 + self.players
        counters = {name: cells[first + at] for at, name in enumerate(self.counters)}
        won = np.ascontiguousarray(self.won(rows).T)
        winners = won.sum(axis=0)
        over = cells[0]
        found: dict[str, Ints] = {"games": np.ones(len(rows), np.int64)}
        for seat in range(self.players):
            found[f"won.{seat}"] = won[seat]
        for seat in range(self.players):
            found[f"edge.{seat}"] = self.players * won[seat] - winners
        found["shares"] = np.full(len(rows), self.players, np.int64)
        if self.scored:
            for seat in range(self.players):
                found[f"score.{seat}"] = cells[4 + seat]
        found["plays"] = cells[3]
        for name in ("shuffles", "offered", "forced"):
            found[name] = counters[name]
        if self.ranked:
            behind = np.stack([counters[f"behind.{entry}"] for entry in self.entry])
            most = (behind * won).max(axis=0)
            found |= {"led": counters["led"], "leads": counters["leads"]}
            found |= {"behind": most, "comeback": (most > 0) * 1}
        one_team = np.zeros(len(rows), bool)
        for team in self.teams:
            one_team |= (winners == len(team)) & won[sorted(team)].all(axis=0)
        shared = (winners > 1) & (cells[1] != 0) & ~one_team
        found["shared"] = shared.astype(np.int64)
        found["undecided"] = ((over == ENDED) & (winners == 0)).astype(np.int64)
        limited = over == LIMITED
        found["limited"] = limited.astype(np.int64)
        # Repeats are asked about before plays are counted: a game that both stop counts as long.
        long = limited & (cells[3] == self.plays_limit)
        if self.plays_limit is not None:
            found["limited.plays"] = long.astype(np.int64)
        if self.repeats_limit is not None:
            found["limited.repeats"] = (limited & ~long).astype(np.int64)
        return found | {
            name: column for name, column in counters.items() if name.startswith(("move.", "must."))
        }


def team_of(game: t.CheckedGame, seat: int) -> int:
    return next(at for at, (_, seats) in enumerate(game.teams) if seat in seats)


# ---- the measures ----


@dataclass(frozen=True, slots=True)
class Measure:
    """`over` a column, `per` another. A share lies between 0 and 1; a `flag` is 0 or 1 in each
    game; an `amount` is how much, where others are how often."""

    key: str
    group: str
    title: str
    over: str
    per: str = "games"
    share: bool = False
    flag: bool = False
    signed: bool = False
    amount: bool = False


def measures_of(game: t.CheckedGame, words: Words) -> list[Measure]:
    """All measures of a game, in the order of the report."""
    seats = range(game.players)
    found = [
        Measure(f"wins.{seat}", "wins", f"seat {seat} wins", f"won.{seat}", share=True, flag=True)
        for seat in seats
    ]
    found += [
        Measure(
            f"advantage.{seat}",
            "advantage",
            f"seat {seat}'s advantage",
            f"edge.{seat}",
            "shares",
            share=True,
            signed=True,
        )
        for seat in seats
    ]
    if kept_score(game) is not None:
        found += [
            Measure(f"score.{seat}", "scores", f"seat {seat}'s score", f"score.{seat}", amount=True)
            for seat in seats
        ]
    found.append(Measure("plays", "length", "plays in a game", "plays"))
    if game.chances:
        found.append(Measure("deals", "length", "shuffles in a game", "shuffles"))
    found += [
        Measure("choices", "choices", "legal moves at a choice", "offered", "plays"),
        Measure("forced", "choices", "plays that are forced", "forced", "plays", share=True),
    ]
    if ranked_score(game) is not None:
        found += [
            Measure("leads", "lead", "changes of the lead in a game", "leads"),
            Measure(
                key="comebacks",
                group="lead",
                title="games won after being behind",
                over="comeback",
                share=True,
                flag=True,
            ),
            Measure("behind", "lead", "the most a winner was behind", "behind", amount=True),
        ]
    found += [
        Measure("shared", "ends", "games with several winners", "shared", share=True, flag=True),
        Measure("undecided", "ends", "games that nobody wins", "undecided", share=True, flag=True),
    ]
    limits: dict[str, str] = {}
    if game.plays_limit is not None:
        limits["limited.plays"] = f"games stopped at {game.plays_limit:,} plays"
    if game.repeats_limit is not None:
        times = f"{game.repeats_limit:,} times"
        limits["limited.repeats"] = f"games stopped since the same position came {times}"
    found += [Measure(key, "ends", limits[key], key, share=True, flag=True) for key in limits]
    offered = [move for move in game.moves.values() if move.name in offered_moves(game)]
    shown = Counter(words.shown(move.name) for move in offered)
    titles: dict[str, str] = {}
    for move in offered:
        key, title = f"move.{move.name}", words.shown(move.name)
        titles[move.name] = title if shown[title] == 1 else f"{title} ({move.name})"
        found.append(Measure(key, "moves", titles[move.name], key))
    for move in offered:
        for line, must in enumerate(move.musts):
            found.append(
                Measure(
                    f"must.{move.name}.{must.label or line}",
                    "lines",
                    f"{titles[move.name]}: {must.label or must.keep.span.text}",
                    f"must.{move.name}.{line}",
                    "plays",
                    share=True,
                )
            )
    return found


def offered_moves(game: t.CheckedGame) -> set[str]:
    """Moves that some step offers."""
    return {
        name
        for step in game.steps.values()
        for node in inside(step.body)
        if isinstance(node, t.Choose)
        for name in (*node.moves, *node.fallback)
    }


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval; None if there is nothing to divide by."""

    value: float
    low: float
    high: float


class Moments:
    """Exact sums of columns and of their products."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.at = {name: place for place, name in enumerate(self.names)}
        self.games = 0
        self.sums = np.zeros(len(self.names), object)
        self.products = np.zeros((len(self.names), len(self.names)), object)

    def add(self, columns: dict[str, Ints]) -> None:
        block = np.stack([columns[name] for name in self.names])
        games = block.shape[1]
        largest = max(int(block.max()), -int(block.min()), 1) if games else 1
        if largest * largest * games < EXACT:
            # Not `@` of floats: its threads wait for cores on which games are played.
            products = np.einsum("ij,kj->ik", block, block).astype(object)
        else:
            exact = block.astype(object)
            products = exact @ exact.T
        self.games += games
        self.sums = self.sums + block.sum(axis=1).astype(object)
        self.products = self.products + products

    def sum(self, name: str) -> int:
        return int(self.sums[self.at[name]])

    def product(self, one: str, other: str) -> int:
        return int(self.products[self.at[one], self.at[other]])

    # ---- values ----

    def ratio(self, over: str, per: str) -> Fraction | None:
        below = self.sum(per)
        return Fraction(self.sum(over), below) if below else None

    def spread(self, one: tuple[str, str], other: tuple[str, str]) -> float:
        """The covariance of two ratios, to first order (the delta method)."""
        a, b = self.ratio(*one), self.ratio(*other)
        if a is None or b is None or self.games < 2:
            return 0.0
        left = (
            self.product(one[0], other[0])
            - b * self.product(one[0], other[1])
            - a * self.product(one[1], other[0])
            + a * b * self.product(one[1], other[1])
        )
        scale = Fraction(self.games, self.games - 1) / (self.sum(one[1]) * self.sum(other[1]))
        return float(left * scale)

    def estimate(self, measure: Measure, side: str = "") -> Estimate | None:
        pair = (side + measure.over, side + measure.per)
        ratio = self.ratio(*pair)
        if ratio is None:
            return None
        value = float(ratio)
        if measure.flag:
            return Estimate(value, *wilson(self.sum(pair[0]), self.games))
        half = Z95 * sqrt(max(self.spread(pair, pair), 0.0))
        low, high = value - half, value + half
        if not measure.signed and not measure.amount:
            low = max(low, 0.0)
            high = min(high, 1.0) if measure.share else high
        return Estimate(value, low, high)


def wilson(hits: int, games: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson's), which holds for rare things too."""
    if not games:
        return 0.0, 1.0
    share, z = hits / games, Z95 * Z95 / games
    middle = (share + z / 2) / (1 + z)
    half = Z95 * sqrt(share * (1 - share) / games + z / (4 * games)) / (1 + z)
    low = 0.0 if hits == 0 else max(middle - half, 0.0)
    high = 1.0 if hits == games else min(middle + half, 1.0)
    return low, high


# ---- distributions ----

MOST_BINS = 1 << 16


@dataclass(slots=True)
class Distribution:
    """How often each whole number occurred."""

    counts: Counter[int] = field(default_factory=Counter)

    def add(self, column: Ints) -> None:
        if not len(column):
            return
        low, high = int(column.min()), int(column.max())
        if high - low < MOST_BINS:
            found = np.bincount(column - low)
            values = np.flatnonzero(found)
            pairs = zip((values + low).tolist(), found[values].tolist(), strict=True)
        else:
            distinct, found = np.unique(column, return_counts=True)
            pairs = zip(distinct.tolist(), found.tolist(), strict=True)
        for value, count in pairs:
            self.counts[value] += count

    def quantile(self, share: float) -> int:
        """The smallest number that so great a share of games does not exceed."""
        left = share * self.counts.total()
        for value in sorted(self.counts):
            left -= self.counts[value]
            if left <= 0:
                return value
        return max(self.counts)

    def bins(self, most: int) -> list[tuple[int, int, int]]:
        """Low end, high end and count of at most so many bins of equal width."""
        low, high = min(self.counts), max(self.counts)
        width = -(-(high - low + 1) // most)
        width = next((w for w in NICE if w >= width), width)
        start = low // width * width if width > 1 else low
        if (high - start) // width + 1 > most:
            start = low
        found: Counter[int] = Counter()
        for value, count in self.counts.items():
            found[(value - start) // width] += count
        return [
            (start + at * width, start + (at + 1) * width - 1, found[at])
            for at in range((high - start) // width + 1)
        ]


NICE = [w * 10**power for power in range(8) for w in (1, 2, 5)]
