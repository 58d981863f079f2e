"""Second pass, sets: members picked out, counted, compared and put together; groups of cards."""

from __future__ import annotations

from functools import reduce

from rulebook import nodes as n
from rulebook import terms as t
from rulebook.kinds import (
    FLAG,
    UNKNOWN,
    Flag,
    GroupsOf,
    Kind,
    Members,
    NumberRange,
    Numbers,
    SetOf,
    Unknown,
    number,
)
from rulebook.resolve.names import Names
from rulebook.resolve.namespace import Scope
from rulebook.resolve.values import short
from rulebook.source import Span
from rulebook.terms import Term, Variable

GROUP_LIMIT = 1_000_000
"""Groups counted, and sums over groups, stay within this."""


class Sets(Names):
    def countable(self, node: n.Expr, scope: Scope) -> Term:
        """Something with members: a set, a range of numbers, or groups."""
        term = self.term(node, scope)
        if isinstance(term.kind, NumberRange | GroupsOf | Unknown | SetOf):
            return term
        if isinstance(term.kind, Flag) and isinstance(node, n.Quantity):
            return self.mismatch(term, "a set")
        return self.as_set(term)

    def list_of(self, node: n.ListOf, scope: Scope, want: Kind | None) -> Term:
        inner = want if isinstance(want, Members) else None
        if isinstance(want, SetOf):
            inner = Members(want.enumeration)
        items = [self.term(item, scope, inner) for item in node.items]
        first = next((i for i in items if isinstance(i.kind, Members)), None)
        if first is None:
            wrong = next((i for i in items if not isinstance(i.kind, Unknown)), None)
            return self.mismatch(wrong, "a member") if wrong else items[0]
        assert isinstance(first.kind, Members)
        enumeration = first.kind.enumeration
        result: Term | None = None
        for node_item, item in zip(node.items, items, strict=True):
            if not isinstance(item.kind, Members):
                item = self.term(node_item, scope, Members(enumeration))
            single = self.as_set(item, enumeration)
            if isinstance(single.kind, Unknown):
                return single
            kind = SetOf(enumeration)
            result = (
                single
                if result is None
                else t.SetOperation(node.span, kind, "with", result, single)
            )
        assert result is not None
        return result

    def where(self, node: n.Where, scope: Scope, want: Kind | None) -> Term:
        member = node.subject
        name = binder(member)
        inside = member.subject if isinstance(member, n.Member) and name else member
        subject = self.term(inside, scope, want)
        variable = self.element(subject, node.span)
        if variable is None:
            return subject if isinstance(subject.kind, Unknown) else self._bad_where(node, subject)
        inner = scope.inner(variable)
        if name is not None:
            self.bind(name.text, name.span, variable, inner)
        condition = self.flag(node.condition, inner)
        if isinstance(condition.kind, Unknown):
            return t.Constant(node.span, subject.kind, 0)
        return t.Filter(node.span, subject.kind, subject, variable, condition)

    def _bad_where(self, node: n.Where, subject: Term) -> Term:
        help = ""
        if isinstance(node.subject, n.Quantity | n.Every | n.Aggregate | n.Compare | n.Logic):
            help = "put the set and its `where` in parentheses"
        return self.wrong(
            "wrong-kind",
            f"`where` follows a set; `{short(node.subject.span)}` is {subject.kind}",
            node.subject.span,
            help=help,
        )

    def element(self, subject: Term, span: Span) -> Variable | None:
        """A variable for the members of a set, or None if the term has no members."""
        kind = subject.kind
        if isinstance(kind, SetOf):
            return Variable("", Members(kind.enumeration), span)
        if isinstance(kind, NumberRange):
            return Variable("", Numbers(kind.low, kind.high), span)
        if isinstance(kind, GroupsOf):
            return Variable("", SetOf(kind.enumeration), span)
        return None

    def bound(self, node: n.Expr, scope: Scope) -> tuple[Term, Scope, Variable | None]:
        """The set of an aggregate, and the scope of its key: with `x in S [where C]`, x is known
        there too."""
        name = binder(node.subject if isinstance(node, n.Where) else node)
        if name is not None and scope.find(name.text) is not None:
            name = None
        if isinstance(node, n.Member) and name is not None:
            subject = self.countable(node.subject, scope)
        else:
            subject = self.countable(node, scope)
        variable = self.element(subject, node.span)
        inner = scope.inner(variable)
        if name is not None and variable is not None:
            self.bind(name.text, name.span, variable, inner)
        return subject, inner, variable

    def member(self, node: n.Member, scope: Scope, want: Kind | None) -> Term:
        if isinstance(node.subject, n.ListOf):
            item = self.term(node.item, scope)
            if isinstance(item.kind, Numbers):
                return self.among_numbers(node, item, node.subject, scope)
            subject = self.term(node.subject, scope, item.kind)
        else:
            subject = self.term(node.subject, scope)
            item_kind = (
                Members(subject.kind.enumeration) if isinstance(subject.kind, SetOf) else None
            )
            item = self.term(node.item, scope, item_kind)
        if isinstance(subject.kind, Unknown) or isinstance(item.kind, Unknown):
            return t.Constant(node.span, FLAG, 0)
        result: Term
        if isinstance(subject, t.RangeOf) and isinstance(item.kind, Numbers):
            low = t.Compare(node.span, FLAG, ">=", item, subject.low)
            high = t.Compare(node.span, FLAG, "<=", item, subject.high)
            result = t.Logic(node.span, FLAG, "and", low, high)
        elif isinstance(subject.kind, GroupsOf):
            if not isinstance(item.kind, SetOf) or item.kind.enumeration is not self.found.card:
                return self.mismatch(item, "a set of cards")
            result = t.GroupIn(node.span, FLAG, item, subject)
        else:
            subject = self.as_set(subject)
            if not isinstance(subject.kind, SetOf):
                return t.Constant(node.span, FLAG, 0)
            kind = Members(subject.kind.enumeration, True)
            result = t.Contains(node.span, FLAG, subject, self.fit(item, kind))
        return t.Not(node.span, FLAG, result) if node.negated else result

    def among_numbers(self, node: n.Member, item: Term, items: n.ListOf, scope: Scope) -> Term:
        """`x in (15, 31)`: whether the number is one of those."""
        result: Term | None = None
        for other in items.items:
            value = self.term(other, scope)
            if not isinstance(value.kind, Numbers):
                return self.mismatch(value, "a number")
            equal = t.Compare(node.span, FLAG, "is", item, value)
            result = equal if result is None else t.Logic(node.span, FLAG, "or", result, equal)
        assert result is not None
        return t.Not(node.span, FLAG, result) if node.negated else result

    def set_operation(self, node: n.Arithmetic, left: Term, right: Term) -> Term:
        first = self.as_set(left)
        if not isinstance(first.kind, SetOf):
            return first
        second = self.as_set(right, first.kind.enumeration)
        if not isinstance(second.kind, SetOf):
            return second
        return t.SetOperation(node.span, first.kind, node.sign, first, second)

    # ---- questions about a set ----

    def quantity(self, node: n.Quantity, scope: Scope, want: Kind | None) -> Term:
        subject, _, _ = self.bound(node.subject, scope)
        if isinstance(subject.kind, Unknown):
            kind = number(0) if node.word == "count" else FLAG
            return t.Constant(node.span, UNKNOWN if node.word == "count" else kind, 0)
        if node.word == "count":
            return t.Count(node.span, Numbers(0, self.most_members(subject.kind)), subject)
        found: Term = t.Any(node.span, FLAG, subject)
        return found if node.word == "any" else t.Not(node.span, FLAG, found)

    def every(self, node: n.Every, scope: Scope, want: Kind | None) -> Term:
        """`every S satisfies C` is: no member of S where not C."""
        subject, inner, variable = self.bound(node.subject, scope)
        if variable is None:
            return t.Constant(node.span, FLAG, 0)
        condition = self.flag(node.condition, inner)
        against = t.Not(condition.span, FLAG, condition)
        rest = t.Filter(node.span, subject.kind, subject, variable, against)
        return t.Not(node.span, FLAG, t.Any(node.span, FLAG, rest))

    def aggregate(self, node: n.Aggregate, scope: Scope, want: Kind | None) -> Term:
        subject, inner, variable = self.bound(node.subject, scope)
        if variable is None:
            return subject
        if node.all and node.word not in ("highest", "lowest"):
            return self.wrong("bad-all", "`all` goes with `highest` and `lowest` only", node.span)
        key = self.term(node.key, inner)
        if isinstance(key.kind, Unknown):
            return key
        ranked = isinstance(key.kind, Members) and self.ranked(key.kind.enumeration)
        if isinstance(key.kind, Members) and ranked and node.word in ("highest", "lowest"):
            key = self.fit(key, Members(key.kind.enumeration), f"`{node.word}`")
        elif not isinstance(key.kind, Numbers):
            return self.mismatch(key, "a number")
        word = f"all {node.word}" if node.all else node.word
        kind = self._aggregate_kind(word, key.kind, subject.kind)
        if word.startswith("all ") and not isinstance(subject.kind, SetOf):
            return t.Later(node.span, kind, "`all` of groups or numbers")
        return t.Aggregate(node.span, kind, word, key, variable, subject)

    def _aggregate_kind(self, word: str, key: Kind, subject: Kind) -> Kind:
        if isinstance(key, Numbers) and word in ("sum", "most", "least"):
            if word != "sum":
                return Numbers(min(key.low, 0), max(key.high, 0))
            size = self.most_members(subject)
            if max(abs(key.low), abs(key.high)) * size > GROUP_LIMIT * 1000:
                size = 1000
            return Numbers(min(key.low * size, 0), max(key.high * size, 0))
        if word.startswith("all "):
            return subject
        if isinstance(subject, SetOf):
            return Members(subject.enumeration, True)
        if isinstance(subject, GroupsOf):
            return SetOf(subject.enumeration)
        assert isinstance(subject, NumberRange)
        return Numbers(min(subject.low, 0), max(subject.high, 0))

    def most_members(self, kind: Kind) -> int:
        """The most members that something of the kind can have."""
        if isinstance(kind, SetOf):
            return kind.enumeration.size
        if isinstance(kind, NumberRange):
            return max(kind.high - kind.low + 1, 0)
        return GROUP_LIMIT

    # ---- ends of zones, groups of cards ----

    def end(self, node: n.End, scope: Scope, want: Kind | None) -> Term:
        card = self.found.card
        zone = self.term(node.zone, scope, SetOf(card))
        if isinstance(zone.kind, Unknown):
            return zone
        if not isinstance(zone, t.ZoneOf):
            return self.mismatch(zone, "a zone")
        if not zone.zone.ordered:
            self.problems.add(
                "not-ordered",
                f"`{zone.zone.name}` has no order, so it has no {node.which} card",
                node.span,
                help=f"give the zone `{zone.zone.name}` the line `ordered: yes`",
            )
        if node.count is None:
            return t.EndCard(node.span, Members(card, True), node.which, zone)
        count = self.term(node.count, scope)
        if not isinstance(count.kind, Numbers):
            return self.mismatch(count, "a number")
        return t.EndCards(node.span, SetOf(card), node.which, count, zone)

    def shapes(self, shapes: tuple[n.Shape, ...]) -> tuple[t.Shape, ...]:
        """Shapes with their names looked up: an order of ranks, and suit or rank after `one`."""
        found: list[t.Shape] = []
        for shape in shapes:
            order: t.Table | None = None
            if shape.order is not None:
                symbol = self.names.get(shape.order.text)
                if symbol is None or symbol.what not in ("order", "table"):
                    orders = [s.name for s in self.names.symbols.values() if s.what == "order"]
                    self.names.unknown(
                        "unknown-order",
                        f"there is no order called `{shape.order.text}`",
                        shape.order.span,
                        orders,
                        "an order",
                    )
                elif isinstance(symbol.value, t.Table):
                    order = symbol.value
            if shape.one is not None and shape.one.text not in ("suit", "rank"):
                self.problems.add(
                    "bad-shape",
                    f"cards can be of one suit or of one rank, not of one `{shape.one.text}`",
                    shape.one.span,
                )
            if shape.high is not None and shape.low > shape.high:
                self.problems.add("bad-range", "this range is empty", shape.span)
            if shape.run and order is None:
                order = self.rank_order()
            one = shape.one.text if shape.one else None
            found.append(t.Shape(shape.span, shape.low, shape.high, one, order, shape.longest))
        return tuple(found)

    def rank_order(self) -> t.Table:
        """The ranks in the order in which the file lists them."""
        rank = self.found.enumerations["rank"]
        places = tuple(range(rank.size))
        return t.Table("rank", (rank,), Numbers(0, max(rank.size - 1, 0)), places, None)

    def groups(self, node: n.Groups, scope: Scope, want: Kind | None) -> Term:
        card = self.found.card
        shapes = self.shapes(node.shapes)
        subject = self.as_set(self.term(node.subject, scope), card)
        variable = Variable("", SetOf(card), node.name.span)
        condition: Term | None = None
        inner = scope.inner(variable)
        self.bind(node.name.text, node.name.span, variable, inner)
        if node.condition is not None:
            condition = self.flag(node.condition, inner)
        return t.Groups(node.span, GroupsOf(card), variable, shapes, subject, condition)

    def split(self, node: n.Split, scope: Scope, want: Kind | None) -> Term:
        card = self.found.card
        groups = self.term(node.groups, scope)
        if not isinstance(groups.kind, GroupsOf | Unknown):
            self.mismatch(groups, "a set of groups")
        variable = Variable("", SetOf(card), node.span)
        key = self.term(node.key, scope.inner(variable))
        if not isinstance(key.kind, Numbers | Unknown):
            self.mismatch(key, "a number")
        return t.Split(node.span, GroupsOf(card), groups, variable, key)

    def cards_of(self, node: n.CardsOf, scope: Scope, want: Kind | None) -> Term:
        if isinstance(node.argument, n.Name) and scope.find(node.argument.text) is None:
            symbol = self.names.symbols.get(node.argument.text)
            if symbol is not None and isinstance(symbol.value, t.Zone):
                return self.whole(symbol.value, node)
        argument = self.term(node.argument, scope)
        if not isinstance(argument.kind, GroupsOf | Unknown):
            return self.mismatch(argument, "the name of a zone or a set of groups")
        return t.UnionOf(node.span, SetOf(self.found.card), argument)

    def whole(self, zone: t.Zone, node: n.CardsOf) -> Term:
        """`cards of hand`: the cards of all zones of a family together."""
        self.names.get(zone.name)
        zone.read = True
        span, each, kind = node.span, zone.each, SetOf(self.found.card)
        if each is None:
            return self.wrong(
                "not-a-family",
                f"there is only one `{zone.name}`",
                span,
                help=f"write `{zone.name}` alone",
            )
        indexes: list[Term]
        if isinstance(each, NumberRange):
            numbers = range(each.low, each.high + 1)
            indexes = [t.Constant(span, number(place), place) for place in numbers]
        else:
            indexes = [t.Constant(span, Members(each), place) for place in range(each.size)]
        parts: list[Term] = [t.ZoneOf(span, kind, zone, index) for index in indexes]
        if not parts:
            return t.Constant(span, kind, 0)
        return reduce(lambda all, part: t.SetOperation(span, kind, "with", all, part), parts)


def binder(node: n.Expr) -> n.Name | None:
    """The x of `x in S`, where that names the members of S."""
    if isinstance(node, n.Member) and isinstance(node.item, n.Name) and not node.negated:
        return node.item
    return None


def named(node: n.Expr, name: n.Word) -> n.Expr:
    """`S where C` as `x in S where C`, if it has no name of its own: what is picked or walked
    through has its name in its condition too."""
    if not isinstance(node, n.Where) or binder(node.subject) is not None:
        return node
    member = n.Member(node.subject.span, n.Name(name.span, name.text), node.subject, negated=False)
    return n.Where(node.span, member, node.condition)
