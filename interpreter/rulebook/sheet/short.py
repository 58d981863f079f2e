"""What can be done in a game, in a few lines: for the table, where nobody reads a whole sheet."""

from __future__ import annotations

from collections.abc import Iterator

from rulebook.diagnostics import Problems
from rulebook.pipeline import load_document
from rulebook.resolve import Setting, resolve
from rulebook.sheet.book import Book, Move
from rulebook.sheet.course import condition_line, done_items, pick_text
from rulebook.sheet.model import Item, Line, bare, capital, sentence
from rulebook.source import Source


def moves_in_short(text: str, setting: Setting) -> list[str]:
    """A line for each move that the agreed options leave, and below it, indented, what it is
    possible for only, with what is heard otherwise, and what it obliges to.

    `text` is a whole file without a problem. What is picked is told where conditions speak of it; a
    move about which the file says nothing tells that and what it does.
    """
    problems = Problems()
    document = load_document(Source("rules", text), problems)
    if document is None:
        return []
    book = Book(resolve(document, setting, problems), document)
    lines: list[str] = []
    for name, move in book.moves.items():
        if name in book.used_moves:
            lines += move_lines(book, move)
    return lines


def move_lines(book: Book, move: Move) -> Iterator[str]:
    speech = book.choosing(move)
    about = f": {move.about}" if move.about else ""
    yield f"{capital(book.lexicon.shown(move.name))}{about}"
    if move.conditions or not move.about:
        for pick in move.picks:
            yield f"  - {bare(sentence(pick_text(book, speech, pick)))}"
    for rule in move.conditions:
        yield f"  - {plain(condition_line(speech, rule))}"
    for rule in move.musts:
        yield f"  - {capital(rule.label)}"
    for item in done_items(speech, move) if not move.about else ():
        yield from item_lines(item, "  - ")


def item_lines(item: Item, mark: str) -> Iterator[str]:
    yield mark + plain(item.line)
    for inner in item.under:
        yield from item_lines(inner, f"  {mark}")


def plain(line: Line) -> str:
    return "".join(run.text for run in line)
