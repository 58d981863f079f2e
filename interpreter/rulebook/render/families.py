"""Many moves of one name that pick two things each (the bids of an auction) told in few lines:
which first things go with which second ones."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

from rulebook.engine.moves import Move
from rulebook.engine.words import Words

MANY = 12
"""Moves of one name that are still listed one by one."""


def families(moves: Sequence[Move]) -> tuple[list[list[Move]], list[Move]]:
    """The families among the moves, and the others."""
    by_name: dict[str, list[Move]] = {}
    for move in moves:
        by_name.setdefault(move.name, []).append(move)
    found = [
        family
        for family in by_name.values()
        if len(family) > MANY and all(len(m.kinds) == 2 and not any(m.hidden) for m in family)
    ]
    names = {family[0].name for family in found}
    return found, [move for move in moves if move.name not in names]


def family_lines(family: Sequence[Move], words: Words) -> list[str]:
    """One line for each run of first values that go with the same second ones, such as
    `80, 90 ... 160: low, flat`."""
    partners: dict[int, list[int]] = {}
    for move in family:
        partners.setdefault(move.values[0], []).append(move.values[1])
    first, second = family[0].kinds
    lines: list[str] = []
    for seconds, group in groupby(partners, key=lambda value: partners[value]):
        values = list(group)
        steps = {b - a for a, b in pairwise(values)}
        names = [words.value(first, value) for value in values]
        if len(names) > 4 and len(steps) == 1:
            names = [*names[:2], "...", names[-1]]
        told = ", ".join(names).replace(", ..., ", " ... ")
        lines.append(f"{told}: " + ", ".join(words.value(second, one) for one in seconds))
    return lines
