"""What examples, coverage and changes show, as text and as values for JSON."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

from rulebook.engine.explain import Why
from rulebook.source import Source, Span
from rulebook.tools.coverage import Coverage, Place
from rulebook.tools.examples import Check, Result
from rulebook.tools.mutate import NO_EFFECT, NOTICED, UNNOTICED, Outcome, Trial

MAX_WHY = 14
"""Of the tree that explains a value, so many lines are shown."""


def near(path: str) -> str:
    """A path as short as it can be said from here."""
    shown = os.path.relpath(path)
    return path if shown.startswith("..") else shown


def place(span: Span) -> str:
    return f"{near(span.source.path)}:{span.line}"


# ---- examples ----


def results_text(name: str, results: list[Result]) -> str:
    """A line where all examples of a file hold; else the ones that do not, with the reasons."""
    wrong = [result for result in results if not result.passed]
    count = len(results)
    if not results:
        return f"{name}: no examples"
    if not wrong:
        return f"{name}: {'1 example holds' if count == 1 else f'{count} examples hold'}"
    verb = "does" if len(wrong) == 1 else "do"
    lines = [f"{name}: {len(wrong)} of {count} examples {verb} not hold"]
    for result in wrong:
        lines += ["", *result_lines(result)]
    return "\n".join(lines)


def result_lines(result: Result) -> Iterator[str]:
    yield f"  {result.label}"
    yield f"    --> {place(result.span)}"
    for name, value in result.given.items():
        yield f"    given     {name}: {' '.join(value.split())}"
    if result.stopped:
        yield f"    stopped   {result.stopped}"
    for check in result.checks:
        if not check.passed:
            yield from check_lines(check)


def check_lines(check: Check) -> Iterator[str]:
    yield f"    wrong     {check.what}   (line {check.span.line})"
    yield f"    expected  {check.expected}"
    yield f"    found     {check.found}"
    if check.rule is not None:
        yield f"    the rule  {place(check.rule)}: {short(check.rule.text)}"
    if check.why is not None:
        lines = check.why.lines()
        yield "    because"
        yield from (f"      {line}" for line in lines[:MAX_WHY])
        if len(lines) > MAX_WHY:
            yield f"      ... and {len(lines) - MAX_WHY} more lines"


def short(text: str) -> str:
    one = " ".join(text.split())
    return one if len(one) <= 70 else f"{one[:67]}..."


def results_values(name: str, results: list[Result]) -> dict[str, Any]:
    return {
        "file": name,
        "passed": all(result.passed for result in results),
        "examples": [
            {
                "example": result.label,
                "line": result.span.line,
                "passed": result.passed,
                "given": result.given,
                "stopped": result.stopped,
                "checks": [check_values(check) for check in result.checks],
            }
            for result in results
        ],
    }


def check_values(check: Check) -> dict[str, Any]:
    return {
        "what": check.what,
        "line": check.span.line,
        "expected": check.expected,
        "found": check.found,
        "passed": check.passed,
        "rule": None if check.rule is None else {"line": check.rule.line, "text": check.rule.text},
        "why": None if check.why is None else why_values(check.why),
    }


def why_values(why: Why) -> dict[str, Any]:
    return {
        "text": why.text,
        "value": why.value,
        "line": None if why.rule is None else why.rule.line,
        "parts": [why_values(part) for part in why.parts],
    }


# ---- coverage ----


def coverage_text(coverage: Coverage, games: str) -> str:
    """Each file's rule lines: `+` where all took part, `-` where nothing did, `~` where some
    did, and below a line what never happened there."""
    lines: list[str] = []
    for source in coverage.sources:
        of_file = [one for one in coverage.places if one.span.source.path == source.path]
        taken = sum(1 for one in of_file if one.count)
        share = f"{taken} of {len(of_file)} places took part in the examples{games}"
        lines.append(f"{near(source.path)}: {share}")
        lines += marked(source, of_file)
    return "\n".join(lines)


def marked(source: Source, places: list[Place]) -> Iterator[str]:
    """The lines of a file that hold places, with their marks."""
    by_line: dict[int, list[Place]] = {}
    for one in places:
        by_line.setdefault(one.span.line, []).append(one)
    for number, here in sorted(by_line.items()):
        missed = [one for one in here if not one.count]
        mark = "+" if not missed else "-" if len(missed) == len(here) else "~"
        yield f"{number:5} {mark} {source.line_text(number)}"
        for text in dict.fromkeys(one.missing for one in missed):
            yield f"        {' ' * indent(source.line_text(number))}^ {text}"


def indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def coverage_values(coverage: Coverage) -> dict[str, Any]:
    return {
        "games": coverage.games,
        "places": len(coverage.places),
        "missed": len(coverage.missed),
        "files": [
            {
                "file": source.path,
                "places": [
                    {
                        "line": one.span.line,
                        "column": one.span.column,
                        "what": one.what,
                        "name": one.name,
                        "entry": one.entry,
                        "text": one.span.text,
                        "count": one.count,
                    }
                    for one in coverage.places
                    if one.span.source.path == source.path
                ],
            }
            for source in coverage.sources
        ],
    }


# ---- changes ----


def trial_text(name: str, trial: Trial) -> str:
    """How many changes are noticed, and each that no example notices."""
    noticed, missed = trial.of(NOTICED), trial.of(UNNOTICED)
    without = trial.of(NO_EFFECT)
    total = len(noticed) + len(missed)
    if not total:
        return f"{name}: there is nothing to change that would change the game"
    share = 100 * len(noticed) / total
    lines = [
        f"{name}: examples notice {len(noticed)} of {total} changes ({share:.0f} in a hundred)"
    ]
    if missed:
        lines += ["", "  No example notices these changes:", *outcome_lines(missed)]
    if without:
        lines += [
            "",
            f"  These altered nothing in {trial.games:,} random games, and are not counted:",
            *outcome_lines(without),
        ]
    return "\n".join(lines)


def outcome_lines(outcomes: list[Outcome]) -> Iterator[str]:
    for one in outcomes:
        span = one.mutation.span
        yield f"  {span.line:5}  {one.mutation.operator}: {short_change(one.mutation.told)}"
        yield f"         {short(span.source.line_text(span.line))}"


def short_change(told: str) -> str:
    return told if len(told) <= 110 else f"{told[:107]}..."


def trial_values(name: str, trial: Trial) -> dict[str, Any]:
    counts = Counter(one.found for one in trial.outcomes)
    return {
        "file": name,
        "games": trial.games,
        "share": trial.share,
        "counts": dict(sorted(counts.items())),
        "changes": [
            {
                "line": one.mutation.span.line,
                "column": one.mutation.span.column,
                "operator": one.mutation.operator,
                "old": one.mutation.span.text,
                "new": one.mutation.text,
                "found": one.found,
                "by": one.by,
            }
            for one in trial.outcomes
        ],
    }
