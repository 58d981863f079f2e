"""Which cards a choice picked, as far as a stream tells: hidden ones show by moving in the open.

The rules say which of the cards that move are the picked ones: those that come from the pick's zone
by a statement that moves the pick. Where that leaves a doubt, nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from rulebook import terms as t
from rulebook.engine.events import Changed, Chose, Event, Moved
from rulebook.engine.explain import reached_from
from rulebook.kinds import SetOf
from rulebook.walks import inside

if TYPE_CHECKING:
    from rulebook.engine.match import Match

Moving = tuple[int | None, t.Node]
"""A statement that moves cards, and the number of the pick that it moves (None: other cards)."""


def cards_picked(match: Match, event: Chose, after: Sequence[Event], number: int) -> list[int]:
    """The cards of pick `number` of a choice, in the order in which they moved; nothing where the
    stream does not tell."""
    checked = match.game.checked
    declared = checked.moves[event.move]
    pick = declared.picks[number]
    picks = {one.variable: at for at, one in enumerate(declared.picks)}
    slots = slots_of(match, pick, event.mover)
    from_there = [
        (which, node)
        for which, node in movings(checked, declared.body, picks)
        if may_take(match, declared, which, node, slots, event.mover)
    ]
    before, own, later = split(from_there, number)
    targets = {node.zone.zone for node in own if isinstance(node, t.MoveCards)}
    several = isinstance(pick.variable.kind, SetOf)
    if any(which is None or many(declared, which) for which, _ in before):
        return []
    if several and any(target_of(node) in (None, *targets) for _, node in later):
        return []
    skipped = len({which for which, _ in before})
    done = list(takewhile(lambda one: isinstance(one, Moved | Changed), after))
    places = [at for at, one in enumerate(done) if isinstance(one, Moved) and one.source in slots][
        skipped:
    ]
    moved: list[int] = []
    for step, at in enumerate(places if several else places[:1]):
        one = done[at]
        assert isinstance(one, Moved)
        if match.game.slot_names[one.target][0] not in targets or at != places[0] + step:
            break
        if one.card is None:
            return []
        moved.append(one.card)
    return moved


def split(found: list[Moving], number: int) -> tuple[list[Moving], list[t.Node], list[Moving]]:
    """What moves cards before a pick is moved, the statements that move it, and what comes after
    the first of them."""
    own = [node for which, node in found if which == number]
    first = next((at for at, (which, _) in enumerate(found) if which == number), len(found))
    return found[:first], own, [one for one in found[first:] if one[0] != number]


def many(declared: t.Move, number: int) -> bool:
    return isinstance(declared.picks[number].variable.kind, SetOf)


def movings(
    game: t.CheckedGame,
    body: Sequence[t.Statement],
    picks: Mapping[t.Variable, int],
    within: tuple[str, ...] = (),
) -> Iterator[Moving]:
    """Every statement that moves cards, in the order of the text, with those of steps it calls."""
    for node in inside(tuple(body)):
        if isinstance(node, t.MoveCards):
            yield pick_in(node.cards, picks), node
        elif isinstance(node, t.Deal | t.Gather):
            yield None, node
        elif isinstance(node, t.Do) and node.step not in within:
            step = game.steps[node.step]
            handed = {
                parameter: at
                for parameter, given in zip(step.parameters, node.arguments, strict=True)
                if (at := pick_in(given, picks)) is not None
            }
            yield from movings(game, step.body, handed, (*within, node.step))


def pick_in(term: t.Term, picks: Mapping[t.Variable, int]) -> int | None:
    while isinstance(term, t.Single):
        term = term.member
    return picks.get(term.variable) if isinstance(term, t.Read) else None


def may_take(
    match: Match,
    declared: t.Move,
    which: int | None,
    node: t.Node,
    slots: set[int],
    mover: int,
) -> bool:
    """Whether a statement may move cards out of the slots."""
    if which is not None:
        return bool(slots & slots_of(match, declared.picks[which], mover))
    source = node.source if isinstance(node, t.MoveCards | t.Deal) else None
    return source is None or bool(slots & slots_in(match, source, mover))


def target_of(node: t.Node) -> t.Zone | None:
    return node.zone.zone if isinstance(node, t.MoveCards) else None


def slots_of(match: Match, pick: t.Pick, mover: int) -> set[int]:
    """Where the cards of a pick may lie."""
    if pick.zone is not None:
        return slots_in(match, pick.zone, mover)
    zones = [node for node in reached_from(pick.source) if isinstance(node, t.ZoneOf)]
    return {slot for zone in zones for slot in slots_in(match, zone, mover)}


def slots_in(match: Match, zone: t.ZoneOf, mover: int) -> set[int]:
    first = match.game.program.layout.slots[zone.zone]
    if isinstance(zone.index, t.Mover):
        return {first + mover}
    return set(range(first, first + zone.zone.size))
