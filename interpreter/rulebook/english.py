"""Sentences of plain English that people try as rule text, with what is written in their place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Habit:
    pattern: str
    """Searched from the beginning of the line; group `at`, or else group 1, is the wrong place."""
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


ENGLISH = [
    Habit(
        r"(?:^|:)\s*\w+ ((?:may|can|must|should|has to) (?:choose|pick|select)|may|must|should)"
        r" (?=\w)",
        "who has a choice `chooses` one of the moves",
        "write `chooses`",
        "chooses",
    ),
    Habit(
        r"\b(chooses (?:a|an|one|any|some) \w+)",
        "a player chooses a move, and picks in it",
        "write `chooses` and the name of a move that has this pick",
    ),
    Habit(
        r"^\s*(set (\w[^=]*?) to (.+?))\s*$",
        "a value is set with `=`",
        r"write `\2 = \3`",
        r"\2 = \3",
    ),
    Habit(r"^\s*let \w+ (be|to) ", "a value is set with `=`", "write `=`", "="),
    Habit(
        r"^\s*((?:increase|raise) (\S.*?) by (\S.*?))\s*$",
        "a sum is written with `+=`",
        r"write `\2 += \3`",
        r"\2 += \3",
    ),
    Habit(
        r"^\s*((?:decrease|reduce|lower) (\S.*?) by (\S.*?))\s*$",
        "a difference is written with `-=`",
        r"write `\2 -= \3`",
        r"\2 -= \3",
    ),
    Habit(
        r"^\s*((\S.*?) (?:increases|goes up|grows|rises) by (\S.*?))\s*$",
        "a sum is written with `+=`",
        r"write `\2 += \3`",
        r"\2 += \3",
        near=False,
    ),
    Habit(
        r"^\s*((\S.*?) (?:decreases|goes down|shrinks|falls|drops) by (\S.*?))\s*$",
        "a difference is written with `-=`",
        r"write `\2 -= \3`",
        r"\2 -= \3",
        near=False,
    ),
    Habit(
        r"\b((?:all players|all|everyone|everybody|(?:each|every) player) (?:have|has) (?:passed"
        r"|played|bid))\b",
        "what players have done is not remembered by itself",
        "count it in `state`, and compare the number, such as `passes is count players`",
    ),
    Habit(
        r"= (?:the )?([a-z]\w* winner|winner of (?:the )?[a-z]\w*)\s*$",
        "who wins cards is said by the best of them",
        "write `player of` and that card, such as `player of highest rank in trick`",
        near=False,
    ),
    Habit(
        r"(?:^|:)\s*(end (?:the )?(?:game|match)"
        r"|(?:the )?(?:game|match) (?:ends|over|is over))\s*$",
        "a game ends when somebody has won",
        "say who wins, such as `players finish by score`, `mover wins` or `nobody wins`",
    ),
    Habit(
        r"\b(?:wins|loses)( (?:the )?(?:game|match|round))\b",
        "what is won is not said",
        "leave out `{0}`",
        "",
    ),
    Habit(
        r"^\s*((\w+) (?:draws|takes|gets|receives) (?:(\d+)|a|one) cards? from (\w+))",
        "cards are dealt or moved from one zone to another",
        r"say where they go, such as `deal 1 from \4 to hand of \2`",
    ),
    Habit(
        r"^\s*(draw (?:a|one|\d+) cards?)\b",
        "cards are dealt or moved from one zone to another",
        "say from where and to where, such as `deal 1 from stock to hand of mover`",
    ),
    Habit(
        r"\b(count cards (?:in|of))\b",
        "`count` counts cards anyway",
        "write `count`",
        "count",
        near=False,
    ),
    Habit(
        r"\b(previous player)\b",
        "it is not said whose neighbour is meant",
        "write `right of` and a player, or `left of`",
    ),
    Habit(
        r"\b(any (?:player|one)s? (?:has|have) no (?:more )?cards(?: left)?)\b",
        "how many cards somebody has is asked of a zone",
        "name the zone, such as `any (players where hand is empty)`",
    ),
    Habit(
        r"\b(any (?:player|one)s? (?:has|have) (?:at least )?(\w+) cards)\b",
        "how many cards somebody has is asked of a zone",
        r"name the zone, such as `any (players where count hand >= \2)`",
    ),
    Habit(r"(?:^|:)\s*(say:)", "`say` has no colon here", "write `say`", "say"),
    Habit(
        r"(?:^|:)\s*(shuffle)\s*$",
        "it is not said what is shuffled",
        "write a zone behind it, such as `shuffle stock`",
    ),
]
