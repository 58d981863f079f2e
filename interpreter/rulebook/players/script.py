"""Moves as the module replays them: rows that say of each pick how it is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING

from rulebook.engine.events import Chose, Event, Moved, is_card
from rulebook.kinds import Kind, SetOf
from rulebook.players.fingerprint import Told
from rulebook.program import ROW_HEAD, set_words
from rulebook.wasm.machine import cell

if TYPE_CHECKING:
    from rulebook.engine.game import Game

EXACT, ANY, PLACE, SET, WIDE_SET = 0, 1, 2, 3, 4
"""How a pick of a script is compared with a listed one."""


@dataclass(slots=True)
class Step:
    """What the seat was told from one choice to the next; the first comes before any choice."""

    row: bytes = b""
    """The move, as `replay` reads it; empty in the first step."""
    unknown: bool = False
    """Whether it has a pick that can be neither known nor guessed."""
    trial: bool = False
    """Whether moves must be tried: its picks are not known, or were guessed wrongly."""
    guessed: bool = False
    """Whether a pick was taken from the cards that moved."""
    events: list[Event] = field(default_factory=list)
    after: list[Event] = field(default_factory=list)
    """What followed from the move at once, up to the next that was told of."""
    told: list[Told] = field(default_factory=list)
    gathers: bool = False


def until_chosen(events: Sequence[Event]) -> list[Event]:
    """The events before the next choice that is told of."""
    return list(takewhile(lambda event: not isinstance(event, Chose), events))


def first_moved(
    events: Sequence[Event], several: bool, cards: Sequence[int | None] | None = None
) -> int | None:
    """The card that moved first, or the set of those that moved with it; None where they are not
    known. `cards` may say which card each move was of."""
    moves = [event for event in events if isinstance(event, Moved)]
    known = [event.card for event in moves] if cards is None else cards
    found, way = 0, None
    for event, card in zip(moves, known, strict=True):
        here = event.source, event.target
        if card is None or (way or here) != here:
            break
        if not several:
            return card
        way = here
        found |= 1 << card
    return found or None


def fits(step: Step, row: bytes) -> bool:
    """Whether a listed move has the name and the picks that the seat was told of."""
    chose = step.events[0]
    assert isinstance(chose, Chose)
    for i, pick in enumerate(chose.picks):
        if pick.value is not None:
            size = 16 if isinstance(pick.value.kind, SetOf) else 4
            if cell(row, i)[:size] != cell(step.row, i)[:size]:
                return False
    return row[:4] == step.row[:4]


def exact(row: bytes, game: Game) -> bytes:
    """A listed move as a script that wants just that."""
    move = list(game.checked.moves.values())[int.from_bytes(row[:4], "little")]
    modes = bytes(
        (SET if set_words(pick.variable.kind.enumeration) == 1 else WIDE_SET)
        if isinstance(pick.variable.kind, SetOf)
        else EXACT
        for pick in move.picks
    )
    return row[:4] + modes.ljust(4, bytes([ANY])) + row[ROW_HEAD:]


def is_cards(kind: Kind) -> bool:
    """Whether values are single cards or sets of them."""
    return is_card(kind) or (isinstance(kind, SetOf) and kind.enumeration.name == "card")
