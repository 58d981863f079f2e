"""Second pass, statements that touch cards: moved, gathered, dealt, shuffled, turned, shown."""

from __future__ import annotations

from rulebook import nodes as n
from rulebook import terms as t
from rulebook.kinds import Members, Numbers, SetOf, Unknown
from rulebook.resolve.expressions import Expressions
from rulebook.resolve.namespace import Scope
from rulebook.terms import Statement, Term, Variable

PLACES = {
    "pure": "a definition",
    "act": "a move's `do`",
    "step": "a step",
}


class Dealing:
    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions
        self.found = expressions.found
        self.names = expressions.names
        self.problems = expressions.problems

    def only_in(self, node: n.Node, what: str, scope: Scope, *places: str) -> bool:
        if scope.place in places:
            return True
        help = "write `stop` to leave the step" if isinstance(node, n.Return) else ""
        if scope.place == "pure":
            help = "move it to a step, or to the `do` of a move"
            if isinstance(node, n.Stop):
                help = "write `return` and a value"
        message = f"{what} cannot stand in {PLACES[scope.place]}"
        self.problems.add("wrong-place", message, node.span, help=help)
        return False

    def zone(self, node: n.Expr, scope: Scope, filled: bool = True) -> t.ZoneOf | None:
        term = self.expressions.term(node, scope, SetOf(self.found.card))
        if isinstance(term, t.ZoneOf):
            term.zone.filled = term.zone.filled or filled
            return term
        self.expressions.mismatch(term, "a zone")
        return None

    def cards(self, node: n.Expr, scope: Scope) -> Term:
        return self.expressions.as_set(
            self.expressions.term(node, scope, SetOf(self.found.card)), self.found.card
        )

    def move(self, node: n.Move, scope: Scope) -> Statement | None:
        cards, zone = self.cards(node.subject, scope), self.zone(node.zone, scope)
        if not self.only_in(node, "moving cards", scope, "step", "act") or zone is None:
            return None
        if node.bottom and not zone.zone.ordered:
            self.problems.add(
                "not-ordered", f"`{zone.zone.name}` has no order, so it has no bottom", node.span
            )
        if node.facing is not None and zone.zone.faces is None:
            self.problems.add(
                "no-faces",
                f"cards in `{zone.zone.name}` do not lie face up or down",
                node.span,
                help=f"give the zone `{zone.zone.name}` the line `faces: up` or `faces: down`",
            )
        return t.MoveCards(node.span, cards, source_of(cards), node.facing, node.bottom, zone)

    def gather(self, node: n.Gather, scope: Scope) -> Statement | None:
        cards = None if node.subject is None else self.cards(node.subject, scope)
        zone = self.zone(node.zone, scope)
        if not self.only_in(node, "gathering cards", scope, "step", "act") or zone is None:
            return None
        return t.Gather(node.span, cards, zone)

    def deal(self, node: n.Deal, scope: Scope) -> Statement | None:
        count = self.expressions.term(node.count, scope)
        if not isinstance(count.kind, Numbers | Unknown):
            count = self.expressions.mismatch(count, "a number")
        source = self.zone(node.source, scope, filled=False)
        if source is not None and not source.zone.ordered:
            self.problems.add(
                "not-ordered",
                f"`{source.zone.name}` has no order, so it has no top card to deal",
                node.source.span,
                help=f"give the zone `{source.zone.name}` the line `ordered: yes`",
            )
        each = None
        start = None
        if node.each:
            target, each, start = self.each_target(node, scope)
        else:
            target = self.zone(node.target, scope)
        if not self.only_in(node, "dealing cards", scope, "step", "act"):
            return None
        if source is None or target is None or isinstance(count.kind, Unknown):
            return None
        return t.Deal(node.span, count, source, target, each, start)

    def each_target(
        self, node: n.Deal, scope: Scope
    ) -> tuple[t.ZoneOf | None, Variable | None, Term | None]:
        assert isinstance(node.target, n.Name)
        player = self.found.enumerations["player"]
        start = None
        if node.start is not None:
            start = self.expressions.term(node.start, scope, Members(player))
            start = self.expressions.fit(start, Members(player), "`starting`")
        symbol = self.names.get(node.target.text)
        if symbol is None or not isinstance(symbol.value, t.Zone):
            own = [name for name, zone in self.found.zones.items() if zone.each == player]
            self.names.unknown(
                "unknown-zone",
                f"there is no zone called `{node.target.text}`",
                node.target.span,
                self.found.zones,
                "a zone",
                help=f"write `{own[0]}`" if own and node.target.text == "player" else "",
            )
            return None, None, None
        zone = symbol.value
        zone.filled = True
        if zone.each is not player:
            self.problems.add(
                "wrong-kind",
                f"`{zone.name}` is not one zone for each player",
                node.target.span,
                help="write the zone without `each`",
            )
            return None, None, None
        variable = Variable("", Members(player), node.target.span)
        index = t.Read(node.target.span, variable.kind, variable)
        target = t.ZoneOf(node.target.span, SetOf(self.found.card), zone, index)
        return target, variable, start

    def shuffle(self, node: n.Shuffle, scope: Scope) -> Statement | None:
        zone = self.zone(node.zone, scope, filled=False)
        if zone is None or not self.only_in(node, "shuffling", scope, "step", "act"):
            return None
        if not zone.zone.ordered:
            self.problems.add(
                "not-ordered",
                f"`{zone.zone.name}` has no order that could be shuffled",
                node.zone.span,
                help=f"give the zone `{zone.zone.name}` the line `ordered: yes`",
            )
        return t.Shuffle(node.span, zone, self.expressions.chance(node.span))

    def turn(self, node: n.Turn, scope: Scope) -> Statement | None:
        cards = self.cards(node.subject, scope)
        if not self.only_in(node, "turning cards", scope, "step", "act"):
            return None
        return t.TurnCards(node.span, cards, node.facing)

    def show(self, node: n.Show, scope: Scope) -> Statement | None:
        cards = self.cards(node.subject, scope)
        player = self.found.enumerations["player"]
        audience = None
        if node.audience is not None:
            audience = self.expressions.term(node.audience, scope, Members(player))
            audience = self.expressions.as_set(audience, player)
        if not self.only_in(node, "showing cards", scope, "step", "act"):
            return None
        return t.Show(node.span, cards, audience)


def source_of(cards: Term) -> t.ZoneOf | None:
    """The zone in which all the cards of a term lie, if the term shows it."""
    while isinstance(cards, t.Filter):
        cards = cards.subject
    if isinstance(cards, t.ZoneOf):
        return cards
    if isinstance(cards, t.EndCards):
        return cards.zone
    if isinstance(cards, t.Single) and isinstance(cards.member, t.EndCard):
        return cards.member.zone
    return None
