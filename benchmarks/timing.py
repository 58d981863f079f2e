"""Timing two things against each other on a machine whose speed drifts.

The two run in turn, A B A B ..., and each pair gives one ratio: a drift slower than one pair falls
on both sides. A bar is held against the median of those ratios, never against a number from
another day.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

Rate = Callable[[], float]


@dataclass(frozen=True)
class Comparison:
    """Medians of two rates, in units per second, and the ratio a / b of every pair of runs."""

    a: float
    b: float
    ratios: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """The median of the pairs' ratios (not the ratio of the medians)."""
        return median(self.ratios)


@dataclass(frozen=True)
class Row:
    """One line of the report: what was measured and the bar that it has to reach, if any."""

    name: str
    measured: float
    bar: float | None = None
    at_least: bool = True
    unit: str = ""
    note: str = ""

    @property
    def passed(self) -> bool:
        if self.bar is None:
            return True
        return self.measured >= self.bar if self.at_least else self.measured <= self.bar


def rate(work: Callable[[], float], seconds: float = 0.2) -> Rate:
    """A rate for `compare`: repeats `work`, which returns the units it did, for that many seconds.

    At least one whole run of `work` is timed, however long it takes.
    """

    def measure() -> float:
        units = 0.0
        start = time.perf_counter()
        while True:
            units += work()
            spent = time.perf_counter() - start
            if spent >= seconds and spent > 0:
                return units / spent

    return measure


def compare(a: Rate, b: Rate, rounds: int = 5) -> Comparison:
    """Run `a` and `b` in turn, `rounds` times each, after one run of each that is thrown away.

    Both return units per second. Raises ValueError when `rounds` is below 1 or `b` gives 0.
    """
    if rounds < 1:
        raise ValueError("a comparison takes at least one round")
    a()
    b()
    pairs = [(a(), b()) for _ in range(rounds)]
    if any(second <= 0 for _, second in pairs):
        raise ValueError("the second rate has to be above 0")
    return Comparison(
        a=median(first for first, _ in pairs),
        b=median(second for _, second in pairs),
        ratios=tuple(first / second for first, second in pairs),
    )


def ratio_row(name: str, result: Comparison, bar: float, *, unit: str = "/s") -> Row:
    """A row that holds the median ratio a / b to at least `bar`, and notes spread and medians."""
    low, high = min(result.ratios), max(result.ratios)
    note = f"pairs {low:.2f}..{high:.2f}; medians {result.a:,.0f}{unit} and {result.b:,.0f}{unit}"
    return Row(name, result.ratio, bar, unit="x", note=note)


def figure_row(name: str, result: Comparison, note: str = "") -> Row:
    """A row that is a figure and no bar: the median ratio a / b, with spread and medians."""
    low, high = min(result.ratios), max(result.ratios)
    medians = f"medians {result.a:,.0f}/s and {result.b:,.0f}/s"
    also = f"; {note}" if note else ""
    note = f"pairs {low:.2f}..{high:.2f}; {medians}{also}"
    return Row(name, result.ratio, unit="x", note=note)


def report(rows: list[Row]) -> bool:
    """Print one line a row, `PASS|MISS name measured bar`, or a figure that has no bar; return
    whether every bar was reached."""
    width = max((len(row.name) for row in rows), default=0)
    for row in rows:
        word, bar = "", ""
        if row.bar is not None:
            word = "PASS" if row.passed else "MISS"
            bar = f"{'>=' if row.at_least else '<='} {_figure(row.bar)}{row.unit}"
        measured = _figure(row.measured) + row.unit
        line = f"{word:<4}  {row.name:<{width}}  {measured:>12}  {bar:<14}"
        print(f"{line}  {row.note}".rstrip())
    return all(row.passed for row in rows)


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3f}"
