"""Statements as the lines of a list: what is done, with what belongs under it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rulebook import nodes as n
from rulebook.kinds import Flag, Kind, Members, SetOf
from rulebook.sheet.lexicon import noun_of, number_word
from rulebook.sheet.model import Item, capital, inline, sentence, strong, term
from rulebook.sheet.phrases import Phrase, holds, listed
from rulebook.sheet.sets import as_set
from rulebook.sheet.speech import Speech


@dataclass(frozen=True, slots=True)
class Told:
    """A statement in words without its full stop, and what stands under it (then the words end in
    a colon)."""

    text: str
    under: tuple[Told, ...] = ()


def items(told: tuple[Told, ...]) -> tuple[Item, ...]:
    return tuple(Item(inline(sentence(one.text)), items(one.under)) for one in told)


def block(speech: Speech, statements: n.Block) -> tuple[Told, ...]:
    """The statements in order; names given by `let` are known to those after it."""
    found: list[Told] = []
    left = False
    for statement in statements:
        told = STATEMENTS[type(statement)](speech, statement)
        search = isinstance(statement, n.For) and found_first(statement) is not None
        if left and told and (search or isinstance(statement, n.If | n.Return)):
            told = (Told(f"otherwise, {told[0].text}", told[0].under), *told[1:])
        left = search or (
            isinstance(statement, n.If) and all(returns(body) for _, body in statement.branches)
        )
        found += told
        if isinstance(statement, n.Let):
            kind = speech.lexicon.kind(statement.name)
            speech = speech.named(statement.name, kind or speech.lexicon.kind(statement.value))
    return tuple(found)


def returns(body: n.Block) -> bool:
    """Whether what stands after these statements is for other cases only."""
    return bool(body) and isinstance(body[-1], n.Return)


def headed(head: str, under: tuple[Told, ...]) -> tuple[Told, ...]:
    """One short statement stands in the line of its head; more stand under it."""
    if len(under) == 1 and not under[0].under and len(head) + len(under[0].text) < 170:
        return (Told(f"{head}, {under[0].text}"),)
    return (Told(f"{head}:", under),)


# ---- values ----


def assign(speech: Speech, node: n.Assign) -> tuple[Told, ...]:
    target = speech.phrase(node.target)
    kind = speech.lexicon.kind(node.target)
    if node.sign != "=":
        amount = speech.phrase(node.value)
        points = amount.text
        if isinstance(node.value, n.IfElse):
            word = "add to" if node.sign == "+=" else "take from"
            return (Told(f"{word} {target.text}: {points}"),)
        if node.sign == "+=":
            return (Told(f"add {points} to {target.text}"),)
        return (Told(f"take {points} from {target.text}"),)
    if isinstance(node.value, n.Random):
        return (Told(f"draw {target.text} by lot from {speech.phrase(node.value.subject).text}"),)
    if isinstance(kind, Flag) or speech.lexicon.is_flag(node.value):
        return flag_set(speech, node)
    if isinstance(node.value, n.Constant) and node.value.word == "none":
        noun = target.text.removeprefix("the ")
        if isinstance(node.target, n.Name):
            return (Told(f"there is no {noun} for now"),)
        return (Told(f"{target.text} is not set"),)
    if isinstance(node.value, n.Constant) and node.value.word == "empty":
        return (Told(f"{target.text} {'are' if target.many else 'is'} now empty"),)
    if speech.phrase(node.value).you:
        return (Told(f"you are now {target.text}"),)
    are = "are" if target.many else "is"
    if isinstance(node.value, n.IfElse):
        return chosen(speech, node.value, f"{target.text} {are} now")
    return (Told(f"{target.text} {are} now {speech.phrase(node.value).text}"),)


def chosen(speech: Speech, value: n.IfElse, head: str) -> tuple[Told, ...]:
    """A value that depends on a condition, as sentences."""
    condition = holds(speech.condition(value.condition))
    first = Told(f"{head} {speech.phrase(value.then).text} if {condition}")
    if isinstance(value.other, n.IfElse):
        second = chosen(speech, value.other, head)
        return (first, Told(f"otherwise, {second[0].text}"), *second[1:])
    return (Told(f"{first.text}, otherwise {speech.phrase(value.other).text}"),)


def flag_set(speech: Speech, node: n.Assign) -> tuple[Told, ...]:
    target = node.target
    name = target.head.text if isinstance(target, n.Of) else getattr(target, "text", "")
    shown = term(speech.lexicon.shown(name))
    value = node.value
    if name in speech.known:
        shown = speech.known[name].text
    if isinstance(target, n.Of):
        owner = speech.phrase(target.argument).text
        if isinstance(value, n.Constant):
            verb = "mark" if value.word == "yes" else "no longer mark"
            return (Told(f"{verb} {owner} as {shown}"),)
        asked = holds(speech.condition(value))
        return (Told(f"mark {owner} as {shown} exactly if {asked}"),)
    if isinstance(value, n.Constant):
        return (Told(f"{shown} is {'now true' if value.word == 'yes' else 'not true for now'}"),)
    return (Told(f"{shown} is now true exactly if {holds(speech.condition(value))}"),)


def let(speech: Speech, node: n.Let) -> tuple[Told, ...]:
    kind = speech.lexicon.kind(node.name) or speech.lexicon.kind(node.value)
    local = speech.named(node.name, kind).known[node.name.text]
    if isinstance(node.value, n.Random):
        return (Told(f"draw {local.text} by lot from {speech.phrase(node.value.subject).text}"),)
    if isinstance(node.value, n.IfElse) and not speech.lexicon.is_flag(node.value):
        return chosen(speech, node.value, f"{local.text} is")
    if local.text.startswith("that "):
        return (Told(f"look at {speech.phrase(node.value).text}"),)
    return (Told(f"let {local.text} be {speech.phrase(node.value).text}"),)


# ---- flow ----


def decide(speech: Speech, node: n.If) -> tuple[Told, ...]:
    found: list[Told] = []
    for place, (condition, body) in enumerate(node.branches):
        under = block(speech, body)
        if condition is None:
            found += headed("otherwise", under)
            continue
        if not under:
            under = (Told("nothing happens"),)
        asked = holds(speech.condition(condition))
        found += headed(f"if {asked}" if place == 0 else f"otherwise, if {asked}", under)
    return tuple(found)


def walk(speech: Speech, node: n.For) -> tuple[Told, ...]:
    found = as_set(speech, node.subject)
    kind = member_kind(speech, node)
    isplayer = isinstance(kind, Members) and kind.enumeration.name == "player"
    inner = speech.named(node.name, kind)
    start = "" if node.start is None else f", starting with {speech.phrase(node.start).text}"
    everyone = f"each {found.one}{found.tail}"
    first = found_first(node)
    if first is not None and not isinstance(node.subject, n.Range):
        given = f", starting with {speech.phrase(node.start).text}," if node.start else ""
        which = "whom" if isplayer else "which"
        asked = holds(inner.condition(first))
        return (Told(f"it is the first {found.one}{found.tail}{given} for {which} {asked}"),)
    if isinstance(node.subject, n.Range):
        letter = Phrase(term(node.name.text.replace("_", " ")))
        inner = speech.bound(node.name.text, letter)
        return headed(f"for each number {letter} from {found.text}", block(inner, node.body))
    if found.one.startswith("group"):
        inner = inner.bound(node.name.text, group_local())
        everyone = f"each of {found.text}"
    body = node.body
    if isplayer and len(body) == 1 and isinstance(body[0], n.Choose) and own_choice(body[0], node):
        turn = choice_text(inner, body[0])
        return (Told(f"{everyone} in turn{start}, {turn}"),)
    turn = " in turn" if isplayer and (start or has_choice(body)) else ""
    turn = f",{turn}" if turn and found.tail else turn
    return headed(f"for {everyone}{turn}{start}", block(inner, body))


def found_first(node: n.For) -> n.Expr | None:
    """The condition of a loop that does nothing but look for the first member that satisfies it."""
    only = node.body[0] if len(node.body) == 1 else None
    if not isinstance(only, n.If) or len(only.branches) != 1:
        return None
    condition, body = only.branches[0]
    found = body[0] if len(body) == 1 else None
    if not isinstance(found, n.Return) or not isinstance(found.value, n.Name):
        return None
    return condition if found.value.text == node.name.text else None


def group_local() -> Phrase:
    return Phrase("these cards", True, one="card", all="cards", tail=" among these cards")


def member_kind(speech: Speech, node: n.For) -> Kind | None:
    kind = speech.lexicon.kind(node.name)
    if kind is None:
        subject = speech.lexicon.kind(node.subject)
        kind = Members(subject.enumeration) if isinstance(subject, SetOf) else subject
    return kind


def own_choice(choice: n.Choose, loop: n.For) -> bool:
    return (
        isinstance(choice.player, n.Name)
        and choice.player.text == loop.name.text
        and choice.seat is None
    )


def has_choice(body: n.Block) -> bool:
    return any(isinstance(statement, n.Choose | n.Do) for statement in body)


def again(speech: Speech, node: n.Repeat) -> tuple[Told, ...]:
    body = block(speech, node.body)
    if node.times is not None:
        if isinstance(node.times, n.Number):
            once = node.times.value == 1
            return headed("once" if once else f"{number_word(node.times.value)} times", body)
        return headed(f"as many times as {speech.phrase(node.times).text}", body)
    if node.until is not None:
        return (Told(f"repeat until {holds(speech.condition(node.until))}:", body),)
    return (Told("repeat, until the game is over:", body),)


def as_long(speech: Speech, node: n.While) -> tuple[Told, ...]:
    return headed(f"as long as {holds(speech.condition(node.condition))}", block(speech, node.body))


def do(speech: Speech, node: n.Do) -> tuple[Told, ...]:
    name = node.step.text
    shown = strong(capital(speech.lexicon.shown(name)))
    parameters = speech.lexicon.parameters(name)
    if not node.arguments:
        return (Told(f"go through {shown}"),)
    given = [speech.phrase(argument).text for argument in node.arguments]
    if len(given) == 1:
        return (Told(f"go through {shown} for {given[0]}"),)
    labels = [
        noun_of(one.kind) if len(one.name) < 3 else one.name.replace("_", " ") for one in parameters
    ]
    pairs = [f"{label}: {value}" for label, value in zip(labels, given, strict=False)]
    return (Told(f"go through {shown} ({'; '.join(pairs)})"),)


def give_back(speech: Speech, node: n.Return) -> tuple[Told, ...]:
    value = node.value
    if isinstance(value, n.Constant) and value.word in ("yes", "no"):
        return (Told(f"the answer is {value.word}"),)
    if speech.lexicon.is_flag(value):
        return (Told(f"the answer is yes if {holds(speech.condition(value))}"),)
    if isinstance(value, n.Constant) and value.word == "none":
        return (Told("there is none"),)
    if isinstance(value, n.IfElse):
        return chosen(speech, value, "it is")
    return (Told(f"it is {speech.phrase(value).text}"),)


def leave(speech: Speech, node: n.Stop) -> tuple[Told, ...]:
    return (Told("this part of the game ends here"),)


# ---- choices ----


def move_names(speech: Speech, moves: tuple[n.Word, ...]) -> str:
    names = [strong(capital(speech.lexicon.shown(move.text))) for move in moves]
    return listed(list(dict.fromkeys(names)), "or")


def choice_text(speech: Speech, node: n.Choose) -> str:
    """What a choice asks, without who is asked."""
    names = {speech.lexicon.shown(move.text) for move in node.moves}
    several = len(names) > 1
    text = f"{'chooses' if several else 'makes the move'} {move_names(speech, node.moves)}"
    if node.seat is not None:
        text += f" in place of {speech.phrase(node.seat).text}"
    if node.fallback:
        what = "none of these is" if several else "that is not"
        least = len(node.fallback) == 1
        text += f"; if {what} possible, {'' if least else 'one of '}"
        text += move_names(speech, node.fallback)
    return text


def choose(speech: Speech, node: n.Choose) -> tuple[Told, ...]:
    player = speech.phrase(node.player)
    text = choice_text(speech, node)
    if player.you:
        text = text.replace("chooses", "choose", 1).replace("makes", "make", 1)
    return (Told(f"{player.text} {text}"),)


def secretly(speech: Speech, node: n.Secretly) -> tuple[Told, ...]:
    who = "each player"
    if node.subject is not None:
        found = as_set(speech, node.subject)
        who = f"each {found.one}{found.tail}"
    move = strong(capital(speech.lexicon.shown(node.move.text)))
    return (
        Told(
            f"in secret and all at once, {who} makes the move {move}; nothing is done before all "
            "have chosen"
        ),
    )


# ---- cards ----


def move(speech: Speech, node: n.Move) -> tuple[Told, ...]:
    facing = f", {node.facing}" if node.facing and "face" in node.facing else ""
    facing = facing or (f", face {node.facing}" if node.facing else "")
    bottom = "the bottom of " if node.bottom else ""
    return (
        Told(f"move {moved(speech, node.subject)} to {bottom}{into(speech, node.zone)}{facing}"),
    )


def moved(speech: Speech, subject: n.Expr) -> str:
    """What is moved; of a whole place, its cards."""
    found = speech.phrase(subject)
    if zone_name(subject) in speech.lexicon.game.zones and not found.text.endswith("cards"):
        return f"all cards of {found.text}"
    return found.text


def zone_name(node: n.Expr) -> str:
    if isinstance(node, n.Of):
        return node.head.text
    return node.text if isinstance(node, n.Name) else ""


def into(speech: Speech, zone: n.Expr) -> str:
    found = speech.phrase(zone)
    return found.text


def gather(speech: Speech, node: n.Gather) -> tuple[Told, ...]:
    what = "all cards of the deck" if node.subject is None else moved(speech, node.subject)
    return (Told(f"gather {what} in {into(speech, node.zone)}"),)


def deal(speech: Speech, node: n.Deal) -> tuple[Told, ...]:
    count = speech.phrase(node.count)
    one = isinstance(node.count, n.Number) and node.count.value == 1
    number = number_word(node.count.value) if isinstance(node.count, n.Number) else count.text
    amount = f"{number} card{'' if one else 's'}"
    if isinstance(node.count, n.IfElse):
        amount = "cards"
    elif count.compound or isinstance(node.count, n.Of | n.Name):
        amount = f"cards, as many as {count.text},"
    source = speech.phrase(node.source).text
    if not node.each:
        text = f"deal {amount} from {source} to {into(speech, node.target)}"
    else:
        noun, _ = speech.lexicon.zone(zone_name(node.target))
        text = f"deal {amount} from {source} to each player’s {noun}"
        if node.start is not None:
            text += f", starting with {speech.phrase(node.start).text}"
    if isinstance(node.count, n.IfElse):
        text += f" ({count.text})"
    return (Told(text),)


def shuffle(speech: Speech, node: n.Shuffle) -> tuple[Told, ...]:
    return (Told(f"shuffle {speech.phrase(node.zone).text}"),)


def turn(speech: Speech, node: n.Turn) -> tuple[Told, ...]:
    return (Told(f"turn {speech.phrase(node.subject).text} face {node.facing}"),)


def show(speech: Speech, node: n.Show) -> tuple[Told, ...]:
    who = "everyone" if node.audience is None else speech.phrase(node.audience).text
    return (Told(f"show {speech.phrase(node.subject).text} to {who}"),)


def announce(speech: Speech, node: n.Say) -> tuple[Told, ...]:
    return (Told(f"announce: “{spoken(speech, node.text)}”"),)


def spoken(speech: Speech, text: n.Text) -> str:
    """A message with its expressions in words."""
    return "".join(
        piece if isinstance(piece, str) else speech.phrase(piece).text for piece in text.pieces
    )


# ---- the end ----


def outcome(speech: Speech, node: n.Outcome) -> tuple[Told, ...]:
    if node.who is None:
        return (Told("the game ends in a draw: nobody wins"),)
    who = speech.phrase(node.who)
    many = who.many or who.you
    if node.wins:
        return (Told(f"{who.text} {'win' if many else 'wins'} the game"),)
    return (Told(f"{who.text} {'lose' if many else 'loses'} the game, which is over"),)


def finish(speech: Speech, node: n.Finish) -> tuple[Told, ...]:
    who = as_set(speech, node.who)
    inner = speech.looking_at(who.one)
    key = inner.phrase(node.key).text.removeprefix("their ").removeprefix("its ")
    extreme = "lowest" if node.lowest else "highest"
    return (
        Told(
            f"the game is over, and the {who.one} with the {extreme} {key} wins "
            f"({who.all} who are equal share the win)"
        ),
    )


STATEMENTS: dict[type, Callable[[Speech, Any], tuple[Told, ...]]] = {
    n.Assign: assign,
    n.Let: let,
    n.If: decide,
    n.For: walk,
    n.Repeat: again,
    n.While: as_long,
    n.Do: do,
    n.Return: give_back,
    n.Stop: leave,
    n.Choose: choose,
    n.Secretly: secretly,
    n.Move: move,
    n.Gather: gather,
    n.Deal: deal,
    n.Shuffle: shuffle,
    n.Turn: turn,
    n.Show: show,
    n.Say: announce,
    n.Outcome: outcome,
    n.Finish: finish,
}
