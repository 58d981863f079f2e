"""Certain fixes, applied to the text of a rule file.

A fix is kept only if the mistake it is for has gone and nothing is worse. Mistakes are counted by
the stage that finds them, the earliest stage first, since a file that can be read further may show
more mistakes of later stages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..diagnostics import Fix, Problem, Problems
from ..explanations import pages_by_name
from ..pipeline import validate_source
from ..source import Source

# More rounds than a chain of mistakes, each hidden by the one before, is long.
MAX_ROUNDS = 100
_EARLY = ("file", "yaml", "text", "structure")


@dataclass(frozen=True, slots=True)
class Change:
    """One replacement that was made: at `line` and `column` (from 1) of the text as it was then."""

    line: int
    column: int
    old: str
    new: str
    slug: str

    def __str__(self) -> str:
        if not self.old:
            return f"`{self.new}` added"
        return f"`{self.new}` for `{self.old}`" if self.new else f"`{self.old}` removed"


def fixed(source: Source) -> tuple[str, list[Change]]:
    """The text with all fixes applied that are certain to be good, and what was changed."""
    families = {name: page.family for name, page in pages_by_name().items()}

    def weigh(problems: Iterable[Problem]) -> tuple[int, ...]:
        found = [families.get(one.slug, "") for one in problems if one.severity == "error"]
        early = [sum(family == stage for family in found) for stage in _EARLY]
        return (*early, len(found) - sum(early))

    text, changes = source.text, list[Change]()
    refused: set[tuple[int, int, str]] = set()
    for _ in range(MAX_ROUNDS):
        now = Source(source.path, text)
        problems = _problems(now)
        wanted = [
            (problem, fix)
            for problem in problems
            if (fix := problem.fix) is not None
            and fix.span.source == now
            and (fix.span.start, fix.span.end, fix.text) not in refused
        ]
        chosen = _apart(wanted)
        kept = _try(now, problems, chosen, weigh)
        if not kept and len(chosen) > 1:
            # Together they do harm: the first that does none.
            for one in chosen:
                kept = _try(now, problems, [one], weigh)
                if kept:
                    chosen = [one]
                    break
        if not kept:
            return text, changes
        for problem, fix in chosen:
            span = fix.span
            changes.append(Change(span.line, span.column, span.text, fix.text, problem.slug))
        text, refused = kept, set()
    return text, changes


def _try(
    source: Source,
    problems: list[Problem],
    chosen: list[tuple[Problem, Fix]],
    weigh: Callable[[Iterable[Problem]], tuple[int, ...]],
) -> str:
    """The text with these fixes, or "" if they leave their mistakes or make anything worse."""
    if not chosen:
        return ""
    fixes = [fix for _, fix in chosen]
    text = _applied(source.text, fixes)
    after = _problems(Source(source.path, text))
    places = {(problem.slug, problem.span.start) for problem in after if problem.span}
    left = any(
        (problem.slug, _moved(problem.span.start, fixes)) in places
        for problem, _ in chosen
        if problem.span
    )
    return "" if left or weigh(after) > weigh(problems) else text


def _moved(at: int, fixes: list[Fix]) -> int:
    """Where an offset lies after the fixes in front of it."""
    return at + sum(
        len(fix.text) - (fix.span.end - fix.span.start) for fix in fixes if fix.span.end <= at
    )


def _problems(source: Source) -> list[Problem]:
    problems = Problems()
    validate_source(source, problems)
    return list(problems)


def _apart(wanted: list[tuple[Problem, Fix]]) -> list[tuple[Problem, Fix]]:
    """Those that touch no earlier one: two fixes at one place may not fit together."""
    chosen: list[tuple[Problem, Fix]] = []
    end = -1
    for problem, fix in sorted(wanted, key=lambda pair: pair[1].span.start):
        if fix.span.start > end:
            chosen.append((problem, fix))
            end = fix.span.end
    return chosen


def _applied(text: str, fixes: list[Fix]) -> str:
    for fix in sorted(fixes, key=lambda fix: fix.span.start, reverse=True):
        text = text[: fix.span.start] + fix.text + text[fix.span.end :]
    return text
