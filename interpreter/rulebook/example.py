"""An example as it is written: its parts, and the values in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rulebook.diagnostics import Problems
from rulebook.document import Entry, Mapping, Node, Scalar, Sequence
from rulebook.kinds import Kind, Members, Numbers, SetOf
from rulebook.resolve.options import literal
from rulebook.source import Span
from rulebook.suggest import closest

FEW = 6
"""So many values are listed where none of them is nearly what was written."""

KEYS = ("rest", "mover")
"""Entries of `given` that are neither zones nor state."""


class Wrong(Exception):
    """Something in an example that cannot be used."""

    slug = "bad-example"

    def __init__(self, message: str, span: Span, help: str = "") -> None:
        super().__init__(message)
        self.span = span
        self.help = help

    def tell(self, problems: Problems) -> None:
        problems.add("bad-example", str(self), self.span, help=self.help)


class Example:
    """An example as it is written."""

    def __init__(self, entry: Entry) -> None:
        assert isinstance(entry.value, Mapping)  # The schema saw to it.
        self.label = entry.key.text
        self.span = entry.key.span
        self.parts = entry.value

    def entries(self, key: str) -> list[Entry]:
        part = self.parts.get(key)
        return list(part.entries.values()) if isinstance(part, Mapping) else []

    def word(self, key: str) -> str:
        part = self.parts.get(key)
        return part.text if isinstance(part, Scalar) else ""

    def moves(self, key: str) -> Iterator[tuple[Scalar, str]]:
        """Moves of a list, or of a mapping to the reasons that are heard, or a single one."""
        part = self.parts.get(key)
        if isinstance(part, Mapping):
            for entry in part.entries.values():
                yield entry.key, entry.value.text if isinstance(entry.value, Scalar) else ""
        for item in part.items if isinstance(part, Sequence) else [part]:
            if isinstance(item, Scalar):
                yield item, ""

    @property
    def setting(self) -> tuple[str, tuple[tuple[str, str], ...]]:
        options = [(entry.key.text, plain(entry.value)) for entry in self.entries("options")]
        return self.word("players"), tuple((name, str(value)) for name, value in options)

    def place(self, key: str) -> Span:
        """Where a part stands, for messages about it."""
        entry = self.parts.entries.get(key)
        return self.span if entry is None else entry.key.span


def plain(node: Node) -> Any:
    """A piece of YAML as texts, lists and mappings of them."""
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Mapping):
        return {entry.key.text: plain(entry.value) for entry in node.entries.values()}
    return [plain(item) for item in node.items]


def read_value(node: Node, kind: Kind) -> object:
    """What is expected, as `Game.value` gives values of the kind; `Wrong` if it is none."""
    if isinstance(kind, SetOf):
        items = node.items if isinstance(node, Sequence) else [node]
        if isinstance(node, Scalar) and node.text == "empty":
            items = []
        return [read_value(item, Members(kind.enumeration)) for item in items]
    # A number that the expression can never have is still a number.
    wide = Numbers(-(2**31), 2**31) if isinstance(kind, Numbers) else kind
    found = literal(node.text, wide) if isinstance(node, Scalar) else None
    if found is None or not isinstance(node, Scalar):
        raise Wrong(f"`{node.span.text}` is not {kind}", node.span, fitting(node, kind))
    if isinstance(kind, Numbers):
        return found
    if isinstance(kind, Members):
        return None if found < 0 else node.text
    return bool(found)


def fitting(node: Node, kind: Kind) -> str:
    """What may be written in the place of a value that does not fit."""
    if isinstance(kind, Numbers):
        return "write a whole number"
    if isinstance(kind, Members) and isinstance(node, Scalar):
        members = kind.enumeration.members
        near = closest(node.text, members) or (list(members) if len(members) <= FEW else [])
        return f"write {' or '.join(f'`{one}`' for one in near)}" if near else ""
    return "" if isinstance(kind, Members) else "write `yes` or `no`"
