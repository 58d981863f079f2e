"""Second pass, names: what a name alone, or a name and its `of`, stands for."""

from __future__ import annotations

import re

from rulebook import nodes as n
from rulebook import terms as t
from rulebook.diagnostics import Fix, Problems
from rulebook.kinds import (
    EMPTY,
    FLAG,
    NONE,
    UNKNOWN,
    Enumeration,
    Kind,
    Members,
    NumberRange,
    Numbers,
    SetOf,
    Unknown,
    an,
    number,
)
from rulebook.resolve.arithmetic import MEASURES, measure
from rulebook.resolve.declarations import Declarations
from rulebook.resolve.namespace import Scope, Symbol
from rulebook.resolve.values import Values, one_thing, short
from rulebook.source import Span
from rulebook.terms import Term

OF_A_CARD = ("suit", "rank", "player", "owner", "face_up", "above")
COUNTED = ("number", "amount", "size", "length", "len")
"""Words for `count`."""
ATTRIBUTES = (*OF_A_CARD, "left", "right", "next")


class Names(Values):
    def __init__(self, found: Declarations, problems: Problems) -> None:
        super().__init__(found, problems)
        self.attributes = attributes(found)

    # ---- a name alone ----

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
            quoted = ", ".join(f"`{zone}`" for zone in zones)
            self.names.unknown(
                "unknown-zone",
                f"there is no zone called `{text}`",
                span,
                zones,
                "a zone",
                help=f"name a zone: {quoted}" if zones else "declare it under `zones:`",
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
                "wrong-kind", f"`{symbol.name}` is {an(symbol.what)}, not a value", span
            )
        if scope.element is not None:
            scope.element.read = True
            element: Term = t.Read(span, scope.element.kind, scope.element)
            if scope.through is not None:
                element = t.Lookup(span, scope.through.kind, scope.through, (element,))
            return self.apply(n.Word(span, symbol.name), [element], span, scope)
        return self.wrong(
            "missing-of",
            f"`{symbol.name}` does not say of what",
            span,
            help="write `mover`, or name the player whom you mean"
            if symbol.name == "player"
            else f"write `{symbol.name} of` and the thing it belongs to",
        )

    # ---- of ----

    def of(self, node: n.Of, scope: Scope, want: Kind | None) -> Term:
        head = node.head.text
        symbol = self.names.symbols.get(head)
        member = symbol is not None and symbol.what == "rank"
        if member or head.isdigit():
            return self.card(node, scope)
        wants = self.wanted(symbol)
        # Where one set is wanted, what is written out is that set.
        one_set = len(wants) == 1 and isinstance(wants[0], SetOf)
        if isinstance(node.argument, n.ListOf) and not one_set:
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
        if symbol.name in OF_A_CARD:
            return [Members(self.found.card)]
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
                return self.wrong("unknown-card", f"the deck has no `{node.span.text}`", node.span)
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
            return self.wrong(
                "not-of",
                f"`{name}` is {variable.kind}, it has no `of`",
                head.span,
                help=f"write `{name}` alone",
            )
        symbol = self.names.get(name)
        if symbol is None and name in COUNTED and isinstance(arguments[0].kind, SetOf):
            counted = re.sub(r"^\w+\s+of\s+", "count ", span.text)
            return self.wrong(
                "wrong-word",
                f"`{name} of` is not how things are counted here",
                head.span,
                help=f"write `{' '.join(counted.split())}`",
                fix=Fix(span, counted),
            )
        if symbol is None:
            return self.unknown(head.span, name, scope, None)
        value = symbol.value
        if name in MEASURES:
            return self.function(name, arguments, span)
        if name in self.attributes or name in ATTRIBUTES:
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
            "not-of",
            f"`{name}` is {an(symbol.what)}; it has no `of`",
            head.span,
            label=an(symbol.what),
            help=f"write `{name}` alone",
        )

    def arguments(self, name: str, wanted: int, given: int, span: Span) -> Term:
        some = "one thing" if wanted == 1 else f"{wanted} things" if wanted else "nothing"
        return self.wrong("wrong-arguments", f"`{name}` is of {some}, here it gets {given}", span)

    def attribute(self, name: str, argument: Term, span: Span) -> Term:
        found = self.found
        player = Members(found.enumerations["player"])
        if name in OF_A_CARD:
            if (
                not isinstance(argument.kind, Members)
                or argument.kind.enumeration is not found.card
            ):
                return self.one_card(name, argument)
            return self.of_a_card(name, argument, argument.kind.optional, span)
        seat = self.fit(argument, player, f"`{name}`")
        if isinstance(seat.kind, Unknown):
            return seat
        if name in self.attributes:
            return t.Lookup(span, self.attributes[name].kind, self.attributes[name], (seat,))
        return t.Seat(span, player, seat, self.direction(name))

    def one_card(self, name: str, argument: Term) -> Term:
        """What has no attributes of a card; a set of cards has them only by one of its cards."""
        ordered = isinstance(argument, t.ZoneOf) and argument.zone.ordered
        if not isinstance(argument.kind, SetOf) or argument.kind.enumeration is not self.found.card:
            return self.mismatch(argument, "a card")
        text = short(argument.span)
        one = one_thing(argument.span)
        card = f"last of {one}" if ordered else f"highest rank in {one}"
        return self.wrong(
            "wrong-kind",
            f"`{text}` is {argument.kind}; a card is wanted here",
            argument.span,
            label=f"{argument.kind}",
            help=f"write `{name} of {card}`, or name another card of them",
        )

    def of_a_card(self, name: str, card: Term, optional: bool, span: Span) -> Term:
        """An attribute of a card; that of no card is none, no or empty."""
        player = Members(self.found.enumerations["player"], True)
        if name == "player":
            return t.MovedBy(span, player, card)
        if name == "owner":
            return t.OwnerOf(span, player, card)
        if name == "face_up":
            return t.FaceUp(span, FLAG, card)
        if name == "above":
            return t.Above(span, SetOf(self.found.card), card)
        table = self.attributes[name]
        kind = table.kind
        assert isinstance(kind, Members)
        kind = Members(kind.enumeration, kind.optional or optional)
        return t.Lookup(span, kind, table, (card,))

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
            return self.arguments(symbol.name, len(definition.parameters), len(arguments), span)
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
                "`among` goes with a neighbour such as `next of p`",
                node.span,
                help="write `next of p among S`",
            )
        argument = self.term(start.argument, scope, Members(player))
        seat = self.fit(argument, Members(player), "`next of`")
        subject = self.as_set(self.term(node.subject, scope), player)
        direction = self.direction(start.head.text)
        return t.NextAmong(node.span, Members(player, True), seat, direction, subject)


def attributes(found: Declarations) -> dict[str, t.Table]:
    """`suit` and `rank` of a card, `team` and `partner` of a player, as tables."""
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
        kind = Members(player, -1 in partner_of)
        tables["partner"] = t.Table("partner", (player,), kind, partner_of, None)
    return tables
