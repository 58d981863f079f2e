"""Second pass, expressions: names to declarations, kinds throughout, literals by their place."""

from __future__ import annotations

from collections.abc import Callable

from rulebook import nodes as n
from rulebook import terms as t
from rulebook.diagnostics import Fix
from rulebook.kinds import (
    FLAG,
    NONE,
    UNKNOWN,
    GroupsOf,
    Kind,
    Members,
    Nothing,
    NumberRange,
    Numbers,
    SetOf,
    Unknown,
    join,
    number,
    same,
)
from rulebook.resolve.arithmetic import combine, constant_fold
from rulebook.resolve.namespace import Scope
from rulebook.resolve.sets import Sets
from rulebook.resolve.values import one_thing, short
from rulebook.source import Span
from rulebook.terms import Term


class Expressions(Sets):
    """`term` is the door; one method for each node class behind it, here and in the classes below
    this one (values, names, sets)."""

    def term(self, node: n.Expr, scope: Scope, want: Kind | None = None) -> Term:
        """Resolve an expression. `want` only helps to read literals; `fit` enforces kinds."""
        method = METHODS[type(node)]
        result: Term = method(self, node, scope, want)
        return result

    # ---- logic and comparison ----

    def not_(self, node: n.Not, scope: Scope, want: Kind | None) -> Term:
        return t.Not(node.span, FLAG, self.flag(node.operand, scope))

    def logic(self, node: n.Logic, scope: Scope, want: Kind | None) -> Term:
        left = self.flag(node.left, scope)
        several = self.several(node, scope)
        if several is not None:
            return several
        right = self.flag(node.right, scope)
        return t.Logic(node.span, FLAG, node.word, left, right)

    def several(self, node: n.Logic, scope: Scope) -> Term | None:
        """`x is a or b`: the second is no condition, though people say it so."""
        left, right = node.left, node.right
        if node.word != "or" or not isinstance(left, n.Compare) or not isinstance(right, n.Name):
            return None
        symbol = self.names.symbols.get(right.text)
        if left.sign != "is" or symbol is None or not isinstance(symbol.value, tuple):
            return None
        symbol.used = True
        of, first = left.left.span.text, left.right.span.text
        return self.wrong(
            "wrong-kind",
            f"`{right.text}` is no condition; it is not compared with anything",
            right.span,
            help=f"write `{of} in ({first}, {right.text})`",
            fix=Fix(node.span, f"{of} in ({first}, {right.text})"),
        )

    def literal(self, node: n.Expr, scope: Scope) -> bool:
        """Whether the expression's kind depends on what stands opposite."""
        if isinstance(node, n.Name):
            return node.text not in self.names.symbols and scope.find(node.text) is None
        if isinstance(node, n.ListOf):
            return all(self.literal(item, scope) for item in node.items)
        return isinstance(node, n.Number | n.Constant)

    def pair(self, left: n.Expr, right: n.Expr, scope: Scope) -> tuple[Term, Term]:
        """Both sides of a comparison; a literal is read by the kind of the other side."""
        if self.literal(left, scope) and not self.literal(right, scope):
            second = self.term(right, scope)
            return self.term(left, scope, second.kind), second
        first = self.term(left, scope)
        return first, self.term(right, scope, first.kind)

    def alike(self, left: Term, right: Term) -> tuple[Term, Term]:
        """Two members as members of one kind, where one kind takes in the other."""
        if isinstance(left.kind, Members) and isinstance(right.kind, Members):
            left = self.widened(left, right.kind.enumeration)
            assert isinstance(left.kind, Members)
            right = self.widened(right, left.kind.enumeration)
        return left, right

    def compare(self, node: n.Compare, scope: Scope, want: Kind | None) -> Term:
        left, right = self.alike(*self.pair(node.left, node.right, scope))
        if isinstance(left.kind, Unknown) or isinstance(right.kind, Unknown):
            return t.Constant(node.span, FLAG, 0)
        if not same(left.kind, right.kind):
            fix = None
            help = ""
            if isinstance(left.kind, SetOf) and right.kind == NONE:
                help, fix = "write `empty`", Fix(right.span, "empty")
            elif isinstance(left.kind, SetOf) and isinstance(right.kind, Numbers):
                help = f"write `count {one_thing(left.span)}` in its place"
            return self.wrong(
                "wrong-kind",
                f"`{short(left.span)}` is {left.kind}, `{short(right.span)}` is {right.kind}: "
                "they cannot be compared",
                node.span,
                help=help,
                fix=fix,
            )
        if node.sign not in ("is", "is not"):
            card = Members(self.found.card)
            if all(
                isinstance(side.kind, Members) and same(side.kind, card) for side in (left, right)
            ):
                return self.by_rank(node, left, right)
            left, right = self.ordered(left), self.ordered(right)
            if isinstance(left.kind, Unknown) or isinstance(right.kind, Unknown):
                return t.Constant(node.span, FLAG, 0)
        elif isinstance(left.kind, GroupsOf | NumberRange):
            return self.mismatch(left, "a single value or a set")
        if isinstance(left.kind, Nothing):
            left = self.fit(left, _optional(right.kind))
        if isinstance(right.kind, Nothing):
            right = self.fit(right, _optional(left.kind))
        return t.Compare(node.span, FLAG, node.sign, left, right)

    def by_rank(self, node: n.Compare, left: Term, right: Term) -> Term:
        """Two cards, which nothing makes higher or lower by themselves."""
        sides = [f"rank of {short(side.span)}" for side in (left, right)]
        return self.wrong(
            "wrong-kind",
            "cards are not higher or lower by themselves; their ranks are",
            node.span,
            label="two cards",
            help=f"write `{sides[0]} {node.sign} {sides[1]}`, or an order in the place of `rank`",
        )

    def ordered(self, term: Term) -> Term:
        kind = term.kind
        if isinstance(kind, Numbers):
            return term
        if isinstance(kind, Members) and self.ranked(kind.enumeration):
            return self.fit(term, Members(kind.enumeration), "a comparison")
        return self.mismatch(term, "a number or a rank")

    def if_else(self, node: n.IfElse, scope: Scope, want: Kind | None) -> Term:
        condition = self.flag(node.condition, scope)
        then, other = self.pair(node.then, node.other, scope)
        if want is not None and self.literal(node.then, scope) and self.literal(node.other, scope):
            then, other = self.term(node.then, scope, want), self.term(node.other, scope, want)
        then, other = self.alike(then, other)
        if isinstance(then.kind, Unknown) or isinstance(other.kind, Unknown):
            return t.Constant(node.span, UNKNOWN, 0)
        if isinstance(then.kind, SetOf) or isinstance(other.kind, SetOf):
            kind = then.kind if isinstance(then.kind, SetOf) else other.kind
            assert isinstance(kind, SetOf)
            then, other = self.as_set(then, kind.enumeration), self.as_set(other, kind.enumeration)
            return t.IfElse(node.span, kind, condition, then, other)
        if not same(then.kind, other.kind):
            return self.mismatch(other, str(then.kind))
        joined = join(then.kind, other.kind)
        if isinstance(then.kind, Nothing) or isinstance(other.kind, Nothing):
            then, other = self.fit(then, joined), self.fit(other, joined)
        return t.IfElse(node.span, joined, condition, then, other)

    # ---- numbers ----

    def arithmetic(self, node: n.Arithmetic, scope: Scope, want: Kind | None) -> Term:
        left, right = self.term(node.left, scope), self.term(node.right, scope)
        if node.sign in ("with", "without"):
            return self.set_operation(node, left, right)
        for term in (left, right):
            if isinstance(term.kind, SetOf) and node.sign in ("+", "-"):
                word = "with" if node.sign == "+" else "without"
                return self.wrong(
                    "wrong-kind",
                    f"`{node.sign}` is for numbers; `{short(term.span)}` is {term.kind}",
                    node.span,
                    help=f"write `{word}`",
                )
            if not isinstance(term.kind, Numbers | Unknown):
                return self.neighbour(node, left, right) or self.mismatch(term, "a number")
        if not isinstance(left.kind, Numbers) or not isinstance(right.kind, Numbers):
            return t.Constant(node.span, UNKNOWN, 0)
        if node.sign in ("/", "mod") and right.kind.low <= 0:
            if right.kind.high <= 0:
                return self.wrong("by-zero", "this divides by zero or less", node.right.span)
            kind = Numbers(1, right.kind.high)
            right = t.Fit(right.span, kind, right, 1, kind.high, "the divisor")
        return self.combined(node.span, node.sign, left, right)

    def neighbour(
        self, node: n.Arithmetic, left: Term, right: Term, target: str = ""
    ) -> Term | None:
        """`p + 1`: a player is no number, though seats have one. `target` is what is set to it."""
        player = self.found.enumerations["player"]
        steps = right.value if isinstance(right, t.Constant) else 0
        if not isinstance(left.kind, Members) or left.kind.enumeration is not player:
            return None
        if not isinstance(right.kind, Numbers) or node.sign not in ("+", "-") or steps < 1:
            return None
        text, many = one_thing(left.span), "" if steps == 1 else f"{steps} "
        target = target and f"{target} = "
        ways = ("next", "left") if node.sign == "+" else ("right",)
        return self.wrong(
            "wrong-kind",
            f"`{text}` is a player; it is not counted with `{node.sign}`",
            node.span,
            label="a player and a number",
            help="write " + " or ".join(f"`{target}{many}{way} of {text}`" for way in ways),
        )

    def combined(self, span: Span, sign: str, left: Term, right: Term) -> Term:
        """An arithmetic term, folded if constant, proved to fit 32 bits."""
        assert isinstance(left.kind, Numbers)
        assert isinstance(right.kind, Numbers)
        kind = combine(sign, left.kind, right.kind)
        if kind is None:
            return self.wrong(
                "number-too-big",
                "this number can grow beyond 2,147,483,647",
                span,
                help="declare smaller ranges for what it is made of",
            )
        if isinstance(left, t.Constant) and isinstance(right, t.Constant):
            value = constant_fold(sign, left.value, right.value)
            return t.Constant(span, number(value), value)
        return t.Arithmetic(span, kind, sign, left, right)

    def negate(self, node: n.Negate, scope: Scope, want: Kind | None) -> Term:
        operand = self.term(node.operand, scope)
        if not isinstance(operand.kind, Numbers):
            return self.mismatch(operand, "a number")
        zero = t.Constant(node.span, number(0), 0)
        return self.combined(node.span, "-", zero, operand)

    def range(self, node: n.Range, scope: Scope, want: Kind | None) -> Term:
        low, high = self.term(node.low, scope), self.term(node.high, scope)
        step = self.term(node.step, scope) if node.step else None
        for term in (low, high):
            if not isinstance(term.kind, Numbers):
                return self.mismatch(term, "a number")
        if step is not None and not (isinstance(step, t.Constant) and step.value > 0):
            return self.wrong("bad-step", "the step is a fixed number above 0", step.span)
        assert isinstance(low.kind, Numbers)
        assert isinstance(high.kind, Numbers)
        kind = NumberRange(low.kind.low, high.kind.high)
        size = step.value if isinstance(step, t.Constant) else 1
        return t.RangeOf(node.span, kind, low, high, size)

    # ---- moves, chance ----

    def can(self, node: n.Can, scope: Scope, want: Kind | None) -> Term:
        player = Members(self.found.enumerations["player"])
        seat = self.fit(self.term(node.player, scope, player), player, "`can`")
        if not self.move_name(node.move):
            return t.Constant(node.span, FLAG, 0)
        return t.Can(node.span, FLAG, seat, node.move.text)

    def move_name(self, word: n.Word) -> bool:
        """Whether the word names a move (a problem, if not)."""
        symbol = self.names.get(word.text)
        if symbol is not None and symbol.what == "move":
            return True
        self.names.unknown(
            "unknown-move",
            f"there is no move called `{word.text}`",
            word.span,
            self.found.moves,
            "a move",
        )
        return False

    def random(self, node: n.Random, scope: Scope, want: Kind | None) -> Term:
        if scope.place == "pure":
            return self.wrong("chance-here", "chance decides in steps and moves only", node.span)
        subject = self.as_set(self.term(node.subject, scope))
        if not isinstance(subject.kind, SetOf):
            return subject
        kind = Members(subject.kind.enumeration)
        return t.RandomFrom(node.span, kind, subject, self.chance(node.span))

    def chance(self, span: Span) -> t.Chance:
        chance = t.Chance(len(self.chances), span)
        self.chances.append(chance)
        return chance


def _optional(kind: Kind) -> Kind:
    return Members(kind.enumeration, True) if isinstance(kind, Members) else kind


METHODS: dict[type, Callable[..., Term]] = {
    n.Number: Expressions.number,
    n.Name: Expressions.name,
    n.Constant: Expressions.constant,
    n.ListOf: Expressions.list_of,
    n.Of: Expressions.of,
    n.StepsOf: Expressions.steps_of,
    n.CardsOf: Expressions.cards_of,
    n.End: Expressions.end,
    n.Quantity: Expressions.quantity,
    n.Aggregate: Expressions.aggregate,
    n.Every: Expressions.every,
    n.Where: Expressions.where,
    n.Not: Expressions.not_,
    n.Negate: Expressions.negate,
    n.Logic: Expressions.logic,
    n.Compare: Expressions.compare,
    n.Member: Expressions.member,
    n.Arithmetic: Expressions.arithmetic,
    n.IfElse: Expressions.if_else,
    n.Range: Expressions.range,
    n.Among: Expressions.among,
    n.Can: Expressions.can,
    n.Groups: Expressions.groups,
    n.Split: Expressions.split,
    n.Random: Expressions.random,
}
