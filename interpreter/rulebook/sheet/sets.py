"""Sets and groups as phrases: cards in a place, players of whom something holds, melds."""

from __future__ import annotations

from dataclasses import replace

from rulebook import nodes as n
from rulebook.kinds import Enumeration, GroupsOf, Members, SetOf
from rulebook.sheet.lexicon import noun_of, number_word
from rulebook.sheet.phrases import Phrase, collection, holds, listed, plural, relative
from rulebook.sheet.speech import Speech

EXTREMES = {"highest": "highest", "lowest": "lowest", "most": "highest", "least": "lowest"}


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
        found.text,
        found.many,
        one == "player",
        one=one,
        all=plural(one),
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
    """Cards of one named suit or rank go by its name: `the sevens in the trick`."""
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
        return Phrase(
            f"the {all}{found.tail}", True, one=f"card of {suit.text}", all=all, tail=found.tail
        )
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
    everyone = found.text == f"the {found.all}" and not found.one.endswith("card")
    among = "" if everyone else f" among {found.members}"
    if node.word == "sum":
        return Phrase(f"the total {key} of {found.members}")
    # `card of one suit` and the like: which cards are meant is said behind.
    one = "card" if found.one.startswith("card of ") else found.one
    extreme = EXTREMES[node.word]
    if node.word in ("most", "least"):
        whose = among or f" of all {found.all}"
        return Phrase(f"the {extreme} {key}{whose}")
    if node.all:
        tail = f" with the {extreme} {key}{among}"
        text = f"all {found.all}{tail}"
        return Phrase(text, True, found.person, one=found.one, all=found.all, tail=tail)
    return Phrase(f"the {one} with the {extreme} {key}{among}", person=found.person)


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
    speech: Speech,
    word: n.Word,
    shapes: tuple[n.Shape, ...],
    subject: n.Expr,
    condition: n.Expr | None,
    grouped: bool,
) -> Phrase:
    """Cards of some shapes out of others."""
    source = speech.phrase(subject)
    shape = listed([shape_text(speech, s) for s in shapes], "or")
    tail = f" from {source.text}"
    if condition is not None:
        look = speech.looking_at("card", word.text)
        member = Phrase("they", True, member=True, one="card", all="cards", tail=" among them")
        look = replace(look, member=member, known={**look.known, word.text: member})
        tail += f" for which {holds(look.condition(condition))}"
    if not grouped:
        return Phrase(f"{shape}{tail}", True, one="card", all="cards", tail=f" among {shape}{tail}")
    text = f"every choice of {shape}{tail}"
    return Phrase(text, True, one=f"group of {shape}", all=f"groups of {shape}", tail=tail)


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


def combined(speech: Speech, node: n.Arithmetic) -> Phrase:
    left, right = as_set(speech, node.left), speech.phrase(node.right)
    joint = "and" if node.sign == "with" else "without"
    text = f"{left.text} {joint} {right.text}"
    preposition = f" {left.tail.split()[0]}" if left.tail[:4] in (" in ", " on ") else " among"
    return Phrase(text, True, left.person, one=left.one, all=left.all, tail=f"{preposition} {text}")
