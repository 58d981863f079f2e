"""Ranges of numbers through arithmetic: what a result can be, from what its parts can be."""

from __future__ import annotations

from rulebook.kinds import WORD_MAX, Kind, Numbers

MEASURES = ("larger", "smaller", "rounded_up", "rounded_down", "half_up", "half_down")


def constant_fold(sign: str, left: int, right: int) -> int:
    """`/` and `mod` round down, towards minus infinity."""
    if sign == "+":
        return left + right
    if sign == "-":
        return left - right
    if sign == "*":
        return left * right
    return left // right if sign == "/" else left % right


def combine(sign: str, left: Numbers, right: Numbers) -> Numbers | None:
    """The range of `left sign right`; None if it does not fit 32 bits."""
    if sign == "mod":
        return Numbers(0, right.high - 1)
    corners = [
        constant_fold(sign, a, b) for a in (left.low, left.high) for b in (right.low, right.high)
    ]
    if max(corners) > WORD_MAX or min(corners) < -WORD_MAX:
        return None
    return Numbers(min(corners), max(corners))


def measure(name: str, value: Kind, other: Kind) -> Numbers:
    """The range of a built-in number function."""
    assert isinstance(value, Numbers)
    assert isinstance(other, Numbers)
    if name == "larger":
        return Numbers(max(value.low, other.low), max(value.high, other.high))
    if name == "smaller":
        return Numbers(min(value.low, other.low), min(value.high, other.high))
    step = other.high
    return Numbers(value.low // step * step, -(-value.high // step) * step)
