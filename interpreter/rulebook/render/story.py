"""What happened, in sentences: the file's own, and plain ones for choices without any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rulebook.engine.events import SPECTATOR, Chose, Event, Moved, Said, Seen, Shuffled
from rulebook.engine.view import fold
from rulebook.engine.words import listed
from rulebook.kinds import SetOf
from rulebook.render.picked import cards_picked

if TYPE_CHECKING:
    from rulebook.engine.match import Match


def story(match: Match, events: Sequence[Event]) -> list[str]:
    """The sentences of part of a stream, in order."""
    found: list[str] = []
    for at, event in enumerate(events):
        if isinstance(event, Said):
            found.append(match.words.sentence(event.pieces))
        elif isinstance(event, Chose):
            if match.game.checked.moves[event.move].say is None:
                found.append(chosen(match, event, events[at + 1 :]))
        elif isinstance(event, Shuffled):
            zone, _ = match.game.slot_names[event.slot]
            found.append(f"The {match.words.shown(zone.name)} is shuffled")
    return found


def chosen(match: Match, event: Chose, after: Sequence[Event]) -> str:
    """`NAME: move`."""
    players = match.words.players
    who = players[event.chooser]
    if event.mover != event.chooser:
        who = f"{who} for {players[event.mover]}"
    return f"{who}: {what_was_chosen(match, event, after)}"


def what_was_chosen(match: Match, event: Chose, after: Sequence[Event]) -> str:
    """The move in words. Picked cards that were hidden are named if they then move in the open."""
    words = match.words
    declared = match.game.checked.moves[event.move]
    cards = match.game.checked.enumerations["card"]
    parts = [words.shown(event.move)]
    for number, (pick, picked) in enumerate(zip(declared.picks, event.picks, strict=True)):
        if picked.value is not None:
            parts.append(words.value(picked.value.kind, picked.value.value))
        elif seen := cards_picked(match, event, after, number):
            parts.append(listed([words.member(cards, card) for card in seen]))
        elif isinstance(pick.variable.kind, SetOf):
            parts.append("hidden cards")
        else:
            place = picked.position
            parts.append(f"card {place + 1}" if place >= 0 else "a hidden card")
    return " ".join(parts)


def onlooked(events: Sequence[Event]) -> list[Event]:
    """Events as somebody knows them who has no seat."""
    seen = [event.for_seat(SPECTATOR) for event in events]
    return [event for event in seen if event is not None]


def revealed(match: Match, seat: int, since: int) -> list[str]:
    """The cards that a seat came to know since event number `since`, in the order shown."""
    checked = match.game.checked
    before = [event.for_seat(seat) for event in match.events[:since]]
    view = fold(checked, seat, [event for event in before if event is not None])
    cards: list[int] = []
    for event in match.events[since:]:
        shown = event.for_seat(seat)
        if isinstance(shown, Moved) and shown.card is not None:
            cards.append(shown.card)
        elif isinstance(shown, Seen) and shown.cards is not None:
            cards += [card for card in shown.cards if card is not None]
    new = [card for card in dict.fromkeys(cards) if view.where(card) is None]
    return [match.words.member(checked.enumerations["card"], card) for card in new]
