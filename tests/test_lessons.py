"""The course: its lessons are followed as written, its exercises are solved, rightly and wrongly.

Solutions stand in tests/lessons/. Each check of each exercise has a wrong answer here, an edit of the
solution that people are likely to make, which must get the hint of that check.
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
BEAT = """      Beat the highest star if you can:
        for: suit of c is star and any stars
        keep: rank of c > rank of highest rank in stars
"""
LOOP = "    repeat:\n      do one_deal\n    until most score in players >= 30\n"
MUST = "    must:\n      Follow suit if you can: suit of c is led\n"
SHOWN = "    for p in players: show hand of p to left of p\n"

# Lesson, exercise, check (all from 1), and what a wrong answer has in the place of what is right.
WRONG: list[tuple[int, int, int, list[tuple[str, str]]]] = [
    (1, 1, 1, [("players: 2..4", "players: 2")]),
    (1, 2, 1, [("deal 4 ", "deal 3 "), ("repeat 4 ", "repeat 3 ")]),
    (1, 2, 2, [("do: move c to table}}", "do: move c to table}, pass: {about: Wait}}"),
               ("chooses play", "chooses play or pass"), ("repeat 4 ", "repeat 5 ")]),
    (1, 2, 3, [("repeat 4 ", "repeat 3 ")]),
    (1, 3, 1, [("lowest", "highest")]),
    (2, 1, 1, [("    must:\n      Follow suit if you can: suit of c is led\n",
                "    if: {Follow suit: no trick or suit of c is led}\n    must:\n")]),
    (2, 1, 2, [("      Follow suit if you can: suit of c is led\n", "")]),
    (2, 1, 3, [(FIRST_IS_FREE, "suit of c is star")]),
    (2, 2, 1, [(STARS, "")]),
    (2, 2, 2, [("(trick where suit is led)", "trick")]),
    (2, 2, 3, [(f"      Trump when you cannot follow: {FIRST_IS_FREE}\n", "")]),
    (2, 2, 4, [("      Follow suit if you can: suit of c is led\n", ""),
               (FIRST_IS_FREE + "\n",
                FIRST_IS_FREE + "\n      Follow suit if you can: suit of c is led\n")]),
    (2, 3, 1, [(BEAT, "")]),
    (2, 3, 2, [(f"      Trump when you cannot follow: {FIRST_IS_FREE}\n",
                f"      Trump when you cannot follow: any stars or {FIRST_IS_FREE}\n")]),
    (2, 3, 3, [(BEAT, "      Beat the highest star if you can: rank of c > 5 or no stars\n")]),
    (2, 3, 4, [("any stars\n        keep: rank of c > rank of highest rank in stars",
                "any trick\n        keep: rank of c > rank of first of trick")]),
    (3, 1, 1, [("hand:  {each: player, seen by: owner}", "hand:  {each: player}")]),
    (3, 1, 2, [("stock: {ordered: yes, seen by: nobody}", "stock: {ordered: yes}")]),
    (3, 2, 1, [("move c face down to offer", "move c to offer")]),
    (3, 2, 2, [("player of highest", "player of lowest")]),
    (3, 2, 3, [("    turn offer up\n", ""), ("won:   {each: player}",
                                             "won:   {each: player, seen by: nobody}")]),
    (3, 3, 1, [(SHOWN, "")]),
    (3, 3, 2, [(SHOWN, "    show hand of 1 to 0\n")]),
    (3, 3, 3, [("    turn offer up\n", "    turn offer up\n")]),
    (4, 1, 1, [("8: 3, 7: 2", "8: 3, 7: 1")]),
    (4, 1, 2, [("else: 0", "else: 1"), ("8: 3, 7: 2", "8: 3, 7: 2, 6: 0")]),
    (4, 2, 1, [(LOOP, "    do one_deal\n")]),
    (4, 2, 2, [(">= 30", ">= 40")]),
    (4, 2, 3, [(">= 40: leader wins", ">= 40: leader wins"),
               ("steps:\n", "limits: {plays: 30}\nsteps:\n")]),
    (4, 3, 1, [("    if score of leader >= 40: leader wins\n", "")]),
    (4, 3, 2, [(">= 40", ">= 30")]),
    (5, 1, 1, [("extends: road.yaml", "extends: other_road.yaml")]),
    (5, 1, 2, [("options: {target: {default: 20}}\n", "")]),
    (5, 2, 1, [("2 * moons", "3 * moons")]),
    (5, 2, 2, [("count trick + 2", "2 + 2")]),
    (5, 3, 2, [("+ 2 * count (trick where rank >= 7)", "")]),
    (6, 1, 1, [("{winning_card: 7 of sun}", "{winning_card: 3 of sun}")]),
]
