"""A match: one game being played.

The state block is the truth; the machine only borrows it. Before each choice a snapshot is kept, so
`undo` is one step back and a rule error leaves the match where it was before the move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rulebook.diagnostics import Problem
from rulebook.engine.events import EVERYONE, Ended, Event, Said, Seen, is_card
from rulebook.engine.explain import Why, why_value
from rulebook.engine.moves import Move, MoveReader
from rulebook.engine.reasons import Reason, can_mean, judge
from rulebook.engine.setup import known_start
from rulebook.engine.view import View, fold
from rulebook.engine.words import Words
from rulebook.program import ENDED, HEADER, LIMITED, RUNNING
from rulebook.wasm.machine import Trap

if TYPE_CHECKING:
    from rulebook.engine.game import Game
    from rulebook.engine.record import Record


class RuleError(Exception):
    """A mistake of the rules that shows only in play. `problem` says where; the match stands where
    it was before the move (a match that has not begun does not begin)."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(f"{problem.message} ({problem.help})" if problem.help else problem.message)


class IllegalMove(ValueError):
    """A move that is not one of those offered. `reason` says why, when it can be said."""

    def __init__(self, message: str, reason: Reason | None = None) -> None:
        self.reason = reason
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Moment:
    """What a match was before a choice."""

    state: bytes
    rows: tuple[bytes, ...]
    events: int
    seers: tuple[int, ...]
    positions: int


class Match:
    """Use `Game.start` to begin one."""

    def __init__(self, game: Game, seed: int, chance: dict[tuple[int, int], bytes]) -> None:
        self.game = game
        self.seed = seed
        self.chance = dict(chance)
        self.words: Words = game.words
        self.example = ""
        """The example of its rule file that the match began at, if it did."""
        self.given = 0
        """Moves of that example, which are not taken back."""
        self.events: list[Event] = []
        self.played: list[tuple[int, str]] = []
        """(seat of the chooser, canonical text) of every move, in order."""
        self.past: list[Moment] = []
        self.origin, self.plain = b"", b""
        """The position that play began in, and what it would be if nothing had been set up."""
        self.state = b""
        self.rows: tuple[bytes, ...] = ()
        self.seers: tuple[int, ...] = ()
        self.positions: list[int] = []
        """Of every choice so far, where the file limits repeats."""
        self._moves: list[tuple[Move, int]] | None = None
        """The legal moves, each with its row."""
        self._reader: MoveReader | None = None

    # ---- beginning ----

    def begin(self, state: bytes) -> None:
        """Run from a state to the first choice."""
        machine = self.game.machine
        machine.call("reset", self.seed)
        self.origin, self.plain = state, machine.state
        machine.state = state
        self.state = state
        self.watch_slots()
        self._advance(None)

    def start_known_to(self, seat: int) -> bytes:
        """What a seat knows of a position that was set up, beside its stream; b"" where play began
        as the rules say."""
        if self.origin == self.plain:
            return b""
        return known_start(self.game, self.origin, self.plain, seat)

    # ---- what stands ----

    def header(self, name: str) -> int:
        at = HEADER[name]
        return int.from_bytes(self.state[at : at + 4], "little", signed=True)

    @property
    def over(self) -> bool:
        return self.header("over") != RUNNING

    @property
    def limited(self) -> bool:
        """Whether a declared limit ended the game, rather than its rules."""
        return self.header("over") == LIMITED

    @property
    def mover(self) -> int:
        """The seat whose move is chosen."""
        return self.header("mover")

    @property
    def chooser(self) -> int:
        """The seat of the person who chooses; the mover, unless one decides for another."""
        return self.header("chooser")

    @property
    def moves(self) -> list[Move]:
        """The legal moves, in canonical order; none when the game is over."""
        return [move for move, _ in self._offered()]

    def _offered(self) -> list[tuple[Move, int]]:
        if self._moves is None:
            self._moves = self._decode_rows()
        return self._moves

    @property
    def winners(self) -> list[int]:
        """The seats that won; empty while play goes on and after a draw."""
        mask, losers = self.header("winners"), self.header("losers")
        if self.header("over") == ENDED and not mask and losers:
            mask = (1 << self.game.players) - 1 & ~losers
        return [seat for seat in range(self.game.players) if mask >> seat & 1]

    @property
    def losers(self) -> list[int]:
        """The seats that did not win, once somebody did."""
        winners = self.winners
        return [seat for seat in range(self.game.players) if winners and seat not in winners]

    @property
    def returns(self) -> list[float]:
        """The result for each seat: what the winners share is what the others lose; 0 in a draw.
        Sums to 0."""
        winners, losers = self.winners, self.losers
        if not winners or not losers:
            return [0.0] * self.game.players
        return [
            1.0 if seat in winners else -len(winners) / len(losers)
            for seat in range(self.game.players)
        ]

    @property
    def places(self) -> list[int]:
        """Each seat's place when the game is over, the best 0; equals share one."""
        start = self.game.program.layout.places
        places = list(self.state[start : start + self.game.players])
        if any(places):
            return places
        return [0 if seat in self.winners else len(self.winners) for seat in range(len(places))]

    @property
    def scores(self) -> list[int] | None:
        """What the state entry `score` holds for each seat; None if the file has none."""
        cells = self.game.score_cells
        if cells is None:
            return None
        return [int.from_bytes(self.state[at : at + 4], "little", signed=True) for at in cells]

    # ---- playing ----

    def play(self, move: Move | str) -> None:
        """Play a move (or its text, as people type it) and run to the next choice.

        Raises `IllegalMove` if it is not legal, `RuleError` if the rules go wrong; in both cases
        the match stays as it was.
        """
        if self.over:
            raise IllegalMove("the game is over")
        text = (self.read(move) if isinstance(move, str) else move).text
        row = self._row(text)
        if row is None:
            raise IllegalMove(f"`{move}` is not legal now", self.why(move))
        self._advance(row)
        self.played.append((chosen_by(self.past[-1].state), text))

    def _row(self, text: str) -> int | None:
        return next((row for one, row in self._offered() if one.text == text), None)

    @property
    def listed(self) -> list[Move]:
        """The legal moves in the order of the module's list, which random games draw from. It can
        tell hidden cards apart, so it is for tests, not for players."""
        return [move for move, _ in sorted(self._offered(), key=lambda one: one[1])]

    def read(self, typed: str) -> Move:
        """The legal move that typed text means. Raises `IllegalMove` with the reason."""
        reader = self.reader
        found = reader.find(typed, self.moves)
        if len({move.text for move in found}) == 1:
            return found[0]
        if found:
            raise IllegalMove(can_mean(typed, found))
        reason = self.why(typed)
        raise IllegalMove(reason.sentence, reason)

    def undo(self) -> None:
        """Take back the last move. ValueError if there is none."""
        if not self.past or len(self.played) <= self.given:
            raise ValueError("there is no move to take back")
        moment = self.past.pop()
        self.state, self.rows, self.seers = moment.state, moment.rows, moment.seers
        del self.events[moment.events :]
        del self.positions[moment.positions :]
        self.played.pop()
        self._moves = None

    def copy(self) -> Match:
        """Another match that stands just where this one does."""
        other = Match(self.game, self.seed, self.chance)
        other.words, other.example, other.given = self.words, self.example, self.given
        other.events, other.played = list(self.events), list(self.played)
        other.past, other.state, other.rows = list(self.past), self.state, self.rows
        other.origin, other.plain = self.origin, self.plain
        other.seers, other.positions = self.seers, list(self.positions)
        return other

    def _advance(self, number: int | None) -> None:
        """Run from here to the next choice; on a trap everything is as before."""
        machine = self.game.machine
        before = Moment(self.state, self.rows, len(self.events), self.seers, len(self.positions))
        machine.state = self.state
        machine.supply(self.chance)
        if number is not None:
            machine.write_row(number, self.rows[number])
        try:
            machine.run(number)
        except Trap as trap:
            machine.state = before.state
            raise RuleError(self._problem(trap)) from None
        self.state = machine.state
        self.rows = () if self.over else tuple(machine.rows())
        self.events += self.game.decoder().decode(machine.events())
        self.watch_slots()
        self._count_position()
        self._moves = None
        if number is not None:
            self.past.append(before)

    def _count_position(self) -> None:
        """A position that has occurred as often as the file allows ends the game undecided."""
        limit = self.game.checked.repeats_limit
        if limit is None or self.over:
            return
        self.positions.append(self.position)
        if self.positions.count(self.positions[-1]) >= limit:
            at = HEADER["over"]
            self.state = self.state[:at] + LIMITED.to_bytes(4, "little") + self.state[at + 4 :]
            self.rows = ()
            self.events.append(Ended(EVERYONE))

    def watch_slots(self) -> None:
        """Audiences may change without a card moving; the stream says so when they do."""
        masks = tuple(self.game.slot_seers())
        for slot, mask in enumerate(masks):
            old = self.seers[slot] if self.seers else 0
            if mask != old or not self.seers:
                cards = self.game.cards_in(self.state, slot)
                down = tuple(self.game.face_down(self.state, card) for card in cards)
                shown = tuple(
                    None if hidden else card for card, hidden in zip(cards, down, strict=True)
                )
                self.events.append(Seen(mask, slot, mask, shown, down))
        self.seers = masks

    def _problem(self, trap: Trap) -> Problem:
        moment = f"seed {self.seed}, after {len(self.played)} moves"
        if self.state and self.played:
            moment += f", {self.words.players[self.mover]} to move"
        sites = self.game.sites
        if 0 <= trap.site < len(sites):
            site = sites[trap.site]
            message = site.message
            if site.slug == "number-out-of-range":
                message = f"{message}: it is {trap.value}"
            return Problem(site.slug, message, site.span, help="", label=moment)
        if trap.site == -2:
            chance = self.game.checked.chances[trap.value]
            return Problem(
                "wrong-outcome",
                "the outcome given for this is not one that it can have",
                chance.span,
            )
        message = "more happens between two choices than there is room to tell"
        if trap.site != -3:
            message = f"the rules stopped without a reason of their own: {trap.reason}"
        return Problem("machine-stopped", message, None, label=moment)

    # ---- moves for people ----

    @property
    def reader(self) -> MoveReader:
        """Reads and writes moves with the names of this match's players."""
        if self.words is self.game.words:
            return self.game.reader
        if self._reader is None or self._reader.words is not self.words:
            self._reader = MoveReader(self.game.checked, self.words)
        return self._reader

    def name_players(self, names: Sequence[str]) -> None:
        """Give the seats names, from seat 0 on."""
        self.words = Words(self.game.checked, names)
        self._moves = None

    def _decode_rows(self) -> list[tuple[Move, int]]:
        """The rows as moves. Cards that the chooser cannot see are offered by position, and in the
        order of their positions: the module's order would tell which is higher."""
        reader = self.reader
        found = [(self._hide(reader.decode(row)), number) for number, row in enumerate(self.rows)]
        if any(any(move.hidden) for move, _ in found):
            found.sort(
                key=lambda one: (reader.numbers[one[0].name], *(h or 0 for h in one[0].hidden))
            )
        return found

    def _hide(self, move: Move) -> Move:
        declared = self.game.checked.moves[move.name]
        hidden: list[int | None] = []
        for pick, value in zip(declared.picks, move.values, strict=True):
            position = None
            if pick.zone is not None and is_card(pick.variable.kind):
                place = self.game.place_of(self.state, value)
                if place is not None and not self.sees(self.chooser, value, place[0]):
                    position = place[1] + 1
            hidden.append(position)
        if not any(hidden):
            return move
        return self.reader.by_position(move, tuple(hidden))

    def sees(self, seat: int, card: int, slot: int) -> bool:
        """Whether a seat sees a card that lies in the slot."""
        return bool(self.seers[slot] >> seat & 1) and not self.game.face_down(self.state, card)

    def why(self, move: Move | str) -> Reason:
        """Why a move may or may not be played now: the rule line that drops it, and the cards that
        would be legal instead."""
        return judge(self, move)

    def why_value(self, name: str, seat: int | None = None) -> Why:
        """How a definition or state entry came to its value, as a tree of rule lines; with a seat,
        only if that seat may see all that it depends on (ValueError if not)."""
        return why_value(self, name, seat)

    # ---- looking ----

    def stream(self, seat: int) -> list[Event]:
        """What a seat may know of everything that happened, in order."""
        found = [event.for_seat(seat) for event in self.events]
        return [event for event in found if event is not None]

    def view(self, seat: int) -> View:
        """The table as the seat knows it; ValueError for a seat that is not there."""
        if not 0 <= seat < self.game.players:
            raise ValueError(f"there is no seat {seat}")
        return fold(self.game.checked, seat, self.stream(seat))

    def log(self, seat: int) -> list[str]:
        """The sentences that the seat may read."""
        return [
            self.words.sentence(event.pieces)
            for event in self.stream(seat)
            if isinstance(event, Said)
        ]

    def played_by(self, card: int) -> int | None:
        """The seat that last moved a card by a move, which everyone saw; None if nobody did."""
        seat = self.state[self.game.program.layout.moved_by + card]
        return seat if seat < self.game.players else None

    @property
    def position(self) -> int:
        """A number for where play stands: equal for two states that no rule can tell apart."""
        machine = self.game.machine
        machine.state = self.state
        return machine.call("position", self.header("choice"))

    def value(self, name: str) -> object:
        """The value of a state entry or a definition without parameters, in canonical words or as
        a number. KeyError if there is none of that name."""
        return self.game.value(self.state, name)

    def record(self) -> Record:
        from rulebook.engine.record import Record

        return Record.of(self)


def chosen_by(state: bytes) -> int:
    at = HEADER["chooser"]
    return int.from_bytes(state[at : at + 4], "little", signed=True)
