"""A rule sheet as values: sections of paragraphs, lists, tables and illustrations.

While sentences are made, what stands out in them is marked by control characters, which no rule
file can hold; `inline` turns a marked text into runs. Renderers see runs alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

TERM, TERM_END = "\x02", "\x03"
CARD, CARD_PART, CARD_END = "\x04", "\x05", "\x06"
STRONG, STRONG_END = "\x0e", "\x0f"

_MARKED = re.compile(
    f"{TERM}(?P<term>[^{TERM_END}]*){TERM_END}"
    f"|{STRONG}(?P<strong>[^{STRONG_END}]*){STRONG_END}"
    f"|{CARD}(?P<colour>[^{CARD_PART}]*){CARD_PART}(?P<sign>[^{CARD_PART}]*){CARD_PART}"
    f"(?P<card>[^{CARD_END}]*){CARD_END}"
)
_FIRST = re.compile(f"(?:[{TERM}{STRONG}])*([^{TERM}{STRONG}])")


@dataclass(frozen=True, slots=True)
class Run:
    """Some text in one style. Of a card (or suit), `text` is its name, `sign` its short form and
    `colour` the file's word for its colour, perhaps empty."""

    text: str
    style: Literal["plain", "term", "strong", "card"] = "plain"
    sign: str = ""
    colour: str = ""


Line: TypeAlias = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    line: Line


@dataclass(frozen=True, slots=True)
class Item:
    """A line of a list, with what belongs under it."""

    line: Line
    under: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class Items:
    items: tuple[Item, ...]
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; `head` names its columns, and the first cell of a row names the row."""

    head: tuple[Line, ...]
    rows: tuple[tuple[Line, ...], ...]
    caption: Line = ()


@dataclass(frozen=True, slots=True)
class Illustration:
    """An example: its sentence, and lines behind a word such as `Given`."""

    title: Line
    lines: tuple[tuple[str, Line], ...]


@dataclass(frozen=True, slots=True)
class Heading:
    line: Line


Block: TypeAlias = Paragraph | Items | Grid | Illustration | Heading


@dataclass(slots=True)
class Section:
    title: str
    blocks: list[Block] = field(default_factory=list)


@dataclass(slots=True)
class Sheet:
    """`facts` are the short lines below the title; `link` and `language` may be empty."""

    title: str
    about: str
    facts: list[tuple[str, str]]
    link: str
    language: str
    sections: list[Section]


def term(text: str) -> str:
    """A word that the sheet explains elsewhere."""
    return f"{TERM}{text}{TERM_END}"


def strong(text: str) -> str:
    return f"{STRONG}{text}{STRONG_END}"


def card(colour: str, sign: str, name: str) -> str:
    return f"{CARD}{colour}{CARD_PART}{sign}{CARD_PART}{name}{CARD_END}"


def bare(text: str) -> str:
    """Marked text as plain text."""
    return "".join(run.text for run in inline(text))


def capital(text: str) -> str:
    """The text with its first letter large."""
    found = _FIRST.match(text)
    if not found or text.startswith(CARD):
        return text
    at = found.start(1)
    return text[:at] + text[at].upper() + text[at + 1 :]


def sentence(text: str) -> str:
    """The text as a sentence; one that ends in a colon or a stop stays as it is."""
    text = capital(text)
    return text if bare(text)[-1:] in ".:!?…" else f"{text}."


def inline(text: str) -> Line:
    runs: list[Run] = []
    at = 0
    for found in _MARKED.finditer(text):
        if found.start() > at:
            runs.append(Run(text[at : found.start()]))
        if found["term"] is not None:
            runs.append(Run(found["term"], "term"))
        elif found["strong"] is not None:
            runs.append(Run(found["strong"], "strong"))
        else:
            runs.append(Run(found["card"], "card", found["sign"], found["colour"]))
        at = found.end()
    if at < len(text):
        runs.append(Run(text[at:]))
    return tuple(runs)
