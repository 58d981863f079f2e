"""What a seat was told, as one number: the same mixing as the module's `replay` (see
`wasm/text/replay.wat`), computed from the seat's stream."""

from __future__ import annotations

from collections.abc import Iterable

from rulebook import terms as t
from rulebook.engine.events import (
    Changed,
    Chose,
    Drawn,
    Ended,
    Event,
    Gathered,
    Moved,
    Said,
    Seen,
    Shown,
    Shuffled,
    Turned,
)
from rulebook.kinds import Kind, SetOf
from rulebook.wasm.runtime import EVENT_KINDS

WORD = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
KIND = {name: number for number, name in enumerate(EVENT_KINDS)}

Told = tuple[int, ...]
"""One event as the module mixes it: its kind, then six numbers."""


def mix(z: int) -> int:
    """The output function of SplitMix64."""
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & WORD
    return z ^ (z >> 31)


def fold(seen: int, told: Iterable[Told]) -> int:
    """The number after some more events."""
    for words in told:
        for value in words:
            z = (GOLDEN + (seen ^ (value & 0xFFFFFFFF))) & WORD
            z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & WORD
            z = (z ^ (z >> 27)) * 0x94D049BB133111EB & WORD
            seen = z ^ (z >> 31)
    return seen


def halves(kind: Kind, value: int) -> list[int]:
    """A value as the module tells it, in words of 32 bits."""
    if not isinstance(kind, SetOf):
        return [value]
    size = 2 if kind.enumeration.size <= 64 else 4
    return [value >> 32 * i & 0xFFFFFFFF for i in range(size)]


class Teller:
    """Events of one game as the module tells them."""

    def __init__(self, game: t.CheckedGame) -> None:
        self.states = {name: (i, state.kind) for i, (name, state) in enumerate(game.state.items())}
        self.moves = {name: number for number, name in enumerate(game.moves)}

    def fingerprint(self, stream: Iterable[Event]) -> int:
        """Of a seat's whole stream."""
        return fold(0, (told for event in stream for told in self.told(event)))

    def told(self, event: Event) -> list[Told]:
        """An event of a seat's stream; nothing for one that the module does not tell."""
        if isinstance(event, Moved):
            card = -1 if event.card is None else event.card
            where = (event.source, event.target, event.position)
            return [(KIND["moved"], card, *where, int(event.bottom), int(event.down))]
        if isinstance(event, Chose):
            return self.chose(event)
        if isinstance(event, Changed):
            number, kind = self.states[event.state]
            return [row("set", number, event.index, *halves(kind, event.value))]
        if isinstance(event, Said):
            values = [piece for piece in event.pieces if not isinstance(piece, str)]
            told = [row("argument", -1, -1, *halves(one.kind, one.value)) for one in values]
            return [*told, row("said", event.number)]
        if isinstance(event, Turned):
            card = -1 if event.card is None else event.card
            return [row("turned", card, event.slot, event.position, int(not event.down))]
        if isinstance(event, Seen):
            return []
        return [plain(event)]

    def chose(self, event: Chose) -> list[Told]:
        number = self.moves[event.move]
        told = [row("chose", event.mover, event.chooser, number, int(event.secret))]
        for i, pick in enumerate(event.picks):
            words = [] if pick.value is None else halves(pick.value.kind, pick.value.value)
            told.append(row("argument", i, pick.position, *words))
        return told


def plain(event: Event) -> Told:
    if isinstance(event, Gathered):
        return row("gathered", event.slot)
    if isinstance(event, Shuffled):
        return row("shuffled", event.slot, event.site)
    if isinstance(event, Drawn):
        return row("drawn", event.site, event.value)
    if isinstance(event, Shown):
        return row("shown", event.card, event.slot, event.position)
    assert isinstance(event, Ended)
    return row("ended")


def row(kind: str, *words: int) -> Told:
    return (KIND[kind], *words, *(0,) * (6 - len(words)))
