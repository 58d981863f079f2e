"""Many states in one module: room for them, and the constants that `text/batch.wat` needs.

A place holds a state block and, behind it, what the seats know: for each seat a byte for each card,
then for each seat the state entries that anyone is ever told of.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rulebook import terms as t
from rulebook.kinds import Members, NumberRange
from rulebook.program import HEADER, ROW_CELL, ROW_HEAD, Layout
from rulebook.wasm.runtime import EVENT_KINDS, FUEL, routines
from rulebook.wasm.writer import CONTROL, MAX_ROWS, STATE, Memory, export, i32

if TYPE_CHECKING:
    from rulebook.wasm.values import Module

PLACES = 256
"""States that are in the module at one time."""
LISTED_ROWS = 4 * MAX_ROWS
TICKET_HEAD = 16


def rounded(size: int) -> int:
    return -(-size // 16) * 16


@dataclass(slots=True)
class Room:
    """Addresses and sizes. `told` has the place of each state entry among what one seat was told,
    in bytes; entries that nobody is ever told of are not in it."""

    game: t.CheckedGame
    layout: Layout
    told: dict[t.State, int] = field(default_factory=dict)
    told_size: int = 0
    places: int = 0
    tickets: int = 0
    listed: int = 0
    served: int = 0
    ticket_size: int = 0

    def __post_init__(self) -> None:
        for state in self.game.state.values():
            audience = state.audience
            if audience.seers == "nobody" and audience.condition is None:
                continue
            self.told[state] = self.told_size
            self.told_size += -(-self.layout.width(state.kind) * state.size // 8) * 8

    def take(self, memory: Memory) -> None:
        self.ticket_size = TICKET_HEAD + rounded(memory.row_size)
        self.places = memory.take(PLACES * self.place_size)
        self.tickets = memory.take(PLACES * self.ticket_size)
        self.listed = memory.take(LISTED_ROWS * memory.row_size)
        self.served = memory.take(4)

    @property
    def mind(self) -> int:
        """Where in a place the knowledge of the seats begins."""
        return rounded(self.layout.size)

    @property
    def first_told(self) -> int:
        """Where in a place stands what seat 0 was told."""
        return self.mind + rounded(self.game.players * self.layout.deck)

    @property
    def place_size(self) -> int:
        return rounded(self.first_told + self.game.players * self.told_size)


def picked_card(pick: t.Pick) -> bool:
    """Whether the pick is a card that its chooser may have to name by its place."""
    kind = pick.variable.kind
    card = isinstance(kind, Members) and kind.enumeration.name == "card"
    return card and pick.zone is not None


def batch_functions(module: Module, room: Room) -> str:
    """Everything that batched builds have instead of the routine that writes events."""
    memory, layout = module.memory, room.layout
    room.take(memory)
    entries: list[int] = []
    for state in room.game.state.values():
        low = state.each.low if isinstance(state.each, NumberRange) else 0
        told = room.told.get(state)
        words = 0 if told is None else layout.width(state.kind) // 4
        entries += [room.first_told - room.mind + (told or 0), words, low]
    flags = [
        sum(1 << place for place, pick in enumerate(move.picks) if picked_card(pick))
        for move in room.game.moves.values()
    ]
    first_told = [
        f"(memory.copy (i32.add (global.get $mind) "
        f"{i32(room.first_told - room.mind + seat * room.told_size + told)}) "
        f"{i32(STATE + layout.state[state])} {i32(layout.width(state.kind) * state.size)})"
        for seat in range(room.game.players)
        for state, told in room.told.items()
    ]
    face_up = "(i64.const -1)"
    if module.has_faces:
        word = "(i32.shl (local.get $word) (i32.const 3))"
        down = f"(i64.load (i32.add {i32(STATE + layout.faces)} {word}))"
        face_up = f"(i64.xor {down} (i64.const -1))"
    position = ""
    if room.game.repeats_limit is not None:
        choice = f"(i32.load {module.header('choice')})"
        position = f"(i64.store offset=8 (local.get $ticket) (call $position {choice}))"
    pieces: dict[str, object] = {
        "face_up": face_up,
        "first_told": " ".join(first_told),
        "position": position,
        **{name: EVENT_KINDS.index(name) for name in EVENT_KINDS},
        "deck": layout.deck,
        "words": layout.words,
        "players": room.game.players,
        "slots": layout.slot_count,
        "entries": memory.words(entries),
        "told_size": room.told_size,
        "picked_cards": memory.words(flags),
        "row_head": ROW_HEAD,
        "row_cell": ROW_CELL,
        "row_size": memory.row_size,
        "rows": memory.rows,
        "row_count": CONTROL["rows"],
        "chosen": CONTROL["chosen"],
        "chooser": STATE + HEADER["chooser"],
        "over": STATE + HEADER["over"],
        "places": room.places,
        "place_size": room.place_size,
        "tickets": room.tickets,
        "ticket_size": room.ticket_size,
        "listed": room.listed,
        "listed_full": room.listed + (LISTED_ROWS - MAX_ROWS) * memory.row_size,
        "served": room.served,
        "mind": room.mind,
        "mind_size": room.place_size - room.mind,
        "state": STATE,
        "state_size": layout.size,
        "fuel": FUEL,
        "splits": memory.splits,
    }
    text = routines("batch")
    for name, value in pieces.items():
        text = text.replace("{" + name + "}", str(value))
    return text + export("batch", ["i32"], ["i32"])
