"""Numbers of a report as text: no more figures than the interval allows."""

from __future__ import annotations

from math import floor, log10
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rulebook.tools.measures import Estimate, Measure

MOST_PLACES = 4
COUNTED = ("ends", "moves", "lines", "lead")
"""Groups of measures of things that happen or don't."""


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
    if found.value == 0 and not measure.signed and measure.group in COUNTED:
        return "never"
    return figure(found.value * scale(measure), decimals(measure, found), measure.signed) + unit(
        measure
    )


def interval_of(measure: Measure, found: Estimate | None) -> str:
    if found is None:
        return ""
    if found.low == found.high:
        return "" if found.value == 0 else "always"
    by, show = scale(measure), decimals(measure, found)
    if found.value == 0 and measure.group in COUNTED:
        return f"at most {figure(found.high * by, show)}{unit(measure)}"
    low, high = (figure(end * by, show, measure.signed) for end in (found.low, found.high))
    return f"{low} to {high}"


def decimals(measure: Measure, found: Estimate) -> int:
    return places((found.high - found.low) / 2 * scale(measure))


def how_many(count: int, one: str, many: str) -> str:
    return f"1 {one}" if count == 1 else f"{count:,} {many}"
