"""Rule text under agreed options: their values take the place of their names, and what they decide
is decided. What is only written to the log is left out.

A player named by an option stays, as the sheet is for any table. A node that comes out of this may
be a constant (`yes`, `no`) where the file has a condition, or an empty block.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_args

from rulebook import nodes as n
from rulebook import terms as t
from rulebook.kinds import Flag, Members, Numbers
from rulebook.source import Span


class Agreed:
    def __init__(self, options: dict[str, t.Option]) -> None:
        self.values = {name: value_text(option) for name, option in options.items()}
        self.decided: dict[str, str] = {}
        self.gone: set[str] = set()
        """Moves that the options make impossible; choices do not offer them."""

    def learn(self, definitions: dict[str, n.Expr | n.Block]) -> None:
        """Take in the definitions that the options decide, whatever they are of, so that what they
        decide is decided too."""
        while True:
            more = {
                name: found
                for name, body in definitions.items()
                if name not in self.decided and (found := answer(self.parts_of(body)))
            }
            if not more:
                return
            self.decided |= more

    def block(self, block: n.Block) -> n.Block:
        """The statements that can be reached."""
        found: list[n.Statement] = []
        for statement in block:
            found += self.statement(statement)
            if found and isinstance(found[-1], n.Stop | n.Return):
                break
        return tuple(found)

    def statement(self, statement: n.Statement) -> n.Block:
        if isinstance(statement, n.Say):
            return ()
        if isinstance(statement, n.If):
            return self.branches(statement)
        found: n.Statement = self.parts(statement)
        if isinstance(found, n.Choose):
            left = [
                tuple(move for move in moves if move.text not in self.gone)
                for moves in (found.moves, found.fallback)
            ]
            moves, fallback = left if left[0] else (left[1], ())
            return (
                (n.Choose(found.span, found.player, moves, fallback, found.seat),) if moves else ()
            )
        empty = isinstance(found, n.For | n.While | n.Repeat) and not found.body
        return () if empty else (found,)

    def branches(self, statement: n.If) -> n.Block:
        kept: list[tuple[n.Expr | None, n.Block]] = []
        for condition, block in statement.branches:
            asked = None if condition is None else self.node(condition)
            truth = word(asked)
            if truth == "no":
                continue
            kept.append((None if truth == "yes" else asked, self.block(block)))
            if truth == "yes" or asked is None:
                break
        while kept and not kept[-1][1]:
            kept.pop()
        if not kept:
            return ()
        if kept[0][0] is None:
            return kept[0][1]
        return (n.If(statement.span, tuple(kept)),)

    def parts_of(self, body: n.Expr | n.Block) -> Any:
        """The body of a definition."""
        return self.block(body) if isinstance(body, tuple) else self.node(body)

    def node(self, node: Any) -> Any:
        """An expression, or any other piece of rule text."""
        if isinstance(node, n.Name):
            return self.named(node)
        if isinstance(node, n.Compare):
            decided = self.compared(node)
            if decided is not None:
                return decided
        found = self.parts(node)
        if isinstance(found, n.Of) and found.head.text in self.decided:
            return constant(found.span, self.decided[found.head.text] == "yes")
        if isinstance(found, n.Can) and found.move.text in self.gone:
            return constant(found.span, False)
        if isinstance(found, n.Not):
            truth = word(found.operand)
            return constant(found.span, truth == "no") if truth else found
        if isinstance(found, n.Logic):
            return self.logic(found)
        if isinstance(found, n.IfElse):
            truth = word(found.condition)
            return found if not truth else found.then if truth == "yes" else found.other
        if isinstance(found, n.Where) and word(found.condition) == "yes":
            return found.subject
        return found

    def named(self, node: n.Name) -> n.Expr:
        value = self.decided.get(node.text) or self.values.get(node.text)
        if value is None:
            return node
        if value in ("yes", "no", "none"):
            return n.Constant(node.span, value)
        return n.Number(node.span, int(value)) if value.isdigit() else n.Name(node.span, value)

    def compared(self, node: n.Compare) -> n.Constant | None:
        """An option against a word: only the option's kind knows that word."""
        if node.sign not in ("is", "is not") or not isinstance(node.left, n.Name):
            return None
        value = self.values.get(node.left.text)
        right = node.right
        other = right.text if isinstance(right, n.Name) else ""
        other = right.word if isinstance(right, n.Constant) else other
        other = str(right.value) if isinstance(right, n.Number) else other
        if node.left.text in self.values and value is None:
            return constant(node.span, node.sign == "is not") if other == "none" else None
        if value is None or not other or other in self.values:
            return None
        return constant(node.span, (value == other) == (node.sign == "is"))

    def logic(self, node: n.Logic) -> n.Expr:
        left, right = word(node.left), word(node.right)
        if node.word == "and":
            if "no" in (left, right):
                return constant(node.span, False)
            return node.right if left == "yes" else node.left if right == "yes" else node
        if node.word == "or":
            if "yes" in (left, right):
                return constant(node.span, True)
            return node.right if left == "no" else node.left if right == "no" else node
        if left == "no" or right == "yes":
            return constant(node.span, True)
        if left == "yes":
            return node.right
        return n.Not(node.span, node.left) if right == "no" else node

    def parts(self, node: Any) -> Any:
        """The node with each of its parts under the agreed options."""
        if isinstance(node, tuple):
            if node and all(isinstance(part, STATEMENTS) for part in node):
                return self.block(node)
            return tuple(self.node(part) for part in node)
        if not isinstance(node, n.Node) or isinstance(node, n.Word):
            return node
        values = [getattr(node, item.name) for item in fields(node)]
        return type(node)(*[self.node(value) for value in values])


STATEMENTS = get_args(n.Statement)


def word(node: object) -> str:
    """`yes` or `no` where a condition is decided, else nothing."""
    decided = isinstance(node, n.Constant) and node.word in ("yes", "no")
    return node.word if decided and isinstance(node, n.Constant) else ""


def answer(body: object) -> str:
    """The one answer of a definition, if it has no other."""
    if isinstance(body, tuple):
        body = body[0].value if body and isinstance(body[0], n.Return) else None
    return word(body)


def constant(span: Span, truth: bool) -> n.Constant:
    return n.Constant(span, "yes" if truth else "no")


def value_text(option: t.Option) -> str | None:
    """The option's value as rule text has it; None for a player, who stays unnamed."""
    kind, value = option.kind, option.value
    if isinstance(kind, Flag):
        return "yes" if value else "no"
    if isinstance(kind, Numbers):
        return str(value)
    if isinstance(kind, Members):
        if value < 0:
            return "none"
        if kind.enumeration.name == "player":
            return None
        return kind.enumeration.members[value]
    return None
