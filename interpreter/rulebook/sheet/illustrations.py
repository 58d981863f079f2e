"""The examples of a rule file as illustrations: a situation, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterator

from rulebook import parse
from rulebook.diagnostics import Problems
from rulebook.document import Entry, Mapping, Node, Scalar, Sequence
from rulebook.kinds import Members, SetOf
from rulebook.sheet.book import Book, text
from rulebook.sheet.model import Block, Illustration, Line, Section, capital, inline
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


def examples_section(book: Book) -> Section | None:
    found: list[Block] = [
        Illustration(inline(capital(entry.key.text)), tuple(lines(book, entry.value)))
        for entry in book.section("examples")
        if isinstance(entry.value, Mapping)
    ]
    return Section("Examples", found) if found else None


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
    if isinstance(entry.value, Mapping):
        pairs = [
            f"{seat(pair.key.text) if pair.key.text.isdigit() else book.lexicon.shown(pair.key.text)}"
            f" {drawn(book, flat(book, pair.value))}"
            for pair in entry.value.entries.values()
        ]
        return f"{subject(book, entry.key)}: {', '.join(pairs)}"
    return f"{subject(book, entry.key)}: {value_of(book, entry)}"


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
    node = parse.read_expression(entry.key, Problems())
    value = text(entry.value)
    if node is None:
        return placed(book, entry)
    if value in ("yes", "no") and book.lexicon.is_flag(node):
        condition = book.speech.condition(node)
        return holds(condition if value == "yes" else contrary(condition))
    phrase = book.speech.phrase(node)
    return f"{phrase.text} {'are' if phrase.many else 'is'} {value_of(book, entry)}"


def agreed(book: Book, entry: Entry) -> str:
    return f"{book.lexicon.shown(entry.key.text)}: {flat(book, entry.value).replace('_', ' ')}"
