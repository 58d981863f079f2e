"""Many states of one game, stepped together by arrays."""

from __future__ import annotations

import ctypes
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from rulebook.diagnostics import Problem
from rulebook.engine.match import RuleError
from rulebook.learning.actions import PLACES, Actions, Cells, Ints
from rulebook.learning.observe import Bytes, Floats, Observer
from rulebook.program import ENDED, HEADER, LIMITED, RUNNING
from rulebook.wasm.batched import PLACES as WINDOW
from rulebook.wasm.batched import TICKET_HEAD
from rulebook.wasm.machine import Trap

if TYPE_CHECKING:
    from rulebook.engine.game import Game

Flags: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]"
GOLDEN = 0x9E3779B97F4A7C15
WRAP = 2**64 - 1


class Learner:
    """What all batches of a game share: its actions, its observations, its machine."""

    def __init__(self, game: Game, places: int = PLACES) -> None:
        self.game = game
        self.actions = Actions(game, places)
        self.observer = Observer(game)
        machine = self.machine = game.batched
        room = machine.wasm.room
        assert room is not None
        self.room = room
        self.row_size = machine.memory.row_size
        size = machine.memory.pages * 65536
        memory = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(machine.base))
        self.memory = memory
        self.places = self.block(memory, room.places, WINDOW, room.place_size)
        self.tickets = self.block(memory, room.tickets, WINDOW, room.ticket_size)

    @staticmethod
    def block(memory: np.ndarray, at: int, rows: int, size: int) -> Bytes:
        return memory[at : at + rows * size].reshape(rows, size)

    def run(self, states: Bytes, tickets: Bytes) -> tuple[Bytes, list[Cells]]:
        """Step states, each by its ticket; both arrays are changed. The moves that are listed, for
        one state after the other."""
        listed: list[Cells] = []
        at = 0
        while at < len(states):
            count = min(WINDOW, len(states) - at)
            self.places[:count] = states[at : at + count]
            self.tickets[:count] = tickets[at : at + count]
            try:
                served = self.machine.call("batch", count)
            except Trap as trap:
                raise RuleError(self.problem(trap, at)) from None
            states[at : at + served] = self.places[:served]
            tickets[at : at + served] = self.tickets[:served]
            rows = int(tickets[at : at + served, 4:8].copy().view("<u4").sum())
            start = self.room.listed
            data = self.memory[start : start + rows * self.row_size].copy()
            listed.append(data.view("<u4").reshape(rows, self.row_size // 4))
            at += served
        return states, listed

    def problem(self, trap: Trap, first: int) -> Problem:
        number = first + self.machine.word(self.room.served)
        moment = f"in state {number} of those that were stepped"
        sites = self.machine.wasm.sites
        if not 0 <= trap.site < len(sites):
            message = f"the rules stopped without a reason of their own: {trap.reason}"
            return Problem("machine-stopped", message, None, label=moment)
        site = sites[trap.site]
        message = site.message
        if site.slug == "number-out-of-range":
            message = f"{message}: it is {trap.value}"
        return Problem(site.slug, message, site.span, label=moment)


class Batch:
    """`n` games of one rule file at once. Use `Game.batch` to make one.

    `seats` (n) is who chooses now. `legal` (n x actions) says what they may choose, and
    `observations` (n x features, from 0 to 1) what they know. `rewards` (n x players) is what the
    last step brought to each seat: its result when a game has ended, else 0; `done` (n) says which
    games that step ended. With `auto_reset` the next game has begun in their place, else they stay
    as they are until `reset`. Game number k of place i has the seed of number i + k * n of a batch
    of random games, so it is the same game as `Game.start` with that seed.
    """

    def __init__(self, learner: Learner, n: int, seed: int = 0, auto_reset: bool = False) -> None:
        if n < 1:
            raise ValueError(f"a batch cannot have {n} states")
        self.learner = learner
        self.game = learner.game
        self.n = n
        self.auto_reset = auto_reset
        self.states: Bytes = np.zeros((n, learner.room.place_size), np.uint8)
        self.rewards: Floats = np.zeros((n, self.game.players), np.float32)
        self.done: Flags = np.zeros(n, bool)
        self.begun = np.zeros(n, np.int64)
        """Games begun in each place."""
        self.positions: list[Counter[int]] = [Counter() for _ in range(n)]
        self.rows: Cells = np.zeros((0, learner.row_size // 4), np.uint32)
        self.row_state: Ints = np.zeros(0, np.int64)
        self.row_action: Ints = np.zeros(0, np.int64)
        self.reset(seed)

    # ---- what stands ----

    @property
    def actions(self) -> int:
        """How many actions there are; `Game.actions` lists them."""
        return self.learner.actions.count

    @property
    def features(self) -> list[str]:
        """What each number of an observation is."""
        return self.learner.observer.names

    def header(self, name: str) -> Ints:
        at = HEADER[name]
        found: Ints = self.states[:, at : at + 4].copy().view("<i4")[:, 0].astype(np.int64)
        return found

    @property
    def seats(self) -> Ints:
        return self.header("chooser")

    @property
    def over(self) -> Flags:
        """Which games stand at their end."""
        found: Flags = self.header("over") != RUNNING
        return found

    @property
    def limited(self) -> Flags:
        """Which games stand at an end that a declared limit made."""
        found: Flags = self.header("over") == LIMITED
        return found

    @property
    def legal(self) -> Flags:
        mask = np.zeros((self.n, self.actions), bool)
        said = self.row_action >= 0
        mask[self.row_state[said], self.row_action[said]] = True
        return mask

    @property
    def observations(self) -> Floats:
        return self.observe(self.seats)

    def observe(self, seats: Ints | int) -> Floats:
        """What other seats know: one for each state, or one for all."""
        chosen = np.broadcast_to(np.asarray(seats, np.int64), (self.n,))
        if ((chosen < 0) | (chosen >= self.game.players)).any():
            raise ValueError("there is no such seat")
        return self.learner.observer.look(self.states, chosen)

    def random_actions(self, generator: np.random.Generator) -> Ints:
        """A legal action for each state, all with equal chances; 0 where the game is over."""
        said = np.flatnonzero(self.row_action >= 0)
        order = said[np.argsort(self.row_state[said], kind="stable")]
        counts = np.bincount(self.row_state[said], minlength=self.n)
        live = np.flatnonzero(counts)
        numbers = (generator.random(len(live)) * counts[live]).astype(np.int64)
        found = np.zeros(self.n, np.int64)
        found[live] = self.row_action[order[(np.cumsum(counts) - counts)[live] + numbers]]
        return found

    # ---- playing ----

    def reset(self, seed: int | None = None) -> None:
        """Begin all games anew: from the first one of a seed, or each the next one of its place."""
        if seed is not None:
            self.seed = seed & WRAP
            self.begun[:] = 0
        self.rewards = np.zeros_like(self.rewards)
        self.done = np.zeros_like(self.done)
        self.begin(np.arange(self.n))

    def step(self, actions: Ints) -> tuple[Floats, Flags]:
        """Carry out an action in each state whose game is not over (elsewhere it is not looked at),
        and return `rewards` and `done`.

        ValueError for an action that is not legal, `RuleError` if the rules go wrong; then nothing
        is changed.
        """
        chosen = np.asarray(actions)
        if chosen.shape != (self.n,) or not np.issubdtype(chosen.dtype, np.integer):
            raise ValueError(f"actions must be {self.n} whole numbers")
        live = np.flatnonzero(~self.over)
        hits = np.flatnonzero((self.row_action == chosen[self.row_state]) & (self.row_action >= 0))
        states, first = np.unique(self.row_state[hits], return_index=True)
        if len(states) != len(live):
            self.refuse(chosen, np.setdiff1d(live, states))
        tickets = self.tickets(len(live))
        width = self.learner.row_size
        row = self.rows[hits[first]].view(np.uint8).reshape(len(live), width)
        tickets[:, TICKET_HEAD : TICKET_HEAD + width] = row
        self.run(live, tickets)
        over = self.over
        self.done = np.zeros(self.n, bool)
        self.done[live] = over[live]
        self.rewards = self.returns * self.done[:, None].astype(np.float32)
        if self.auto_reset and self.done.any():
            self.begin(np.flatnonzero(self.done))
        return self.rewards, self.done

    def copy(self) -> Batch:
        """Another batch that stands just where this one does."""
        other = object.__new__(Batch)
        other.__dict__.update(self.__dict__)
        other.states, other.begun = self.states.copy(), self.begun.copy()
        other.positions = [Counter(one) for one in self.positions]
        return other

    @property
    def returns(self) -> Floats:
        """n x players: what the winners share is what the others lose; 0 while play goes on and
        after a draw."""
        seats = np.arange(self.game.players)
        won = (self.header("winners")[:, None] >> seats & 1).astype(bool)
        lost = (self.header("losers")[:, None] >> seats & 1).astype(bool)
        only_losers = (self.header("over") == ENDED) & ~won.any(axis=1) & lost.any(axis=1)
        won = np.where(only_losers[:, None], ~lost, won)
        winners = won.sum(axis=1, keepdims=True)
        others = self.game.players - winners
        share = np.where(won, 1.0, -winners / np.maximum(others, 1))
        return np.where((winners > 0) & (others > 0), share, 0.0).astype(np.float32)

    # ---- in the module ----

    def tickets(self, count: int) -> Bytes:
        return np.zeros((count, self.learner.room.ticket_size), np.uint8)

    def begin(self, which: Ints) -> None:
        """Begin the next game of each of the places."""
        tickets = self.tickets(len(which))
        tickets[:, 0] = 1
        for ticket, place in zip(tickets, which.tolist(), strict=True):
            seed = game_seed(self.seed, place + int(self.begun[place]) * self.n)
            ticket[8:16] = np.frombuffer(seed.to_bytes(8, "little"), np.uint8)
            self.positions[place].clear()
        self.run(which, tickets)
        self.begun[which] += 1

    def run(self, which: Ints, tickets: Bytes) -> None:
        """Step some of the states; the moves listed for the others stay."""
        states, listed = self.learner.run(self.states[which], tickets)
        counts = tickets[:, 4:8].copy().view("<u4")[:, 0].astype(np.int64)
        if self.game.checked.repeats_limit is not None:
            self.count_positions(which, states, tickets, counts)
        kept_counts = tickets[:, 4:8].copy().view("<u4")[:, 0].astype(np.int64)
        rows = np.concatenate([np.zeros((0, self.rows.shape[1]), np.uint32), *listed])
        row_state = np.repeat(which, kept_counts)
        if (counts != kept_counts).any():
            rows = rows[np.repeat(counts > 0, kept_counts)]
            row_state = np.repeat(which, counts)
        row_action = self.learner.actions.of_rows(rows, row_state)
        self.states[which] = states
        stepped = np.zeros(self.n, bool)
        stepped[which] = True
        stay = np.flatnonzero(~stepped[self.row_state])
        if len(stay):
            rows = np.concatenate([self.rows[stay], rows])
            row_state = np.concatenate([self.row_state[stay], row_state])
            row_action = np.concatenate([self.row_action[stay], row_action])
        self.rows, self.row_state, self.row_action = rows, row_state, row_action

    def count_positions(self, which: Ints, states: Bytes, tickets: Bytes, counts: Ints) -> None:
        """A position that has occurred as often as the file allows ends the game undecided."""
        limit = self.game.checked.repeats_limit
        assert limit is not None
        over = HEADER["over"]
        numbers = tickets[:, 8:16].copy().view("<u8")[:, 0].tolist()
        for number, place in enumerate(which.tolist()):
            if not counts[number]:
                continue
            seen = self.positions[place]
            seen[numbers[number]] += 1
            if seen[numbers[number]] >= limit:
                states[number, over : over + 4] = (LIMITED, 0, 0, 0)
                counts[number] = 0

    def refuse(self, chosen: Ints, places: Ints) -> None:
        place = int(places[0])
        action = int(chosen[place])
        if not 0 <= action < self.actions:
            raise ValueError(
                f"there is no action {action}; they are numbered from 0 to {self.actions - 1}"
            )
        text = self.texts[action]
        raise ValueError(f"action {action} (`{text}`) is not legal in state {place}")

    @cached_property
    def texts(self) -> list[str]:
        return self.learner.actions.texts


def mix(z: int) -> int:
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & WRAP
    z = (z ^ z >> 27) * 0x94D049BB133111EB & WRAP
    return z ^ z >> 31


def game_seed(seed: int, number: int) -> int:
    """The seed of a game of a batch, as docs/language.md states it."""
    return mix(seed + GOLDEN * (number + 1) & WRAP)
