"""Faulty files, one fault each, of the kinds that people make.

tests/language/faults/expected.yml says where each is told and how, and what somebody makes of the
file who does what the help says: a sound file.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from rulebook.diagnostics import Problem, Problems
from rulebook.pipeline import validate_source
from rulebook.render.problems import render
from rulebook.source import Source
from rulebook.tools.fix import fixed

FOLDER = Path(__file__).resolve().parent / "language" / "faults"
EXPECTED: dict[str, Any] = yaml.safe_load((FOLDER / "expected.yml").read_text(encoding="utf-8"))
FILES = sorted(FOLDER.glob("*.yaml"))
EIGHT = [
    Path(__file__).resolve().parent / "language" / f"{name}.yaml"
    for name in ("eight_faults", "eight_more_faults")
]


def problems_of(text: str) -> list[Problem]:
    problems = Problems()
    validate_source(Source("faulty.yaml", text), problems)
    return list(problems)


def followed(text: str, changes: list[list[str]]) -> str:
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def test_there_are_forty_and_each_is_expected() -> None:
    assert len(FILES) >= 40
    assert sorted(EXPECTED) == [path.stem for path in FILES]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_fault_is_told_at_its_place(path: Path) -> None:
    wanted = EXPECTED[path.stem]
    problems = problems_of(path.read_text(encoding="utf-8"))
    assert len(problems) == 1, render(problems, "concise")
    (problem,) = problems
    assert problem.span is not None
    assert problem.slug == wanted["slug"]
    assert f"{problem.span.line}:{problem.span.column}" == wanted["at"]
    assert problem.help == wanted["help"] != ""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_whoever_follows_the_help_has_a_sound_file(path: Path) -> None:
    wanted = EXPECTED[path.stem]
    text = followed(path.read_text(encoding="utf-8"), wanted["change"])
    assert not problems_of(text), render(problems_of(text))
    new = "".join(new for _, new in wanted["change"])
    # What the help quotes to be written is what was written.
    for quoted in re.findall(r"^write `([^`.]+)`(?! on| in|,)", wanted["help"]):
        assert "".join(quoted.split()) in "".join(new.split())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_certain_fix_does_the_same(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    (problem,) = problems_of(text)
    result, changes = fixed(Source("faulty.yaml", text))
    assert bool(changes) is (problem.fix is not None)
    if changes:
        assert result == followed(text, EXPECTED[path.stem]["change"])


@pytest.mark.parametrize("path", EIGHT, ids=lambda path: path.stem)
def test_eight_faults_in_one_file_are_eight_messages(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    # Each is marked in its line by a comment, or above it where YAML leaves no room.
    marked = [
        number for number, line in enumerate(text.splitlines(), 1) if re.search(r"# fault$", line)
    ]
    found = problems_of(text)
    assert len(marked) == 8
    assert [problem.span.line for problem in found if problem.span] == marked
    assert all(problem.help for problem in found)


@pytest.mark.parametrize("path", EIGHT, ids=lambda path: path.stem)
def test_the_same_faults_alone_are_the_same_messages(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    sound = path.with_name(f"{path.stem}_mended.yaml").read_text(encoding="utf-8")
    mended = sound.splitlines(keepends=True)
    assert len(lines) == len(mended)
    assert not problems_of(sound), render(problems_of(sound))
    together = {(problem.slug, problem.message) for problem in problems_of("".join(lines))}
    for number, line in enumerate(lines):
        if line.rstrip().endswith("# fault"):
            alone = problems_of("".join([*mended[:number], line, *mended[number + 1 :]]))
            assert len(alone) == 1, render(alone, "concise")
            assert (alone[0].slug, alone[0].message) in together
