"""The lessons of the course, and what is asked of a file in their exercises.

A lesson is a Markdown file, N.md, and beside it N.yaml: its title, and its exercises in order, each
a task and a list of checks. A check is one property of a rule file (`CHECKS` lists the kinds) and
the hint that is given where the file lacks it. Situations and changes are laid over the file as a
variant of it, so that checks are written in the language that the lesson teaches.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from rulebook.diagnostics import Problems, RuleFileError
from rulebook.document import Scalar, read_document
from rulebook.engine.game import Batch, Game
from rulebook.engine.match import Match, RuleError
from rulebook.pipeline import compile_source, load_source, validate_source
from rulebook.resolve import Setting
from rulebook.resources import folder
from rulebook.source import Source
from rulebook.tools.examples import begin_at, run_source
from rulebook.tools.mutate import try_changes

GAMES = 200
"""Random games, for each number of players, where a check asks how games end."""
LABEL = "the exercise"


@dataclass(frozen=True, slots=True)
class Check:
    """A property of a file: its kind, what exactly is asked, and the hint for who lacks it."""

    kind: str
    asked: str
    hint: str


@dataclass(frozen=True, slots=True)
class Exercise:
    task: str
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Lesson:
    number: int
    title: str
    exercises: tuple[Exercise, ...]


def read_lessons() -> list[Lesson]:
    """All lessons, in order."""
    return [_read(path) for path in sorted(folder("lessons").glob("*.yaml"))]


def _read(path: Path) -> Lesson:
    # Everything is text, as in rule files.
    data: Any = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    exercises = [
        Exercise(one["task"], tuple(_check(check) for check in one["checks"]))
        for one in data["exercises"]
    ]
    return Lesson(int(path.stem), data["title"], tuple(exercises))


def _check(data: dict[str, str]) -> Check:
    ((kind, asked),) = [(key, value) for key, value in data.items() if key != "hint"]
    return Check(kind, asked, data["hint"])


def attempt(path: str, problems: Problems) -> Attempt | None:
    """A file that is to be checked; None, with problems, if its rules cannot be used."""
    source = load_source(path, problems)
    if source is not None:
        validate_source(source, problems)
    return None if source is None or problems.errors else Attempt(source)


def first_lack(file: Attempt, exercise: Exercise) -> Check | None:
    """The first check of an exercise that a file does not satisfy."""
    return next((check for check in exercise.checks if not satisfied(file, check)), None)


def satisfied(file: Attempt, check: Check) -> bool:
    try:
        return CHECKS[check.kind](file, check.asked)
    except (RuleFileError, RuleError, ValueError):
        # What is laid over the file does not fit it, or its rules go wrong in play.
        return False


class Attempt:
    """A rule file without mistakes."""

    def __init__(self, source: Source) -> None:
        self.source = source
        document = read_document(source, Problems())
        assert document is not None
        self.document = document

    @property
    def extended(self) -> str:
        """The game that the file says it extends, or nothing."""
        base = self.document.get("extends")
        return base.text if isinstance(base, Scalar) else ""

    @cached_property
    def game(self) -> Game:
        return compile_source(self.source)

    def laid_over(self, entries: str) -> Source:
        """The file with other entries in the place of its own, and without its examples."""
        path = Path(self.source.path)
        # In quotes, which rule files share with JSON: the name may hold any sign.
        name = json.dumps(path.name, ensure_ascii=False)
        head = f"rulebook: 1\ngame: An Exercise\nextends: {name}\n"
        return Source(str(path.with_name("the exercise")), f"{head}{entries}")

    def own_examples(self) -> str:
        """The text of the examples of the file."""
        entry = self.document.entries.get("examples")
        if entry is None:
            return ""
        lines = self.source.text.splitlines(keepends=True)
        first, last = entry.key.span.line, self.source.position(entry.value.span.end - 1)[0]
        return "".join(lines[first - 1 : last])

    def games(self, source: Source | None = None) -> list[Batch]:
        """Random games with every number of players."""
        low, high = self.game.checked.player_range
        return [
            batch
            for players in range(low, high + 1)
            for batch in compile_source(source or self.source, Setting(players)).random_games(
                GAMES, seed=1
            )
        ]

    def at(self, example: str) -> Match | None:
        """A match that stands where an example does, after its moves."""
        source = self.laid_over(_example(example))
        match = begin_at(source, LABEL, Problems())
        return match if isinstance(match, Match) else None


def _example(body: str) -> str:
    return f"examples:\n  {LABEL}:\n{textwrap.indent(body, '    ')}"


# ---- the kinds of checks ----


def can_play(file: Attempt, asked: str) -> bool:
    """`players: 2..4`: just so many can play."""
    low, _, high = asked.partition("..")
    return file.game.checked.player_range == (int(low), int(high or low))


def holds(file: Attempt, asked: str) -> bool:
    """`example: |` and the text of an example: it holds."""
    problems = Problems()
    source = file.laid_over(_example(asked))
    results = run_source(source, problems, explain_wrong=False)
    return not problems.errors and bool(results) and all(result.passed for result in results)


def own_hold(file: Attempt, asked: str) -> bool:
    """`examples: 3`: the file has so many examples of its own, or more, and all hold."""
    problems = Problems()
    results = run_source(file.source, problems, explain_wrong=False)
    good = all(result.passed for result in results)
    return not problems.errors and good and len(results) >= int(asked)


def notices(file: Attempt, asked: str) -> bool:
    """`notices: |` and entries: with them in the place of its own, an example of the file fails."""
    source = file.laid_over(f"{asked}\n{file.own_examples()}")
    problems = Problems()
    results = run_source(source, problems, explain_wrong=False)
    if problems.errors:
        raise RuleFileError(problems)
    return any(not result.passed for result in results)


def notices_changes(file: Attempt, asked: str) -> bool:
    """`noticed: 90`: of a hundred changes in one place, so many are noticed by examples."""
    trial = try_changes(file.source, Problems(), processes=1, games=GAMES)
    share = None if trial is None else trial.share
    return share is not None and share * 100 >= int(asked)


def comes_to_an_end(file: Attempt, asked: str) -> bool:
    """`ends: 60`: every random game ends by its rules, after that many choices at most."""
    batches = file.games()
    longest = max(length for batch in batches for length in batch.plays)
    return longest <= int(asked) and not any(any(batch.limited) for batch in batches)


def is_shorter(file: Attempt, asked: str) -> bool:
    """`shorter: 70`: games have so many hundredths of the extended game's choices, or fewer."""
    path = Path(file.source.path).with_name(file.extended)
    source = load_source(str(path) if path.suffix else file.extended, Problems())
    if source is None:
        return False
    ours, theirs = (
        [length for batch in file.games(one) for length in batch.plays] for one in (None, source)
    )
    return sum(ours) / len(ours) <= sum(theirs) / len(theirs) * int(asked) / 100


def extends(file: Attempt, asked: str) -> bool:
    """`extends: first.yaml`: the file is a variant of that game."""
    return file.extended == asked


def is_seen(file: Attempt, asked: str) -> bool:
    """`seen: |`, a line `ZONE of SEAT by SEATS` or `ZONE by SEATS`, then the text of an example:
    after its moves just those seats know every card of the zone, and there is one."""
    line, _, example = asked.partition("\n")
    place, _, seats = line.partition(" by ")
    zone, _, index = place.partition(" of ")
    match = file.at(example)
    if match is None or zone not in match.game.checked.zones:
        return False
    found = set()
    for seat in range(match.game.players):
        slot = match.view(seat).zone(zone, int(index) if index else None)
        if not slot.count:
            return False
        if len(slot.known) == slot.count:
            found.add(seat)
    return found == {int(seat) for seat in seats.split() if seat != "nobody"}


CHECKS: dict[str, Callable[[Attempt, str], bool]] = {
    "players": can_play,
    "example": holds,
    "examples": own_hold,
    "notices": notices,
    "noticed": notices_changes,
    "ends": comes_to_an_end,
    "shorter": is_shorter,
    "extends": extends,
    "seen": is_seen,
}
