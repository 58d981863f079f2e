"""Who speaks of what: the names known at one place of the rules, and how each is said there.

A speech never changes; binding a name gives a new one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from rulebook import nodes as n
from rulebook.kinds import Flag, GroupsOf, Kind, Members, Numbers, SetOf
from rulebook.sheet.lexicon import Lexicon, noun_of, plural
from rulebook.sheet.model import term
from rulebook.sheet.phrases import Condition, Phrase

LAST_CHOOSER = Phrase("the player who chose last", person=True)


@dataclass(frozen=True, slots=True)
class Speech:
    """`member` is what a bare attribute belongs to; `mover` is how the one who chooses is called.
    `says` and `asks` put expressions into phrases and conditions."""

    lexicon: Lexicon
    says: Callable[[Speech, Any], Phrase]
    asks: Callable[[Speech, Any], Condition]
    mover: Phrase = LAST_CHOOSER
    member: Phrase | None = None
    known: dict[str, Phrase] = field(default_factory=dict)

    def phrase(self, node: n.Expr) -> Phrase:
        return self.says(self, node)

    def condition(self, node: n.Expr) -> Condition:
        return self.asks(self, node)

    def bound(self, name: str, phrase: Phrase) -> Speech:
        return replace(self, known={**self.known, name: phrase})

    def named(
        self, word: n.Word, kind: Kind | None, lettered: bool = False, article: str = "that"
    ) -> Speech:
        """With a local: `that player`, or `player p` where two must be told apart."""
        return self.bound(word.text, self.local(word.text, kind, lettered, article))

    def local(
        self, name: str, kind: Kind | None, lettered: bool = False, article: str = "that"
    ) -> Phrase:
        noun = noun_of(kind)
        person = noun in ("player", "team")
        many = isinstance(kind, SetOf)
        noun = plural(noun) if many else noun
        if isinstance(kind, GroupsOf):
            noun, many = "groups", True
        shown = name.replace("_", " ")
        if len(name) > 2 or isinstance(kind, Flag):
            text = f"the {term(shown)}" if isinstance(kind, Members) else term(shown)
            if many and not shown.endswith("s"):
                text = f"the {text} {noun}"
        elif noun == "number":
            text = term(name)
        else:
            said = f"{'those' if many and article == 'that' else article} {noun}"
            taken = {phrase.text for phrase in self.known.values()}
            text = f"{noun} {term(name)}" if lettered or said in taken else said
        if not many:
            plenty = isinstance(kind, Numbers) and len(name) > 2 and name.endswith("s")
            return Phrase(text, plenty, person)
        one = noun_of(kind)
        if text == f"{article} {noun}" and article.startswith("the"):
            chosen = article.removeprefix("the").lstrip()
            one = f"{chosen} {one}".strip()
            return Phrase(text, True, person, one=one, all=plural(one))
        tail = f" among {text}"
        return Phrase(text, True, person, one=one, all=plural(one), tail=tail)

    def picked(self, words: list[n.Word], cards: str = "the") -> Speech:
        """With what a move picks or a definition is of: `the card`; with a letter where there are
        two of one kind. Sets of cards are `the cards`, or `the chosen cards` if `cards` says so."""
        kinds = [self.lexicon.kind(word) for word in words]
        nouns = [(noun_of(kind), isinstance(kind, SetOf)) for kind in kinds]
        speech = self
        for word, kind, noun in zip(words, kinds, nouns, strict=True):
            article = cards if noun[1] else "the"
            speech = speech.named(word, kind, nouns.count(noun) > 1, article)
        return speech

    def looking_at(self, noun: str, binder: str = "") -> Speech:
        """Inside a condition on the members of a set."""
        person = noun in ("player", "team")
        phrase = Phrase("they" if person else "it", person, noun == "player", member=True)
        found = replace(self, member=phrase)
        if not binder:
            return found
        if self.member is not None:
            return found.bound(binder, Phrase(f"{noun} {term(binder)}", person=person))
        return found.bound(binder, phrase)
