"""`rulebook lesson`: the course, and whether an exercise is done."""

from __future__ import annotations

import json
import sys
import textwrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .leave import problems, usage

if TYPE_CHECKING:
    from ..tools.lessons import Attempt, Lesson

WIDTH = 80


def run(
    number: Annotated[
        str | None, typer.Argument(metavar="[N]", help="The number of the lesson.")
    ] = None,
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="Your rule file for its exercises.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """List the lessons; with N, show that lesson; with N and FILE, check its exercises in a file.

    The exercises of a lesson build on each other, in one file. The first that is not done yet gets
    a hint. Exits with 0 if all are done, 1 if not or the file cannot be used, 2 if the command
    itself is not understood.
    """
    from ..tools.lessons import attempt, read_lessons

    lessons = {str(lesson.number): lesson for lesson in read_lessons()}
    if number is None:
        values = [{"number": one.number, "title": one.title} for one in lessons.values()]
        _write(json.dumps(values, indent=2) if as_json else listing(list(lessons.values())))
        return
    lesson = lessons.get(number)
    if lesson is None:
        usage(f"there is no lesson `{number}`; the lessons are {', '.join(lessons)}")
    if file is None:
        shown(lesson, as_json)
        return
    from ..diagnostics import Problems
    from ..resources import find_game

    # The checks are variants of the file, and a variant can name no other.
    path = find_game(file)
    if path.suffix not in (".yaml", ".yml") or set(path.name) & set(":\\"):
        usage(f"`{file}` cannot be checked; its name should end in `.yaml` and hold no `:` or `\\`")
    found = Problems()
    work = attempt(file, found)
    if work is None:
        problems(found)
    values, done = checked(work, lesson)
    _write(json.dumps(values, indent=2) if as_json else report(lesson, values))
    raise typer.Exit(0 if done else 1)


def listing(lessons: list[Lesson]) -> str:
    lines = [f"{one.number}  {one.title:<44} {len(one.exercises)} exercises" for one in lessons]
    return "\n".join([*lines, "", "rulebook lesson N reads one; rulebook lesson N FILE checks."])


def shown(lesson: Lesson, as_json: bool) -> None:
    from ..resources import folder

    tasks = [exercise.task for exercise in lesson.exercises]
    text = (folder("lessons") / f"{lesson.number}.md").read_text(encoding="utf-8")
    values = {"number": lesson.number, "title": lesson.title, "text": text, "exercises": tasks}
    _write(json.dumps(values, indent=2) if as_json else text.rstrip())


def checked(file: Attempt, lesson: Lesson) -> tuple[list[dict[str, Any]], bool]:
    """Every exercise up to the first that is not done, and whether all are."""
    from ..tools.lessons import first_lack

    values: list[dict[str, Any]] = []
    for exercise in lesson.exercises:
        lack = first_lack(file, exercise)
        values.append({"task": exercise.task, "done": lack is None})
        if lack is not None:
            values[-1]["hint"] = lack.hint
            return values, False
    return values, True


def report(lesson: Lesson, values: list[dict[str, Any]]) -> str:
    lines = [f"Lesson {lesson.number}: {lesson.title}", ""]
    for number, value in enumerate(values, 1):
        word = "done" if value["done"] else "not yet"
        lines += _wrapped(f"  {number}  {word:<9}", value["task"])
        if "hint" in value:
            lines += ["", *_wrapped("     hint     ", value["hint"])]
    if all(value["done"] for value in values):
        lines += ["", "All done."]
    return "\n".join(lines)


def _wrapped(head: str, text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=head, subsequent_indent=" " * len(head))


def _write(text: str) -> None:
    sys.stdout.write(f"{text}\n")
