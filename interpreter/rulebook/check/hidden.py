"""Cards that a move may not look at, since its mover does not see them.

Whether a player may make a move must not tell what lies face to the table: a move's picks,
conditions and `must` lines read only what their mover sees. How many cards lie in a zone is
public, and so is their order: a card of an ordered zone may be picked by its place.

Only what is certain is reported: zones that nobody sees, and those of an owner who is surely not
the mover. Audiences with a condition are left to the players.
"""

from __future__ import annotations

from rulebook import terms as t
from rulebook.diagnostics import Label, Problems
from rulebook.source import Span
from rulebook.walks import inside


def hidden_cards(game: t.CheckedGame, problems: Problems) -> None:
    for move in game.moves.values():
        look = Look(game, problems)
        for pick in move.picks:
            look.pick(pick)
        for condition in move.conditions:
            look.at(condition.term)
        for must in move.musts:
            for term in (must.speaks, must.keep):
                look.at(term)


class Look:
    """Walks the terms of one move; `unseen` are its picks of cards that stay hidden."""

    def __init__(self, game: t.CheckedGame, problems: Problems) -> None:
        self.game = game
        self.problems = problems
        self.unseen: dict[t.Variable, t.Zone] = {}
        self.bound: dict[t.Variable, t.Term] = {}
        self.walked: set[t.Variable] = set()
        # Inside a definition, the place in the move that calls it.
        self.place: Span | None = None

    def pick(self, pick: t.Pick) -> None:
        source = pick.source
        zone = self.hidden(source)
        if zone is None:
            self.at(source)
            return
        self.unseen[pick.variable] = zone
        if not zone.ordered:
            self.problems.add(
                "hidden-pick",
                f"the mover does not see the cards of `{zone.name}`, and they lie in no order",
                source.span,
                others=(Label(zone.span, "declared here"),),
                help=f"give the zone `{zone.name}` the line `ordered: yes`: "
                "its cards are then picked by their place",
            )

    def at(self, node: object) -> None:
        """Report every look at a hidden card in a term, or in what it is made of."""
        if isinstance(node, t.Count | t.Any) and self.public(node.subject):
            return
        if isinstance(node, t.Compare) and self.compares_place(node):
            return
        if isinstance(node, t.Base):
            zone = self.hidden(node)
            if zone is not None:
                self.report(node, zone)
                return
        if isinstance(node, t.Read) and node.variable in self.unseen:
            self.report(node, self.unseen[node.variable])
        elif isinstance(node, t.Call):
            self.call(node)
        elif isinstance(node, t.Can):
            self.can(node)
        elif isinstance(node, t.Filter | t.Aggregate):
            self.walked.add(node.variable)
            self.into(node)
        elif isinstance(node, t.Base | t.Node | tuple):
            self.into(node)

    def into(self, node: object) -> None:
        if isinstance(node, tuple):
            for item in node:
                self.at(item)
            return
        for name in getattr(node, "__dataclass_fields__", ()):
            if name not in ("span", "kind", "variable", "zone"):
                self.at(getattr(node, name))

    def call(self, call: t.Call) -> None:
        """Look into a definition, with its parameters standing for their arguments."""
        for argument in call.arguments:
            # A set of hidden cards that is only counted inside is public: no report here.
            if self.hidden(argument) is None:
                self.at(argument)
        self.bind(call)
        outermost = self.place is None
        if outermost:
            self.place = call.span
        self.at(call.definition.body)
        if outermost:
            self.place = None

    def bind(self, call: t.Call) -> None:
        for argument, parameter in zip(call.arguments, call.definition.parameters, strict=True):
            self.bound[parameter] = argument

    def can(self, can: t.Can) -> None:
        self.at(can.player)
        move = self.game.moves.get(can.move)
        if move is None or not self.elsewhere(can.player):
            return
        for node in inside((move.picks, move.conditions, move.musts)):
            if isinstance(node, t.ZoneOf) and isinstance(node.index, t.Mover):
                audience = node.zone.audience
                if audience.seers == "owner" and audience.condition is None:
                    self.report(can, node.zone)
                    return

    # ---- what is hidden ----

    def public(self, term: t.Base) -> bool:
        """Whether the number of a term's cards tells nothing about which they are."""
        term = self.resolved(term)
        if isinstance(term, t.SetOperation):
            # Cards taken from a hidden set are known ones, so they lie elsewhere.
            return self.public(term.left) and (term.word == "without" or self.public(term.right))
        if isinstance(term, t.Call) and isinstance(term.definition.body[0], t.Return):
            self.bind(term)
            return self.public(term.definition.body[0].value)
        return isinstance(term, t.ZoneOf | t.EndCards) or (
            isinstance(term, t.Single) and isinstance(term.member, t.EndCard)
        )

    def compares_place(self, compare: t.Compare) -> bool:
        """`first of Z is none`, `Z is empty`: how many, not which."""
        sides = (self.resolved(compare.left), self.resolved(compare.right))
        place = any(isinstance(side, t.EndCard) or self.public(side) for side in sides)
        return place and any(
            isinstance(side, t.Constant) and side.span.text in ("none", "empty") for side in sides
        )

    def hidden(self, term: t.Base) -> t.Zone | None:
        """The zone of a term that is a zone, or a place in one, that the mover does not see."""
        term = self.resolved(term)
        if isinstance(term, t.Single):
            term = term.member
        if isinstance(term, t.EndCard | t.EndCards):
            term = term.zone
        if not isinstance(term, t.ZoneOf) or term.zone.audience.condition is not None:
            return None
        seers = term.zone.audience.seers
        if seers == "nobody" or (
            seers == "owner" and term.index is not None and self.elsewhere(term.index)
        ):
            return term.zone
        return None

    def elsewhere(self, player: t.Base) -> bool:
        """Whether a player is surely not always the mover."""
        player = self.resolved(player)
        if isinstance(player, t.Need | t.Fit):
            return self.elsewhere(player.operand)
        if isinstance(player, t.Read):
            return player.variable in self.walked
        if isinstance(player, t.Seat):
            from_mover = isinstance(self.resolved(player.player), t.Mover)
            return from_mover and player.steps % self.game.players != 0
        return isinstance(player, t.Constant)

    def resolved(self, term: t.Base) -> t.Base:
        """The argument that a parameter stands for."""
        while isinstance(term, t.Read) and term.variable in self.bound:
            term = self.bound[term.variable]
        return term

    def report(self, term: t.Base, zone: t.Zone) -> None:
        self.problems.add(
            "hidden-cards",
            f"a move is chosen by what its mover sees, and not by the cards of `{zone.name}`",
            self.place or term.span,
            label="hidden from the mover",
            others=(Label(zone.span, "declared here"),),
            help=f"let the mover see `{zone.name}`, or keep what counts in a state entry",
        )
