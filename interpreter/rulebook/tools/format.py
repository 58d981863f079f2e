"""The usual layout of a rule file: order of its entries, indentation and empty lines.

Works on whole lines, by the places of the entries: every line is moved or kept, none is written
anew, so that comments and the author's own columns stay. Nothing changes what the file means.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rulebook.diagnostics import Problems
from rulebook.document import Entry, Mapping, Scalar, Sequence, read_document
from rulebook.entries import ORDER
from rulebook.source import Source

STEP = 2
EDITORS = "# yaml-language-server:"
"""How the line begins that tells editors where the schema is; it stays at the top."""
_CHANCE = re.compile(r"\b(shuffle|random)\b")


@dataclass(slots=True)
class Piece:
    """An entry of the file with the comments above it, as lines."""

    key: str
    lines: list[str]
    loose: bool
    """Whether an empty line stands above it."""


def format_text(text: str, path: str = "text") -> tuple[str | None, Problems]:
    """The text in the usual layout; None, with the problems, where it cannot be read as entries.

    What the rules say is not looked at: a file with mistakes in its rules is laid out too.
    """
    problems = Problems()
    source = Source(path, text)
    document = read_document(source, problems)
    if document is None or problems.errors:
        return None, problems
    if not _begins_lines(document, source):  # The whole file in braces: no lines to move.
        return text, problems
    lines = [source.line_text(line) for line in range(1, len(source.starts) + 1)]
    fixed = _Layout(source, lines).run(document)
    return fixed, problems


def _begins_lines(document: Mapping, source: Source) -> bool:
    return all(entry.key.span.column == 1 for entry in document.entries.values())


class _Layout:
    def __init__(self, source: Source, lines: list[str]) -> None:
        self.source = source
        self.lines = lines
        self.texts: set[int] = set()
        """Lines (from 1) of values in which empty lines count."""
        self.quoted: set[int] = set()
        """Of those, the lines of quoted texts, in which blanks count too."""

    def run(self, document: Mapping) -> str:
        entries = list(document.entries.values())
        for entry in entries:
            self.place(entry, 0)
        first = entries[0].key.span.line
        self.shift_comments(1, first - 1, 0)
        head, above = self.split_head(first)
        pieces: list[Piece] = []
        for number, entry in enumerate(entries):
            start = entry.key.span.line
            end = self.last_line(entry)
            later = entries[number + 1].key.span.line if number + 1 < len(entries) else 0
            stop = later - 1 if later else len(self.lines)
            # Comments that are indented still belong to the entry, the others to the next one.
            while end < stop and (self.lines[end][:1].isspace() or not self.lines[end].strip()):
                end += 1
            self.shift_comments(self.last_line(entry) + 1, end, self.below(entry))
            body = [*above, *range(start, end + 1)]
            loose = start > 1 and not self.lines[body[0] - 2].strip()
            pieces.append(Piece(entry.key.text, self.tidy(body), loose))
            self.shift_comments(end + 1, stop, 0)
            above = list(range(end + 1, stop + 1))
        tail = self.tidy(above)
        return _joined(self.tidy(head), _ordered(pieces), tail)

    def split_head(self, first: int) -> tuple[list[int], list[int]]:
        """The lines above the first entry: those that stay at the top, and those about it."""
        before = list(range(1, first))
        at = 0
        for number in before:
            line = self.lines[number - 1]
            if not line.startswith("#") or (at == number - 1 and line.startswith(EDITORS)):
                at = number
        return before[:at], before[at:]

    def below(self, entry: Entry) -> int:
        """The column of comments behind an entry, so that they do not become part of its text."""
        block = isinstance(entry.value, Mapping) and self.is_block(entry.value, entry.key.span.line)
        return STEP if block else 1

    def last_line(self, entry: Entry) -> int:
        """The line on which an entry ends; a block takes in the end of its last line."""
        start, end = entry.key.span.start, max(entry.key.span.end, entry.value.span.end)
        return self.source.position(start + len(self.source.text[start:end].rstrip()))[0]

    def place(self, entry: Entry, column: int) -> None:
        """Move the lines of an entry so that its name stands at a column (from 0)."""
        first, last = entry.key.span.line, self.last_line(entry)
        moved = column - (entry.key.span.column - 1)
        value = entry.value
        self.shift(first, first, moved)
        if isinstance(value, Mapping) and self.is_block(value, first):
            line = first
            for inner in value.entries.values():
                start = inner.key.span.line
                self.shift_comments(line + 1, start - 1, column + STEP)
                self.place(inner, column + STEP)
                line = self.last_line(inner)
            return
        if isinstance(value, Scalar) and value.style in ("block", "folded"):
            head = self.source.line_text(first)
            if not re.search(r"[|>][+-]?[0-9]", head[entry.key.span.column - 1 :]):
                content = [line for line in self.lines[first:last] if line.strip()]
                depth = min((_indent(line) for line in content), default=0)
                moved = column + STEP - depth
        elif isinstance(value, Scalar) and value.style != "plain":
            self.quoted |= {*range(first, last + 1)}
        elif isinstance(value, Sequence) and self.source.text.startswith("-", value.span.start):
            moved = column + STEP - (value.span.column - 1)
        self.texts |= {*range(first + 1, last + 1)}
        self.shift(first + 1, last, moved, least=column + 1)

    def is_block(self, mapping: Mapping, line: int) -> bool:
        """Whether a mapping has its entries on lines of their own, below the line of its name."""
        return all(
            entry.key.span.line > line
            and not self.source.line_text(entry.key.span.line)[: entry.key.span.column - 1].strip()
            for entry in mapping.entries.values()
        ) and not self.source.text.startswith("{", mapping.span.start)

    def shift(self, first: int, last: int, moved: int, least: int = 0) -> None:
        for number in range(first, last + 1):
            line = self.lines[number - 1]
            if line.strip() and moved:
                self.lines[number - 1] = " " * max(_indent(line) + moved, least) + line.lstrip(" ")

    def shift_comments(self, first: int, last: int, column: int) -> None:
        """Comments above an entry stand at its column."""
        for number in range(first, last + 1):
            line = self.lines[number - 1]
            if line.lstrip().startswith("#"):
                self.lines[number - 1] = " " * column + line.lstrip()

    def tidy(self, numbers: list[int]) -> list[str]:
        """Lines without blanks at their ends, and with one empty line where there were several."""
        result: list[str] = []
        for number in numbers:
            line = self.lines[number - 1]
            if number not in self.quoted:
                line = line.rstrip()
            if not line and number not in self.texts and (not result or not result[-1]):
                continue
            result.append(line)
        while result and not result[-1].strip():
            result.pop()
        return result


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _ordered(pieces: list[Piece]) -> list[Piece]:
    """The pieces in the usual order.

    Shuffles and draws are numbered in the order of the file, and the same seed must give the same
    game: where moves and steps both have some, they keep their order.
    """
    rank = {key: number for number, key in enumerate(ORDER)}
    found = {piece.key: piece for piece in pieces}
    drawn = [
        key
        for key in ("steps", "moves")
        if key in found and any(_CHANCE.search(line) for line in found[key].lines)
    ]
    if len(drawn) == 2:
        keys = [piece.key for piece in pieces]
        if keys.index("steps") < keys.index("moves"):
            rank["steps"], rank["moves"] = rank["moves"], rank["steps"]
    return sorted(pieces, key=lambda piece: rank.get(piece.key, len(rank)))


def _joined(head: list[str], pieces: list[Piece], tail: list[str]) -> str:
    """The file: an empty line between two long entries, and where the author has one."""
    lines = list(head)
    if head and (pieces[0].loose or any(not line.startswith(EDITORS) for line in head)):
        lines.append("")
    before: Piece | None = None
    for piece in pieces:
        if before is not None and (piece.loose or (len(before.lines) > 1 and len(piece.lines) > 1)):
            lines.append("")
        lines += piece.lines
        before = piece
    if tail:
        lines += ["", *tail]
    return "\n".join(lines) + "\n"
