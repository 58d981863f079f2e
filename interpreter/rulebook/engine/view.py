"""What one seat knows: the fold of its stream of events, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from rulebook import terms as t
from rulebook.engine.events import (
    Changed,
    Event,
    Gathered,
    Moved,
    Seen,
    Shown,
    Shuffled,
    Turned,
)


@dataclass(slots=True)
class Slot:
    """One zone, or one of a family, as a seat knows it.

    `cards`: bottom first where the zone is ordered, None for each card whose identity the seat does
    not know. `visible` says whether the seat sees it now; what it knows without seeing it was seen
    before.
    """

    zone: str
    index: int | None
    ordered: bool
    visible: bool = False
    cards: list[int | None] = field(default_factory=list)
    down: list[bool] = field(default_factory=list)
    """For each of the cards, whether it lies face down."""

    @property
    def count(self) -> int:
        return len(self.cards)

    @property
    def known(self) -> list[int]:
        return [card for card in self.cards if card is not None]

    def take(self, card: int | None, position: int) -> None:
        """A card leaves. Without an order and unseen, nobody can say which of the hidden ones it
        was, so what was known of them is known no longer."""
        if position >= 0 and self.ordered and position < len(self.cards):
            self.remove(position)
        elif card is not None and card in self.cards:
            self.remove(self.cards.index(card))
        elif None in self.cards and card is not None:
            self.remove(self.cards.index(None))
        elif self.cards:
            self.remove(len(self.cards) - 1)
            self.cards = [None] * len(self.cards)

    def remove(self, at: int) -> None:
        del self.cards[at], self.down[at]

    def learn(self, card: int | None, position: int) -> int | None:
        """The seat is shown a card that lies here; where it stands in the list."""
        if card is not None and card in self.cards:
            return self.cards.index(card)
        if self.ordered and 0 <= position < len(self.cards):
            at = position
        elif None in self.cards:
            at = self.cards.index(None)
        else:
            return None
        if card is not None:
            self.cards[at] = card
        return at

    def put(self, card: int | None, bottom: bool, down: bool = False) -> None:
        at = 0 if bottom else len(self.cards)
        self.cards.insert(at, card)
        self.down.insert(at, down)

    def fill(self, cards: Iterable[int | None], down: bool = False) -> None:
        self.cards = list(cards)
        self.down = [down] * len(self.cards)


@dataclass(slots=True)
class View:
    """The table as a seat knows it. Index values are members' numbers."""

    seat: int
    slots: list[Slot]
    state: dict[tuple[str, int], int]

    def zone(self, name: str, index: int | None = None) -> Slot:
        """The slot of a zone, or of one of a family; KeyError if there is none."""
        for slot in self.slots:
            if slot.zone == name and slot.index == index:
                return slot
        raise KeyError(name if index is None else f"{name} of {index}")

    def where(self, card: int) -> Slot | None:
        """The slot in which the seat knows a card to lie."""
        return next((slot for slot in self.slots if card in slot.cards), None)


def empty_view(game: t.CheckedGame, seat: int) -> View:
    slots: list[Slot] = []
    for zone in game.zones.values():
        low = getattr(zone.each, "low", 0)
        for position in range(zone.size):
            index = None if zone.each is None else low + position
            slots.append(Slot(zone.name, index, zone.ordered))
    return View(seat, slots, {})


def fold(game: t.CheckedGame, seat: int, events: Iterable[Event]) -> View:
    """The view of a seat after the events of its stream."""
    view = empty_view(game, seat)
    deck = game.enumerations["card"].size
    faces = [zone.faces for zone in game.zones.values() for _ in range(zone.size)]
    for event in events:
        if isinstance(event, Moved):
            if event.source >= 0:
                view.slots[event.source].take(event.card, event.position)
            view.slots[event.target].put(event.card, event.bottom, event.down)
        elif isinstance(event, Gathered):
            for slot in view.slots:
                slot.fill(())
            down = faces[event.slot] == "down"
            view.slots[event.slot].fill(range(deck), down)
        elif isinstance(event, Shuffled):
            slot = view.slots[event.slot]
            # The same cards, in an order that nobody knows (or sees, where they are visible and lie
            # face up).
            if not slot.visible or any(slot.down):
                slot.cards = [None] * slot.count
        elif isinstance(event, Seen):
            slot = view.slots[event.slot]
            slot.visible = bool(event.seers >> seat & 1)
            # What was known of hidden cards stays known.
            if slot.visible or slot.count != len(event.cards):
                slot.fill(event.cards)
                slot.down = list(event.down)
        elif isinstance(event, Shown):
            view.slots[event.slot].learn(event.card, event.position)
        elif isinstance(event, Turned):
            slot = view.slots[event.slot]
            at = slot.learn(event.card, event.position)
            if at is not None:
                slot.down[at] = event.down
        elif isinstance(event, Changed):
            view.state[event.state, event.index] = event.value
    return view
