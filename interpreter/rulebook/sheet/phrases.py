"""Pieces of English: phrases that name things, and clauses that say something of them.

Phrases know what a sentence needs to know of them: whether they are many, are the reader (`you`),
or are the member that a condition looks at (`its`). Conditions stay apart until a sentence is made,
so that they can be negated, joined, or hung on to a noun (`whose ...`, `that ...`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TypeAlias

from rulebook.sheet.model import bare

MODALS = {"may": "may not", "can": "cannot", "must": "need not", "should": "should not"}


@dataclass(frozen=True, slots=True)
class Phrase:
    """Something named. A set also has its members' noun, as one and as many, and what follows that
    noun (` in the stock`). `owned` is what a phrase such as `its suit` says the member has."""

    text: str
    many: bool = False
    person: bool = False
    you: bool = False
    member: bool = False
    owned: str = ""
    one: str = ""
    all: str = ""
    tail: str = ""
    compound: bool = False
    """Arithmetic, a choice of two: wants brackets inside a bigger expression."""

    def __str__(self) -> str:
        return self.text

    @property
    def bracketed(self) -> str:
        return f"({self.text})" if self.compound else self.text

    @property
    def a_member(self) -> str:
        return f"{article(self.one)}{self.tail}"

    @property
    def members(self) -> str:
        return self.text if self.tail == f" among {self.text}" else f"the {self.all}{self.tail}"

    def narrowed(self, relative: str) -> Phrase:
        """The part of a set that a relative clause picks out."""
        tail = f"{self.tail} {relative}"
        return Phrase(
            f"the {self.all}{tail}", True, self.person, one=self.one, all=self.all, tail=tail
        )


YOU = Phrase("you", person=True, you=True)


def article(noun: str) -> str:
    word = bare(noun)
    return f"an {noun}" if word[:1].lower() in "aeiou" and word[:3] != "one" else f"a {noun}"


def owned_by(owner: Phrase, thing: str, many: bool = False, person: bool = False) -> Phrase:
    """`your hand`, `its suit`, `the dealer’s score`, `the power of the first card`."""
    if owner.you:
        return Phrase(f"your {thing}", many, person)
    if owner.member:
        whose = "their" if owner.person else "its"
        return Phrase(f"{whose} {thing}", many, person, owned=thing)
    text = bare(owner.text)
    if owner.person and len(text.split()) <= 3 and not owner.compound and "’" not in text:
        mark = "’" if text.endswith("s") else "’s"
        return Phrase(f"{owner.text}{mark} {thing}", many, person)
    return Phrase(f"the {thing} of {owner.text}", many, person)


def plural(noun: str) -> str:
    if re.search(r"(s|x|ch|sh)$", noun):
        return noun if noun.endswith("s") and not noun.endswith("ss") else f"{noun}es"
    return f"{noun[:-1]}ies" if re.search(r"[^aeiou]y$", noun) else f"{noun}s"


def collection(one: str, text: str, tail: str) -> Phrase:
    return Phrase(text, True, one == "player", one=one, all=plural(one), tail=tail)


def as_collection(found: Phrase, one: str) -> Phrase:
    """Something known to be a set, with its members' noun."""
    return replace(
        found,
        many=True,
        person=one == "player",
        one=one,
        all=plural(one),
        tail=f" among {found.text}",
    )


# ---- conditions ----


@dataclass(frozen=True, slots=True)
class Clause:
    """A subject, a verb as `it` has it (`is`, `may`, `beats`) and the rest."""

    subject: Phrase
    verb: str
    rest: str = ""
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Fact:
    """A whole sentence with the words for its contrary; of a member, as a relative clause too."""

    text: str
    contrary: str
    relative: str = ""
    relative_contrary: str = ""


@dataclass(frozen=True, slots=True)
class Joined:
    word: str
    left: Condition
    right: Condition


Condition: TypeAlias = Clause | Fact | Joined


def contrary(condition: Condition) -> Condition:
    if isinstance(condition, Clause):
        return replace(condition, negated=not condition.negated)
    if isinstance(condition, Fact):
        return Fact(
            condition.contrary, condition.text, condition.relative_contrary, condition.relative
        )
    if condition.word == "implies":
        return Joined("and", condition.left, contrary(condition.right))
    word = "or" if condition.word == "and" else "and"
    return Joined(word, contrary(condition.left), contrary(condition.right))


def verb_phrase(clause: Clause, many: bool) -> str:
    verb, rest = clause.verb, f" {clause.rest}" if clause.rest else ""
    if verb in ("is", "was"):
        shown = {"is": "are", "was": "were"}[verb] if many else verb
        shown = f"{shown} not" if clause.negated else shown
    elif verb in MODALS:
        shown = MODALS[verb] if clause.negated else verb
    elif clause.negated:
        shown = f"{'do' if many else 'does'} not {base(verb)}"
    else:
        shown = base(verb) if many else verb
    return shown + rest


def base(verb: str) -> str:
    """The verb without the ending that `it` gives it."""
    if verb == "has":
        return "have"
    for ending in ("shes", "ches", "sses", "xes"):
        if verb.endswith(ending):
            return verb[:-2]
    return verb[:-3] + "y" if verb.endswith("ies") and len(verb) > 4 else verb.removesuffix("s")


def clause_text(clause: Clause) -> str:
    return f"{clause.subject.text} {verb_phrase(clause, clause.subject.many or clause.subject.you)}"


def shared(joined: Joined) -> Clause | None:
    """Two clauses of one subject and verb as one: `its rank is high or low`."""
    first, right = joined.left, joined.right
    left: Condition | None = first
    if isinstance(first, Joined) and first.word == joined.word:
        left = shared(first)
    if not isinstance(left, Clause) or not isinstance(right, Clause):
        return None
    if (
        left.negated
        or right.negated
        or (left.subject.text, left.verb)
        != (
            right.subject.text,
            right.verb,
        )
    ):
        return None
    return replace(left, rest=f"{left.rest} {joined.word} {right.rest}")


def holds(condition: Condition) -> str:
    """The condition as a clause: `the stock is empty`."""
    if isinstance(condition, Clause):
        return clause_text(condition)
    if isinstance(condition, Fact):
        return condition.text
    together = shared(condition) if condition.word in ("and", "or") else None
    if together is not None:
        return clause_text(together)
    left, right = holds(condition.left), holds(condition.right)
    if condition.word == "implies":
        return f"if {left}, then {right}"
    if condition.word == "or":
        comma = "," if mixed(condition) else ""
        return f"{left}{comma} or {right}"
    if loose(condition.left):
        left = f"either {left}"
    if loose(condition.right):
        right = f"either {right}"
    comma = "," if loose(condition.left) or loose(condition.right) else ""
    return f"{left}{comma} and {right}"


def loose(condition: Condition) -> bool:
    return isinstance(condition, Joined) and condition.word == "or" and shared(condition) is None


def mixed(condition: Joined) -> bool:
    parts = (condition.left, condition.right)
    return any(isinstance(part, Joined) and part.word != "or" for part in parts)


def relative(condition: Condition, person: bool) -> str:
    """The condition hung on to the noun for the members it looks at."""
    found = attached(condition, person)
    return found or f"for {'whom' if person else 'which'} {holds(condition)}"


def attached(condition: Condition, person: bool) -> str:
    if isinstance(condition, Fact):
        return condition.relative
    if isinstance(condition, Clause):
        subject = condition.subject
        if subject.member:
            return f"{'who' if person else 'that'} {verb_phrase(condition, True)}"
        if subject.owned:
            return f"whose {subject.owned} {verb_phrase(condition, subject.many)}"
        return ""
    if condition.word == "implies":
        return ""
    together = shared(condition)
    if together is not None:
        return attached(together, person)
    left, right = attached(condition.left, person), attached(condition.right, person)
    return f"{left} {condition.word} {right}" if left and right else ""


def listed(names: list[str], last: str = "and") -> str:
    """`a, b and c`."""
    return f"{', '.join(names[:-1])} {last} {names[-1]}" if len(names) > 1 else "".join(names)
