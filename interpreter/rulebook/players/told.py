"""What a seat knows as plain data, for programs that speak lines of JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rulebook.engine.events import (
    Changed,
    Chose,
    Drawn,
    Event,
    Gathered,
    Moved,
    Said,
    Seen,
    Shown,
    Shuffled,
    Turned,
)
from rulebook.engine.game import Game
from rulebook.engine.view import View
from rulebook.kinds import Enumeration

Plain = dict[str, Any]


class Telling:
    """Events and views of one game as plain data, with canonical words for values."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.cards = game.checked.enumerations["card"].members
        self.slots = [
            {"zone": zone.name, "of": index_of(zone.each, getattr(zone.each, "low", 0) + position)}
            for zone, position in game.slot_names
        ]

    def card(self, card: int | None) -> str | None:
        return None if card is None or card < 0 else self.cards[card]

    def slot(self, slot: int) -> Plain | None:
        return self.slots[slot] if slot >= 0 else None

    def value(self, kind: Any, value: int) -> object:
        return self.game.plain(kind, value)

    def view(self, view: View) -> Plain:
        zones = [
            {
                **place,
                "cards": [self.card(card) for card in slot.cards],
                "visible": slot.visible,
                "down": list(slot.down),
            }
            for place, slot in zip(self.slots, view.slots, strict=True)
        ]
        state = []
        for (name, index), value in view.state.items():
            entry = self.game.checked.state[name]
            state.append(
                {
                    "name": name,
                    "of": index_of(entry.each, index),
                    "value": self.value(entry.kind, value),
                }
            )
        return {"zones": zones, "state": state}

    def events(self, events: Iterable[Event]) -> list[Plain]:
        return [self.event(event) for event in events]

    def event(self, event: Event) -> Plain:
        if isinstance(event, Moved):
            return {
                "event": "moved",
                "card": self.card(event.card),
                "from": self.slot(event.source),
                "to": self.slot(event.target),
                "position": event.position,
                "bottom": event.bottom,
                "down": event.down,
            }
        if isinstance(event, Chose):
            picks = [
                {
                    "value": pick.value and self.value(pick.value.kind, pick.value.value),
                    "position": pick.position,
                }
                for pick in event.picks
            ]
            return {
                "event": "chose",
                "mover": event.mover,
                "chooser": event.chooser,
                "move": event.move,
                "picks": picks,
                "secret": event.secret,
            }
        if isinstance(event, Changed):
            entry = self.game.checked.state[event.state]
            return {
                "event": "changed",
                "name": event.state,
                "of": index_of(entry.each, event.index),
                "value": self.value(entry.kind, event.value),
            }
        if isinstance(event, Said):
            return {"event": "said", "text": self.game.words.sentence(event.pieces)}
        if isinstance(event, Seen):
            return {
                "event": "seen",
                "slot": self.slot(event.slot),
                "cards": [self.card(card) for card in event.cards],
                "seers": event.seers,
            }
        if isinstance(event, Shown):
            where = {"slot": self.slot(event.slot), "position": event.position}
            return {"event": "shown", "card": self.card(event.card), **where}
        if isinstance(event, Turned):
            where = {"slot": self.slot(event.slot), "position": event.position}
            card = self.card(event.card)
            return {"event": "turned", "card": card, **where, "down": event.down}
        if isinstance(event, (Gathered, Shuffled)):
            return {"event": type(event).__name__.lower(), "slot": self.slot(event.slot)}
        if isinstance(event, Drawn):
            return {"event": "drawn", "value": event.value}
        return {"event": "ended"}


def index_of(each: object, index: int) -> str | int | None:
    """Which of a family: a member's name or a number; None for what is not one of a family."""
    if each is None:
        return None
    if isinstance(each, Enumeration):
        return each.members[index]
    return index
