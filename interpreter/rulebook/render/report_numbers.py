"""Numbers of a report as text: no more figures than the interval allows."""

from __future__ import annotations

from math import floor, log10
from typing import TYPE_CHECKING

from rulebook.tools.measures import wilson

if TYPE_CHECKING:
    from rulebook.tools.measures import Estimate, Measure

MOST_PLACES = 4


def places(half: float) -> int:
    """Decimal places that a number with so wide an interval (one side) deserves: those up to the
    interval's second figure."""
    if half <= 0:
        return 2
    return max(0, min(MOST_PLACES, 1 - floor(log10(half))))


def scale(measure: Measure) -> float:
    """Shares are shown of a hundred."""
    return 100.0 if measure.share else 1.0


def unit(measure: Measure) -> str:
    return " %" if measure.share and not measure.signed else ""


def figure(value: float, decimals: int, signed: bool = False) -> str:
    """With a comma at every thousand and a real minus sign's place kept by `-`; never `-0`."""
    text = f"{value:{'+' if signed else ''},.{decimals}f}"
    bare = text.lstrip("+-")
    return bare if not bare.strip("0.,") else text


def value_of(measure: Measure, found: Estimate | None) -> str:
    if found is None:
        return "-"
    if never(measure, found):
        return "never"
    return figure(found.value * scale(measure), decimals(measure, found), measure.signed) + unit(
        measure
    )


def never(measure: Measure, found: Estimate) -> bool:
    """Whether what is counted happened in no game."""
    return found.value == 0 and not measure.signed and not measure.amount


def interval_of(measure: Measure, found: Estimate | None, games: int) -> str:
    """What so many games say of all; one game says nothing."""
    if found is None or games < 2:
        return ""
    by, show = scale(measure), decimals(measure, found)
    if never(measure, found):
        if measure.flag:
            return f"at most {figure(found.high * by, show)}{unit(measure)}"
        most = 100 * wilson(0, games)[1]
        return f"in at most {figure(most, places(most / 2))} % of games"
    if found.low == found.high:
        return "in all of them"
    low, high = (figure(end * by, show, measure.signed) for end in (found.low, found.high))
    return f"{low} to {high}"


def decimals(measure: Measure, found: Estimate) -> int:
    if found.low == found.high and (found.value * scale(measure)).is_integer():
        return 0
    return places((found.high - found.low) / 2 * scale(measure))


def how_many(count: int, one: str, many: str) -> str:
    return f"1 {one}" if count == 1 else f"{count:,} {many}"
