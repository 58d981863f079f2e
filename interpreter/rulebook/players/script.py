"""Moves as the module replays them: rows that say of each pick how it is compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulebook.engine.events import is_card
from rulebook.kinds import Kind, SetOf
from rulebook.program import ROW_HEAD, set_words

if TYPE_CHECKING:
    from rulebook.engine.game import Game

EXACT, ANY, PLACE, SET, WIDE_SET = 0, 1, 2, 3, 4
"""How a pick of a script is compared with a listed one."""


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
