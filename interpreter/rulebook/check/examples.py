"""Whether the examples of a file make sense: their names, cards, values and steps.

Whether they hold is for `rulebook test`; moves are read there too, since only play knows them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial

from rulebook import parse
from rulebook import terms as t
from rulebook.diagnostics import Problems
from rulebook.document import Entry, Mapping, Node, Scalar, Sequence
from rulebook.example import KEYS, Example, Wrong, read_value
from rulebook.kinds import (
    UNKNOWN,
    Enumeration,
    Flag,
    Kind,
    Members,
    NumberRange,
    Numbers,
    SetOf,
    Unknown,
)
from rulebook.resolve import Resolver
from rulebook.resolve.namespace import Scope
from rulebook.resolve.options import allowed, literal, only_for
from rulebook.source import Span
from rulebook.suggest import closest


def check_examples(
    resolver: Resolver, game: t.CheckedGame, players: int | None, problems: Problems
) -> None:
    """Check the examples for a number of players; with None, those that name none too."""
    part = resolver.document.get("examples")
    checker = Checker(resolver, game, problems)
    for entry in part.entries.values() if isinstance(part, Mapping) else ():
        if not isinstance(entry.value, Mapping):
            continue
        example = Example(entry)
        named = example.word("players")
        if named in ("", str(game.players)) if players is None else named == str(players):
            checker.example(example)
        elif players is None:
            checker.try_(partial(checker.players, example))


class Checker:
    def __init__(self, resolver: Resolver, game: t.CheckedGame, problems: Problems) -> None:
        self.resolver = resolver
        self.game = game
        self.problems = problems
        self.cards = game.enumerations["card"]
        self.deck = Counter(self.cards.members)
        self.kinds: dict[str, Kind] = {}
        """Of what examples expect, by its text."""

    def example(self, example: Example) -> None:
        parts = (self.players, self.options, self.at, self.given, self.deal, self.expect)
        for part in (*parts, self.winners):
            self.try_(partial(part, example))

    def try_(self, part: Callable[[], None]) -> None:
        try:
            part()
        except Wrong as wrong:
            wrong.tell(self.problems)

    # ---- the setting ----

    def players(self, example: Example) -> None:
        text = example.word("players")
        low, high = self.game.player_range
        if text and not low <= int(text) <= high:
            raise Wrong(f"the game is not for {text} players", example.place("players"))

    def options(self, example: Example) -> None:
        values: dict[str, int] = {}
        for entry in example.entries("options"):
            option = self.game.options.get(entry.key.text)
            if option is None:
                raise unlisted("option", entry.key, entry.key.text, self.game.options)
            text = entry.value.text if isinstance(entry.value, Scalar) else ""
            value = literal(text, option.kind)
            if value is None or not option.allows(value):
                message = f"`{text}` is not a value of the option `{option.name}`"
                raise Wrong(message, entry.value.span, allowed(option))
            values[option.name] = value
        for option in self.resolver.conditions.refused_with(values):
            raise Wrong(only_for(option), example.place("options"))

    def at(self, example: Example) -> None:
        name = example.parts.get("at")
        if isinstance(name, Scalar) and name.text not in (*self.game.steps, *self.game.moves):
            known = (*self.game.steps, *self.game.moves)
            raise unlisted("step or move", name, name.text, known)

    # ---- what lies where ----

    def given(self, example: Example) -> None:
        used: Counter[str] = Counter()
        for entry in example.entries("given"):
            if entry.key.text in KEYS:
                self.key(entry)
            else:
                self.entry(entry, used)

    def deal(self, example: Example) -> None:
        used: Counter[str] = Counter()
        for entry in example.entries("deal"):
            self.entry(entry, used)

    def key(self, entry: Entry) -> None:
        text = entry.value.text if isinstance(entry.value, Scalar) else ""
        if entry.key.text == "mover":
            if text not in self.game.enumerations["player"].members:
                raise Wrong(f"there is no seat `{text}`", entry.value.span)
            return
        name, of, index = text.partition(" of ")
        zone = self.game.zones.get(name)
        if zone is None:
            node = entry.value if isinstance(entry.value, Scalar) else entry.key
            raise unlisted("zone", node, name, self.game.zones)
        if of:
            self.index(zone, index, entry.value.span)
        elif zone.each is not None:
            raise Wrong(
                f"there are several zones `{name}`", entry.value.span, f"write `{name} of 0`"
            )

    def entry(self, entry: Entry, used: Counter[str]) -> None:
        """A zone with its cards, or a state entry with its value, of one index or of several."""
        name, of, index = entry.key.text.partition(" of ")
        zone, state = self.game.zones.get(name), self.game.state.get(name)
        found = zone or state
        if found is None:
            known = [*self.game.zones, *self.game.state, *KEYS]
            raise unlisted("zone or state entry", entry.key, name, known)
        values: list[Node] = [entry.value]
        if of:
            self.index(found, index, entry.key.span)
        elif found.each is not None:
            if not isinstance(entry.value, Mapping):
                message = f"`{name}` is several, and this says of none which it is"
                raise Wrong(message, entry.key.span, f"write `{name} of` and which one")
            for one in entry.value.entries.values():
                self.index(found, one.key.text, one.key.span)
            values = [one.value for one in entry.value.entries.values()]
        elif isinstance(entry.value, Mapping) and zone is not None:
            # Who played which card.
            seats = self.game.enumerations["player"].members
            for one in entry.value.entries.values():
                if one.key.text not in seats:
                    raise Wrong(f"there is no seat `{one.key.text}`", one.key.span)
            values = [one.value for one in entry.value.entries.values()]
        for value in values:
            if zone is not None:
                self.lying(value, used)
            elif state is not None:
                self.value(value, state)

    def index(self, found: t.Zone | t.State, text: str, span: Span) -> None:
        each = found.each
        if each is None:
            raise Wrong(f"there is one `{found.name}`, not one of each", span)
        known: list[str] = []
        if isinstance(each, Enumeration):
            known = list(each.members)
        elif isinstance(each, NumberRange):
            known = [str(number) for number in range(each.low, each.high + 1)]
        if text not in known:
            raise Wrong(f"there is no `{found.name} of {text}`", span)

    def lying(self, node: Node, used: Counter[str]) -> None:
        for item in node.items if isinstance(node, Sequence) else [node]:
            name = " ".join(item.text.split()) if isinstance(item, Scalar) else ""
            if name not in self.deck:
                whole = " of ".join(name.split())
                near = [whole] if whole in self.deck else closest(name, list(self.deck))
                help = f"write `{near[0]}`" if near else ""
                raise Wrong(f"there is no card `{name or item.span.text}`", item.span, help)
            used[name] += 1
            if used[name] > self.deck[name]:
                raise Wrong(f"`{name}` is here more often than in the deck", item.span)

    def value(self, node: Node, state: t.State) -> None:
        kind = state.kind
        items: list[Node] = [node]
        if isinstance(kind, SetOf):
            kind = Members(kind.enumeration)
            items = list(node.items) if isinstance(node, Sequence) else []
            if isinstance(node, Scalar) and node.text != "empty":
                items = [node]
        for item in items:
            if not isinstance(item, Scalar) or literal(item.text, kind) is None:
                raise Wrong(f"`{item.span.text}` does not fit `{state.name}`", item.span)

    # ---- what is expected ----

    def expect(self, example: Example) -> None:
        for entry in example.entries("expect"):
            kind = self.kinds.get(entry.key.text) or self.kind_of(entry.key)
            if isinstance(kind, Unknown):
                continue  # This has been told.
            if not isinstance(kind, Numbers | Members | SetOf | Flag):
                raise Wrong(f"`{entry.key.text}` has no value", entry.key.span)
            # Examples ask the same things again and again; only what is wrong is told each time.
            self.kinds[entry.key.text] = kind
            read_value(entry.value, kind)

    def kind_of(self, key: Scalar) -> Kind:
        node = parse.read_expression(key, self.problems)
        return UNKNOWN if node is None else self.resolver.expressions.term(node, Scope("pure")).kind

    def winners(self, example: Example) -> None:
        node = example.parts.get("winners")
        for item in node.items if isinstance(node, Sequence) else [node]:
            text = item.text if isinstance(item, Scalar) else ""
            known = self.game.enumerations["player"].members
            if item is not None and text not in (*known, "nobody", "not yet"):
                help = "write seats, `nobody` or `not yet`"
                raise Wrong(f"there is no seat `{text}`", item.span, help)


def unlisted(what: str, node: Scalar, name: str, known: Iterable[str]) -> Wrong:
    near = closest(name, list(known))
    help = f"write `{near[0]}`" if near else ""
    return Wrong(f"there is no {what} called `{name}`", node.span, help)
