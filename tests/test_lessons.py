"""The course: its lessons are followed as written, its exercises are solved, rightly and wrongly.

Solutions stand in tests/lessons/. Each check of each exercise has a wrong answer here, an edit of
the solution that people are likely to make, which must get the hint of that check.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rulebook.cli.app import app
from rulebook.diagnostics import Problems
from rulebook.resources import folder
from rulebook.tools.lessons import CHECKS, Lesson, attempt, first_lack, read_lessons
from tests.walkthrough import ROOT, blocks_of, follow

LESSONS = {lesson.number: lesson for lesson in read_lessons()}
PAGES = {number: ROOT / f"docs/lessons/{number}.md" for number in LESSONS}
RUNNER = CliRunner()

FIRST_IS_FREE = "no trick or suit of c is star"
STARS = "    if any stars: return highest rank in stars\n"
FOLLOW = "      Follow suit if you can: suit of c is led\n"
HIGHER = "rank of c > rank of highest rank in stars"
BEAT = f"""      Beat the highest star if you can:
        for: suit of c is star and any stars
        keep: {HIGHER}
"""
LOOP = "    repeat:\n      do one_deal\n    until most score in players >= 30\n"
SHOWN = "    for p in players: show hand of p to left of p\n"

REST = re.compile(r"(?<=^examples:\n).*", re.MULTILINE | re.DOTALL)


def example(beginning: str) -> re.Pattern[str]:
    """An example whose sentence begins so."""
    return re.compile(rf"^  {beginning}.*\n(?:    .*\n)*", re.MULTILINE)


def plain_tricks(*tricks: str) -> str:
    """Examples that ask who takes a trick; the card that does is its highest of the suit led."""
    text = ""
    for trick in tricks:
        cards = trick.split(", ")
        best = max(card for card in cards if card.split()[-1] == cards[0].split()[-1])
        text += f"  {trick.replace(',', '')}: "
        text += f"{{given: {{trick: [{trick}]}}, expect: {{winning_card: {best}}}}}\n"
    return text


Edits = list[tuple[str | re.Pattern[str], str]]

# Lesson, exercise, check (all from 1), and what a wrong answer has in the place of what is right.
WRONG: list[tuple[int, int, int, Edits]] = [
    (1, 1, 1, [("players: 2..4", "players: 2")]),
    (1, 2, 1, [("deal 4 ", "deal 3 "), ("repeat 4 ", "repeat 3 ")]),
    (1, 2, 2, [("repeat 4 ", "repeat 5 ")]),
    (1, 2, 3, [("repeat 4 ", "repeat 3 ")]),
    (1, 3, 1, [("lowest", "highest")]),
    (
        2,
        1,
        1,
        [
            (
                f"    must:\n{FOLLOW}",
                "    if: {Follow suit: no trick or suit of c is led}\n    must:\n",
            )
        ],
    ),
    (2, 1, 2, [(FOLLOW, "")]),
    (2, 1, 3, [(FIRST_IS_FREE, "suit of c is star")]),
    (2, 2, 1, [(STARS, "")]),
    (2, 2, 2, [("(trick where suit is led)", "trick")]),
    (2, 2, 3, [(f"      Trump when you cannot follow: {FIRST_IS_FREE}\n", "")]),
    (2, 2, 4, [(FOLLOW, ""), (f"{FIRST_IS_FREE}\n", f"{FIRST_IS_FREE}\n{FOLLOW}")]),
    (2, 3, 1, [(BEAT, "")]),
    (2, 3, 2, [(BEAT, ""), (FIRST_IS_FREE, f"{FIRST_IS_FREE} and (no stars or {HIGHER})")]),
    (2, 3, 3, [(BEAT, f"      Beat the highest star if you can: no stars or {HIGHER}\n")]),
    (2, 3, 4, [("and any stars", "and any trick"), (HIGHER, "rank of c > rank of first of trick")]),
    (3, 1, 1, [("hand:  {each: player, seen by: owner}", "hand:  {each: player}")]),
    (3, 1, 2, [("stock: {ordered: yes, seen by: nobody}", "stock: {ordered: yes}")]),
    (3, 2, 1, [("move c face down to offer", "move c to offer")]),
    (3, 2, 2, [("player of highest", "player of lowest")]),
    (
        3,
        2,
        3,
        [
            ("    turn offer up\n", ""),
            ("won:   {each: player}", "won:   {each: player, seen by: nobody}"),
        ],
    ),
    (3, 3, 1, [(SHOWN, "")]),
    (3, 3, 2, [(SHOWN, "    show hand of 1 to 0\n")]),
    (4, 1, 1, [("8: 3, 7: 2", "8: 3, 7: 1")]),
    (4, 1, 2, [("else: 0", "else: 1"), ("8: 3, 7: 2", "8: 3, 7: 2, 6: 0")]),
    (4, 2, 1, [(LOOP, "    do one_deal\n")]),
    (4, 2, 2, [(">= 30", ">= 40")]),
    (4, 2, 3, [("steps:\n", "limits: {plays: 30}\nsteps:\n")]),
    (4, 3, 1, [("    if score of leader >= 40: leader wins\n", "")]),
    (4, 3, 2, [(">= 40", ">= 30")]),
    (5, 1, 1, [("extends: road.yaml", "extends: other_road.yaml")]),
    (5, 1, 2, [("options: {target: {default: 20}}\n", "")]),
    (5, 2, 1, [("2 * moons", "3 * moons")]),
    (5, 2, 2, [("    return count", "    if moons is 0: return 0\n    return count")]),
    (5, 3, 1, [("+ 2 * count (trick where rank >= 7)", "")]),
    (6, 1, 1, [("{winning_card: 7 of sun}", "{winning_card: 3 of sun}")]),
    (6, 1, 2, [(REST, plain_tricks("3 of sun", "4 of sun", "5 of sun"))]),
    (6, 1, 3, [(REST, plain_tricks("3 of sun, 7 of sun", "4 of moon, 2 of moon", "5 of sun"))]),
    (6, 1, 4, [(REST, plain_tricks("7 of sun, 8 of moon, 3 of sun", "4 of sun", "5 of sun"))]),
    (6, 2, 1, [(example("whoever has a card"), ""), (example("whoever has none"), "")]),
    (6, 2, 2, [(example("whoever has none"), "")]),
    (6, 3, 1, [(example("who takes the trick"), ""), (example("eight cards"), "")]),
]


def write_solution(number: int, here: Path) -> Path:
    """The solution of a lesson in a folder, with the game that the lesson brings."""
    shutil.copy(ROOT / f"tests/lessons/{number}.yaml", here / "mine.yaml")
    for info, text in blocks_of(PAGES[number]):
        if info == "yaml road.yaml":
            for name in ("road.yaml", "other_road.yaml"):
                (here / name).write_text(text, encoding="utf-8")
    return here / "mine.yaml"


def checked(number: int, file: Path) -> tuple[int, int] | None:
    """The exercise and the check of it, from 1, that a file does not satisfy."""
    problems = Problems()
    work = attempt(str(file), problems)
    assert work is not None, [problem.message for problem in problems]
    for place, exercise in enumerate(LESSONS[number].exercises, 1):
        lack = first_lack(work, exercise)
        if lack is not None:
            return place, exercise.checks.index(lack) + 1
    return None


def lesson(*words: str, code: int = 0) -> str:
    result = RUNNER.invoke(app, ["lesson", *words])
    assert result.exit_code == code, result.output
    return result.output


# ---- the lessons ----


def test_there_are_six_lessons_with_exercises_of_known_kinds() -> None:
    assert sorted(LESSONS) == [1, 2, 3, 4, 5, 6]
    checks = [c for one in LESSONS.values() for e in one.exercises for c in e.checks]
    assert {check.kind for check in checks} == set(CHECKS)
    assert all(2 <= len(one.exercises) <= 3 for one in LESSONS.values())


@pytest.mark.parametrize("number", LESSONS)
def test_all_that_a_lesson_shows_works(number: int, tmp_path: Path) -> None:
    assert follow(PAGES[number], tmp_path) >= 1


@pytest.mark.parametrize("one", LESSONS.values(), ids=lambda one: str(one.number))
def test_the_page_and_the_checks_ask_the_same(one: Lesson) -> None:
    text = PAGES[one.number].read_text(encoding="utf-8")
    assert text.startswith(f"# Lesson {one.number}: {one.title}\n")
    tasks = re.findall(r"^\d\. (.*)$", text.partition("## Exercises")[2], re.MULTILINE)
    assert tasks == [exercise.task for exercise in one.exercises]


@pytest.mark.parametrize("number", LESSONS)
def test_what_a_lesson_begins_with_is_no_solution(number: int, tmp_path: Path) -> None:
    follow(PAGES[number], tmp_path)
    (first, *_) = (info for info, _ in blocks_of(PAGES[number]) if info.startswith("yaml "))
    assert checked(number, tmp_path / first.removeprefix("yaml ")) is not None


# ---- the exercises ----


@pytest.mark.parametrize("number", LESSONS)
def test_solutions_are_taken(number: int, tmp_path: Path) -> None:
    assert checked(number, write_solution(number, tmp_path)) is None


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: "-".join(map(str, wrong[:3])))
def test_wrong_answers_get_their_hint(wrong: tuple[int, int, int, Edits], tmp_path: Path) -> None:
    number, exercise, check, edits = wrong
    path = write_solution(number, tmp_path)
    text = path.read_text(encoding="utf-8")
    for old, new in edits:
        pattern = re.compile(re.escape(old)) if isinstance(old, str) else old
        (found,) = pattern.finditer(text)
        text = text[: found.start()] + new + text[found.end() :]
    path.write_text(text, encoding="utf-8")
    assert checked(number, path) == (exercise, check)


def test_every_hint_has_a_wrong_answer() -> None:
    there = {
        (one.number, place, check)
        for one in LESSONS.values()
        for place, exercise in enumerate(one.exercises, 1)
        for check in range(1, len(exercise.checks) + 1)
    }
    assert {wrong[:3] for wrong in WRONG} == there


# ---- the command ----


def test_lessons_are_listed_and_shown() -> None:
    lines = lesson().splitlines()
    assert [line[0] for line in lines[:6]] == list("123456")
    assert lesson("2") == (folder("lessons") / "2.md").read_text(encoding="utf-8")
    assert [one["number"] for one in json.loads(lesson("--json"))] == [1, 2, 3, 4, 5, 6]
    assert len(json.loads(lesson("2", "--json"))["exercises"]) == 3


def test_an_answer_is_a_hint_for_the_first_exercise_that_is_not_done(tmp_path: Path) -> None:
    path = write_solution(1, tmp_path)
    text = path.read_text(encoding="utf-8")
    assert lesson("1", str(path)).endswith("All done.\n")
    path.write_text(text.replace("lowest", "highest"), encoding="utf-8")
    output = lesson("1", str(path), code=1)
    assert output.count("done  ") == 2
    assert "3  not yet" in output
    assert "`highest` has an opposite" in output
    assert "lowest rank" not in output
    values = json.loads(lesson("1", str(path), "--json", code=1))
    assert [value["done"] for value in values] == [True, True, False]


def test_a_file_with_mistakes_gets_their_messages_first(tmp_path: Path) -> None:
    path = write_solution(1, tmp_path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("shuffle stock", "shuffle stok"), encoding="utf-8")
    assert "unknown-zone" in lesson("1", str(path), code=1)
    assert "there is no file" in lesson("1", str(tmp_path / "none.yaml"), code=1)
    assert "there is no lesson `7`" in lesson("7", code=2)
    assert "not yet" in lesson("5", "coins", code=1)


def test_a_file_may_have_any_name_that_ends_as_rule_files_do(tmp_path: Path) -> None:
    for name in ("my game.yml", "a 'b' #1.yaml", "ä.yaml"):
        path = write_solution(1, tmp_path).rename(tmp_path / name)
        assert "All done." in lesson("1", str(path))
    for name in ("plain", "a: b.yaml"):
        path = write_solution(1, tmp_path).rename(tmp_path / name)
        assert "its name should end in `.yaml`" in lesson("1", str(path), code=2)
