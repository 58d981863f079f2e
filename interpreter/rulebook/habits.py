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
        r"^\s*(repeat until (.+?)):\s*$",
        "`until` stands below what is repeated",
        r"write `repeat:` here, and `until \2` below the repeated lines, in line with `repeat`",
    ),
    Habit(r"^\s*(repeat while)\b", "`repeat` is not needed", "write `while`", "while"),
    Habit(
        r"^\s*for ((?:each|every) player (\w+))(?=:| starting\b)",
        "`for` gives a name to each of some things",
        r"write `\2 in players`",
        r"\2 in players",
    ),
    Habit(
        r"^\s*for ((?:all|each|every) (?!in\b)\w+)(?! *in\b)",
        "`for` gives a name to each of some things",
        "write a name, `in` and the things, such as `p in players`",
    ),
    Habit(
        r"\b((?:highest|lowest|most|least) card) in\b",
        "by what cards are compared is not said",
        "write `rank`, or the name of an order or definition, in the place of `card`",
    ),
    Habit(r"\b((first|last) cards? of)\b", "`card` is not needed here", r"write `\2 of`", r"\2 of"),
    Habit(
        r"\b(top cards? of)\b", "the top card is the last of a zone", "write `last of`", "last of"
    ),
    Habit(
        r"\b(bottom cards? of)\b",
        "the bottom card is the first of a zone",
        "write `first of`",
        "first of",
    ),
    Habit(
        r"\b(player (?:who|that) (?:has )?(?:played|laid) (?:the )?([a-z]\w*))",
        "who moved a card is said by `player of`",
        r"write `player of \2`",
        r"player of \2",
    ),
    Habit(
        r"^\s*(all|all players|anyone|everybody)\s*$",
        "`{0}` is not an audience",
        "write `everyone`",
        "everyone",
        slug="bad-audience",
        only="audience",
    ),
    Habit(
        r"^\s*(none|no one|noone|no)\s*$",
        "`{0}` is not an audience",
        "write `nobody`",
        "nobody",
        slug="bad-audience",
        only="audience",
    ),
    Habit(
        r"\b(?:player|one) (to (?:the |his |her |their )?(?:left|right)) of\b",
        "a neighbour is called `left` or `right`",
        "write `left of` or `right of`, without `player to`",
    ),
    Habit(
        r"\b((next|left|right) ([a-z]\w*))\b(?<! of)(?<! among)",
        "what is looked at from a player stands behind `of`",
        r"write `\2 of \3`",
        r"\2 of \3",
    ),
    Habit(
        r"\bmove ((?:all|every|each)(?: of)?(?: the)? cards? (?:of|from|in) )(?=[a-z])",
        "`move` takes all cards of a zone anyway",
        "leave out `{0}`",
        "",
    ),
    Habit(
        r"^\s*((?:put|lay|place|throw) (\S.*?) (?:on|onto|in|into|to|under) (\S.*?))\s*$",
        "cards are brought to a zone by `move`",
        r"write `move \2 to \3`",
        r"move \2 to \3",
    ),
    Habit(
        r"^\s*(add (\w+)(?: points?)? to (\S.*?))\s*$",
        "a sum is written with `+=`",
        r"write `\3 += \2`",
        r"\3 += \2",
    ),
    Habit(
        r"^\s*((?:subtract|take) (\w+)(?: points?)? from (\S.*?))\s*$",
        "a difference is written with `-=`",
        r"write `\3 -= \2`",
        r"\3 -= \2",
    ),
    Habit(r"^\s*(collect)\b", "`{0}` is not a word of rule text", "write `gather`", "gather"),
    Habit(
        r"\b\w+ ((?:plays|picks|selects|decides|bids)\b.*?)\s*$",
        "who has a choice `chooses` one of the moves",
        "write `chooses` and the name of a move",
    ),
    Habit(
        r"\w ((?:has|have|holds|hold)) ",
        "`{0}` is not a word of rule text",
        "write `any`, `no` or `count` in front of the cards, such as `any (hand of p where ...)`",
    ),
    Habit(
        r"\bdeal (all|everything|every|each)\b",
        "`deal` says how many cards there are for each",
        "write a number, such as `deal 5 from`",
    ),
    Habit(
        r"\bdeal \w+ (to)\b",
        "this `deal` does not say from where",
        "write `from` and a zone in front of `to`",
    ),
    Habit(
        r'\bsay "[^"]*"( *[+&,] *([a-z_][\w ]*?))\s*$',
        "a message is one text in quotes",
        r"write `{\2}` inside the quotes, where it is to be read",
    ),
    Habit(
        r"\b((highest|lowest|most|least) (\w+))\s*$",
        "what is looked through is not said",
        r"write `in` and some things behind it, such as `\2 \3 in players`",
    ),
    Habit(
        r"^\s*([a-z]\w*(?: of [a-z]\w*)* ([+-]) \w+)\s*$",
        "nothing is done with this number",
        r"write `\2=`",
        only="block line",
    ),
    Habit(r"\b((?:the|an?) )(?=[a-z])", "`{0}` is not needed in rule text", "leave out `{0}`", ""),
    Habit(
        r"^\s*((?:one|an?|any|some|[0-9]+) cards?) from\b",
        "a pick gives a name to what is picked",
        "write a name for the card, such as `c`",
        only="pick picks",
    ),
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
        r"^\s*((?:for|if|while) [^:()]*?)\s*$",
        "this line has no `:`",
        "write `:` behind what is gone through or asked, and what is done behind that",
        near=False,
        late=True,
        slug="missing-colon",
    ),
    Habit(
        r"(?:^|:)\s*((?:a )?(?:draw|tie))\s*$",
        "`{0}` is not how a game ends here",
        "write `nobody wins`",
        near=False,
        only="block line",
        late=True,
    ),
    Habit(
        rf":\s*((?!(?:{VERBS})\b)[a-z]\w*)\s*$",
        "a name alone does nothing",
        "write `do {0}` to play a step",
        near=False,
        only="block line",
        late=True,
    ),
    Habit(
        rf"^\s*((?!(?:{VERBS})\b)[a-z]\w*)\s*$",
        "a name alone does nothing",
        "write `do {0}` to play a step",
        near=False,
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
