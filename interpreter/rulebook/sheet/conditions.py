"""Expressions that hold or do not, as conditions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rulebook import nodes as n
from rulebook.kinds import GroupsOf, Members
from rulebook.sheet.lexicon import number_word
from rulebook.sheet.model import capital, strong, term
from rulebook.sheet.phrases import (
    MODALS,
    Clause,
    Condition,
    Fact,
    Joined,
    Phrase,
    article,
    contrary,
    holds,
    listed,
    relative,
)
from rulebook.sheet.sets import as_set, binder_of
from rulebook.sheet.speech import Speech

COMPARED = {
    ">": "more than {}",
    ">=": "at least {}",
    "<": "less than {}",
    "<=": "at most {}",
}
RANKED = {">": "above {}", ">=": "{} or above", "<": "below {}", "<=": "{} or below"}
COUNTED = {
    ">": "more than {}",
    ">=": "at least {}",
    "<": "fewer than {}",
    "<=": "at most {}",
    "is": "exactly {}",
}


def condition(speech: Speech, node: n.Expr) -> Condition:
    """An expression that is a flag."""
    return CONDITIONS[type(node)](speech, node)


def logic(speech: Speech, node: n.Logic) -> Condition:
    return Joined(node.word, speech.condition(node.left), speech.condition(node.right))


def negation(speech: Speech, node: n.Not) -> Condition:
    return contrary(speech.condition(node.operand))


def constant(speech: Speech, node: n.Constant) -> Condition:
    return Fact("always", "never") if node.word == "yes" else Fact("never", "always")


# ---- comparisons ----


def compare(speech: Speech, node: n.Compare) -> Condition:
    left, right, sign = node.left, node.right, node.sign
    if sign == "is not":
        return contrary(compare(speech, replace_sign(node, "is")))
    if isinstance(left, n.Quantity) and left.word == "count":
        return counted(speech, left, sign, right)
    if isinstance(right, n.Constant) and right.word in ("empty", "none", "yes", "no"):
        return special(speech, left, right.word)
    subject, other = speech.phrase(left), speech.phrase(right)
    if sign == "is":
        by = done_by(speech, left, other)
        if by is not None:
            return by
        if ((other.owned or other.member) and not (subject.owned or subject.member)) or (
            isinstance(left, n.Name) and isinstance(right, n.Of) and of_cards(speech, right)
        ):
            subject, other = other, subject
        return Clause(subject, "is", other.text)
    kind = speech.lexicon.kind(left)
    words = RANKED if isinstance(kind, Members) else COMPARED
    return Clause(subject, "is", words[sign].format(other.text))


def of_cards(speech: Speech, node: n.Of) -> bool:
    """Whether this is the suit or rank of a card, which makes the better subject."""
    return node.head.text in ("suit", "rank") and not speech.phrase(node.argument).person


def done_by(speech: Speech, left: n.Expr, other: Phrase) -> Condition | None:
    """Who played or holds a card: `it was played by the dealer`."""
    head = left.head.text if isinstance(left, n.Of) else ""
    head = left.text if isinstance(left, n.Name) and speech.member is not None else head
    if head not in ("player", "owner"):
        return None
    card = speech.phrase(left.argument) if isinstance(left, n.Of) else speech.member
    assert card is not None
    if card.person:
        return None
    verb, rest = ("was", "played") if head == "player" else ("is", "held")
    return Clause(card, verb, f"{rest} by {other.text}")


def replace_sign(node: n.Compare, sign: str) -> n.Compare:
    return n.Compare(node.span, sign, node.left, node.right)


def counted(speech: Speech, left: n.Quantity, sign: str, right: n.Expr) -> Condition:
    """How many there are: `there are at least two cards in the stock`."""
    found = as_set(speech, left.subject)
    number = speech.phrase(right)
    amount = COUNTED[sign].format(number.text)
    one = isinstance(right, n.Number) and right.value == 1
    if isinstance(right, n.Number) and right.value == 0 and sign in ("is", ">"):
        there = some(found)
        return there if sign == ">" else contrary(there)
    if not isinstance(right, n.Number):
        return Clause(
            Phrase(f"the number of {found.all}{found.tail}"),
            "is",
            number.text if sign == "is" else COMPARED[sign].format(number.text),
        )
    amount = COUNTED[sign].format(number_word(right.value))
    verb, noun = ("is", found.one) if one and sign != ">" else ("are", found.all)
    tail = f"{amount} {noun}{found.tail}"
    return Fact(f"there {verb} {tail}", f"there {verb} not {tail}")


def special(speech: Speech, left: n.Expr, word: str) -> Condition:
    """Compared with nothing: a set that is empty, a value not set."""
    if word in ("yes", "no"):
        found = speech.condition(left)
        return found if word == "yes" else contrary(found)
    subject = speech.phrase(left)
    if word == "empty":
        return Clause(subject, "is", "empty")
    return unset(speech, left, subject)


def unset(speech: Speech, left: n.Expr, subject: Phrase) -> Condition:
    name = left.text if isinstance(left, n.Name) else ""
    name = left.head.text if isinstance(left, n.Of) else name
    if name in speech.lexicon.game.state:
        if isinstance(left, n.Name) and not subject.owned:
            noun = subject.text.removeprefix("the ")
            return Fact(f"there is no {noun}", f"there is {article(noun)}")
        if subject.owned:
            return Fact(
                f"{subject.text} is not set",
                f"{subject.text} is set",
                f"without {article(subject.owned)}",
                f"with {article(subject.owned)}",
            )
        return Fact(f"{subject.text} is not set", f"{subject.text} is set")
    return Fact(f"there is no such thing as {subject.text}", f"{subject.text} exists")


def member(speech: Speech, node: n.Member) -> Condition:
    subject, within = speech.phrase(node.item), node.subject
    found: Condition
    if isinstance(within, n.ListOf):
        items = [speech.phrase(item).text for item in within.items]
        found = Clause(subject, "is", listed(items, "or"))
    elif isinstance(within, n.Range):
        found = Clause(subject, "is", f"from {speech.phrase(within).text}")
    else:
        place = as_set(speech, within)
        if isinstance(speech.lexicon.kind(within), GroupsOf) or place.one.startswith("group"):
            found = Clause(subject, "is", f"one of {place.text}")
        elif place.tail in (f" in {place.text}", f" on {place.text}"):
            found = Clause(subject, "is", place.tail[1:])
        else:
            found = Clause(subject, "is", f"among {place.text}")
    return contrary(found) if node.negated else found


# ---- sets ----


def quantity(speech: Speech, node: n.Quantity) -> Condition:
    _, subject = binder_of(node.subject)
    found = as_set(speech, subject)
    there = some(found)
    return there if node.word == "any" else contrary(there)


def some(found: Phrase) -> Condition:
    """Whether a set has members; a place is empty or not."""
    if found.tail in (f" in {found.text}", f" on {found.text}", f" among {found.text}"):
        if not found.many:
            return contrary(Clause(found, "is", "empty"))
        if found.text.startswith("the ") and "’" not in found.text:
            noun = found.text.removeprefix("the ")
            return Fact(f"there are {noun}", f"there are no {noun}")
        if found.one == "card" or "’" in found.text:
            return contrary(Clause(found, "is", "empty"))
    if found.tail == f" among {found.text}":
        return Fact(
            f"there is {article(found.one)}{found.tail}", f"there is no {found.one}{found.tail}"
        )
    return Fact(f"there is {found.a_member}", f"there is no {found.one}{found.tail}")


def every(speech: Speech, node: n.Every) -> Condition:
    """Said of `every card ...` itself where one thing is asked of it."""
    binder, subject = binder_of(node.subject)
    found = as_set(speech, subject)
    looking = speech.looking_at(found.one, binder)
    inner = looking.condition(node.condition)
    each = Phrase(f"every {found.one}{found.tail}", person=found.person)
    other = relative(contrary(inner), found.person)
    there = f"there is {article(found.one)}{found.tail} {other}"
    if isinstance(inner, Joined):
        return Fact(f"for {each}, {holds(inner)}", there)
    known = {**looking.known, binder: each} if binder else looking.known
    return Fact(holds(replace(looking, member=each, known=known).condition(node.condition)), there)


def can(speech: Speech, node: n.Can) -> Condition:
    subject = speech.phrase(node.player)
    return Clause(
        subject, "can", f"make the move {strong(capital(speech.lexicon.shown(node.move.text)))}"
    )


def either(speech: Speech, node: n.IfElse) -> Condition:
    asked = speech.condition(node.condition)
    return Joined(
        "and",
        Joined("implies", asked, speech.condition(node.then)),
        Joined("implies", contrary(asked), speech.condition(node.other)),
    )


# ---- flags of the file ----


def name(speech: Speech, node: n.Name) -> Condition:
    text, lexicon = node.text, speech.lexicon
    if text in speech.known:
        return Clause(speech.known[text], "holds")
    if text == "face_up" and speech.member is not None:
        return Clause(speech.member, "lies", "face up")
    if speech.member is not None and text not in lexicon.game.options:
        definition = lexicon.game.definitions.get(text)
        if definition is not None and definition.parameters:
            return asked_of(speech, text, [speech.member])
        entry = lexicon.game.state.get(text)
        if entry is not None and entry.each is not None:
            return flagged(speech, text, speech.member)
    if text in lexicon.game.state:
        return flagged(speech, text, None)
    if text in lexicon.game.definitions:
        return asked_of(speech, text, [])
    return Clause(Phrase(term(lexicon.shown(text))), "holds")


def flagged(speech: Speech, head: str, owner: Phrase | None) -> Condition:
    """A yes-or-no entry of the state, of somebody or of the table."""
    shown = term(speech.lexicon.shown(head))
    if owner is None:
        return Clause(Phrase(shown), "is", "true")
    return Clause(owner, "is", f"marked {shown}")


def of(speech: Speech, node: n.Of) -> Condition:
    head, argument = node.head.text, node.argument
    game = speech.lexicon.game
    if head == "face_up":
        return Clause(speech.phrase(argument), "lies", "face up")
    if head in game.definitions:
        several = len(speech.lexicon.parameters(head)) > 1
        spread = several and isinstance(argument, n.ListOf)
        items = argument.items if spread and isinstance(argument, n.ListOf) else (argument,)
        return asked_of(speech, head, [speech.phrase(item) for item in items])
    if head in game.state:
        return flagged(speech, head, speech.phrase(argument))
    return Clause(speech.phrase(argument), "is", f"marked {term(speech.lexicon.shown(head))}")


def asked_of(speech: Speech, head: str, arguments: list[Phrase]) -> Condition:
    """A definition that holds or not, said as its name lets it be said.

    `is_high` of a card: it counts as high. `may_end`, `has_cards`, `beats`: the verb that it is.
    """
    shown = speech.lexicon.shown(head)
    first, _, rest = shown.partition(" ")
    if shown.endswith(" of"):
        shown = shown[:-3]
    if not arguments:
        return Clause(Phrase(term(shown)), "holds")
    subject, others = arguments[0], [argument.text for argument in arguments[1:]]
    behind = f" {listed(others)}" if others else ""
    if first == "is" and rest:
        return Clause(subject, "counts", f"as {term(rest)}{behind and f' with{behind}'}")
    if first in MODALS and rest:
        return Clause(subject, first, f"{term(rest)}{behind}")
    if is_verb(first):
        said = f"{rest}{behind}".strip()
        if not rest:
            return Clause(subject, f"{first}", said) if said else Clause(subject, first)
        return Clause(subject, first, f"{term(rest)}{behind}")
    of_what = listed([argument.text for argument in arguments])
    return Fact(f"{term(shown)} holds for {of_what}", f"{term(shown)} does not hold for {of_what}")


def is_verb(word: str) -> bool:
    return word == "has" or (len(word) > 3 and word.endswith("s") and not word.endswith("ss"))


CONDITIONS: dict[type, Callable[[Speech, Any], Condition]] = {
    n.Name: name,
    n.Constant: constant,
    n.Of: of,
    n.Quantity: quantity,
    n.Every: every,
    n.Not: negation,
    n.Logic: logic,
    n.Compare: compare,
    n.Member: member,
    n.IfElse: either,
    n.Can: can,
}
