"""Habits from other languages, and from plain English, that rule text does not share.

Looked for in the line of a syntax fault, once nothing can be made of it: each is a phrase that no
sound line holds in front of its fault.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rulebook.english import ENGLISH, Habit

MAX_LINE = 500
"""Characters of a line that is looked through."""
VERBS = "let|do|return|stop|move|gather|deal|shuffle|turn|show|say|if|else|for|repeat|until|while"
HABITS = [
    *ENGLISH,
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
        r"^\s*(\w+) = (?P<at>(next|left|right) player)\s*$",
        "it is not said whose neighbour is meant",
        r"write `\3 of \1`, or another player in the place of `\1`",
    ),
    Habit(
        r"\b((next|left|right) player)\b",
        "it is not said whose neighbour is meant",
        r"write `\2 of` and a player, such as `\2 of mover`",
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
        r"^\s*(add ([0-9]+)(?: points?)? to (\S.*?))\s*$",
        "a sum is written with `+=`",
        r"write `\3 += \2`",
        r"\3 += \2",
    ),
    Habit(
        r"^\s*(add (\S.*?) to (\S.*?))\s*$",
        "`add` is not a word of rule text",
        r"for a set, write `\3 = \3 with \2`; for a number, write `\3 += \2`",
    ),
    Habit(
        r"^\s*((?:subtract|take|remove) ([0-9]+)(?: points?)? from (\S.*?))\s*$",
        "a difference is written with `-=`",
        r"write `\3 -= \2`",
        r"\3 -= \2",
    ),
    Habit(
        r"^\s*((?:subtract|take|remove) (\S.*?) from (\S.*?))\s*$",
        "a set or a number is not made smaller in this way",
        r"for a set, write `\3 = \3 without \2`; for a number, write `\3 -= \2`",
    ),
    Habit(
        r"(?:^|:)\s*(continue|next)\s*$",
        "a loop has no `{0}`",
        "turn the condition round, and put the rest of the loop below that `if`",
        only="block line",
    ),
    Habit(
        r"(?:^|:)\s*(break|exit loop)\s*$",
        "a loop has no `{0}`",
        "write when it ends behind `while` or `until`; `stop` leaves the whole step",
        only="block line",
    ),
    Habit(r"^\s*(collect)\b", "`{0}` is not a word of rule text", "write `gather`", "gather"),
    Habit(
        r"(?:^|:)\s*\w+ ((?:plays|picks|selects|decides|bids)\b.*?)\s*$",
        "who has a choice `chooses` one of the moves",
        "write `chooses` and the name of a move",
    ),
    Habit(
        r"\b(any (player|team)s? (?:that |who )?(?:has|have|with) (?:at least )?(\w+) points)\b",
        "how many points somebody has is compared",
        r"write `any (\2s where score >= \3)`",
    ),
    Habit(
        r"^\s*((player|team)s? (?:with|who has|that has) (?:the )?(?:most|highest)"
        r" (?!points)(\w+) wins?)\s*$",
        "who wins is said by a number that all have",
        r"write `\2s finish by \3`",
        r"\2s finish by \3",
    ),
    Habit(
        r"^\s*((player|team)s? (?:with|who has|that has) (?:the )?(?:fewest|least|lowest)"
        r" (?!points)(\w+) wins?)\s*$",
        "who wins is said by a number that all have",
        r"write `\2s finish by lowest \3`",
        r"\2s finish by lowest \3",
    ),
    Habit(
        r"^\s*((player|team)s? (?:with|who has|that has) (?:the )?(?:most|highest) points"
        r" wins?)\s*$",
        "who wins is said by a number that all have",
        r"write `\2s finish by` and that number, such as `\2s finish by score`",
    ),
    Habit(
        r"\b((\w+) where (not )?in (\w+))",
        "what is looked at has no name to be looked for by",
        r"give it one, such as `x in \2 where x \3in \4`",
    ),
    Habit(
        r"\b(chooses)\s*$",
        "it is not said among which moves",
        "write the name of a move behind it",
    ),
    Habit(
        r"(?:^|:)\s*(chooses) \w",
        "it is not said who chooses",
        "write a player in front, such as `mover chooses`",
    ),
    Habit(r"\b(count of)\b", "`count` has no `of`", "write `count`", "count"),
    Habit(
        r"\bare ((\d+) *(?:to|-|–) *(\d+))\b",
        "a range has two dots",
        r"write `\2..\3`",
        r"\2..\3",
    ),
    Habit(r"\bare (up to (\d+))\b", "a range has two dots", r"write `1..\2`", r"1..\2"),
    Habit(
        r"\bare (at least (\d+))\b",
        "`{0}` is not how many cards are counted here",
        r"write `\2 or more`",
        r"\2 or more",
    ),
    Habit(
        r"\bmove (all )(?!cards\b)(?=[a-z])",
        "`move` takes all cards of a zone anyway",
        "leave out `all`",
        "",
    ),
    Habit(
        r"^\s*(all cards to)\b",
        "it is not said what is done with the cards",
        "write `gather all cards to`",
        "gather all cards to",
    ),
    Habit(
        r"^\s*for [^:]*: *(if|for|while|repeat)\b",
        "only a single statement stands on the line of a `for`",
        "begin a new line with `{0}`, indented",
    ),
    Habit(
        r"^\s*(?:while|repeat|if|else)\b[^:]*: *(if|for|while|repeat)\b",
        "only a single statement stands on the line of a `:`",
        "begin a new line with `{0}`, indented",
    ),
    Habit(
        r"(?:^|:)\s*say ([^\"'“”„«\s#][^\"]*?)\s*$",
        "a message stands in quotes",
        r'write `say "\1"`',
        r'"\1"',
        only="block line",
    ),
    Habit(
        r"^\s*(yes or no|yes ?/ ?no|no or yes|true or false|yes|no|true|false)\s*$",
        "yes or no is the kind `flag`",
        "write `flag`",
        "flag",
        only="kind",
    ),
    Habit(
        r"\b(player|card|cards|suit|rank|team)\s*$",
        "a kind has no name behind it",
        "write a name behind `{0}`, such as `{0} x`",
        only="head",
    ),
    Habit(
        r"^\s*[a-z]\w* of ([a-z]\w*)\s*$",
        "it is not said what kind of thing `{0}` is",
        "write the kind in front of `{0}`, such as `cards {0}`, `card {0}` or `player {0}`",
        only="head",
    ),
    Habit(
        r"^\s*[a-z]\w*( ?(?:of ?)?\( ?(\w+ \w+) ?\))\s*$",
        "one thing stands behind `of`, without brackets",
        r"write `of \2`",
        r" of \2",
        only="head",
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
    Habit(r"\b(the )(?=[a-z])", "`{0}` is not needed in rule text", "leave out `{0}`", ""),
    # Not certain: a local may have these names.
    Habit(r"\b(an? )(?=[a-z])", "`{0}` is not needed in rule text", "leave out `{0}`", late=True),
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
        rf"(?:^|:)\s*((?!(?:{VERBS})\b)[a-z]\w* of (?:[a-z]\w*|\([^()]*\)))\s*$",
        "a value alone does nothing",
        "write `do {0}` to play a step",
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
            place = "at" if "at" in found.groupdict() else 1
            word = found[place].strip()
            help = found.expand(habit.help).replace("{0}", word)
            replacement = None if habit.replacement is None else found.expand(habit.replacement)
            message = habit.message.replace("{0}", word)
            return Found(
                habit.slug, message, help, found.start(place), found.end(place), replacement
            )
    return None
