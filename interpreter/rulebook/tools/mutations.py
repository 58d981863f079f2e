"""Small changes of a rule file: a fixed list of operators, applied wherever they fit.

Each change is an edit of one place in the text, made from the syntax tree, so that the file stays a
rule file. Whether it still passes the checks shows when it is tried. docs/testing.md lists the
operators for people; `OPERATORS` is the list itself, in the order in which they are applied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from rulebook import nodes as n
from rulebook import parse
from rulebook.diagnostics import Problems
from rulebook.document import Mapping, Node, Scalar, Sequence
from rulebook.source import Source, Span

OPERATORS = {
    "comparison-turned": "`is` and `is not`, `<` and `>`, `<=` and `>=`, `in` and `not in` swapped",
    "bound-by-one": "`<` and `<=`, `>` and `>=` swapped",
    "number-by-one": "a number one larger",
    "condition-negated": "the condition of an `if`, `until`, `while` or `where` negated",
    "logic-swapped": "`and` and `or` swapped",
    "sign-swapped": "`+` and `-`, `with` and `without` swapped; `*` and `/` become `+` and `-`",
    "extreme-swapped": "`highest` and `lowest`, `most` and `least`, `first` and `last`, `any` and "
    "`no` swapped",
    "direction-swapped": "`left` and `right` swapped, `next` becomes `right`",
    "constant-swapped": "`yes` and `no` swapped",
    "start-dropped": "the `starting` of a `for` or `deal` dropped",
    "statement-dropped": "a statement dropped",
    "outcome-swapped": "`wins` and `loses` swapped",
    "choice-dropped": "one of several moves no longer offered",
    "if-line-dropped": "a condition of a move dropped",
    "must-line-dropped": "a `must` line dropped",
    "for-dropped": "the `for` of a `must` line dropped",
    "order-swapped": "two neighbours of an order swapped",
    "rank-swapped": "two neighbours of the ranks swapped, if they are not both numbers",
    "table-value-changed": "a number of a table one larger, a name replaced by the next one's",
}

NOTHING = "let nothing_here = 0"
"""What stands for a statement that is dropped, where a statement is wanted."""

TURNED = {"is": "is not", "is not": "is", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
BOUNDS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
SIGNS = {"+": "-", "-": "+", "*": "+", "/": "-", "with": "without", "without": "with"}
EXTREMES = {
    "highest": "lowest",
    "lowest": "highest",
    "most": "least",
    "least": "most",
    "any": "no",
    "no": "any",
    "first": "last",
    "last": "first",
}
SIDES = {"left": "right", "right": "left", "next": "right"}


@dataclass(frozen=True, slots=True)
class Mutation:
    """`operator` at a span of the source; its text becomes `text`."""

    operator: str
    span: Span
    text: str

    @property
    def changed(self) -> str:
        """The whole text of the file with the change."""
        whole = self.span.source.text
        return whole[: self.span.start] + self.text + whole[self.span.end :]

    @property
    def told(self) -> str:
        old, new = " ".join(self.span.text.split()), " ".join(self.text.split())
        if not new or new == NOTHING:
            return f"`{old}` dropped"
        return f"`{old}` becomes `{new}`"


def mutations(document: Mapping, source: Source, ranks: bool = True) -> list[Mutation]:
    """All changes of the source's own entries, in the order of the file; those of the order of
    ranks only with `ranks`."""
    changes = Changes(source, ranks).document(document)
    found = [one for one in changes if one.span.source.path == source.path]
    operators = list(OPERATORS)
    return sorted(found, key=lambda one: (one.span.start, operators.index(one.operator), one.text))


Found = Iterator[Mutation]


class Changes:
    def __init__(self, source: Source, ranks: bool) -> None:
        self.source = source
        self.ranks = ranks

    def document(self, document: Mapping) -> Found:
        cards = document.get("cards")
        if isinstance(cards, Mapping) and self.ranks:
            yield from self.order(cards.get("ranks"), "rank-swapped")
        for _, value in entries(document.get("orders")):
            yield from self.order(value)
        for _, value in entries(document.get("tables")):
            if isinstance(value, Mapping):
                yield from self.rows(value.get("is"))
        for _, value in entries(document.get("define")):
            if isinstance(value, Scalar):
                yield from self.body(parse.read_definition(value, Problems()))
        for _, value in entries(document.get("moves")):
            if isinstance(value, Mapping):
                yield from self.move(value)
        for _, value in entries(document.get("steps")):
            if isinstance(value, Scalar):
                yield from self.body(parse.read_statements(value, Problems()))

    # ---- data ----

    def order(self, node: Node | None, operator: str = "order-swapped") -> Found:
        """Two neighbours swapped: one edit from the first to the second."""
        items = node.items if isinstance(node, Sequence) else []
        for one, two in pairwise(items):
            if operator == "rank-swapped" and one.span.text.isdigit() and two.span.text.isdigit():
                continue  # Their names say their order.
            between = self.source.text[one.span.end : two.span.start]
            if one.span.source.path == self.source.path:
                yield Mutation(
                    operator, one.span.to(two.span), two.span.text + between + one.span.text
                )

    def rows(self, node: Node | None) -> Found:
        values = [value for _, value in entries(node)]
        for value, after in zip(values, values[1:] + values[:1], strict=False):
            if isinstance(value, Mapping):
                yield from self.rows(value)
            elif re.fullmatch("[0-9]+", value.span.text):
                yield Mutation("table-value-changed", value.span, str(int(value.span.text) + 1))
            elif value.span.text in ("yes", "no"):
                other = "no" if value.span.text == "yes" else "yes"
                yield Mutation("table-value-changed", value.span, other)
            elif after.span.text != value.span.text:
                yield Mutation("table-value-changed", value.span, after.span.text)

    # ---- moves ----

    def move(self, move: Mapping) -> Found:
        pick = move.get("pick")
        for scalar in pick.items if isinstance(pick, Sequence) else [pick]:
            if isinstance(scalar, Scalar):
                yield from self.body(parse.read_picks(scalar, Problems()))
        condition = move.get("if")
        if isinstance(condition, Scalar):
            yield Mutation("if-line-dropped", condition.span, "yes")
        for _, value in [*entries(condition), ("", condition)]:
            if isinstance(value, Scalar):
                yield from self.condition(value)
                if value is not condition:
                    yield Mutation("if-line-dropped", content(value), "yes")
        for _, line in entries(move.get("must")):
            yield from self.must(line)
        body = move.get("do")
        if isinstance(body, Scalar):
            yield from self.body(parse.read_statements(body, Problems()))

    def must(self, line: Node) -> Found:
        keep = line if isinstance(line, Scalar) else None
        if isinstance(line, Mapping):
            found, speaks = line.get("keep"), line.get("for")
            keep = found if isinstance(found, Scalar) else None
            if isinstance(speaks, Scalar):
                yield Mutation("for-dropped", content(speaks), "yes")
                yield from self.condition(speaks)
        if keep is not None:
            # A line that every candidate meets narrows nothing.
            yield Mutation("must-line-dropped", content(keep), "yes")
            yield from self.condition(keep)

    def condition(self, scalar: Scalar) -> Found:
        node = parse.read_expression(scalar, Problems())
        if node is not None:
            yield from self.negated(node)
            yield from self.body(node)

    # ---- rule text ----

    def body(self, node: object) -> Found:
        """The changes within syntax nodes, outermost first."""
        if isinstance(node, tuple):
            for item in node:
                yield from self.body(item)
            return
        if not isinstance(node, n.Node) or isinstance(node, n.Text | n.Say | n.Head):
            return
        if isinstance(node, DROPPED):
            yield Mutation("statement-dropped", node.span, NOTHING)
        change = RULES.get(type(node))
        if change is not None:
            yield from change(self, node)
        for name in node.__dataclass_fields__:
            if name != "span":
                yield from self.body(getattr(node, name))

    def negated(self, node: n.Node) -> Found:
        # Turning `is` and `in` does the same.
        if isinstance(node, n.Member) or (isinstance(node, n.Compare) and "is" in node.sign):
            return
        yield Mutation("condition-negated", node.span, f"not ({node.span.text})")

    def between(self, left: n.Node, right: n.Node, old: str, operator: str, new: str) -> Found:
        """Replace the sign between two operands."""
        text = left.span.source.text[left.span.end : right.span.start]
        pattern = old.replace(" ", r"\s+")
        pattern = rf"\b{pattern}\b" if old[0].isalpha() else re.escape(old)
        found = re.search(pattern, text)
        if found is not None:
            at = left.span.end
            span = Span(left.span.source, at + found.start(), at + found.end())
            yield Mutation(operator, span, new)

    def word(self, node: n.Node, old: str, operator: str, new: str, last: bool = False) -> Found:
        """Replace a word at the beginning of a node, or at its end."""
        text = node.span.text
        found = re.search(rf"\b{old}$" if last else rf"^(all\s+)?{old}\b", text)
        if found is not None:
            end = node.span.start + found.end()
            yield Mutation(operator, Span(node.span.source, end - len(old), end), new)

    def compare(self, node: n.Compare) -> Found:
        yield from self.between(
            node.left, node.right, node.sign, "comparison-turned", TURNED[node.sign]
        )
        if node.sign in BOUNDS:
            yield from self.between(
                node.left, node.right, node.sign, "bound-by-one", BOUNDS[node.sign]
            )

    def member(self, node: n.Member) -> Found:
        old, new = ("not in", "in") if node.negated else ("in", "not in")
        yield from self.between(node.item, node.subject, old, "comparison-turned", new)

    def logic(self, node: n.Logic) -> Found:
        if node.word in ("and", "or"):
            other = "or" if node.word == "and" else "and"
            # Both sides keep their meaning whatever binds more strongly.
            left, right = node.left.span.text, node.right.span.text
            yield Mutation("logic-swapped", node.span, f"(({left}) {other} ({right}))")

    def arithmetic(self, node: n.Arithmetic) -> Found:
        if node.sign in SIGNS:
            yield from self.between(
                node.left, node.right, node.sign, "sign-swapped", SIGNS[node.sign]
            )

    def number(self, node: n.Number) -> Found:
        yield Mutation("number-by-one", node.span, str(node.value + 1))

    def named(self, node: n.Quantity | n.Aggregate) -> Found:
        if node.word in EXTREMES:
            yield from self.word(node, node.word, "extreme-swapped", EXTREMES[node.word])

    def end(self, node: n.End) -> Found:
        yield from self.word(node, node.which, "extreme-swapped", EXTREMES[node.which])

    def of(self, node: n.Of) -> Found:
        if node.head.text in SIDES:
            yield Mutation("direction-swapped", node.head.span, SIDES[node.head.text])

    def constant(self, node: n.Constant) -> Found:
        if node.word in ("yes", "no"):
            yield Mutation("constant-swapped", node.span, "no" if node.word == "yes" else "yes")

    def where(self, node: n.Where | n.Every) -> Found:
        yield from self.negated(node.condition)

    def if_else(self, node: n.IfElse) -> Found:
        yield from self.negated(node.condition)

    def if_(self, node: n.If) -> Found:
        for condition, _ in node.branches:
            if condition is not None:
                yield from self.negated(condition)

    def while_(self, node: n.While) -> Found:
        yield from self.negated(node.condition)

    def repeat(self, node: n.Repeat) -> Found:
        if node.until is not None:
            yield from self.negated(node.until)

    def start(self, node: n.For | n.Deal) -> Found:
        if node.start is None:
            return
        text = node.span.source.text
        at = text.rfind("starting", node.span.start, node.start.span.start)
        if at >= 0:
            at = len(text[:at].rstrip())
            span = Span(node.span.source, at, node.start.span.end)
            yield Mutation("start-dropped", span, "")

    def assign(self, node: n.Assign) -> Found:
        if node.sign in ("+=", "-="):
            other = "-=" if node.sign == "+=" else "+="
            yield from self.between(node.target, node.value, node.sign, "sign-swapped", other)

    def outcome(self, node: n.Outcome) -> Found:
        words = {"wins": "loses", "win": "lose", "loses": "wins", "lose": "win"}
        for old, new in words.items():
            yield from self.word(node, old, "outcome-swapped", new, last=True)

    def choose(self, node: n.Choose) -> Found:
        """Each move but the only one left out; a fallback stays one."""
        everything = (*node.moves, *node.fallback)
        if len(everything) < 2 or (node.fallback and len(node.moves) < 2):
            return
        for left_out in node.moves:
            kept = ", ".join(word.text for word in node.moves if word is not left_out)
            kept = kept if ", " not in kept else " or ".join(kept.rsplit(", ", 1))
            if node.fallback:
                kept = kept.replace(" or ", ", ")
            yield Mutation("choice-dropped", node.moves[0].span.to(node.moves[-1].span), kept)


Change = Callable[..., Found]

RULES: dict[type, Change] = {
    n.Compare: Changes.compare,
    n.Member: Changes.member,
    n.Logic: Changes.logic,
    n.Arithmetic: Changes.arithmetic,
    n.Number: Changes.number,
    n.Quantity: Changes.named,
    n.Aggregate: Changes.named,
    n.End: Changes.end,
    n.Of: Changes.of,
    n.Constant: Changes.constant,
    n.Where: Changes.where,
    n.Every: Changes.where,
    n.IfElse: Changes.if_else,
    n.If: Changes.if_,
    n.While: Changes.while_,
    n.Repeat: Changes.repeat,
    n.For: Changes.start,
    n.Deal: Changes.start,
    n.Assign: Changes.assign,
    n.Outcome: Changes.outcome,
    n.Choose: Changes.choose,
}

DROPPED = (
    n.Assign,
    n.Do,
    n.Stop,
    n.Return,
    n.Move,
    n.Gather,
    n.Deal,
    n.Shuffle,
    n.Turn,
    n.Show,
    n.Outcome,
    n.Finish,
)


def entries(node: Node | None) -> list[tuple[str, Node]]:
    """Names and values of a mapping; nothing for anything else."""
    if not isinstance(node, Mapping):
        return []
    return [(entry.key.text, entry.value) for entry in node.entries.values()]


def content(scalar: Scalar) -> Span:
    """The text of a scalar; of a block, all of it but its last line end."""
    text = scalar.body.text
    left = len(text) - len(text.lstrip())
    start = scalar.body.start
    return Span(scalar.span.source, start + left, start + max(left, len(text.rstrip())))
