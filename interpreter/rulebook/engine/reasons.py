"""Why a move may or may not be played: one move judged, line by line of its rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rulebook import terms as t
from rulebook.engine.events import bits, is_card
from rulebook.engine.explain import asked_of, reached_from
from rulebook.engine.moves import Move
from rulebook.engine.words import listed
from rulebook.kinds import Enumeration, Members, SetOf
from rulebook.source import Span
from rulebook.wasm.machine import Trap
from rulebook.wasm.writer import CONTROL

if TYPE_CHECKING:
    from rulebook.engine.match import Match


@dataclass(frozen=True, slots=True)
class Reason:
    """`sentence` says it all; `rule` is the place of the line that decides; `instead` names what
    that line keeps."""

    legal: bool
    sentence: str
    rule: Span | None = None
    instead: tuple[str, ...] = ()


def judge(match: Match, asked: Move | str) -> Reason:
    move = imagine(match, asked) if isinstance(asked, str) else asked
    if isinstance(move, Reason):
        return move
    if any(one.text == move.text for one in match.moves):
        return Reason(True, f"`{move.shown}` is legal")
    offered = offered_names(match)
    if move.name not in offered:
        names = listed([f"`{match.words.shown(name)}`" for name in offered])
        return Reason(False, f"`{move.shown}` cannot be chosen now: it is the time for {names}")
    blind = hidden_pick(match, move)
    if blind is not None:
        return Reason(False, f"you do not see the cards there: choose by number, such as `{blind}`")
    stage = run_judge(match, move)
    if stage < 0:
        return Reason(False, f"`{move.shown}` is for when nothing else is legal")
    return explain(match, move, stage)


def offered_names(match: Match) -> tuple[str, ...]:
    """The moves that the choice play waits for is about."""
    if match.over:
        return ()
    choice = match.game.program.choices[match.header("choice")]
    return (*choice.moves, *choice.fallback)


def imagine(match: Match, typed: str) -> Move | Reason:
    """The move that text speaks of, legal or not: a legal one, else one of those that the choice
    is about, else any."""
    reader = match.reader
    if match.over:
        return Reason(False, "the game is over")
    names = offered_names(match)
    found = reader.find(typed, match.moves)
    imagined = [] if found else reader.imagined(names, typed)
    found = found or reader.find(typed, imagined)
    of_value = None if found else asked_of(match, typed)
    if of_value is not None:
        return Reason(False, str(of_value), of_value.rule)
    found = found or reader.find(typed, reader.imagined(tuple(match.game.checked.moves), typed))
    found = meant(match, list({move.text: move for move in found}.values()))
    if len({move.shown for move in found}) == 1:
        return found[0]
    if found:
        return Reason(False, can_mean(typed, found))
    near = reader.correct(typed, match.moves) or reader.correct(typed, imagined)
    if near:
        return Reason(False, f"`{typed}` is not a move here; did you mean `{near}`?")
    example = f", such as `{match.moves[0].shown}`" if match.moves else ""
    offered = listed([f"`{match.words.shown(name)}`" for name in names])
    return Reason(False, f"`{typed}` is not a move here; it is the time for {offered}{example}")


def meant(match: Match, found: Sequence[Move]) -> list[Move]:
    """Of moves that text can mean, those of the kind that a player would mean by it: one that lacks
    least to be legal, one of which others are legal now, one that picks single things."""
    if len({move.name for move in found}) < 2:
        return list(found)
    order = {name: -number for number, name in enumerate(offered_names(match))}
    legal = {move.name for move in match.moves}

    def likely(move: Move) -> tuple[bool, bool, bool, int]:
        single = not any(isinstance(kind, SetOf) for kind in move.kinds)
        return near(match, move), move.name in legal, single, order.get(move.name, -len(order))

    best = max(found, key=likely).name
    return [move for move in found if move.name == best]


def near(match: Match, move: Move) -> bool:
    """Whether what the move picks is there to be picked, and only a rule about it is against it."""
    declared = match.game.checked.moves[move.name]
    early = {c.span for c in declared.conditions if c.after == 0}
    early |= {pick.span for pick in declared.picks}
    reason = judge(match, move)
    return reason.legal or (reason.rule is not None and reason.rule not in early)


def can_mean(typed: str, found: Sequence[Move]) -> str:
    """That text says several moves: the first of them, and how many more."""
    names = [f"`{move.shown}`" for move in found]
    more = [f"{len(names) - 6} more"] if len(names) > 7 else []
    return f"`{typed}` can mean {listed(names[: 6 if more else 7] + more)}"


def hidden_pick(match: Match, move: Move) -> str | None:
    """For a move that is offered by position only: how such a move is written. Saying anything of
    a card by name would tell where it is."""
    for one in match.moves:
        if one.name == move.name and any(one.hidden):
            return one.text
    return None


def run_judge(match: Match, move: Move) -> int:
    machine = match.game.machine
    machine.state = match.state
    address = machine.write_row(0, move.row)
    try:
        return machine.call(f"judge.{move.name}", address)
    except Trap:
        return -1


def explain(match: Match, move: Move, stage: int) -> Reason:
    """The sentence for the narrowing with this number; see `wasm.moves` for their order."""
    game = match.game
    declared = game.checked.moves[move.name]
    first = [c for c in declared.conditions if c.after == 0]
    if stage < len(first):
        return of_condition(move, first[stage])
    stage -= len(first)
    for position, pick in enumerate(declared.picks):
        lines: list[t.Condition | t.Must] = [
            *(c for c in declared.conditions if c.after == position + 1),
            *(m for m in declared.musts if m.on == position),
        ]
        if stage == 0:
            return of_source(match, move, position, pick)
        if stage <= len(lines):
            line = lines[stage - 1]
            if isinstance(line, t.Condition):
                return of_condition(move, line)
            return of_must(match, move, pick, line)
        stage -= len(lines) + 1
    return Reason(False, f"`{move.shown}` is not legal now")


def of_condition(move: Move, line: t.Condition) -> Reason:
    text = line.label or " ".join(line.span.text.split())
    return Reason(
        False,
        f"{text} (so not `{move.shown}`)"
        if line.label
        else f"`{move.shown}` is legal only where `{text}`",
        line.span,
    )


def of_source(match: Match, move: Move, position: int, pick: t.Pick) -> Reason:
    value = match.words.value(move.kinds[position], move.values[position])
    if pick.zone is not None and not isinstance(pick.source, t.Groups):
        zone = match.words.shown(pick.zone.zone.name)
        whose = ""
        if isinstance(pick.zone.index, t.Mover):
            whose = "your "
        return Reason(False, f"the {value} is not in {whose}{zone}", pick.span)
    lacking = not_there(match, move, position, pick)
    if lacking:
        return Reason(False, lacking, pick.span)
    choice = " ".join(pick.source.span.text.split())
    if isinstance(pick.source, t.Groups):
        choice = choice.partition(" are ")[2]
    return Reason(False, f"{value} cannot be chosen: the choice is among `{choice}`", pick.span)


def not_there(match: Match, move: Move, position: int, pick: t.Pick) -> str:
    """That a picked card is not where the pick looks for cards, as far as the chooser sees; "" if
    nothing is to be said of that, or the pick is of other things."""
    kind, value = move.kinds[position], move.values[position]
    single = is_card(kind)
    if not single and not (isinstance(kind, SetOf) and kind.enumeration.name == "card"):
        return ""
    subject = pick.source.subject if isinstance(pick.source, t.Groups) else pick.source
    zones = {node.zone for node in reached_from(subject) if isinstance(node, t.ZoneOf)}
    if not zones:
        return ""
    view, names = match.view(match.chooser), match.game.checked.enumerations["card"].members
    offered = choosable(match, subject)
    for card in [value] if single else bits(value):
        slot, shown = view.where(card), match.words.cards[card].shown
        if slot is None:
            held = match.mover == match.chooser and all(
                of_players(zone) and None not in view.zone(zone.name, match.mover).cards
                for zone in zones
            )
            return f"you do not {'hold' if held else 'see'} the {shown}"
        zone = match.game.checked.zones[slot.zone]
        if zone not in zones or (offered is not None and names[card] not in offered):
            where = match.words.place(zone, slot.index, match.chooser)
            return f"the {shown} is not among the cards to choose from: it lies in {where}"
    return ""


def choosable(match: Match, subject: t.Term) -> list[str] | None:
    """The cards that a definition gives to choose from; None if that is not said by a name."""
    if not isinstance(subject, t.Call) or subject.arguments:
        return None
    from rulebook.engine.match import RuleError

    try:
        found = match.value(subject.definition.name)
    except RuleError:
        return None
    return found if isinstance(found, list) else None


def of_players(zone: t.Zone) -> bool:
    return isinstance(zone.each, Enumeration) and zone.each.name == "player"


def of_must(match: Match, move: Move, pick: t.Pick, line: t.Must) -> Reason:
    machine = match.game.machine
    data = machine.read(CONTROL["kept"], 16)
    kept = bits(int.from_bytes(data, "little"))
    kind = pick.variable.kind
    names: tuple[str, ...] = ()
    if isinstance(kind, Members):
        size = kind.enumeration.size
        names = tuple(match.words.value(kind, one) for one in kept if one < size)
    instead = f": {listed(names)}" if names else ""
    return Reason(False, f"{line.label}{instead}", line.span, names)
