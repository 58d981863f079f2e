"""What a seat knows of a state, as one row of numbers from 0 to 1.

All of it comes from what the module keeps for the seat (see `wasm/batched`), from the places of
cards that the seat knows to lie in an ordered zone, and from what everyone sees: how many cards lie
in each zone. Seats, and teams, are counted from the one who looks, so that one policy can play all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rulebook import terms as t
from rulebook.kinds import Enumeration, Flag, Members, NumberRange, Numbers, SetOf
from rulebook.program import HEADER

if TYPE_CHECKING:
    from rulebook.engine.game import Game

Bytes: TypeAlias = "np.ndarray[tuple[int, int], np.dtype[np.uint8]]"
"""States: a row each, the state block and then what the seats know."""
Ints: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.int64]]"
Table: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[Any]]"
Floats: TypeAlias = "np.ndarray[tuple[int, int], np.dtype[np.float32]]"


class Observer:
    """Makes observations; `names` says what each of their numbers is."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.checked = game.checked
        self.layout = game.program.layout
        room = game.batched.wasm.room
        assert room is not None
        self.room = room
        self.players = game.players
        self.deck = self.layout.deck
        self.slots = [
            (zone, position, zone.each)
            for zone in self.checked.zones.values()
            for position in range(zone.size)
        ]
        self.turned = np.array([self.turned_slots(seat) for seat in range(self.players)])
        """For each seat, the slot that comes in the place of each slot."""
        self.choices = len(game.program.choices)
        self.names = self.named()

    def __len__(self) -> int:
        return len(self.names)

    # ---- counted from a seat ----

    def shift(self, each: object, seat: int) -> int:
        """Which member of an enumeration comes first for a seat."""
        if not isinstance(each, Enumeration):
            return 0
        if each.name == "player":
            return seat
        if each.name == "team":
            teams = self.checked.teams
            return next((i for i, (_, seats) in enumerate(teams) if seat in seats), 0)
        return 0

    def turned_slots(self, seat: int) -> list[int]:
        found: list[int] = []
        for zone in self.checked.zones.values():
            first, shift = len(found), self.shift(zone.each, seat)
            found += [first + (shift + place) % zone.size for place in range(zone.size)]
        return found

    # ---- the numbers ----

    def look(self, states: Bytes, seats: Ints) -> Floats:
        """Observations of so many states, each by the seat given for it: states x features."""
        if not len(states):
            return np.zeros((0, len(self)), np.float32)
        known = self.known(states, seats)
        parts = [self.places(known, seats), self.heights(states, known)]
        if any(zone.faces for zone in self.checked.zones.values()):
            parts.append(self.down(states, known))
        parts += [self.counts(states, seats), self.entries(states, seats)]
        parts += self.turn(states, seats)
        found: Floats = np.concatenate(parts, axis=1, dtype=np.float32)
        return found

    def known(self, states: Bytes, seats: Ints) -> Ints:
        """States x cards: the slot where the seat knows a card to lie, -1 if it does not."""
        start = self.room.mind
        minds = states[:, start : start + self.players * self.deck]
        each = minds.reshape(len(states), self.players, self.deck)
        found: Ints = each[np.arange(len(states)), seats].astype(np.int64) - 1
        return found

    def places(self, known: Ints, seats: Ints) -> Floats:
        slots = self.turned[seats]
        there = known[:, None, :] == slots[:, :, None]
        found: Floats = there.reshape(len(known), -1).astype(np.float32)
        return found

    def heights(self, states: Bytes, known: Ints) -> Floats:
        """Of each card that is known to lie in an ordered zone: its place from the bottom."""
        found = np.zeros((len(states), self.deck), np.float32)
        columns = np.arange(self.deck)
        for slot, (zone, position, _) in enumerate(self.slots):
            if zone.ordered:
                at = self.layout.orders[zone] + position * self.layout.order_stride
                there = columns < self.words(states, at)
                rows, places = np.nonzero(there)
                cards = states[:, at + 4 : at + 4 + self.deck][rows, places]
                seen = known[rows, cards] == slot
                found[rows[seen], cards[seen]] = (places[seen] + 1) / self.deck
        return found

    def down(self, states: Bytes, known: Ints) -> Floats:
        """Of each card that is known to lie where everyone may look: whether it lies face down."""
        size = 8 * self.layout.words
        start = self.layout.faces
        faces = np.unpackbits(states[:, start : start + size], axis=1, bitorder="little")
        open_slots = [
            slot
            for slot, (zone, _, _) in enumerate(self.slots)
            if zone.audience.seers == "everyone" and zone.audience.condition is None
        ]
        found: Floats = (faces[:, : self.deck] & np.isin(known, open_slots)).astype(np.float32)
        return found

    def counts(self, states: Bytes, seats: Ints) -> Floats:
        columns: list[Ints] = []
        if not self.slots:
            return np.zeros((len(states), 0), np.float32)
        for zone, position, _ in self.slots:
            if zone.ordered:
                at = self.layout.orders[zone] + position * self.layout.order_stride
                columns.append(self.words(states, at)[:, 0].astype(np.int64))
            else:
                size = 8 * self.layout.words
                at = self.layout.bits[zone] + position * size
                ones = np.bitwise_count(states[:, at : at + size])
                columns.append(ones.sum(axis=1).astype(np.int64))
        found = np.stack(columns, axis=1)
        return (np.take_along_axis(found, self.turned[seats], axis=1) / self.deck).astype(
            np.float32
        )

    def entries(self, states: Bytes, seats: Ints) -> Floats:
        """State, as the seat was told of it."""
        parts: list[Floats] = [np.zeros((len(states), 0), np.float32)]
        start = self.room.first_told
        size = self.room.told_size
        all_told = states[:, start : start + self.players * size]
        told = all_told.reshape(len(states), self.players, size)[np.arange(len(states)), seats]
        for entry, at in self.room.told.items():
            width = self.layout.width(entry.kind)
            cells = np.ascontiguousarray(told[:, at : at + width * entry.size])
            parts.append(self.decoded(entry, cells, seats))
        return np.concatenate(parts, axis=1)

    def decoded(self, entry: t.State, cells: Bytes, seats: Ints) -> Floats:
        kind, count = entry.kind, len(cells)
        values: Table
        if isinstance(kind, SetOf):
            bits = np.unpackbits(cells, axis=1, bitorder="little")
            values = bits.reshape(count, entry.size, -1)[:, :, : kind.enumeration.size]
            values = self.rotated(values, kind.enumeration, seats, axis=2)
        else:
            numbers = cells.view("<i4").astype(np.int64)
            values = numbers[:, :, None]
            if isinstance(kind, Members):
                values = values == np.arange(kind.enumeration.size)
                values = self.rotated(values, kind.enumeration, seats, axis=2)
            elif isinstance(kind, Numbers):
                values = (values - kind.low) / max(kind.high - kind.low, 1)
        turned = self.rotated(values, entry.each, seats, axis=1)
        return turned.reshape(count, -1).astype(np.float32)

    def rotated(self, values: Table, each: object, seats: Ints, axis: int) -> Table:
        """The same values with the members of the index counted from the seat."""
        shifts = np.array([self.shift(each, seat) for seat in range(self.players)])
        if not shifts.any():
            return values
        size = values.shape[axis]
        order = (np.arange(size) + shifts[seats][:, None]) % size
        order = order[:, :, None] if axis == 1 else order[:, None, :]
        found: Table = np.take_along_axis(values, order, axis=axis)
        return found

    def turn(self, states: Bytes, seats: Ints) -> list[Floats]:
        """Whose move it is, who chooses it, and at which choice of the rules (if it is one's own:
        others may not know)."""
        going = self.words(states, HEADER["over"])[:, 0] == 0
        found: list[Floats] = []
        for name in ("mover", "chooser"):
            seat = self.words(states, HEADER[name])[:, 0].astype(np.int64)
            one = ((seat - seats) % self.players)[:, None] == np.arange(self.players)
            found.append((one & going[:, None]).astype(np.float32))
        own = going & (self.words(states, HEADER["chooser"])[:, 0] == seats)
        choice = self.words(states, HEADER["choice"]) == np.arange(self.choices)
        found.append((choice & own[:, None]).astype(np.float32))
        return found

    def words(self, states: Bytes, at: int) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
        """One 32-bit number of each state, as a column."""
        return np.ascontiguousarray(states[:, at : at + 4]).view("<i4")

    # ---- their names ----

    def named(self) -> list[str]:
        cards = self.checked.enumerations["card"].members
        slots = [self.slot_name(zone, position) for zone, position, _ in self.slots]
        names = [f"{card} in {slot}" for slot in slots for card in cards]
        names += [f"height of {card}" for card in cards]
        if any(zone.faces for zone in self.checked.zones.values()):
            names += [f"{card} face down" for card in cards]
        names += [f"count {slot}" for slot in slots]
        for entry in self.room.told:
            for position in range(entry.size):
                whose = self.index_name(entry.each, position)
                names += [f"{entry.name}{whose}{what}" for what in values_of(entry)]
        for name in ("mover", "chooser"):
            names += [f"{name} is {relative(seat)}" for seat in range(self.players)]
        return names + [f"choice {number}" for number in range(self.choices)]

    def slot_name(self, zone: t.Zone, position: int) -> str:
        return zone.name + self.index_name(zone.each, position)

    def index_name(self, each: object, position: int) -> str:
        if isinstance(each, NumberRange):
            return f" of {each.low + position}"
        if isinstance(each, Enumeration):
            return f" of {member_name(each, position)}"
        return ""


def relative(seat: int) -> str:
    return "me" if seat == 0 else f"seat +{seat}"


def member_name(each: Enumeration, position: int) -> str:
    if each.name == "player":
        return relative(position)
    if each.name == "team":
        return "my team" if position == 0 else f"team +{position}"
    return each.members[position]


def values_of(entry: t.State) -> list[str]:
    kind = entry.kind
    if isinstance(kind, SetOf):
        members = range(kind.enumeration.size)
        return [f" has {member_name(kind.enumeration, member)}" for member in members]
    if isinstance(kind, Members):
        members = range(kind.enumeration.size)
        return [f" is {member_name(kind.enumeration, member)}" for member in members]
    assert isinstance(kind, Numbers | Flag)
    return [""]
