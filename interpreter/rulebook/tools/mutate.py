"""Whether the examples of a rule file notice small changes of its rules.

Each change is tried alone: examples that no longer hold, or cannot be run, have noticed it. What no
example notices is played against the unchanged rules, in random games with the same seeds: a
change that alters none of them may well change nothing at all.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from rulebook import terms as t
from rulebook.diagnostics import Problems
from rulebook.document import Mapping
from rulebook.engine.game import Batch, Game
from rulebook.engine.match import RuleError
from rulebook.example import Example, Wrong
from rulebook.kinds import Members
from rulebook.pipeline import compile_source, load_document, validate_source
from rulebook.resolve import Setting
from rulebook.source import Source
from rulebook.tools.examples import run_source
from rulebook.tools.mutations import Mutation, mutations
from rulebook.walks import parts

GAMES = 10_000
"""Random games in which a change must alter nothing to be shown apart, over all settings."""
SLICE = 250
"""Games that are compared at a time."""

NOTICED, UNNOTICED, NO_EFFECT, INVALID = "noticed", "unnoticed", "no effect", "not valid"


@dataclass(slots=True)
class Outcome:
    """What became of one change: `found` is noticed, unnoticed, no effect or not valid; `by` the
    example that noticed it."""

    mutation: Mutation
    found: str
    by: str = ""


@dataclass(slots=True)
class Trial:
    """All changes of one file, in the order of the file."""

    source: Source
    outcomes: list[Outcome] = field(default_factory=list)
    games: int = GAMES

    def of(self, found: str) -> list[Outcome]:
        return [one for one in self.outcomes if one.found == found]

    @property
    def share(self) -> float | None:
        """The part of the changes that count that is noticed; None if there are none."""
        noticed, missed = len(self.of(NOTICED)), len(self.of(UNNOTICED))
        return noticed / (noticed + missed) if noticed + missed else None


Progress = Callable[[int, int], None]
"""How many changes are tried, of how many."""


def try_changes(
    source: Source,
    problems: Problems,
    processes: int | None = None,
    progress: Progress | None = None,
    games: int = GAMES,
) -> Trial | None:
    """Try every change of a file, by default on all processors; the result does not depend on
    how many. None, with problems, if the file or one of its examples does not hold unchanged."""
    document = load_document(source, problems)
    if document is None or not all_hold(source, problems):
        return None
    game = compile_source(source).checked
    changes = list(distinct(mutations(document, source, ranks=compares_ranks(game))))
    settings = [Setting(), *example_settings(document)]
    trial = Trial(source, games=games)
    judge = partial(judged, source.path, source.text, settings=settings, games=games)
    work = [(one.operator, one.span.start, one.span.end, one.text) for one in changes]
    many = min(processes or os.cpu_count() or 1, max(len(work), 1))
    for mutation, (found, by) in zip(changes, run_all(judge, work, many), strict=True):
        trial.outcomes.append(Outcome(mutation, found, by))
        if progress is not None:
            progress(len(trial.outcomes), len(work))
    return trial


def compares_ranks(game: t.CheckedGame) -> bool:
    """Whether rules look at the order of the ranks. If not, changing it only changes the order in
    which cards are listed."""
    rank = game.enumerations.get("rank")

    def of_ranks(term: t.Term) -> bool:
        return isinstance(term.kind, Members) and term.kind.enumeration is rank

    for node in parts(game):
        if isinstance(node, t.Compare) and "is" not in node.sign and of_ranks(node.left):
            return True
        if isinstance(node, t.Aggregate) and of_ranks(node.key):
            return True
        if isinstance(node, t.Groups) and any(one.order is not None for one in node.shapes):
            return True
    return False


def all_hold(source: Source, problems: Problems) -> bool:
    """Whether every example holds; those that do not become problems."""
    for result in run_source(source, problems, explain_wrong=False):
        if not result.passed:
            problems.add("example-fails", f"`{result.label}` does not hold", result.span)
    return not problems.errors


Work = tuple[str, int, int, str]
Judge = Callable[[Work], tuple[str, str]]


def run_all(judge: Judge, work: list[Work], processes: int) -> Iterator[tuple[str, str]]:
    if processes == 1:
        yield from map(judge, work)
        return
    # Spawned: a forked process would share the locks of the compiler's threads.
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap(judge, work, 4)


def distinct(changes: list[Mutation]) -> Iterator[Mutation]:
    """Every changed text once."""
    seen: set[tuple[int, int, str]] = set()
    for one in changes:
        key = (one.span.start, one.span.end, one.text)
        if key not in seen:
            seen.add(key)
            yield one


def example_settings(document: Mapping) -> list[Setting]:
    """The players and options that examples name, each once."""
    part = document.get("examples")
    found: dict[object, Setting] = {}
    for entry in part.entries.values() if isinstance(part, Mapping) else ():
        example = Example(entry)
        players, options = example.setting
        if players or options:
            found[example.setting] = Setting(int(players) if players else None, dict(options))
    return list(found.values())


# ---- one change ----


def judged(
    path: str, text: str, work: Work, settings: list[Setting], games: int
) -> tuple[str, str]:
    """What becomes of one change, and the example that noticed it."""
    operator, start, end, new = work
    source = Source(path, text[:start] + new + text[end:])
    problems = Problems()
    try:
        results = run_source(source, problems, explain_wrong=False, until_wrong=True)
    except (ValueError, RecursionError):
        return INVALID, ""
    if any(problem.slug != Wrong.slug for problem in problems if problem.severity == "error"):
        return INVALID, ""
    if problems.errors:
        return noticed_or_invalid(source, next(iter(problems)).message)
    wrong = [result for result in results if not result.passed]
    if wrong:
        return noticed_or_invalid(source, wrong[0].label)
    if not valid(source):
        return INVALID, ""
    if operator == "rank-swapped":
        return UNNOTICED, ""  # A seed deals by the order of the ranks, and cannot show this.
    if same_games(Source(path, text), source, settings, games):
        return NO_EFFECT, ""
    return UNNOTICED, ""


def noticed_or_invalid(source: Source, by: str) -> tuple[str, str]:
    return (NOTICED, by) if valid(source) else (INVALID, "")


def valid(source: Source) -> bool:
    problems = Problems()
    validate_source(source, problems)
    return not problems.errors


def same_games(old: Source, new: Source, settings: list[Setting], games: int) -> bool:
    """Whether random games with the same seeds go alike at every setting."""
    share = max(games // len(settings), 1)
    for setting in settings:
        one, two = compile_source(old, setting), compile_source(new, setting)
        for first in range(0, share, SLICE):
            count = min(SLICE, share - first)
            if batches(one, count, first) != batches(two, count, first):
                return False
    return True


def batches(game: Game, count: int, first: int) -> list[Batch] | str:
    try:
        return list(game.random_games(count, seed=1, first=first))
    except RuleError as error:
        return error.problem.message
