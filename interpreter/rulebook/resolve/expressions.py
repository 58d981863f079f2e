"""Second pass, expressions: names to declarations, kinds throughout, literals by their place.

A wrong expression is reported once and gets the kind `UNKNOWN`, which fits everywhere, so that one
cause gives one message.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any as Anything

from rulebook import nodes as n
from rulebook import terms as t
from rulebook.diagnostics import Problems
from rulebook.kinds import (
    EMPTY,
    FLAG,
    NONE,
    UNKNOWN,
    Enumeration,
    Flag,
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
from rulebook.resolve.arithmetic import MEASURES, combine, constant_fold, measure
from rulebook.resolve.declare import Declarations
from rulebook.resolve.namespace import Namespace, Scope, Symbol
from rulebook.source import Span
from rulebook.terms import Term, Variable

RANKED = ("rank",)
UNRANKED = ("card", "suit", "player", "team")
"""Built-in kinds without an order; kinds of the file compare in the order they list."""


class Expressions:
    """`term` is the door; one method for each node class behind it."""

    def __init__(self, found: Declarations, problems: Problems) -> None:
        self.found = found
        self.problems = problems
        self.names: Namespace = found.names
        self.chances: list[t.Chance] = []
        self.attributes = self._attributes()
        self.definition: Callable[[str, Span], t.Definition | None] = lambda name, span: None
        """Set by the resolver of entries: a definition by name, resolved when first asked for."""
        self.steps_taken: set[str] = set()

    def _attributes(self) -> dict[str, t.Table]:
        """`suit` and `rank` of a card, `team` and `partner` of a player, as tables."""
        found = self.found
        card, suit, rank = (found.enumerations[name] for name in ("card", "suit", "rank"))
        tables = {
            "suit": t.Table("suit", (card,), Members(suit, -1 in found.suit_of), found.suit_of, None),
            "rank": t.Table("rank", (card,), Members(rank, -1 in found.rank_of), found.rank_of, None),
        }
        player = found.enumerations["player"]
        if found.teams:
            team = found.enumerations["team"]
            seats = {seat: i for i, (_, members) in enumerate(found.teams) for seat in members}
            team_of = tuple(seats.get(seat, 0) for seat in range(found.players))
            partner_of = tuple(
                next((m for m in found.teams[team_of[s]][1] if m != s and m < found.players), -1)
                for s in range(found.players)
            )
            tables["team"] = t.Table("team", (player,), Members(team), team_of, None)
            optional = -1 in partner_of
            kind = Members(player, optional)
            tables["partner"] = t.Table("partner", (player,), kind, partner_of, None)
        return tables

    # ---- reporting ----

    def wrong(self, slug: str, message: str, span: Span, **more: Anything) -> Term:
        self.problems.add(slug, message, span, **more)
        return t.Constant(span, UNKNOWN, 0)

    def mismatch(self, term: Term, wanted: str) -> Term:
        if isinstance(term.kind, Unknown):
            return term
        return self.wrong(
            "wrong-kind",
            f"`{_short(term.span)}` is {term.kind}; {wanted} is wanted here",
            term.span,
            label=f"{term.kind}",
        )

    # ---- the door ----

    def term(self, node: n.Expr, scope: Scope, want: Kind | None = None) -> Term:
        """Resolve an expression. `want` only helps to read literals; `fit` enforces kinds."""
        method = METHODS[type(node)]
        result: Term = method(self, node, scope, want)
        return result

    def flag(self, node: n.Expr, scope: Scope) -> Term:
        return self.fit(self.term(node, scope, FLAG), FLAG)

    def fit(self, term: Term, kind: Kind, use: str = "") -> Term:
        """The term as a value of the kind: converted, checked at run time, or reported."""
        own = term.kind
        if isinstance(own, Unknown) or isinstance(kind, Unknown):
            return term
        if isinstance(kind, Members):
            return self._fit_member(term, kind, use)
        if isinstance(kind, SetOf):
            return self.as_set(term, kind.enumeration)
        if isinstance(kind, Numbers) and isinstance(own, Numbers):
            if own.low > kind.high or own.high < kind.low:
                return self.wrong(
                    "out-of-range",
                    f"`{_short(term.span)}` is never within {kind.low}..{kind.high}",
                    term.span,
                )
            if own.low >= kind.low and own.high <= kind.high:
                return term
            return t.Fit(term.span, kind, term, kind.low, kind.high, use)
        if same(own, kind):
            return term
        return self.mismatch(term, str(kind))

    def _fit_member(self, term: Term, kind: Members, use: str) -> Term:
        own = term.kind
        if isinstance(own, Nothing):
            if own.word == "none" and kind.optional:
                return t.Constant(term.span, kind, -1)
            if own.word == "none":
                return self.wrong(
                    "none-here", f"none cannot stand here: {kind} is wanted", term.span
                )
            return self.mismatch(term, str(kind))
        if not isinstance(own, Members) or own.enumeration is not kind.enumeration:
            return self.mismatch(term, str(Members(kind.enumeration)))
        if own.optional and not kind.optional:
            return t.Need(term.span, kind, term, use or "a value")
        return term

    def as_set(self, term: Term, enumeration: Enumeration | None = None) -> Term:
        """The term as a set; a single member is the set of that one."""
        kind = term.kind
        if isinstance(kind, Unknown):
            return term
        if isinstance(kind, Nothing) and kind.word == "empty" and enumeration is not None:
            return t.Constant(term.span, SetOf(enumeration), 0)
        if isinstance(kind, Members) and enumeration in (None, kind.enumeration):
            return t.Single(term.span, SetOf(kind.enumeration), term)
        if isinstance(kind, SetOf) and enumeration in (None, kind.enumeration):
            return term
        name = enumeration.name if enumeration else "member"
        return self.mismatch(term, f"a set of {name}s")

    def countable(self, node: n.Expr, scope: Scope) -> Term:
        """Something with members: a set, a range of numbers, or groups."""
        term = self.term(node, scope)
        if isinstance(term.kind, NumberRange | GroupsOf | Unknown | SetOf):
            return term
        if isinstance(term.kind, Flag) and isinstance(node, n.Quantity):
            return self.mismatch(term, "a set")
        return self.as_set(term)

    # ---- atoms ----

    def number(self, node: n.Number, scope: Scope, want: Kind | None) -> Term:
        if isinstance(want, Members) and str(node.value) in want.enumeration.members:
            index = want.enumeration.members.index(str(node.value))
            return t.Constant(node.span, Members(want.enumeration), index)
        if node.value > 2**31 - 1:
            return self.wrong("number-too-big", "this number is too big", node.span)
        return t.Constant(node.span, number(node.value), node.value)

    def constant(self, node: n.Constant, scope: Scope, want: Kind | None) -> Term:
        if node.word in ("yes", "no"):
            return t.Constant(node.span, FLAG, int(node.word == "yes"))
        if node.word == "cards":
            return t.Constant(node.span, SetOf(self.found.card), self.found.card.full)
        return t.Constant(node.span, NONE if node.word == "none" else EMPTY, -1)

    def name(self, node: n.Name, scope: Scope, want: Kind | None) -> Term:
        text = node.text
        variable = scope.find(text)
        if variable is not None:
            variable.read = True
            return t.Read(node.span, variable.kind, variable)
        if isinstance(want, Members) and text in want.enumeration.members:
            symbol = self.names.symbols.get(text)
            if symbol is None or symbol.what != want.enumeration.name:
                index = want.enumeration.members.index(text)
                return t.Constant(node.span, Members(want.enumeration), index)
        symbol = self.names.get(text)
        if symbol is None:
            return self.unknown(node.span, text, scope, want)
        return self.symbol(node.span, symbol, scope)

    def unknown(self, span: Span, text: str, scope: Scope, want: Kind | None) -> Term:
        candidates = [s.name for s in self.names.symbols.values() if s.what != "step"]
        if isinstance(want, Members):
            candidates += want.enumeration.members
        if isinstance(want, SetOf) and want.enumeration.name == "card":
            zones = list(self.found.zones)
            self.names.unknown(
                "unknown-zone", f"there is no zone called `{text}`", span, zones, "a zone"
            )
        else:
            self.names.unknown(
                "unknown-name",
                f"there is nothing called `{text}`",
                span,
                candidates + scope.names(),
                "a name of this file",
            )
        return t.Constant(span, UNKNOWN, 0)

    def symbol(self, span: Span, symbol: Symbol, scope: Scope) -> Term:
        """A name alone: a value, or an attribute of the member that `where` looks at."""
        value = symbol.value
        if isinstance(value, t.Option):
            kind = number(value.value) if isinstance(value.kind, Numbers) else value.kind
            return t.Constant(span, kind, value.value)
        if isinstance(value, tuple):
            enumeration, index = value
            return t.Constant(span, Members(enumeration), index)
        if isinstance(value, SetOf):
            return t.Constant(span, value, value.enumeration.full)
        if symbol.name == "mover":
            return t.Mover(span, Members(self.found.enumerations["player"]))
        if isinstance(value, t.State) and value.each is None:
            value.read = True
            return t.StateOf(span, value.kind, value, None)
        if isinstance(value, t.Zone) and value.each is None:
            value.read = True
            return t.ZoneOf(span, SetOf(self.found.card), value, None)
        if symbol.what == "definition":
            definition = self.definition(symbol.name, span)
            if definition is None:
                return t.Constant(span, UNKNOWN, 0)
            if not definition.parameters:
                return t.Call(span, definition.kind, definition, ())
        if symbol.what in ("move", "step"):
            return self.wrong(
                "wrong-kind", f"`{symbol.name}` is a {symbol.what}, not a value", span
            )
        if scope.element is not None:
            scope.element.read = True
            element = t.Read(span, scope.element.kind, scope.element)
            return self.apply(n.Word(span, symbol.name), [element], span, scope)
        return self.wrong(
            "missing-of",
            f"`{symbol.name}` does not say of what",
            span,
            help=f"write `{symbol.name} of` and the thing it belongs to",
        )

    # ---- of ----

    def of(self, node: n.Of, scope: Scope, want: Kind | None) -> Term:
        head = node.head.text
        symbol = self.names.symbols.get(head)
        member = symbol is not None and symbol.what == "rank"
        if member or head.isdigit():
            return self.card(node, scope)
        wants = self.wanted(symbol)
        if isinstance(node.argument, n.ListOf):
            items = node.argument.items
            hints = [*wants, *[None] * len(items)]
            arguments = [self.term(a, scope, w) for a, w in zip(items, hints, strict=False)]
        else:
            arguments = [self.term(node.argument, scope, wants[0] if wants else None)]
        return self.apply(node.head, arguments, node.span, scope)

    def wanted(self, symbol: Symbol | None) -> list[Kind | None]:
        """The kinds of a thing's arguments, to read literals by."""
        if symbol is None:
            return []
        value = symbol.value
        if isinstance(value, t.Table):
            return [Members(i) if isinstance(i, Enumeration) else None for i in value.indexes]
        if isinstance(value, t.Zone | t.State) and isinstance(value.each, Enumeration):
            return [Members(value.each)]
        if symbol.what == "definition" and symbol.name in self.found.definitions:
            definition = self.definition(symbol.name, self.found.spans[symbol.name])
            return [p.kind for p in definition.parameters] if definition else []
        if symbol.name in ("left", "right", "next", "partner", "team"):
            return [Members(self.found.enumerations["player"])]
        return []

    def card(self, node: n.Of, scope: Scope) -> Term:
        """`rank of suit`: a card by name; the suit may be computed."""
        found = self.found
        suit, rank = found.enumerations["suit"], found.enumerations["rank"]
        if node.head.text not in rank.members:
            return self.wrong(
                "unknown-member", f"there is no rank `{node.head.text}`", node.head.span
            )
        self.names.get(node.head.text)
        position = rank.members.index(node.head.text)
        argument = self.fit(self.term(node.argument, scope, Members(suit)), Members(suit))
        if isinstance(argument.kind, Unknown):
            return argument
        cards = tuple(
            next(
                (
                    card
                    for card in range(found.card.size)
                    if found.suit_of[card] == s and found.rank_of[card] == position
                ),
                -1,
            )
            for s in range(suit.size)
        )
        if isinstance(argument, t.Constant):
            if cards[argument.value] < 0:
                return self.wrong(
                    "unknown-card", f"the deck has no `{node.span.text}`", node.span
                )
            return t.Constant(node.span, Members(found.card), cards[argument.value])
        kind = Members(found.card, -1 in cards)
        table = t.Table(node.head.text, (suit,), kind, cards, node.span)
        return t.Lookup(node.span, kind, table, (argument,))

    def apply(self, head: n.Word, arguments: list[Term], span: Span, scope: Scope) -> Term:
        """`head of arguments`, whatever the head names."""
        name = head.text
        if any(isinstance(argument.kind, Unknown) for argument in arguments):
            if self.names.get(name) is None and scope.find(name) is None:
                return self.unknown(head.span, name, scope, None)
            return t.Constant(span, UNKNOWN, 0)
        variable = scope.find(name)
        if variable is not None:
            return self.wrong("not-of", f"`{name}` is {variable.kind}, it has no `of`", head.span)
        symbol = self.names.get(name)
        if symbol is None:
            return self.unknown(head.span, name, scope, None)
        value = symbol.value
        if name in MEASURES:
            return self.function(name, arguments, span)
        if name in ("left", "right", "next") or name in self.attributes or name == "player":
            if len(arguments) != 1:
                return self.arguments(name, 1, len(arguments), span)
            return self.attribute(name, arguments[0], span)
        if isinstance(value, t.Table):
            return self.lookup(value, arguments, span)
        if isinstance(value, t.Zone | t.State) and value.each is not None:
            if len(arguments) != 1:
                return self.arguments(name, 1, len(arguments), span)
            index = self.index(arguments[0], value.each, name)
            value.read = True
            if isinstance(value, t.Zone):
                return t.ZoneOf(span, SetOf(self.found.card), value, index)
            return t.StateOf(span, value.kind, value, index)
        if symbol.what == "definition":
            return self.call(symbol, arguments, span)
        if symbol.what == "partner" or name == "partner":
            return self.wrong("no-teams", "there are no teams, so nobody has a partner", head.span)
        return self.wrong(
            "not-of", f"`{name}` is a {symbol.what}; it has no `of`", head.span, label=symbol.what
        )

    def arguments(self, name: str, wanted: int, given: int, span: Span) -> Term:
        some = "one thing" if wanted == 1 else f"{wanted} things" if wanted else "nothing"
        return self.wrong(
            "wrong-arguments", f"`{name}` is of {some}, here it gets {given}", span
        )

    def attribute(self, name: str, argument: Term, span: Span) -> Term:
        found = self.found
        player = Members(found.enumerations["player"])
        if name == "player":
            if not isinstance(argument.kind, Members) or argument.kind.enumeration is not found.card:
                return self.mismatch(argument, "a card")
            return t.MovedBy(span, Members(player.enumeration, True), argument)
        if name in ("suit", "rank"):
            if not isinstance(argument.kind, Members) or argument.kind.enumeration is not found.card:
                return self.mismatch(argument, "a card")
            table = self.attributes[name]
            kind = table.kind
            assert isinstance(kind, Members)
            kind = Members(kind.enumeration, kind.optional or argument.kind.optional)
            return t.Lookup(span, kind, table, (argument,))
        seat = self.fit(argument, player, f"`{name}`")
        if isinstance(seat.kind, Unknown):
            return seat
        if name in self.attributes:
            return t.Lookup(span, self.attributes[name].kind, self.attributes[name], (seat,))
        return t.Seat(span, player, seat, self.direction(name))

    def direction(self, name: str) -> int:
        if name == "next":
            return 1 if self.found.clockwise else -1
        return 1 if name == "left" else -1

    def index(self, argument: Term, each: Enumeration | NumberRange, name: str) -> Term:
        """An argument as the index of a table, zone or state entry."""
        use = f"the index of `{name}`"
        if isinstance(each, NumberRange):
            return self.fit(argument, Numbers(each.low, each.high), use)
        kind = argument.kind
        attribute = isinstance(kind, Members) and kind.enumeration is self.found.card
        if attribute and each.name in ("suit", "rank"):
            argument = self.attribute(each.name, argument, argument.span)
        return self.fit(argument, Members(each), use)

    def lookup(self, table: t.Table, arguments: list[Term], span: Span) -> Term:
        if len(arguments) != len(table.indexes):
            return self.arguments(table.name, len(table.indexes), len(arguments), span)
        places = tuple(
            self.index(argument, each, table.name)
            for argument, each in zip(arguments, table.indexes, strict=True)
        )
        if any(isinstance(place.kind, Unknown) for place in places):
            return t.Constant(span, UNKNOWN, 0)
        return t.Lookup(span, table.kind, table, places)

    def call(self, symbol: Symbol, arguments: list[Term], span: Span) -> Term:
        definition = self.definition(symbol.name, span)
        if definition is None:
            return t.Constant(span, UNKNOWN, 0)
        if len(arguments) != len(definition.parameters):
            return self.arguments(
                symbol.name, len(definition.parameters), len(arguments), span
            )
        places = tuple(
            self.fit(argument, parameter.kind, f"`{parameter.name}`")
            for argument, parameter in zip(arguments, definition.parameters, strict=True)
        )
        return t.Call(span, definition.kind, definition, places)

    def function(self, name: str, arguments: list[Term], span: Span) -> Term:
        if len(arguments) != 2:
            return self.arguments(name, 2, len(arguments), span)
        for argument in arguments:
            if not isinstance(argument.kind, Numbers):
                return self.mismatch(argument, "a number")
        step = arguments[1]
        if name not in ("larger", "smaller") and not (
            isinstance(step, t.Constant) and step.value > 0
        ):
            return self.wrong(
                "bad-step", f"`{name}` wants a fixed step above 0 as its second number", step.span
            )
        kind = measure(name, arguments[0].kind, arguments[1].kind)
        return t.Function(span, kind, name, tuple(arguments))

    def steps_of(self, node: n.StepsOf, scope: Scope, want: Kind | None) -> Term:
        player = Members(self.found.enumerations["player"])
        if node.head.text not in ("left", "right", "next"):
            return self.wrong(
                "not-a-direction",
                f"`{node.head.text}` is not a direction",
                node.head.span,
                help="write `left`, `right` or `next`",
            )
        seat = self.fit(self.term(node.argument, scope, player), player, "`left of`")
        steps = node.count * self.direction(node.head.text)
        return t.Seat(node.span, player, seat, steps)

    def among(self, node: n.Among, scope: Scope, want: Kind | None) -> Term:
        player = self.found.enumerations["player"]
        start = node.start
        if not isinstance(start, n.Of) or start.head.text not in ("left", "right", "next"):
            return self.wrong(
                "bad-among",
                "`among` belongs to a neighbour",
                node.span,
                help="write `next of p among S`",
            )
        argument = self.term(start.argument, scope, Members(player))
        seat = self.fit(argument, Members(player), "`next of`")
        subject = self.as_set(self.term(node.subject, scope), player)
        direction = self.direction(start.head.text)
        return t.NextAmong(node.span, Members(player, True), seat, direction, subject)

    # ---- sets ----

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
        subject_node, name = node.subject, None
        if isinstance(subject_node, n.Member) and isinstance(subject_node.item, n.Name):
            if not subject_node.negated:
                subject_node, name = subject_node.subject, subject_node.item
        elif isinstance(subject_node, n.Groups):
            subject = self.groups(subject_node, scope, None)
            inner = scope.inner()
            if isinstance(subject.kind, GroupsOf):
                word = subject_node.name
                kind = SetOf(subject.kind.enumeration)
                inner.variables[word.text] = Variable(word.text, kind, word.span)
            self.flag(node.condition, inner)
            return subject
        subject = self.term(subject_node, scope, want)
        variable = self.element(subject, node.span)
        if variable is None:
            return subject if isinstance(subject.kind, Unknown) else self._bad_where(node, subject)
        inner = scope.inner(variable)
        if name is not None:
            self.bind(name.text, name.span, variable, inner)
        condition = self.flag(node.condition, inner)
        if isinstance(subject.kind, NumberRange):
            return t.Later(node.span, subject.kind, "numbers with `where`")
        if isinstance(condition.kind, Unknown):
            return t.Constant(node.span, subject.kind, 0)
        return t.Filter(node.span, subject.kind, subject, variable, condition)

    def _bad_where(self, node: n.Where, subject: Term) -> Term:
        help = ""
        if isinstance(node.subject, n.Quantity | n.Every | n.Aggregate | n.Compare | n.Logic):
            help = "put the set and its `where` in parentheses"
        return self.wrong(
            "wrong-kind",
            f"`where` follows a set; `{_short(node.subject.span)}` is {subject.kind}",
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

    def bind(self, name: str, span: Span, variable: Variable, scope: Scope) -> None:
        """Give a variable its name, which must be new."""
        if scope.find(name) is not None or name in self.names.symbols:
            what = "local" if scope.find(name) else self.names.symbols[name].what
            self.problems.add(
                "shadowed-name",
                f"`{name}` is already the name of a {what}",
                span,
                help="choose another name",
            )
        variable.name = name
        scope.variables[name] = variable

    def bound(self, node: n.Expr, scope: Scope) -> tuple[Term, Scope, Variable | None]:
        """The set of an aggregate, and the scope of its key: with `x in S [where C]`, x is known
        there too."""
        name: n.Name | None = None
        member = node.subject if isinstance(node, n.Where) else node
        if isinstance(member, n.Member) and isinstance(member.item, n.Name):
            if not member.negated and scope.find(member.item.text) is None:
                name = member.item
        if isinstance(node, n.Member) and name is not None:
            subject = self.countable(node.subject, scope)
        else:
            subject = self.countable(node, scope)
        variable = self.element(subject, node.span)
        inner = scope.inner(variable)
        if name is not None and variable is not None:
            self.bind(name.text, name.span, variable, inner)
        return subject, inner, variable

    def quantity(self, node: n.Quantity, scope: Scope, want: Kind | None) -> Term:
        subject, _, _ = self.bound(node.subject, scope)
        if isinstance(subject.kind, Unknown):
            kind = number(0) if node.word == "count" else FLAG
            return t.Constant(node.span, UNKNOWN if node.word == "count" else kind, 0)
        if isinstance(subject.kind, GroupsOf):
            kind = Numbers(0, 1_000_000) if node.word == "count" else FLAG
            return t.Later(node.span, kind, "groups of cards")
        if isinstance(subject.kind, NumberRange):
            top = subject.kind.high - subject.kind.low + 1
            kind = Numbers(0, top) if node.word == "count" else FLAG
            return t.Later(node.span, kind, "questions about a range of numbers")
        assert isinstance(subject.kind, SetOf)
        if node.word == "count":
            return t.Count(node.span, Numbers(0, subject.kind.enumeration.size), subject)
        found: Term = t.Any(node.span, FLAG, subject)
        return found if node.word == "any" else t.Not(node.span, FLAG, found)

    def every(self, node: n.Every, scope: Scope, want: Kind | None) -> Term:
        """`every S satisfies C` is: no member of S where not C."""
        subject, inner, variable = self.bound(node.subject, scope)
        if variable is None:
            return t.Constant(node.span, FLAG, 0)
        condition = self.flag(node.condition, inner)
        if not isinstance(subject.kind, SetOf):
            return t.Later(node.span, FLAG, "`every` over groups or numbers")
        against = t.Not(condition.span, FLAG, condition)
        rest = t.Filter(node.span, subject.kind, subject, variable, against)
        return t.Not(node.span, FLAG, t.Any(node.span, FLAG, rest))

    def aggregate(self, node: n.Aggregate, scope: Scope, want: Kind | None) -> Term:
        subject, inner, variable = self.bound(node.subject, scope)
        if variable is None:
            return subject
        if node.all and node.word not in ("highest", "lowest"):
            return self.wrong(
                "bad-all", "`all` goes with `highest` and `lowest` only", node.span
            )
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
        if not isinstance(subject.kind, SetOf):
            return t.Later(node.span, kind, "groups of cards")
        return t.Aggregate(node.span, kind, word, key, variable, subject)

    def _aggregate_kind(self, word: str, key: Kind, subject: Kind) -> Kind:
        if isinstance(key, Numbers) and word in ("sum", "most", "least"):
            if word != "sum":
                return Numbers(min(key.low, 0), max(key.high, 0))
            size = subject.enumeration.size if isinstance(subject, SetOf) else 1000
            return Numbers(min(key.low * size, 0), max(key.high * size, 0))
        if isinstance(subject, SetOf):
            if word.startswith("all "):
                return subject
            return Members(subject.enumeration, True)
        if isinstance(subject, GroupsOf):
            return SetOf(subject.enumeration)
        return Numbers(-1_000_000, 1_000_000)

    def ranked(self, enumeration: Enumeration) -> bool:
        return enumeration.name not in UNRANKED

    # ---- logic and comparison ----

    def not_(self, node: n.Not, scope: Scope, want: Kind | None) -> Term:
        return t.Not(node.span, FLAG, self.flag(node.operand, scope))

    def logic(self, node: n.Logic, scope: Scope, want: Kind | None) -> Term:
        left, right = self.flag(node.left, scope), self.flag(node.right, scope)
        return t.Logic(node.span, FLAG, node.word, left, right)

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

    def compare(self, node: n.Compare, scope: Scope, want: Kind | None) -> Term:
        left, right = self.pair(node.left, node.right, scope)
        if isinstance(left.kind, Unknown) or isinstance(right.kind, Unknown):
            return t.Constant(node.span, FLAG, 0)
        if not same(left.kind, right.kind):
            return self.wrong(
                "wrong-kind",
                f"`{_short(left.span)}` is {left.kind}, `{_short(right.span)}` is {right.kind}: "
                "they cannot be compared",
                node.span,
            )
        if node.sign not in ("is", "is not"):
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

    def ordered(self, term: Term) -> Term:
        kind = term.kind
        if isinstance(kind, Numbers):
            return term
        if isinstance(kind, Members) and self.ranked(kind.enumeration):
            return self.fit(term, Members(kind.enumeration), "a comparison")
        return self.mismatch(term, "a number or a rank")

    def member(self, node: n.Member, scope: Scope, want: Kind | None) -> Term:
        subject = self.term(node.subject, scope)
        item_kind = Members(subject.kind.enumeration) if isinstance(subject.kind, SetOf) else None
        item = self.term(node.item, scope, item_kind)
        if isinstance(node.subject, n.ListOf) and not isinstance(subject.kind, SetOf):
            subject = self.term(node.subject, scope, item.kind)
        elif isinstance(node.subject, n.ListOf) and isinstance(item.kind, Members):
            subject = self.term(node.subject, scope, item.kind)
        if isinstance(subject.kind, Unknown) or isinstance(item.kind, Unknown):
            return t.Constant(node.span, FLAG, 0)
        result: Term
        if isinstance(subject, t.RangeOf) and isinstance(item.kind, Numbers):
            low = t.Compare(node.span, FLAG, ">=", item, subject.low)
            high = t.Compare(node.span, FLAG, "<=", item, subject.high)
            result = t.Logic(node.span, FLAG, "and", low, high)
        else:
            subject = self.as_set(subject)
            if not isinstance(subject.kind, SetOf):
                return t.Constant(node.span, FLAG, 0)
            kind = Members(subject.kind.enumeration, True)
            result = t.Contains(node.span, FLAG, subject, self.fit(item, kind))
        return t.Not(node.span, FLAG, result) if node.negated else result

    # ---- numbers and sets ----

    def arithmetic(self, node: n.Arithmetic, scope: Scope, want: Kind | None) -> Term:
        left, right = self.term(node.left, scope), self.term(node.right, scope)
        if node.sign in ("with", "without"):
            return self.set_operation(node, left, right)
        for term in (left, right):
            if isinstance(term.kind, SetOf) and node.sign in ("+", "-"):
                word = "with" if node.sign == "+" else "without"
                return self.wrong(
                    "wrong-kind",
                    f"`{node.sign}` is for numbers; `{_short(term.span)}` is {term.kind}",
                    node.span,
                    help=f"write `{word}`",
                )
            if not isinstance(term.kind, Numbers | Unknown):
                return self.mismatch(term, "a number")
        if not isinstance(left.kind, Numbers) or not isinstance(right.kind, Numbers):
            return t.Constant(node.span, UNKNOWN, 0)
        if node.sign in ("/", "mod") and right.kind.low <= 0:
            if right.kind.high <= 0:
                return self.wrong("by-zero", "this divides by zero or less", node.right.span)
            kind = Numbers(1, right.kind.high)
            right = t.Fit(right.span, kind, right, 1, kind.high, "the divisor")
        return self.combined(node.span, node.sign, left, right)

    def combined(self, span: Span, sign: str, left: Term, right: Term) -> Term:
        """An arithmetic term, folded if constant, proved to fit 32 bits."""
        assert isinstance(left.kind, Numbers) and isinstance(right.kind, Numbers)
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

    def set_operation(self, node: n.Arithmetic, left: Term, right: Term) -> Term:
        first = self.as_set(left)
        if not isinstance(first.kind, SetOf):
            return first
        second = self.as_set(right, first.kind.enumeration)
        if not isinstance(second.kind, SetOf):
            return second
        return t.SetOperation(node.span, first.kind, node.sign, first, second)

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
        assert isinstance(low.kind, Numbers) and isinstance(high.kind, Numbers)
        kind = NumberRange(low.kind.low, high.kind.high)
        size = step.value if isinstance(step, t.Constant) else 1
        return t.RangeOf(node.span, kind, low, high, size)

    def if_else(self, node: n.IfElse, scope: Scope, want: Kind | None) -> Term:
        condition = self.flag(node.condition, scope)
        then, other = self.pair(node.then, node.other, scope)
        if want is not None and self.literal(node.then, scope) and self.literal(node.other, scope):
            then, other = self.term(node.then, scope, want), self.term(node.other, scope, want)
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

    # ---- zones' ends, moves, groups ----

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

    def shapes(self, shapes: tuple[n.Shape, ...]) -> None:
        """The names inside shapes: an order of ranks, and suit or rank after `one`."""
        for shape in shapes:
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
            if shape.one is not None and shape.one.text not in ("suit", "rank"):
                self.problems.add(
                    "bad-shape",
                    f"cards can be of one suit or of one rank, not of one `{shape.one.text}`",
                    shape.one.span,
                )
            if shape.high is not None and shape.low > shape.high:
                self.problems.add("bad-range", "this range is empty", shape.span)

    def groups(self, node: n.Groups, scope: Scope, want: Kind | None) -> Term:
        card = self.found.card
        self.shapes(node.shapes)
        subject, condition = node.subject, None
        if isinstance(subject, n.Where):
            subject, condition = subject.subject, subject.condition
        self.as_set(self.term(subject, scope), card)
        inner = scope.inner()
        variable = Variable(node.name.text, SetOf(card), node.name.span)
        self.bind(node.name.text, node.name.span, variable, inner)
        if condition is not None:
            self.flag(condition, inner)
        return t.Later(node.span, GroupsOf(card), "groups of cards")

    def split(self, node: n.Split, scope: Scope, want: Kind | None) -> Term:
        card = self.found.card
        self.shapes(node.shapes)
        self.as_set(self.term(node.subject, scope), card)
        variable = Variable("", SetOf(card), node.span)
        key = self.term(node.key, scope.inner(variable))
        if not isinstance(key.kind, Numbers | Unknown):
            self.mismatch(key, "a number")
        return t.Later(node.span, GroupsOf(card), "best splits")

    def cards_of(self, node: n.CardsOf, scope: Scope, want: Kind | None) -> Term:
        argument = self.term(node.argument, scope)
        if not isinstance(argument.kind, GroupsOf | Unknown):
            return self.mismatch(argument, "groups of cards")
        return t.Later(node.span, SetOf(self.found.card), "groups of cards")

    def random(self, node: n.Random, scope: Scope, want: Kind | None) -> Term:
        if scope.place == "pure":
            return self.wrong(
                "chance-here", "chance decides in steps and moves only", node.span
            )
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


def _short(span: Span) -> str:
    text = " ".join(span.text.split())
    return text if len(text) <= 40 else text[:37] + "..."


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
