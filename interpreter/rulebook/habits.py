"""Habits from other languages, and from plain English, that rule text does not share.

Looked for in the line of a syntax fault, once nothing can be made of it: each is a phrase that no
sound line holds in front of its fault.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Habit:
    pattern: str
    """Searched from the beginning of the line; group 1 is the wrong place, if there is one."""
    message: str
    help: str
    """This and `replacement` may name groups of the pattern."""
    replacement: str | None = None
    slug: str = "wrong-word"
    only: str = ""
    """The start rules in which it is looked for, divided by spaces; "" for all."""
    near: bool = True
    """Whether the fault must stand at the phrase or right behind it."""
    late: bool = False
    """Whether it is looked for after misspelt words."""


MAX_LINE = 500
"""Characters of a line that is looked through."""
VERBS = "let|do|return|stop|move|gather|deal|shuffle|turn|show|say|if|else|for|repeat|until|while"
HABITS = [
    Habit(
        r"\b(elif|elsif|elseif)\b", "`{0}` is not a word of rule text", "write `else if`", "else if"
    ),
    Habit(r"( then\b:?)", "`then` is not used here", "write `:`", ":"),
    Habit(r"\b(into|onto)\b", "`{0}` is not a word of rule text", "write `to`", "to"),
    Habit(r'\b(print|echo)(?= *")', "`{0}` is not a word of rule text", "write `say`", "say"),
    Habit(
        r"\bfor ((?:each|every) )\w+ in\b", "`{0}` is not needed after `for`", "leave out `{0}`", ""
    ),
    Habit(r"\b(is not in)\b", "`is` is not needed in front of `in`", "write `not in`", "not in"),
    Habit(r"\b(is in)\b", "`is` is not needed in front of `in`", "write `in`", "in"),
    Habit(r"\bdeal \w+( cards?)\b", "`deal` counts cards anyway", "leave out `{0}`", ""),
    Habit(
        r"\bto (all (\w+?)s)\b",
        "cards are dealt to each, one after the other",
        r"write `each \2`",
        r"each \2",
    ),
    Habit(
        r"\b(?:highest|lowest|most|least|sum) \w+ (of) ",
        "what is looked through stands behind `in`",
        "write `in`",
        "in",
        near=False,
    ),
    Habit(
        r"\b(return)\s*$",
        "`return` gives a value, and there is none",
        "write the value of the definition behind it, or `stop` to leave a step",
    ),
    Habit(
        r"^\s*(repeat ((?!.*\btimes\b)[^:]+?)):",
        "`repeat` with a number has no `times`",
        r"write `repeat \2 times:`",
        r"repeat \2 times",
    ),
    Habit(
        r"\b(random) (?!from\b)",
        "`random` does not say from what",
        "write `random from`",
        "random from",
    ),
    Habit(r"\b(finish(?:es)?) (?!by\b)", "`{0}` does not say by what", "write `{0} by`", r"\1 by"),
    Habit(
        r"^\s*((wins?|loses?) +(\S.*?))\s*$", "who wins stands in front", r"write `\3 \2`", r"\3 \2"
    ),
    Habit(
        r"^\s*(else) (?!if\b)\S",
        "`else` has no `:` behind it",
        "write `else:`",
        "else:",
        slug="missing-colon",
    ),
    Habit(
        r"\b((\w+)'s (\w+))",
        "what belongs to whom is said by `of`",
        r"write `\3 of \2`",
        r"\3 of \2",
    ),
    Habit(
        r"((\d+) *- *(\d+))",
        "a range has two dots",
        r"write `\2..\3`",
        r"\2..\3",
        only="kind each",
    ),
    Habit(
        r"^\s*(move (?!.*\bto\b)\S.*?)\s*$",
        "this `move` does not say where to",
        "write `to` in front of the zone",
        near=False,
        late=True,
    ),
    Habit(
        rf"^\s*((?!(?:{VERBS})\b)[a-z]\w*)\s*$",
        "a name alone does nothing",
        "write `do {0}` to play a step",
        only="block line",
        late=True,
    ),
]


@dataclass(frozen=True, slots=True)
class Found:
    """A habit and where it stands: offsets in the line."""

    slug: str
    message: str
    help: str
    start: int
    end: int
    replacement: str | None


def habit_in(line: str, at: int, start: str, late: bool) -> Found | None:
    """The habit behind a fault at offset `at` of a line that is read from the rule `start`."""
    if len(line) > MAX_LINE:
        return None
    for habit in HABITS:
        if habit.late is not late:
            continue
        if habit.only and start not in habit.only.split():
            continue
        for found in re.finditer(habit.pattern, line):
            if found.start() > at or (habit.near and found.end() + 1 < at):
                continue
            word = found[1].strip()
            help = found.expand(habit.help).replace("{0}", word)
            replacement = None if habit.replacement is None else found.expand(habit.replacement)
            message = habit.message.replace("{0}", word)
            return Found(habit.slug, message, help, found.start(1), found.end(1), replacement)
    return None
