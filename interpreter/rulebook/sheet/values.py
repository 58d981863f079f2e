"""Expressions as phrases: what a rule line is about, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rulebook import nodes as n
from rulebook.kinds import Enumeration, Flag, GroupsOf, Members, NumberRange, Numbers, SetOf
from rulebook.sheet.lexicon import is_participle, noun_of, number_word
from rulebook.sheet.model import term
from rulebook.sheet.phrases import (
    Phrase,
    as_collection,
    collection,
    holds,
    listed,
    owned_by,
    plural,
)
from rulebook.sheet.sets import (
    aggregate,
    among,
    bound_set,
    cards_of,
    combined,
    count,
    end,
    groups,
    numbers,
    split,
    where,
    written_out,
)
from rulebook.sheet.speech import Speech

PREPOSITIONS = {"on", "for", "in", "by", "at", "to", "after", "before", "of", "from"}
ADJECTIVES = {"active", "current", "lone", "first", "other", "next", "last"}
SIGNS = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}
ROUNDING = {
    "rounded_up": "rounded up to a multiple of {}",
    "rounded_down": "rounded down to a multiple of {}",
    "half_up": "rounded to the nearest multiple of {}, a half upwards",
    "half_down": "rounded to the nearest multiple of {}, a half downwards",
}


def phrase(speech: Speech, node: n.Expr) -> Phrase:
    """Any expression; one that is a condition becomes `whether ...`."""
    known = isinstance(node, n.Constant) or (isinstance(node, n.Name) and node.text in speech.known)
    if not known and speech.lexicon.is_flag(node):
        return Phrase(f"whether {holds(speech.condition(node))}", compound=True)
    return PHRASES[type(node)](speech, node)


# ---- names ----


def number(speech: Speech, node: n.Number) -> Phrase:
    kind = speech.lexicon.kind(node)
    if isinstance(kind, Members) and kind.enumeration.name == "player":
        return Phrase(f"player {node.value + 1}", person=True)
    if isinstance(kind, Members) and kind.enumeration.name == "rank":
        return Phrase(speech.lexicon.shown(str(node.value)))
    return Phrase(str(node.value))


def constant(speech: Speech, node: n.Constant) -> Phrase:
    if node.word == "cards":
        return collection("card", "all cards of the deck", " in the deck")
    return Phrase(
        {"empty": "nothing", "none": "nobody" if person(speech, node) else "none"}.get(
            node.word, node.word
        )
    )


def person(speech: Speech, node: n.Expr) -> bool:
    kind = speech.lexicon.kind(node)
    return isinstance(kind, Members) and kind.enumeration.name in ("player", "team")


def name(speech: Speech, node: n.Name) -> Phrase:
    text, lexicon = node.text, speech.lexicon
    game = lexicon.game
    if text in speech.known:
        return speech.known[text]
    if text == "mover":
        return speech.mover
    if speech.member is not None and asked_of_member(speech, text):
        return attribute(speech, text, speech.member)
    if text in game.zones:
        return zone(speech, text, None)
    if text in game.definitions:
        return defined(speech, text, None)
    if text in game.options:
        kind = game.options[text].kind
        if isinstance(kind, Members) and kind.enumeration.name == "player":
            return Phrase(f"the player agreed on as {term(lexicon.shown(text))}", person=True)
        return Phrase(f"the agreed {term(lexicon.shown(text))}")
    if text in game.state:
        return stated(speech, text, None)
    if text in lexicon.sets:
        return whole(lexicon.sets[text])
    if text in lexicon.members or text in lexicon.ranks:
        return Phrase(lexicon.shown(text))
    drawn = lexicon.shown(text)
    return Phrase(f"the {drawn}" if text in game.enumerations["card"].members else drawn)


def whole(kind: Enumeration) -> Phrase:
    """All of a kind."""
    one = kind.name.replace("_", " ")
    return collection(one, f"the {plural(one)}", "")


def asked_of_member(speech: Speech, text: str) -> bool:
    """Whether a bare name is an attribute of what a condition looks at."""
    game = speech.lexicon.game
    if text in ("suit", "rank", "team", "player", "owner", "partner", "left", "right", "next"):
        return True
    if text in ("above", "face_up") or text in game.tables:
        return True
    if text in game.definitions:
        return len(game.definitions[text].parameters) == 1
    entry = game.state.get(text) or game.zones.get(text)
    return entry is not None and entry.each is not None


# ---- of ----


def seat(speech: Speech, head: str, argument: n.Expr) -> Phrase | None:
    """A player by number, where an example names a seat that nothing else tells the kind of."""
    if not isinstance(argument, n.Number):
        return None
    game = speech.lexicon.game
    entry = game.zones.get(head) or game.state.get(head)
    each = entry.each if entry is not None else None
    parameters = speech.lexicon.parameters(head)
    if len(parameters) == 1 and isinstance(parameters[0].kind, Members):
        each = parameters[0].kind.enumeration
    if isinstance(each, Enumeration) and each.name == "player":
        return Phrase(f"player {argument.value + 1}", person=True)
    return None


def of(speech: Speech, node: n.Of) -> Phrase:
    head, lexicon = node.head.text, speech.lexicon
    argument = node.argument
    player = seat(speech, head, argument)
    if player is not None:
        return attribute(speech, head, player)
    if head in lexicon.ranks:
        suit = speech.phrase(argument).text
        if isinstance(argument, n.Name) and argument.text in lexicon.suits:
            return Phrase(f"the {lexicon.card(head, argument.text)}")
        return Phrase(f"the {lexicon.shown(head)} of {suit}")
    if isinstance(argument, n.ListOf) and head not in lexicon.game.definitions:
        return of_several(speech, head, argument)
    if head in lexicon.game.definitions:
        return defined(speech, head, argument)
    return attribute(speech, head, speech.phrase(argument))


def of_several(speech: Speech, head: str, argument: n.ListOf) -> Phrase:
    items = [speech.phrase(item).bracketed for item in argument.items]
    if head in ("larger", "smaller"):
        return Phrase(f"the {head} of {listed(items)}", compound=True)
    if head in ROUNDING:
        return Phrase(f"{items[0]} {ROUNDING[head].format(items[1])}", compound=True)
    return Phrase(f"the {said(speech, head)} of {listed(items)}")


def said(speech: Speech, head: str) -> str:
    """A table or an order by name."""
    shown = speech.lexicon.shown(head)
    named = head not in speech.lexicon.orders or "order" in shown.split()
    return shown if named else f"{shown} order"


def attribute(speech: Speech, head: str, owner: Phrase) -> Phrase:
    """`head of owner` for a thing that every file knows, or that this file declares."""
    game = speech.lexicon.game
    if head == "player":
        if owner.member:
            return Phrase("the player who played it", person=True)
        return Phrase(f"the player who played {owner.text}", person=True)
    if head == "owner":
        return Phrase(f"the player who holds {owner.text}", person=True)
    if head in ("left", "right"):
        return Phrase(
            f"the player on {possessive(owner)} {head}"
            if handy(owner)
            else f"the player to the {head} of {owner.text}",
            person=True,
        )
    if head == "next":
        return Phrase(f"the player after {owner.text}", person=True)
    if head == "partner":
        return owned_by(owner, "partner", person=True)
    if head == "above":
        return collection("card", f"the cards that lie on {owner.text}", f" on {owner.text}")
    if head in game.zones:
        return zone(speech, head, owner)
    if head in game.state:
        return stated(speech, head, owner)
    if head in game.definitions:
        return member_definition(speech, head, owner)
    if head == "team":
        return owned_by(owner, "team", person=True)
    if head in speech.lexicon.orders:
        order = said(speech, head)
        if owner.member:
            return owned_by(owner, f"place in the {order}")
        return Phrase(f"the place of {owner.text} in the {order}")
    return owned_by(owner, said(speech, head))


def handy(owner: Phrase) -> bool:
    return owner.you or owner.member or (owner.person and len(owner.text.split()) <= 3)


def possessive(owner: Phrase) -> str:
    return owned_by(owner, "").text.rstrip()


def zone(speech: Speech, head: str, owner: Phrase | None) -> Phrase:
    noun, many = speech.lexicon.zone(head)
    each = speech.lexicon.game.zones[head].each
    if owner is None:
        text = f"the {noun}"
    elif isinstance(each, NumberRange):
        text = f"{noun} {owner.text}"
        if owner.member:
            text = f"the {noun} with that number"
        elif " " in owner.text:
            text = f"the {noun} whose number is {owner.text}"
    elif isinstance(each, Enumeration) and each.name not in ("player", "team"):
        text = f"the {noun} of {owner.text}"
    else:
        owned = owned_by(owner, noun, many)
        return replace(owned, one="card", all="cards", tail=f" {place(noun)} {owned.text}")
    return Phrase(text, many, one="card", all="cards", tail=f" {place(noun)} {text}")


def place(noun: str) -> str:
    """How cards lie there."""
    if noun.endswith("cards"):
        return "among"
    return "on" if noun.split()[-1] in ("table", "board", "tableau") else "in"


def stated(speech: Speech, head: str, owner: Phrase | None) -> Phrase:
    state = speech.lexicon.game.state[head]
    kind = state.kind
    shown = speech.lexicon.shown(head)
    words = shown.split()
    of_set = isinstance(kind, SetOf)
    done = any(is_participle(word) for word in words)
    isperson = isinstance(kind, Members) and kind.enumeration.name in ("player", "team")
    if isperson and words[-1] in ADJECTIVES:
        shown = f"{shown} {noun_of(kind)}"
    elif words[0] in PREPOSITIONS or (done and not of_set and not isinstance(kind, Flag)):
        shown = f"{noun_of(kind)} {shown}"
    elif of_set and not shown.endswith("s"):
        shown = f"{shown} {plural(noun_of(kind))}"
    many = of_set or (isinstance(kind, Numbers) and shown.endswith("s") and shown[-2:] != "ss")
    if owner is None:
        owned = Phrase(f"the {shown}", many, isperson)
    else:
        owned = owned_by(owner, shown, many, isperson)
    if not isinstance(kind, SetOf):
        return owned
    return as_collection(owned, noun_of(kind))


def steps_of(speech: Speech, node: n.StepsOf) -> Phrase:
    owner = speech.phrase(node.argument)
    seats = f"{number_word(node.count)} seat{'s' if node.count > 1 else ''}"
    if node.head.text == "next":
        return Phrase(f"the player {seats} on from {owner.text}", person=True)
    side = node.head.text
    place = f"to {possessive(owner)} {side}" if handy(owner) else f"to the {side} of {owner.text}"
    return Phrase(f"the player {seats} {place}", person=True)


# ---- definitions ----


def defined(speech: Speech, head: str, argument: n.Expr | None) -> Phrase:
    if argument is None:
        return titled(speech, head, [])
    items = argument.items if isinstance(argument, n.ListOf) else (argument,)
    several = len(speech.lexicon.parameters(head)) > 1
    phrases = [speech.phrase(item) for item in items] if several else [speech.phrase(argument)]
    return titled(speech, head, phrases)


def member_definition(speech: Speech, head: str, owner: Phrase) -> Phrase:
    return titled(speech, head, [owner])


def titled(speech: Speech, head: str, arguments: list[Phrase]) -> Phrase:
    """A definition by its name, of its arguments."""
    kind = speech.lexicon.game.definitions[head].kind
    shown = speech.lexicon.shown(head)
    isperson = isinstance(kind, Members | SetOf) and kind.enumeration.name in ("player", "team")
    if shown.endswith(" of"):
        shown = shown[:-3]
    noun = term(shown)
    if shown.split()[0] in PREPOSITIONS and isinstance(kind, SetOf) and not arguments:
        one = noun_of(kind)
        return collection(one, f"the {plural(one)} {noun}", f" {noun}")
    if shown.split()[0] in PREPOSITIONS:
        noun = f"amount {noun}" if isinstance(kind, Numbers) else f"{noun_of(kind)} {noun}"
    elif isinstance(kind, Members) and is_participle(shown):
        noun = f"{noun} {noun_of(kind)}"
    many = isinstance(kind, SetOf | GroupsOf)
    plenty = many or (isinstance(kind, Numbers) and shown.endswith("s") and shown[-2:] != "ss")
    one = noun_of(kind) if isinstance(kind, SetOf) else "group" if many else ""
    if isinstance(kind, SetOf) and not shown.endswith("s"):
        noun = f"{noun} {plural(one)}"
    if not arguments:
        found = Phrase(f"the {noun}", plenty, isperson)
    elif len(arguments) == 1:
        found = owned_by(arguments[0], noun, plenty, isperson)
    else:
        found = Phrase(
            f"the {noun} of {listed([a.bracketed for a in arguments])}", plenty, isperson
        )
    if not many:
        return found
    return Phrase(
        found.text,
        True,
        isperson,
        owned=found.owned,
        one=one,
        all=plural(one),
        tail=f" among {found.text}",
    )


# ---- arithmetic ----


def arithmetic(speech: Speech, node: n.Arithmetic) -> Phrase:
    left, right = speech.phrase(node.left), speech.phrase(node.right)
    if node.sign in ("with", "without"):
        return combined(speech, node)
    sums = ("+", "-")
    chained = isinstance(node.left, n.Arithmetic) and node.left.sign in sums
    first = left.text if chained and node.sign in sums else left.bracketed
    if node.sign in ("+", "-") and isinstance(node.right, n.Number) and node.right.value == 0:
        return left
    if node.sign == "mod":
        return Phrase(f"the remainder of {first} divided by {right.bracketed}", compound=True)
    text = f"{first} {SIGNS[node.sign]} {right.bracketed}"
    return Phrase(f"{text}, rounded down" if node.sign == "/" else text, compound=True)


def negated(speech: Speech, node: n.Negate) -> Phrase:
    return Phrase(f"minus {speech.phrase(node.operand).bracketed}")


def if_else(speech: Speech, node: n.IfElse) -> Phrase:
    then, other = speech.phrase(node.then), speech.phrase(node.other)
    condition = holds(speech.condition(node.condition))
    last = f"or else {other.text}" if isinstance(node.other, n.IfElse) else f"otherwise {other}"
    text = f"{then.bracketed} if {condition}, {last}"
    return Phrase(text, compound=True, person=then.person)


def drawn_by_lot(speech: Speech, node: n.Random) -> Phrase:
    return Phrase(f"one of {speech.phrase(node.subject).text}, drawn by lot")


def asked(speech: Speech, node: n.Expr) -> Phrase:
    return Phrase(f"whether {holds(speech.condition(node))}", compound=True)


PHRASES: dict[type, Callable[[Speech, Any], Phrase]] = {
    n.Number: number,
    n.Name: name,
    n.Constant: constant,
    n.ListOf: written_out,
    n.Of: of,
    n.StepsOf: steps_of,
    n.CardsOf: cards_of,
    n.End: end,
    n.Quantity: count,
    n.Aggregate: aggregate,
    n.Every: asked,
    n.Where: where,
    n.Not: asked,
    n.Negate: negated,
    n.Logic: asked,
    n.Compare: asked,
    n.Member: bound_set,
    n.Arithmetic: arithmetic,
    n.IfElse: if_else,
    n.Range: numbers,
    n.Among: among,
    n.Can: asked,
    n.Groups: groups,
    n.Split: split,
    n.Random: drawn_by_lot,
}
