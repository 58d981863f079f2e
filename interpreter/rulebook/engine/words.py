"""Names for people: values to text, and typed text back to moves.

Two texts for everything: the canonical one, made of the file's own names (records hold it), and the
shown one, with the file's `names`. Typed text is matched against both, and against short forms and
symbols.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from rulebook import terms as t
from rulebook.engine.events import FLAG_WORDS, Value, bits
from rulebook.kinds import Enumeration, Flag, Kind, Members, Numbers, SetOf

SMALL_WORDS = {"of", "the", "and"}


@dataclass(frozen=True, slots=True)
class Card:
    """How one card is named."""

    text: str
    shown: str
    symbol: str
    """Rank and suit in few signs."""
    colour: str


class Words:
    """The names of one game, and the players' own names for the seats."""

    def __init__(self, game: t.CheckedGame, players: Sequence[str] = ()) -> None:
        self.game = game
        self.players = [
            players[seat] if seat < len(players) else f"player {seat + 1}"
            for seat in range(game.players)
        ]

    # ---- names ----

    def entry(self, name: str, what: str, default: str = "") -> str:
        return self.game.names.get(name, {}).get(what, default)

    def shown(self, name: str) -> str:
        """A name as shown: the file's text for it, or the name in plain words."""
        return self.entry(name, "text") or name.replace("_", " ")

    @cached_property
    def cards(self) -> list[Card]:
        game = self.game
        suits, ranks = game.enumerations["suit"].members, game.enumerations["rank"].members
        found: list[Card] = []
        for index, text in enumerate(game.enumerations["card"].members):
            suit, rank = game.suit_of[index], game.rank_of[index]
            if suit < 0:
                symbol = self.entry(text, "symbol", text)
                found.append(Card(text, self.shown(text), symbol, self.entry(text, "colour")))
            else:
                found.append(self.card(text, ranks[rank], suits[suit]))
        return found

    def card(self, text: str, rank: str, suit: str) -> Card:
        shown = f"{self.shown(rank)} of {self.shown(suit)}"
        symbol = self.signs(rank)[0] + self.signs(suit)[0]
        return Card(text, shown, symbol, self.entry(suit, "colour"))

    def signs(self, name: str) -> list[str]:
        """A suit or rank in few signs: its symbol, a number's own figures, its short form, the
        beginning that tells it from the others of its kind. At least one is plain ASCII."""
        figures = name if name.isdigit() else ""
        short = self.entry(name, "short")
        found = [self.entry(name, "symbol"), figures, short, figures or self.beginning(name)]
        return [sign for sign in dict.fromkeys(found) if sign]

    def beginning(self, name: str) -> str:
        kinds = (self.game.enumerations["suit"].members, self.game.enumerations["rank"].members)
        others = [one for members in kinds if name in members for one in members if one != name]
        for size in range(1, len(name)):
            if not any(one.startswith(name[:size]) for one in others):
                return name[:size]
        return name

    def member(self, enumeration: Enumeration, index: int, canonical: bool = False) -> str:
        if index < 0:
            return "none"
        if enumeration.name == "card":
            card = self.cards[index]
            return card.text if canonical else card.shown
        name = enumeration.members[index]
        if enumeration.name == "player":
            return name if canonical else self.players[index]
        return name if canonical else self.shown(name)

    def value(self, kind: Kind, value: int, canonical: bool = False) -> str:
        """Any value in words."""
        if isinstance(kind, Flag):
            return FLAG_WORDS[value]
        if isinstance(kind, Numbers):
            return str(value)
        if isinstance(kind, Members):
            return self.member(kind.enumeration, value, canonical)
        if isinstance(kind, SetOf):
            names = [self.member(kind.enumeration, i, canonical) for i in bits(value)]
            return listed(names) if not canonical else ", ".join(names)
        return str(value)

    def sentence(self, pieces: Iterable[str | Value]) -> str:
        """A message with its values; its first letter large."""
        text = "".join(
            piece if isinstance(piece, str) else self.value(piece.kind, piece.value)
            for piece in pieces
        )
        return text[:1].upper() + text[1:]

    def place(self, zone: t.Zone, index: int | None, seat: int) -> str:
        """A zone, or one of a family, as told to a seat."""
        name = self.shown(zone.name)
        if index is None or zone.each is None:
            return f"the {name}"
        if not isinstance(zone.each, Enumeration):
            return f"{name} {index}"
        if zone.each.name == "player" and index == seat:
            return f"your {name}"
        return f"the {name} of {self.member(zone.each, index)}"

    # ---- reading what people type ----

    def forms(self, kind: Kind, value: int) -> list[str]:
        """Every way to type a value."""
        if isinstance(kind, Members) and kind.enumeration.name == "card":
            return self.card_forms(value)
        if isinstance(kind, Members) and kind.enumeration.name == "player":
            # Not the seat's number: people count themselves from 1.
            return [self.value(kind, value)]
        found = [self.value(kind, value, True), self.value(kind, value)]
        if isinstance(kind, Members) and value >= 0:
            found += self.names_of(kind.enumeration.members[value])
        return list(dict.fromkeys(found))

    def card_forms(self, card: int) -> list[str]:
        """A rank and a suit, each in any of its names; or both in short, written as one word."""
        game = self.game
        suit, rank = game.suit_of[card], game.rank_of[card]
        if suit < 0:
            return self.names_of(game.enumerations["card"].members[card])
        rank_name = game.enumerations["rank"].members[rank]
        suit_name = game.enumerations["suit"].members[suit]
        found = [f"{r} {s}" for r in self.names_of(rank_name) for s in self.names_of(suit_name)]
        return found + [f"{r}{s}" for r in self.signs(rank_name) for s in self.signs(suit_name)]

    def names_of(self, name: str) -> list[str]:
        """A name of the file, and what `names` gives for it: text, signs, other languages."""
        texts = [t for key, t in self.game.names.get(name, {}).items() if key not in NOT_NAMES]
        return list(dict.fromkeys([name, *texts]))


NOT_NAMES = {"colour", "plural"}


def listed(names: Sequence[str]) -> str:
    """`a, b and c`."""
    if not names:
        return "nothing"
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]


def tokens(text: str) -> list[str]:
    """Typed text as small words, without those that carry nothing, and without punctuation."""
    apart = re.sub(r"(?<=[^\W\d])[-_](?=\w)", " ", text.casefold())
    words = (word.strip(".,;:!?'\"`()") for word in re.split(r"[\s,]+", apart))
    return [word for word in words if word and word not in SMALL_WORDS]


EXACT, SHORT, BEGINNING = 3, 2, 1


Forms: TypeAlias = list[list[str]]
"""Every way to say one thing, each as words."""


@dataclass(frozen=True, slots=True)
class AnyOrder:
    """Things that are all said, one after the other, in whatever order."""

    members: list[Forms]


def fit(typed: Sequence[str], parts: Sequence[Forms | AnyOrder]) -> int:
    """How well typed words say a row of parts: EXACT, SHORT if some words are only begun,
    BEGINNING if the last words are left out, else 0."""
    if not parts:
        return 0 if typed else EXACT
    part, rest = parts[0], parts[1:]
    if isinstance(part, AnyOrder):
        members = part.members
        if not members:
            return fit(typed, rest)
        ways = (
            [one, AnyOrder([*members[:at], *members[at + 1 :]]), *rest]
            for at, one in enumerate(members)
        )
        return max(fit(typed, way) for way in ways) if typed else BEGINNING
    if not typed:
        return BEGINNING
    best = 0
    for form in part:
        said = typed[: len(form)]
        if not all(word.startswith(w) for w, word in zip(said, form, strict=False)):
            continue
        grade = EXACT if list(said) == form else SHORT
        if len(said) < len(form):
            grade = BEGINNING
        best = max(best, min(grade, fit(typed[len(form) :], rest)))
    return best
