"""The examples of a rule file as illustrations: a situation, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from rulebook import parse
from rulebook.diagnostics import Problems
from rulebook.document import Entry, Mapping, Node, Scalar, Sequence
from rulebook.kinds import Members, SetOf
from rulebook.resolve.options import literal
from rulebook.sheet.book import Book, inside, mentioned, text
from rulebook.sheet.model import Block, Heading, Illustration, Line, Section, capital, inline
from rulebook.sheet.phrases import contrary, holds, listed

TITLES = {
    "at": "During",
    "given": "Given",
    "deal": "Dealt",
    "play": "Played",
    "expect": "Then",
    "legal": "Allowed",
    "illegal": "Not allowed",
    "options": "Agreed",
    "players": "Players",
}


Wanted: TypeAlias = Literal["some", "all", "none"]
"""Which examples stand on a sheet."""
FEW = 16
"""So many examples are all shown."""
LONG = 14
"""An example with more moves is a test, and too long to be followed on paper."""


def examples_section(book: Book, wanted: Wanted = "some") -> Section | None:
    """Those for other options than the sheet is written for stand apart, and only among all."""
    usual: list[Block] = []
    other: list[Block] = []
    for entry in telling(book) if wanted == "some" else book.section("examples"):
        if isinstance(entry.value, Mapping) and wanted != "none":
            shown = Illustration(inline(capital(entry.key.text)), tuple(lines(book, entry.value)))
            (usual if fits(book, entry.value) else other).append(shown)
    if not usual and not other:
        return None
    heading = [Heading(inline("With other options than those of this sheet"))] if other else []
    return Section("Examples", [*usual, *heading, *other])


def telling(book: Book) -> Iterator[Entry]:
    """The first example of each matter, where there are many: a reader needs one of each."""
    seen: set[str] = set()
    entries = book.section("examples")
    for entry in entries:
        example = entry.value
        if isinstance(example, Mapping) and fits(book, example) and not is_long(example):
            found = set(matters(book, example))
            if len(entries) <= FEW or not found <= seen:
                seen |= found
                yield entry


def is_long(example: Mapping) -> bool:
    played = example.get("play")
    return isinstance(played, Sequence) and len(played.items) > LONG


def matters(book: Book, example: Mapping) -> Iterator[str]:
    """What an example speaks of: where it stands, who wins, the reasons for which moves are
    refused, what is worked out or remembered, and whether it holds."""
    known = {*book.definitions, *(entry.key.text for entry in book.section("state"))}
    refused, expects = example.get("illegal"), example.get("expect")
    if isinstance(refused, Mapping):
        yield from (text(entry.value) for entry in refused.entries.values())
    if isinstance(expects, Mapping):
        for entry in expects.entries.values():
            node = parse.read_expression(entry.key, Problems())
            said = text(entry.value) if text(entry.value) in ("yes", "no", "none") else ""
            for name in {name for one in inside(node) for name in mentioned(one)} & known:
                yield f"{name} {said}"
    for key in ("at", "winners"):
        if example.get(key) is not None:
            yield f"{key} {text(example.get(key))}"


def fits(book: Book, example: Mapping) -> bool:
    """Whether an example is about the options that the sheet is written for."""
    agreed_on = example.get("options")
    entries = agreed_on.entries.values() if isinstance(agreed_on, Mapping) else ()
    for entry in entries:
        option = book.game.options.get(entry.key.text)
        if option is None or literal(text(entry.value), option.kind) != option.value:
            return False
    return True


def lines(book: Book, example: Mapping) -> Iterator[tuple[str, Line]]:
    for entry in example.entries.values():
        key = entry.key.text
        said = told(book, key, entry.value)
        if said:
            yield TITLES.get(key, capital(key.replace("_", " "))), inline(said)


def told(book: Book, key: str, value: Node) -> str:
    if key == "at":
        return book.lexicon.shown(text(value))
    if key in ("play", "legal", "illegal"):
        return moves(book, value)
    if key == "winners":
        items = value.items if isinstance(value, Sequence) else [value]
        return listed([seat(text(item)) for item in items])
    if isinstance(value, Mapping):
        say = {"expect": expected, "options": agreed}.get(key, placed)
        return "; ".join(say(book, entry) for entry in value.entries.values())
    return drawn(book, flat(book, value))


def flat(book: Book, value: Node) -> str:
    """A value as the file writes it, with names as they are shown."""
    if isinstance(value, Sequence):
        return ", ".join(flat(book, item) for item in value.items) or "nothing"
    if isinstance(value, Mapping):
        pairs = value.entries.values()
        return ", ".join(
            f"{book.lexicon.shown(pair.key.text)} {flat(book, pair.value)}" for pair in pairs
        )
    said = " ".join(value.text.split())
    known = said in book.lexicon.members or said in book.lexicon.ranks
    return book.lexicon.shown(said) if known else said


def moves(book: Book, value: Node) -> str:
    """Moves, or refused moves with the reasons that are heard."""
    if isinstance(value, Mapping):
        return "; ".join(
            f"{move(book, entry.key.text)} (“{flat(book, entry.value).replace('`', '')}”)"
            for entry in value.entries.values()
        )
    items = value.items if isinstance(value, Sequence) else [value]
    return ", ".join(move(book, flat(book, item)) for item in items)


def move(book: Book, said: str) -> str:
    name, space, rest = said.partition(" ")
    shown = book.lexicon.shown(name) if name in book.game.moves else name
    return drawn(book, f"{shown}{space}{rest}")


def drawn(book: Book, said: str) -> str:
    """A text with its cards drawn."""
    return book.card_names.sub(lambda found: book.lexicon.drawn(found[0]) or found[0], said)


def subject(book: Book, key: Scalar) -> str:
    """What a situation speaks of: an expression of the file, in words."""
    node = parse.read_expression(key, Problems())
    return key.text.replace("_", " ") if node is None else book.speech.phrase(node).text


def placed(book: Book, entry: Entry) -> str:
    if entry.key.text == "mover":
        return f"{seat(text(entry.value))} is to choose"
    if entry.key.text == "rest" and isinstance(entry.value, Scalar):
        return f"all other cards: {subject(book, entry.value)}"
    node = parse.read_expression(entry.key, Problems())
    if isinstance(entry.value, Scalar) and node is not None and book.lexicon.is_flag(node):
        return expected(book, entry)
    if isinstance(entry.value, Mapping):
        said = subject(book, entry.key)
        each = [placed_for(book, pair) for pair in entry.value.entries.values()]
        return f"{said}: {', '.join(each)}"
    return f"{subject(book, entry.key)}: {value_of(book, entry)}"


def placed_for(book: Book, entry: Entry) -> str:
    """What lies there of one player or team."""
    key = entry.key.text
    who = seat(key) if key.isdigit() else book.lexicon.shown(key)
    said = drawn(book, flat(book, entry.value))
    return f"{who} – {said}"


def value_of(book: Book, entry: Entry) -> str:
    """A value of the kind that its key has: seats as players, cards drawn."""
    node = parse.read_expression(entry.key, Problems())
    kind = book.lexicon.kind(node)
    if isinstance(kind, Members | SetOf) and kind.enumeration.name == "player":
        items = entry.value.items if isinstance(entry.value, Sequence) else [entry.value]
        return listed([seat(text(item)) for item in items])
    return drawn(book, flat(book, entry.value).replace("_", " "))


def seat(said: str) -> str:
    return f"player {int(said) + 1}" if said.isdigit() else said


def expected(book: Book, entry: Entry) -> str:
    value = text(entry.value)
    if entry.key.text == "mover":
        return f"{seat(value)} is to choose"
    node = parse.read_expression(entry.key, Problems())
    if node is None:
        return f"{subject(book, entry.key)} is {value_of(book, entry)}"
    if value in ("yes", "no") and book.lexicon.is_flag(node):
        condition = book.speech.condition(node)
        return holds(condition if value == "yes" else contrary(condition))
    phrase = book.speech.phrase(node)
    return f"{phrase.text} {'are' if phrase.many else 'is'} {value_of(book, entry)}"


def agreed(book: Book, entry: Entry) -> str:
    return f"{book.lexicon.shown(entry.key.text)}: {flat(book, entry.value).replace('_', ' ')}"
