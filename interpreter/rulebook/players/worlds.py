"""Worlds: states of the whole table that give one seat the stream of events that it has seen.

A world is proposed (see `tokens`), and accepted if the module, replaying the moves from it, finds
each of them legal and would tell the seat the same, event by event. So a world also agrees with
what can be inferred from play. Where too few are accepted, a proposal is played through against the
rules and used; `forced` counts those.

Nothing but the stream and the rules is read: the machine is this class's own, and the seed too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from rulebook.engine.events import Chose, Event, Gathered, Seen, Shuffled, bits
from rulebook.engine.setup import laid_out
from rulebook.kinds import SetOf
from rulebook.players.fingerprint import fold
from rulebook.players.script import PLACE, exact, is_cards
from rulebook.players.steps import Step, Steps, fits, heard
from rulebook.players.tokens import Contradiction, Table
from rulebook.program import HEADER, ROW_HEAD
from rulebook.wasm.machine import Machine, Trap, cell
from rulebook.wasm.writer import CONTROL, MAX_SCRIPT

if TYPE_CHECKING:
    from rulebook.engine.game import Game

TRIES = 80
FEW_TRIES = 12
"""Proposals for one world: usually, and where hardly any is accepted."""
BASE_TRIES = 200
MAX_TRIALS = 64
"""Moves that are tried for one whose picks are not known."""


@dataclass(frozen=True, slots=True)
class World:
    """A state at the seat's choice with its legal moves, and how it came about from the base."""

    state: bytes
    rows: tuple[bytes, ...]
    forced: bool
    outcomes: dict[tuple[int, int], bytes]
    script: tuple[bytes, ...]
    begun: bytes
    """The state of the base, in which cards that were not seen when it was set up are its own."""


@dataclass(slots=True)
class Base:
    """A state from which the moves are replayed: it waits for the choice of step `step`."""

    state: bytes
    rows: tuple[bytes, ...] = ()
    step: int = 0


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice that a seat has made: where it stood, what it could do, and the row of the script
    that it did."""

    seat: int
    state: bytes
    rows: tuple[bytes, ...]
    row: bytes


class Rejected(Exception):
    """A proposal that does not give the seat its stream."""


class Worlds:
    """Of one seat in one match. `see` takes its stream, `draw` gives a world."""

    def __init__(self, game: Game, seat: int, seed: int, machine: Machine | None = None) -> None:
        self.game = game
        self.seat = seat
        self.name = f"worlds {seed} {seat}"
        self.random = Random(self.name)
        self.machine = machine or Machine(game.wasm)
        self.stream = Steps(game.checked, self.machine.memory.row_size)
        self.moves = list(game.checked.moves.values())
        self.ordered = [zone.ordered for zone, _ in game.slot_names]
        self.accepted = 0
        self.forced = 0
        self.proposed = 0
        self.forget()

    def begin(self, seed: str) -> None:
        """Go on from another seed, as if nothing had been drawn before. The base stays: how it
        moves depends on the stream alone."""
        self.random = Random(f"worlds {seed}")
        self.bans.clear()
        self.poor = 0
        for step in self.steps[self.base.step :]:
            step.trial = step.unknown

    def forget(self, start: bytes = b"") -> None:
        """Back to knowing nothing, but of a position that was set up what is known of it."""
        self.start = start
        self.stream.forget()
        self.folds: dict[int, tuple[int, int]] = {}
        self.bans: dict[int, dict[int, int]] = {}
        self.poor = 0
        """How many worlds in a row had to be forced."""
        self.machine.call("reset", Random(self.name).getrandbits(64))
        state = self.machine.state
        if start:
            seeds = slice(HEADER["seed"], HEADER["bot"] + 8)
            state = start[: seeds.start] + state[seeds] + start[seeds.stop :]
        self.base = Base(state)
        self.believed: dict[int, list[int]] = {}
        """The cards that moved in steps whose picks are not known, in the last proposal."""
        self.looked = 1
        """The first step that has not been looked at as a new base."""

    def see(self, stream: Sequence[Event], start: bytes = b"") -> None:
        """The seat's stream so far, and what it knows of where play began (`Sight.start`). The
        stream may be longer than before, or another (after a move was taken back)."""
        if start != self.start or not self.stream.goes_on(stream):
            self.forget(start)
        self.stream.see(stream)

    @property
    def steps(self) -> list[Step]:
        return self.stream.steps

    # ---- worlds ----

    def draw(self, late: Callable[[], bool] = lambda: False) -> World | None:
        """A world for the seat's choice; None if none could be made, or none before it is late."""
        self.move_base()
        tries = FEW_TRIES if self.poor > 2 else TRIES
        for _ in range(tries):
            if late():
                break
            try:
                world = self.attempt(len(self.steps))
            except Rejected:
                continue
            self.accepted += 1
            self.poor = 0
            return world
        for number in range(tries):
            if number and late():
                break
            try:
                world = self.attempt(len(self.steps), force=True)
            except Rejected:
                continue
            self.forced += 1
            self.poor += 1
            self.bans.clear()  # They may have been the reason.
            return world
        return None

    def move_base(self) -> None:
        """Replays begin as late as a choice after which all cards were gathered."""
        first, self.looked = self.looked, len(self.steps)
        for number in range(first, len(self.steps)):
            if not self.steps[number].gathers:
                continue
            before, self.random, self.bans = self.random, Random(f"{self.name} {number}"), {}
            for _ in range(BASE_TRIES):
                try:
                    world = self.attempt(number)
                except Rejected:
                    continue
                self.base = Base(world.state, world.rows, number)
                break
            self.random, self.bans = before, {}

    def attempt(self, end: int, force: bool = False) -> World:
        """One proposal, replayed through the steps before `end`. Raises `Rejected`."""
        self.proposed += 1
        machine = self.machine
        outcomes, state = self.propose(end)
        machine.supply(outcomes)
        begun, rows = state, self.base.rows
        script: list[bytes] = []
        forced = False
        at = self.base.step
        try:
            while at < end:
                last = self.segment_end(at, end)
                first = self.steps[at]
                if first.trial and first.row:
                    row = self.trial(at, state, rows)
                    if row is None and force:
                        forced = True
                        rows = tuple(machine.rows()) if machine.rows() else rows
                        at = last
                        self.restore(state, rows)
                        continue
                    if row is None:
                        raise Rejected
                    script.append(exact(row, self.game))
                    state, rows = machine.state, tuple(machine.rows())
                    at = last
                    continue
                wanted = [step.row for step in self.steps[at:last] if step.row]
                begin = not first.row
                done, seen = self.replay(state, rows, b"".join(wanted), begin)
                if done < len(wanted):
                    failed = at + done + int(begin)
                    state, rows = machine.state, tuple(machine.rows())
                    if self.steps[failed].guessed and not self.steps[failed].trial:
                        if self.trial(failed, state, rows) is not None:
                            # From now on its picks are looked for.
                            self.steps[failed].trial = True
                            self.folds.clear()
                            raise Rejected
                        self.restore(state, rows)
                    self.learn(failed, state, rows)
                    if not force:
                        raise Rejected
                    if PLACE in self.steps[failed].row[4:ROW_HEAD]:
                        raise Rejected
                    forced = True
                    script += wanted[:done]
                    self.push(state, self.steps[failed].row)
                    script.append(self.steps[failed].row)
                    state, rows = machine.state, tuple(machine.rows())
                    at = failed + 1
                    continue
                if seen != self.expected(at, last):
                    if not force:
                        raise Rejected
                    forced = True
                script += wanted
                state, rows = machine.state, tuple(machine.rows())
                at = last
            return self.finished(end, World(state, rows, forced, outcomes, tuple(script), begun))
        except Trap:
            self.calm(self.base.state, self.base.rows)
            raise Rejected from None
        finally:
            machine.supply({})

    def finished(self, end: int, world: World) -> World:
        """The world at the end of a replay, if the seat is then to choose."""
        if end == len(self.steps) and (
            header(world.state, "over")
            or not world.rows
            or header(world.state, "chooser") != self.seat
        ):
            raise Rejected
        return world

    def propose(self, end: int) -> tuple[dict[tuple[int, int], bytes], bytes]:
        """Outcomes of chance since the base that agree with the cards seen, and the state of the
        base."""
        layout = self.game.program.layout
        table = Table(layout.deck, self.ordered, self.random, self.bans)
        start = layout.chances
        uses = {
            site: int.from_bytes(self.base.state[start + 4 * site : start + 4 * site + 4], "little")
            for site in range(len(self.game.checked.chances))
        }
        drawn = dict(uses)
        outcomes: dict[tuple[int, int], bytes] = {}
        self.believed.clear()
        placed = self.placed() if self.start and not self.base.step else []
        try:
            if placed:
                table.set_up(placed)
            for number in range(self.base.step, end):
                events = self.steps[number].cards
                if number and number == self.base.step:
                    # What lay where before the base's gathering does not matter.
                    at = next(i for i, one in enumerate(events) if isinstance(one, Gathered))
                    for event in events[:at]:
                        if isinstance(event, Shuffled):
                            uses[event.site] += 1
                    events = events[at:]
                table.watch(number, events)
                for event in self.steps[number].draws:
                    outcomes[event.site, drawn[event.site]] = bytes([event.value])
                    drawn[event.site] += 1
            outcomes |= table.outcomes(uses)
        except Contradiction:
            raise Rejected from None
        for number in range(self.base.step, end):
            if self.steps[number].unknown:
                self.believed[number] = [table.cards[one] for one in table.moved.get(number, ())]
        lies = {
            seen.slot: [
                (table.cards[token], down)
                for token, down in zip(table.lots[seen.slot], seen.down, strict=True)
            ]
            for seen in placed
        }
        return outcomes, laid_out(self.game, self.base.state, lies) if placed else self.base.state

    def placed(self) -> list[Seen]:
        """How the slots lay in the position that was set up."""
        slots = len(self.ordered)
        return [event for event in self.steps[0].events[:slots] if isinstance(event, Seen)]

    def learn(self, failed: int, state: bytes, rows: Sequence[bytes]) -> None:
        """A move was not legal: the cards of the moves that were legal in its place were most
        likely not there."""
        for row in rows[:MAX_TRIALS]:
            move = self.moves[int.from_bytes(row[:4], "little")]
            for i, pick in enumerate(move.picks):
                kind = pick.variable.kind
                if not is_cards(kind):
                    continue
                value = int.from_bytes(
                    cell(row, i)[: 16 if isinstance(kind, SetOf) else 4], "little"
                )
                for card in bits(value) if isinstance(kind, SetOf) else (value,):
                    place = self.game.place_of(state, card)
                    if place is not None:
                        slots = self.bans.setdefault(failed, {})
                        slots[place[0]] = slots.get(place[0], 0) | 1 << card

    def last_choices(self, world: World) -> list[Choice | None]:
        """The last choice of each other seat since the base, in a world; None for one that cannot
        be looked at, as in a world that was forced."""
        first = max(self.base.step, 1)
        last: dict[int, int] = {}
        for number in range(first, len(self.steps)):
            chose = self.steps[number].events[0]
            if isinstance(chose, Chose) and chose.chooser != self.seat:
                last[chose.chooser] = number - first
        found: list[Choice | None] = []
        if world.forced:
            return [None] * len(last)
        self.machine.supply(world.outcomes)
        try:
            for seat, at in last.items():
                found.append(None)
                if at > MAX_SCRIPT:
                    continue
                script = b"".join(world.script[:at])
                base = self.base
                if self.replay(world.begun, base.rows, script, not base.step)[0] == at:
                    rows = tuple(self.machine.rows())
                    found[-1] = Choice(seat, self.machine.state, rows, world.script[at])
        except Trap:
            self.calm(self.base.state, self.base.rows)
        finally:
            self.machine.supply({})
        return found + [None] * (len(last) - len(found))

    # ---- replaying ----

    def restore(self, state: bytes, rows: Sequence[bytes]) -> None:
        """A state that waits for a choice, with its list of moves."""
        machine = self.machine
        machine.state = state
        machine.write(machine.memory.rows, b"".join(rows))
        machine.set_word(CONTROL["rows"], len(rows))

    def replay(
        self, state: bytes, rows: Sequence[bytes], script: bytes, begin: bool
    ) -> tuple[int, int]:
        self.restore(state, rows)
        return self.machine.replay(state, script, self.seat, begin)

    def push(self, state: bytes, row: bytes) -> int:
        """Play a move whether or not it is listed; what the seat is told of it."""
        return self.replay(state, (row,), exact(row, self.game), False)[1]

    def advance(self, state: bytes, row: bytes) -> None:
        """Play a listed move, and leave aside what is told of it."""
        self.restore(state, (row,))
        self.machine.run(0)

    def segment_end(self, at: int, end: int) -> int:
        """Where the steps end that can be replayed in one call."""
        if self.steps[at].trial and self.steps[at].row:
            return at + 1
        most = min(end, at + MAX_SCRIPT)
        while at < most and not self.steps[at].trial:
            at += 1
        return at

    def expected(self, start: int, end: int) -> int:
        """What the seat was told in some steps, as one number."""
        known, seen = self.folds.get(start, (start, 0))
        if known > end:
            known, seen = start, 0
        for step in self.steps[known:end]:
            seen = fold(seen, step.told)
        self.folds[start] = (end, seen)
        return seen

    def trial(self, number: int, state: bytes, rows: Sequence[bytes]) -> bytes | None:
        """A legal move of which the seat would be told what it was told; the machine stands after
        it."""
        step = self.steps[number]
        fit = [row for row in rows if fits(step, row)]
        self.random.shuffle(fit)
        believed = self.believed.get(number, [])
        fit.sort(key=lambda row: not self.stream.takes(step, row, believed))
        wanted = heard(step)
        for row in fit[:MAX_TRIALS]:
            try:
                if self.push(state, row) == wanted:
                    return row
            except Trap:
                self.calm(state, rows)
        return None

    def calm(self, state: bytes, rows: Sequence[bytes]) -> None:
        """After a trap in the middle of a replay: what happens later is told again."""
        self.replay(state, rows, b"", False)

    # ---- who sees what ----

    def sees(self, state: bytes, card: int, slot: int) -> bool:
        """Whether the seat sees a card that lies in a slot of a world."""
        self.machine.state = state
        mask = self.machine.call("seers", slot)
        return bool(mask >> self.seat & 1) and not self.game.face_down(state, card)


def header(state: bytes, name: str) -> int:
    at = HEADER[name]
    return int.from_bytes(state[at : at + 4], "little", signed=True)
