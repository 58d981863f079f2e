"""What a seat was told, cut into steps: from one choice to the next, with the move as a script
wants it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from rulebook import terms as t
from rulebook.engine.events import (
    Chose,
    Drawn,
    Event,
    Gathered,
    Moved,
    Seen,
    Shown,
    Shuffled,
    Turned,
)
from rulebook.kinds import SetOf
from rulebook.players.fingerprint import Teller, Told, fold
from rulebook.players.script import ANY, EXACT, PLACE, SET, WIDE_SET, is_cards
from rulebook.program import set_words
from rulebook.wasm.machine import cell

OF_CARDS = (Moved, Gathered, Shuffled, Seen, Shown, Turned)


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
    cards: list[Event] = field(default_factory=list)
    """Those that say where cards lie."""
    draws: list[Drawn] = field(default_factory=list)
    after: list[Event] = field(default_factory=list)
    """What followed from the move at once, up to the next that was told of."""
    told: list[Told] = field(default_factory=list)
    mixed: int | None = None
    """What was told, as one number, once somebody has asked."""
    gathers: bool = False


def heard(step: Step) -> int:
    """What the seat was told in a step, as one number."""
    if step.mixed is None:
        step.mixed = fold(0, step.told)
    return step.mixed


class Steps:
    """Of one seat in one match; the first step comes before any choice."""

    def __init__(self, game: t.CheckedGame, row_size: int) -> None:
        self.moves = {move.name: move for move in game.moves.values()}
        self.numbers = {name: number for number, name in enumerate(self.moves)}
        self.row_size = row_size
        self.teller = Teller(game)
        self.forget()

    def forget(self) -> None:
        self.events: list[Event] = []
        self.steps = [Step()]
        self.kept: dict[int, int] = {}
        """The steps of choices that are still secret, by who made them."""
        self.revealed: list[tuple[Step, Step]] = []
        """Such steps, and those in which they were told of."""

    def goes_on(self, stream: Sequence[Event]) -> bool:
        """Whether a stream is the one so far, or longer; it is another after a move was taken
        back."""
        return self.events == list(stream[: len(self.events)])

    def see(self, stream: Sequence[Event]) -> None:
        """The stream, which goes on from the one so far."""
        before = len(self.revealed)
        for event in stream[len(self.events) :]:
            if isinstance(event, Chose):
                if self.reveals(event):
                    self.revealed.append((self.steps[self.kept.pop(event.mover)], self.steps[-1]))
                else:
                    self.steps.append(Step())
                    if event.secret:
                        self.kept[event.mover] = len(self.steps) - 1
            self.steps[-1].events.append(event)
        self.events = list(stream)
        for step in self.steps:
            if step.events and (not step.told or step is self.steps[-1]):
                self.prepare(step)
        for number, (hidden, step) in enumerate(self.revealed):
            if number >= before or step is self.steps[-1]:
                self.reveal(hidden, step)

    def reveals(self, event: Chose) -> bool:
        """Whether it tells of a choice that was made before, secretly."""
        return not event.secret and event.mover in self.kept

    def prepare(self, step: Step) -> None:
        step.told = [told for event in step.events for told in self.teller.told(event)]
        step.mixed = None
        step.draws = [event for event in step.events if isinstance(event, Drawn)]
        step.cards = [event for event in step.events if isinstance(event, OF_CARDS)]
        step.gathers = any(isinstance(event, Gathered) for event in step.events)
        first = step.events[0]
        if isinstance(first, Chose):
            self.write(step, first, until_chosen(step.events[1:]))

    def reveal(self, hidden: Step, step: Step) -> None:
        """A choice that was kept secret is told of with others, at the end of a later step."""
        kept = hidden.events[0]
        assert isinstance(kept, Chose)
        for at, event in enumerate(step.events):
            if isinstance(event, Chose) and not event.secret and event.mover == kept.mover:
                self.write(hidden, event, until_chosen(step.events[at + 1 :]))

    def write(self, step: Step, chose: Chose, after: Sequence[Event]) -> None:
        """The move of a step for the script. A pick that the seat was not told is taken from the
        cards that moved at once `after` it, where those were seen."""
        modes, cells = b"", b""
        step.after = list(after)
        step.guessed = step.unknown = False
        for pick, told in zip(self.moves[chose.move].picks, chose.picks, strict=True):
            kind = pick.variable.kind
            mode, value = EXACT, 0
            if told.value is not None:
                value = told.value.value
            elif told.position >= 0:
                mode, value = PLACE, told.position
            else:
                guess = first_moved(after, isinstance(kind, SetOf)) if is_cards(kind) else None
                step.guessed |= guess is not None
                step.unknown |= guess is None
                mode, value = (ANY, 0) if guess is None else (EXACT, guess)
            if mode == EXACT and isinstance(kind, SetOf):
                mode = SET if set_words(kind.enumeration) == 1 else WIDE_SET
            modes += bytes([mode])
            cells += (value & 2**128 - 1).to_bytes(16, "little")
        step.trial = step.unknown
        # What is listed for a move has no meaning behind its picks.
        head = self.numbers[chose.move].to_bytes(4, "little") + modes.ljust(4, bytes([ANY]))
        step.row = (head + cells).ljust(self.row_size, b"\0")

    def takes(self, step: Step, row: bytes, cards: Sequence[int]) -> bool:
        """Whether a move would take, in the place of picks that the seat was not told, the cards
        that moved at once after it."""
        chose = step.events[0]
        assert isinstance(chose, Chose)
        for i, pick in enumerate(self.moves[chose.move].picks):
            kind, told = pick.variable.kind, chose.picks[i]
            if told.value is None and told.position < 0 and is_cards(kind):
                several = isinstance(kind, SetOf)
                size = 16 if several else 4
                picked = int.from_bytes(cell(row, i)[:size], "little")
                if first_moved(step.after, several, cards) != picked:
                    return False
        return True


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
    for event, card in zip(moves, known, strict=False):
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
