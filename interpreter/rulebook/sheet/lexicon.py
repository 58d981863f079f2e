"""What the words of one rule file are: which names are zones, definitions and so on, what kind an
expression has, and how all of them are called in front of people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from rulebook import nodes as n
from rulebook import terms as t
from rulebook.document import Mapping
from rulebook.kinds import Enumeration, Flag, Kind, Members, NumberRange, Numbers, SetOf
from rulebook.sheet import model
from rulebook.sheet.phrases import plural
from rulebook.source import Span
from rulebook.walks import parts

Place: TypeAlias = tuple[str, int, int]
"""A file, and where something begins and ends in it."""

PARTICIPLES = {
    *("won", "led", "laid", "taken", "shown", "burnt", "drawn", "thrown", "dealt", "left", "lost"),
    *("kept", "put", "held", "hidden", "chosen", "given", "gone"),
}
NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class Lexicon:
    """`language` chooses the names' texts: a two-letter code, or "" for the file's own."""

    def __init__(self, game: t.CheckedGame, document: Mapping, language: str = "") -> None:
        self.game = game
        self.language = language
        self.kinds = dict(kinds_of(game))
        orders = document.get("orders")
        self.orders = set(orders.entries) if isinstance(orders, Mapping) else set()
        self.suits = set(game.enumerations["suit"].members)
        self.ranks = set(game.enumerations["rank"].members)
        self.shuffled = {node.zone.zone.name for node in parts(game) if isinstance(node, t.Shuffle)}
        self.members: dict[str, Enumeration] = {}
        for enumeration in game.enumerations.values():
            if enumeration.name not in ("player", "card"):
                for member in enumeration.members:
                    self.members.setdefault(member, enumeration)
        self.sets = {f"{e.name}s": e for e in game.enumerations.values()}

    # ---- names ----

    def entry(self, name: str, what: str) -> str:
        return self.game.names.get(name, {}).get(what, "")

    def shown(self, name: str) -> str:
        """A name in the sheet's language, else in the file's words, else as it is."""
        translated = self.entry(name, self.language) if self.language else ""
        return translated or self.entry(name, "text") or name.replace("_", " ")

    def plural(self, name: str) -> str:
        """Several of a suit, a rank or a zone."""
        shown = self.shown(name)
        given = self.entry(name, "plural")
        if given and shown == self.entry(name, "text"):
            return given
        if shown.isdigit():
            return f"{shown}s"
        return plural(shown) if not self.language or shown == name else shown

    def sign(self, name: str) -> str:
        """A suit or rank in few signs."""
        if name.isdigit():
            return self.entry(name, "symbol") or name
        return self.entry(name, "symbol") or self.entry(name, "short") or self.shown(name)

    def zone(self, name: str) -> tuple[str, bool]:
        """A zone as a noun, and whether that is many: `hand`, `won cards`."""
        shown = self.shown(name)
        words = shown.split()
        if words and all(is_participle(word) or word in ("up", "down", "out") for word in words):
            return f"{shown} cards", True
        return shown, shown.endswith("s") and not shown.endswith("ss")

    def card(self, rank: str, suit: str) -> str:
        """A card as it stands in running text."""
        return f"{self.shown(rank)} of {self.shown(suit)}"

    def drawn(self, text: str) -> str | None:
        """A card as it is written, drawn with its signs; None if this is no card."""
        rank, of, suit = text.partition(" of ")
        if of and rank in self.ranks and suit in self.suits:
            sign = f"{self.sign(rank)}{self.sign(suit)}"
            return model.card(self.entry(suit, "colour"), sign, self.card(rank, suit))
        singles = self.game.enumerations["card"].members
        if text in singles and not of:
            sign = self.entry(text, "symbol") or self.shown(text)
            return model.card(self.entry(text, "colour"), sign, self.shown(text))
        return None

    def suit(self, name: str) -> str:
        """A suit's sign in its colour."""
        sign = self.sign(name)
        return model.card(self.entry(name, "colour"), sign, sign)

    # ---- kinds ----

    def kind(self, node: object) -> Kind | None:
        """The kind of an expression, as far as its names or its place in the file tell."""
        game = self.game
        name = node.text if isinstance(node, n.Name) else ""
        name = node.head.text if isinstance(node, n.Of) else name
        found: Kind | None = None
        if name in game.definitions:
            found = game.definitions[name].kind
        elif name in game.state:
            found = game.state[name].kind
        elif name in game.tables:
            found = game.tables[name].kind
        elif name in game.options:
            found = game.options[name].kind
        if found is None and isinstance(node, n.Node):
            found = self.kinds.get(place(node.span))
        return found

    def is_flag(self, node: object) -> bool:
        if isinstance(node, n.Not | n.Logic | n.Compare | n.Member | n.Every | n.Can):
            return True
        if isinstance(node, n.Quantity):
            return node.word != "count"
        if isinstance(node, n.Constant):
            return node.word in ("yes", "no")
        if isinstance(node, n.IfElse):
            return self.is_flag(node.then) or self.is_flag(node.other)
        return isinstance(self.kind(node), Flag)

    def parameters(self, name: str) -> tuple[t.Variable, ...]:
        if name in self.game.definitions:
            return self.game.definitions[name].parameters
        return self.game.steps[name].parameters if name in self.game.steps else ()


def place(span: Span) -> Place:
    return span.source.path, span.start, span.end


def kinds_of(game: t.CheckedGame) -> Iterator[tuple[Place, Kind]]:
    """The kind of everything by its place: expressions, and names that are given to values. What
    is wrapped comes later, so that it stands for the place that it shares with its wrapping."""
    for node in parts(game):
        if isinstance(node, t.Base):
            yield place(node.span), node.kind
        for variable in variables(node):
            yield place(variable.span), variable.kind
    for definition in game.definitions.values():
        for variable in definition.parameters:
            yield place(variable.span), variable.kind
    for step in game.steps.values():
        for variable in step.parameters:
            yield place(variable.span), variable.kind
    for move in game.moves.values():
        for pick in move.picks:
            yield place(pick.variable.span), pick.variable.kind


def variables(node: object) -> Iterator[t.Variable]:
    for name in getattr(node, "__dataclass_fields__", ()):
        value = getattr(node, name)
        if isinstance(value, t.Variable):
            yield value


def is_participle(word: str) -> bool:
    return word in PARTICIPLES or (len(word) > 3 and word.endswith("ed"))


def number_word(number: int) -> str:
    return NUMBER_WORDS[number] if 0 < number < len(NUMBER_WORDS) else str(number)


def noun_of(kind: Kind | None) -> str:
    """The word for one value of a kind, or for one member of a set."""
    if isinstance(kind, Members | SetOf):
        return kind.enumeration.name.replace("_", " ")
    return "number" if isinstance(kind, Numbers | NumberRange) else "value"


__all__ = ["Lexicon", "noun_of", "number_word", "plural"]
