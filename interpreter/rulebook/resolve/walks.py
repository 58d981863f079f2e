"""Walks through syntax and checked statements: what is set, called, waited for, mentioned."""

from __future__ import annotations

from collections.abc import Iterator

from rulebook import nodes as n
from rulebook import terms as t


def assigned(block: n.Block) -> Iterator[str]:
    """The names that a block sets with `=` and its kin."""
    for node in statements(block):
        if isinstance(node, n.Assign) and isinstance(node.target, n.Name):
            yield node.target.text


def statements(block: n.Block) -> Iterator[n.Statement]:
    """All statements of a block, inner ones too."""
    for node in block:
        yield node
        if isinstance(node, n.If):
            for _, inner in node.branches:
                yield from statements(inner)
        elif isinstance(node, n.For | n.Repeat | n.While):
            yield from statements(node.body)


def ends_block(node: n.Statement) -> bool:
    """Whether nothing after the statement can be reached."""
    if isinstance(node, n.Return | n.Stop | n.Outcome | n.Finish):
        return True
    if isinstance(node, n.If):
        closed = node.branches[-1][0] is None
        return closed and all(block and ends_block(block[-1]) for _, block in node.branches)
    return isinstance(node, n.Repeat) and node.until is None and node.times is None


def waits(block: n.Block) -> bool:
    return any(isinstance(node, n.Choose | n.Secretly) for node in statements(block))


def called_steps(block: n.Block) -> Iterator[n.Word]:
    for node in statements(block):
        if isinstance(node, n.Do):
            yield node.step


def walk(body: tuple[t.Statement, ...]) -> list[t.Statement]:
    """All statements of a checked body, inner ones too."""
    found: list[t.Statement] = []
    for statement in body:
        found.append(statement)
        if isinstance(statement, t.If):
            for _, block in statement.branches:
                found += walk(block)
        elif isinstance(statement, t.For | t.Repeat | t.While):
            found += walk(statement.body)
    return found


def names_in(node: object) -> set[str]:
    """Every name that an expression mentions, however deep."""
    found: set[str] = set()
    if isinstance(node, n.Name | n.Word):
        found.add(node.text)
    elif isinstance(node, tuple):
        for item in node:
            found |= names_in(item)
    elif isinstance(node, n.Node):
        for field in node.__dataclass_fields__:
            if field != "span":
                found |= names_in(getattr(node, field))
    return found
