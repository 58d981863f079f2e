"""Expressions as phrases: what a rule line is about, in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rulebook import nodes as n
from rulebook.kinds import Enumeration, GroupsOf, Members, NumberRange, Numbers, SetOf
from rulebook.sheet.lexicon import PARTICIPLES, noun_of, number_word, plural
from rulebook.sheet.model import term
from rulebook.sheet.phrases import Phrase, holds, listed, owned_by, relative
from rulebook.sheet.speech import Speech

PREPOSITIONS = {"for", "in", "by", "at", "to", "after", "before", "of", "from"}
SIGNS = {"+": "plus", "-": "minus", "*": "times", "/": "divided by"}
ROUNDING = {
    "rounded_up": "rounded up to a multiple of {}",
    "rounded_down": "rounded down to a multiple of {}",
    "half_up": "rounded to the nearest multiple of {}, a half upwards",
    "half_down": "rounded to the nearest multiple of {}, a half downwards",
}
EXTREMES = {"highest": "highest", "lowest": "lowest", "most": "highest", "least": "lowest"}


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
    return Phrase({"empty": "nothing", "none": "nobody" if person(speech, node) else "none"}.get(
        node.word, node.word
    ))


def person(speech: Speech, node: n.Expr) -> bool:
    kind = speech.lexicon.kind(node)
    return isinstance(kind, Members) and kind.enumeration.name in ("player", "team")


def collection(one: str, text: str, tail: str) -> Phrase:
    return Phrase(text, True, one == "player", one=one, all=plural(one), tail=tail)


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
        return Phrase(f"the player named by the option {term(lexicon.shown(text))}", person=True)
    if text in game.state:
        return stated(speech, text, None)
    if text in lexicon.sets:
        kind = lexicon.sets[text]
        return whole(kind)
    if text in lexicon.members or text in lexicon.ranks:
        many = text in lexicon.suits and lexicon.shown(text).endswith("s")
        return Phrase(lexicon.shown(text), many=False if many else False)
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


def of(speech: Speech, node: n.Of) -> Phrase:
    head, lexicon = node.head.text, speech.lexicon
    argument = node.argument
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
    if head not in speech.lexicon.orders:
        return shown
    return f"place in the {shown}" + ("" if "order" in shown.split() else " order")


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
        return Phrase(f"the player on {possessive(owner)} {head}" if handy(owner) else
                      f"the player to the {head} of {owner.text}", person=True)
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
        text = f"{noun} {owner.bracketed}"
    elif isinstance(each, Enumeration) and each.name not in ("player", "team"):
        text = f"the {noun} of {owner.text}"
    else:
        owned = owned_by(owner, noun, many)
        return Phrase(
            owned.text, many, owned=owned.owned, one="card", all="cards", tail=f" in {owned.text}"
        )
    tail = f" in {text}" if not many or not noun.endswith("cards") else f" among {text}"
    return Phrase(text, many, one="card", all="cards", tail=tail)


def stated(speech: Speech, head: str, owner: Phrase | None) -> Phrase:
    state = speech.lexicon.game.state[head]
    shown = speech.lexicon.shown(head)
    noun = noun_of(state.kind) if isinstance(state.kind, SetOf) else ""
    isperson = isinstance(state.kind, Members) and state.kind.enumeration.name == "player"
    if noun:
        shown = f"{shown} {plural(noun)}" if not shown.endswith("s") else shown
    owned = Phrase(f"the {shown}", person=isperson) if owner is None else owned_by(owner, shown)
    if not noun:
        return Phrase(owned.text, owned.many, isperson, owned=owned.owned)
    return Phrase(
        owned.text, True, noun == "player", one=noun, all=plural(noun), tail=f" among {owned.text}",
        owned=owned.owned,
    )


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
    if shown.split()[0] in PREPOSITIONS:
        noun = f"amount {noun}" if isinstance(kind, Numbers) else f"{noun_of(kind)} {noun}"
    elif isinstance(kind, Members) and (shown in PARTICIPLES or shown.endswith("ed")):
        noun = f"{noun} {noun_of(kind)}"
    many = isinstance(kind, SetOf | GroupsOf)
    one = noun_of(kind) if isinstance(kind, SetOf) else "group" if many else ""
    if isinstance(kind, SetOf) and not shown.endswith("s"):
        noun = f"{noun} {plural(one)}"
    if not arguments:
        found = Phrase(f"the {noun}", many, isperson)
    elif len(arguments) == 1:
        found = owned_by(arguments[0], noun, many, isperson)
    else:
        found = Phrase(f"the {noun} of {listed([a.bracketed for a in arguments])}", many, isperson)
    if not many:
        return found
    return Phrase(
        found.text, True, isperson, owned=found.owned, one=one, all=plural(one),
        tail=f" among {found.text}",
    )


# ---- sets ----


def written_out(speech: Speech, node: n.ListOf) -> Phrase:
    names = [speech.phrase(item).text for item in node.items]
    return Phrase(listed(names), True, one="card", all="cards", tail=f" among {listed(names)}")


def as_set(speech: Speech, node: n.Expr) -> Phrase:
    """A set with its members' noun, also where a single thing stands for a set."""
    found = speech.phrase(node)
    if found.one:
        return found
    kind = speech.lexicon.kind(node)
    one = noun_of(kind) if isinstance(kind, Members | SetOf) else "card"
    one = "number" if isinstance(node, n.Range) else "group" if isinstance(kind, GroupsOf) else one
    return Phrase(
        found.text, found.many, one == "player", one=one, all=plural(one),
        tail=f" among {found.text}",
    )


def binder_of(node: n.Expr) -> tuple[str, n.Expr]:
    """The name that a set gives its members, and the set: `x in S`."""
    if isinstance(node, n.Member) and isinstance(node.item, n.Name) and not node.negated:
        return node.item.text, node.subject
    return "", node


def where(speech: Speech, node: n.Where) -> Phrase:
    binder, subject = binder_of(node.subject)
    found = as_set(speech, subject)
    if isinstance(node.condition, n.Compare):
        short = kindred(speech, found, node.condition)
        if short is not None:
            return short
    inner = speech.looking_at(found.one, binder)
    return found.narrowed(relative(inner.condition(node.condition), found.person))


def kindred(speech: Speech, found: Phrase, condition: n.Compare) -> Phrase | None:
    """Cards of one named suit or rank go by its name: `the kings in the trick`."""
    left, right = condition.left, condition.right
    if not isinstance(left, n.Name) or (isinstance(right, n.Name) and right.text == "suit"):
        left, right = right, left
    if condition.sign != "is" or not isinstance(left, n.Name) or found.one != "card":
        return None
    value = right.text if isinstance(right, n.Name) else ""
    value = str(right.value) if isinstance(right, n.Number) else value
    lexicon = speech.lexicon
    named = {"suit": lexicon.suits, "rank": lexicon.ranks}.get(left.text, set())
    if left.text == "suit" and value not in named:
        suit = speech.phrase(right)
        if suit.owned or suit.compound or suit.member:
            return None
        all = f"cards of {suit.text}"
        return Phrase(f"the {all}{found.tail}", True, one=f"card of {suit.text}", all=all,
                      tail=found.tail)
    if value not in named or value in speech.known or lexicon.language:
        return None
    many = lexicon.plural(value)
    one = lexicon.shown(value) if left.text == "rank" else f"card of {lexicon.shown(value)}"
    return Phrase(f"the {many}{found.tail}", True, one=one, all=many, tail=found.tail)


def bound_set(speech: Speech, node: n.Member) -> Phrase:
    """`p in players` with nothing asked of them."""
    return as_set(speech, binder_of(node)[1])


def cards_of(speech: Speech, node: n.CardsOf) -> Phrase:
    argument = node.argument
    game = speech.lexicon.game
    if isinstance(argument, n.Name) and argument.text in game.zones:
        noun, _ = speech.lexicon.zone(argument.text)
        if noun.endswith("cards"):
            return collection("card", f"everybody’s {noun}", f" among everybody’s {noun}")
        each = game.zones[argument.text].each
        place = f"all {plural(noun)}"
        if isinstance(each, Enumeration) and each.name == "player":
            place = f"the players’ {plural(noun)}"
        return collection("card", f"the cards in {place}", f" in {place}")
    found = speech.phrase(argument)
    return collection("card", f"the cards of {found.text}", f" of {found.text}")


def end(speech: Speech, node: n.End) -> Phrase:
    place = speech.phrase(node.zone)
    piled = isinstance(node.zone, n.Name) and node.zone.text in speech.lexicon.shuffled
    which = {"first": "bottom", "last": "top"}[node.which] if piled else node.which
    if node.count is None:
        return Phrase(f"the {which} card of {place.text}")
    count = speech.phrase(node.count)
    if isinstance(node.count, n.Number):
        count = Phrase("" if node.count.value == 1 else number_word(node.count.value))
    many = f"the {which} {count.bracketed} cards of {place.text}".replace("  ", " ")
    return collection("card", many, f" among {many}")


def count(speech: Speech, node: n.Quantity) -> Phrase:
    found = as_set(speech, binder_of(node.subject)[1])
    return Phrase(f"the number of {found.all}{found.tail}")


def aggregate(speech: Speech, node: n.Aggregate) -> Phrase:
    found = as_set(speech, node.subject)
    key = key_of(speech, node.key, found)
    among = f" among {found.members}" if found.tail or found.one == "group" else ""
    if node.word == "sum":
        return Phrase(f"the total {key} of {found.members}")
    extreme = EXTREMES[node.word]
    if node.word in ("most", "least"):
        whose = among or f" of all {found.all}"
        return Phrase(f"the {extreme} {key}{whose}")
    if node.all:
        text = f"all {found.all} with the {extreme} {key}{among}"
        return Phrase(text, True, found.person, one=found.one, all=found.all, tail=f" among {text}")
    return Phrase(f"the {found.one} with the {extreme} {key}{among}", person=found.person)


def key_of(speech: Speech, key: n.Expr, found: Phrase) -> str:
    """What is added up or compared, as a noun."""
    inner = speech.looking_at(found.one or "card")
    text = inner.phrase(key).text
    for start in ("its ", "their ", "the "):
        text = text.removeprefix(start)
    return text


def groups(speech: Speech, node: n.Groups) -> Phrase:
    return group_set(speech, node.name, node.shapes, node.subject, node.condition, True)


def group_set(
    speech: Speech, word: n.Word, shapes: tuple[n.Shape, ...], subject: n.Expr,
    condition: n.Expr | None, grouped: bool,
) -> Phrase:
    """Cards of some shapes out of others."""
    source = speech.phrase(subject)
    shape = listed([shape_text(speech, s) for s in shapes], "or")
    tail = f" from {source.text}"
    if condition is not None:
        look = speech.looking_at("card", word.text)
        member = Phrase("they", True, member=True, one="card", all="cards", tail=" among them")
        from dataclasses import replace

        look = replace(look, member=member, known={**look.known, word.text: member})
        tail += f" for which {holds(look.condition(condition))}"
    if not grouped:
        return Phrase(f"{shape}{tail}", True, one="card", all="cards", tail=f" among {shape}{tail}")
    text = f"every choice of {shape}{tail}"
    return Phrase(
        text, True, one=f"group of {shape}", all=f"groups of {shape}", tail=tail
    )


def shape_text(speech: Speech, shape: n.Shape) -> str:
    lexicon = speech.lexicon
    of_one = f" of one {lexicon.shown(shape.one.text)}" if shape.one is not None else ""
    low, high = shape.low, shape.high
    if high is None:
        amount = "one or more" if low <= 1 else f"{number_word(low)} or more"
    elif low == high:
        amount = number_word(low)
    else:
        amount = f"{number_word(low)} to {number_word(high)}"
    cards = "card" if low == high == 1 else "cards"
    if not shape.run:
        return f"{amount} {cards}{of_one}"
    order = ""
    if shape.order is not None:
        order = f", by the {lexicon.shown(shape.order.text)} order".replace("order order", "order")
    longest = "the longest possible run" if shape.longest else "a run"
    return f"{longest} of {amount} {cards}{of_one}{order}"


def split(speech: Speech, node: n.Split) -> Phrase:
    found = as_set(speech, node.groups)
    key = key_of(speech, node.key, Phrase("them", one="group"))
    text = f"the best choice of groups that share no card (the greatest total {key}), from {found}"
    return Phrase(text, True, one="group", all="groups", tail=f" in {text}")


def numbers(speech: Speech, node: n.Range) -> Phrase:
    low, high = speech.phrase(node.low).bracketed, speech.phrase(node.high).bracketed
    text = f"{low} to {high}"
    if node.step is not None:
        text += f" in steps of {speech.phrase(node.step).bracketed}"
    return Phrase(text, one="number", all="numbers", tail=f" from {text}")


def among(speech: Speech, node: n.Among) -> Phrase:
    found = as_set(speech, node.subject)
    start = speech.phrase(node.start).text
    if isinstance(node.start, n.Of) and node.start.head.text == "next":
        after = speech.phrase(node.start.argument).text
        return Phrase(f"the next player after {after} among {found.members}", person=True)
    return Phrase(f"{start}, or the next one among {found.members}", person=True)


def steps_of(speech: Speech, node: n.StepsOf) -> Phrase:
    owner = speech.phrase(node.argument)
    seats = f"{number_word(node.count)} seat{'s' if node.count > 1 else ''}"
    if node.head.text == "next":
        return Phrase(f"the player {seats} on from {owner.text}", person=True)
    side = node.head.text
    place = f"to {possessive(owner)} {side}" if handy(owner) else f"to the {side} of {owner.text}"
    return Phrase(f"the player {seats} {place}", person=True)


# ---- arithmetic ----


def arithmetic(speech: Speech, node: n.Arithmetic) -> Phrase:
    left, right = speech.phrase(node.left), speech.phrase(node.right)
    if node.sign in ("with", "without"):
        return combined(speech, node)
    low = node.sign in ("+", "-") and isinstance(node.left, n.Arithmetic)
    first = left.text if low and node.left.sign in ("+", "-") else left.bracketed  # type: ignore[union-attr]  # `low` says what the left is
    if node.sign in ("+", "-") and isinstance(node.right, n.Number) and node.right.value == 0:
        return left
    if node.sign == "mod":
        return Phrase(f"what is left of {first} when divided by {right.bracketed}", compound=True)
    text = f"{first} {SIGNS[node.sign]} {right.bracketed}"
    return Phrase(f"{text}, rounded down" if node.sign == "/" else text, compound=True)


def combined(speech: Speech, node: n.Arithmetic) -> Phrase:
    left, right = as_set(speech, node.left), speech.phrase(node.right)
    joint = "and" if node.sign == "with" else "without"
    text = f"{left.text} {joint} {right.text}"
    preposition = " in" if left.tail.startswith(" in ") else " among"
    return Phrase(
        text, True, left.person, one=left.one, all=left.all, tail=f"{preposition} {text}"
    )


def negated(speech: Speech, node: n.Negate) -> Phrase:
    return Phrase(f"minus {speech.phrase(node.operand).bracketed}", compound=True)


def if_else(speech: Speech, node: n.IfElse) -> Phrase:
    then, other = speech.phrase(node.then), speech.phrase(node.other)
    condition = holds(speech.condition(node.condition))
    last = f"or else {other.text}" if isinstance(node.other, n.IfElse) else f"otherwise {other}"
    text = f"{then.bracketed} if {condition}, {last}"
    return Phrase(text, compound=True, person=then.person)


def drawn_by_lot(speech: Speech, node: n.Random) -> Phrase:
    return Phrase(f"one of {speech.phrase(node.subject).text}, drawn by lot")


def member(speech: Speech, node: n.Member) -> Phrase:
    return bound_set(speech, node)


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
    n.Member: member,
    n.Arithmetic: arithmetic,
    n.IfElse: if_else,
    n.Range: numbers,
    n.Among: among,
    n.Can: asked,
    n.Groups: groups,
    n.Split: split,
    n.Random: drawn_by_lot,
}
