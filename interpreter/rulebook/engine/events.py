"""What happened, as one stream; each event says which seats may know it.

A seat's stream is this one through `for_seat`: an event it may not know at all is left out, one it
may know in part comes without the rest. Views, logs, records for a seat and bots read only that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from rulebook import terms as t
from rulebook.kinds import Kind, Members, SetOf
from rulebook.wasm.runtime import EVENT_KINDS
from rulebook.wasm.writer import EVENT_SIZE

SPECTATOR = 30
"""The seat number of somebody who only watches."""
EVERYONE = -1


def bits(mask: int) -> tuple[int, ...]:
    """The members of a set, lowest first."""
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)


@dataclass(frozen=True, slots=True)
class Value:
    """A value in a message or a choice, with its kind."""

    kind: Kind
    value: int


@dataclass(frozen=True, slots=True)
class Event:
    """`audience`: bits of the seats that may know everything in it; -1 is everyone."""

    audience: int

    def seen_by(self, seat: int) -> bool:
        return bool(self.audience >> seat & 1)

    def for_seat(self, seat: int) -> Event | None:
        """What a seat may know of the event."""
        return self if self.seen_by(seat) else None


@dataclass(frozen=True, slots=True)
class Moved(Event):
    """A card went from slot to slot. Everyone sees that; only the audience sees which card.

    `position` counts from the bottom of an ordered source, -1 where there is no order; `bottom`
    says that it went under the target. `source` is -1 for a card that lay nowhere.
    """

    card: int | None
    source: int
    target: int
    position: int
    bottom: bool
    down: bool = False
    """Whether it lies face down now."""

    def for_seat(self, seat: int) -> Event | None:
        return self if self.seen_by(seat) else replace(self, card=None)


@dataclass(frozen=True, slots=True)
class Gathered(Event):
    """All cards went to one slot, in deck order."""

    slot: int


@dataclass(frozen=True, slots=True)
class Shuffled(Event):
    """`site` is the number of the shuffle in the file."""

    slot: int
    site: int


@dataclass(frozen=True, slots=True)
class Drawn(Event):
    """A member drawn by chance at a site, and put into a state entry."""

    site: int
    value: int


@dataclass(frozen=True, slots=True)
class Seen(Event):
    """From now on, the seats in `seers` see a slot. `cards` is what lies there, bottom first, with
    None for what its reader does not see; `down` says which lie face down."""

    slot: int
    seers: int
    cards: tuple[int | None, ...]
    down: tuple[bool, ...]

    def for_seat(self, seat: int) -> Event | None:
        if self.seen_by(seat):
            return self
        return replace(self, cards=(None,) * len(self.cards))


@dataclass(frozen=True, slots=True)
class Shown(Event):
    """A card was shown where it lies; `position` as in `Moved`."""

    card: int
    slot: int
    position: int


@dataclass(frozen=True, slots=True)
class Turned(Event):
    """A card was turned where it lies. Everyone who sees the slot knows which; others, that one
    was."""

    card: int | None
    slot: int
    position: int
    down: bool

    def for_seat(self, seat: int) -> Event | None:
        return self if self.seen_by(seat) else replace(self, card=None)


@dataclass(frozen=True, slots=True)
class Changed(Event):
    """A state entry got a value."""

    state: str
    index: int
    value: int


@dataclass(frozen=True, slots=True)
class Picked(Event):
    """One pick of a choice; `position` is known to everyone, the value to the audience."""

    value: Value | None
    position: int

    def for_seat(self, seat: int) -> Picked:
        return self if self.seen_by(seat) else replace(self, value=None)


@dataclass(frozen=True, slots=True)
class Chose(Event):
    mover: int
    chooser: int
    move: str
    picks: tuple[Picked, ...]
    secret: bool = False
    """Chosen secretly: it is done, and told, when all have chosen."""

    def for_seat(self, seat: int) -> Event | None:
        return replace(self, picks=tuple(pick.for_seat(seat) for pick in self.picks))


@dataclass(frozen=True, slots=True)
class Said(Event):
    """A sentence of the rule file: plain pieces and values."""

    pieces: tuple[str | Value, ...]
    number: int = -1
    """Which sentence of the file it is."""


@dataclass(frozen=True, slots=True)
class Ended(Event):
    """The game is over; how stands in the match."""


class Decoder:
    """Events from the bytes that the module writes."""

    def __init__(self, game: t.CheckedGame, texts: list[t.Text]) -> None:
        self.states = list(game.state.values())
        self.moves = list(game.moves.values())
        self.texts = texts
        self.arguments: list[tuple[int, int, list[int]]] = []

    def decode(self, data: bytes) -> list[Event]:
        found: list[Event] = []
        chose: tuple[int, int, int, int] | None = None
        for at in range(0, len(data), EVENT_SIZE):
            words = [
                int.from_bytes(data[k : k + 4], "little", signed=True)
                for k in range(at, at + EVENT_SIZE, 4)
            ]
            kind, audience, rest = EVENT_KINDS[words[0]], words[1], words[2:]
            if kind == "argument":
                self.arguments.append((audience, rest[1], rest[2:]))
                continue
            if chose is not None:
                found.append(self.chose(*chose))
                chose = None
            if kind == "chose":
                chose = (rest[0], rest[1], rest[2], rest[3])
                continue
            if kind == "said":
                found.append(self.said(audience, rest[0]))
            else:
                found.append(SIMPLE[kind](self, audience, rest))
        if chose is not None:
            found.append(self.chose(*chose))
        return found

    def chose(self, mover: int, chooser: int, number: int, secret: int) -> Event:
        move = self.moves[number]
        count = len(move.picks)
        picks = tuple(
            Picked(audience, Value(pick.variable.kind, joined(pick.variable.kind, words)), place)
            for pick, (audience, place, words) in zip(
                move.picks, self.arguments[:count], strict=True
            )
        )
        # A sentence that follows at once has its values behind those of the choice.
        del self.arguments[:count]
        return Chose(EVERYONE, mover, chooser, move.name, picks, bool(secret))

    def said(self, audience: int, number: int) -> Event:
        pieces: list[str | Value] = []
        values = iter(self.arguments)
        for piece in self.texts[number].pieces:
            if isinstance(piece, str):
                pieces.append(piece)
            else:
                pieces.append(Value(piece.kind, joined(piece.kind, next(values)[2])))
        self.arguments = []
        return Said(audience, tuple(pieces), number)

    def changed(self, audience: int, rest: list[int]) -> Event:
        state = self.states[rest[0]]
        return Changed(audience, state.name, rest[1], joined(state.kind, rest[2:]))


def joined(kind: Kind, words: list[int]) -> int:
    """A value from its 32-bit pieces."""
    if not isinstance(kind, SetOf):
        return words[0]
    size = 2 if kind.enumeration.size <= 64 else 4
    return sum((word & 0xFFFFFFFF) << 32 * i for i, word in enumerate(words[:size]))


SIMPLE: dict[str, Callable[[Decoder, int, list[int]], Event]] = {
    "moved": lambda d, audience, r: Moved(audience, r[0], r[1], r[2], r[3], bool(r[4]), bool(r[5])),
    "gathered": lambda d, audience, r: Gathered(audience, r[0]),
    "shuffled": lambda d, audience, r: Shuffled(audience, r[0], r[1]),
    "set": lambda d, audience, r: d.changed(audience, r),
    "shown": lambda d, audience, r: Shown(audience, r[0], r[1], r[2]),
    "drawn": lambda d, audience, r: Drawn(audience, r[0], r[1]),
    "turned": lambda d, audience, r: Turned(audience, r[0], r[1], r[2], not r[3]),
    "ended": lambda d, audience, r: Ended(audience),
}


def is_card(kind: Kind) -> bool:
    """Whether values of the kind are single cards."""
    return isinstance(kind, Members) and kind.enumeration.name == "card"


FLAG_WORDS = {0: "no", 1: "yes"}
