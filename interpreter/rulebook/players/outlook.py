"""What a table is worth to each seat, learned from random games of any rule file.

Where random games are long, hardly anything of a move can be seen in how they end. So they are
stopped after some choices, and the table is judged as it lies: by how many cards stand in each zone
of a seat, whether any do, and by the numbers that the state keeps of it, against the same of the
others. What each of these counts for is learned once (logistic regression by Newton's method) from
tables on the way of random games and from who won them. Nothing is known of ranks and suits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from rulebook.kinds import Flag, Numbers
from rulebook.players.sides import Sides
from rulebook.program import ENDED, STOPPED, Layout
from rulebook.wasm.machine import Machine, Trap
from rulebook.wasm.writer import MAX_NOTES

if TYPE_CHECKING:
    from rulebook.engine.game import Game

Floats = NDArray[np.float64]
Bytes = NDArray[np.uint8]
Results = NDArray[np.int32]
"""A row for each game: over, winners, losers, choices, each seat's score."""

LONG = 125
"""Choices in a random game, from where it is worth while to stop it."""
LESSONS = 768
MOST_CHOICES = 1_000_000
"""Random games to learn from, or fewer where they have more choices in all."""
BATCH = 16
FIRST = 4
"""Games that tell how long a game is."""
TABLES = 12
"""About so many tables are taken of each."""
DOUBT = 100.0
"""How strongly weights are held to be 0: as much as so many tables say."""
STEPS = 8
DIGITS = 6
FLAT = 1e-6
"""What varies less than this says nothing."""

KNOWN: WeakKeyDictionary[Game, Outlook | None] = WeakKeyDictionary()


@dataclass(slots=True)
class Outlook:
    """`columns` has for each seat which numbers and zones of a table are its own; `weights` says
    what each fact counts for."""

    layout: Layout
    sides: Sides
    columns: NDArray[np.intp]
    zones: int
    """How many of the columns, the last ones, are zones."""
    weights: Floats = field(default_factory=lambda: np.zeros(0))
    base: float = 0.0

    def worth(self, tables: Bytes) -> Floats:
        """For each table (a row of bytes as noted), each seat's share in the win, from 0 to 1."""
        found = chance(self.facts(tables) @ self.weights + self.base)
        return found.round(DIGITS)[:, self.sides.of_seat]

    def facts(self, tables: Bytes) -> Floats:
        """Of each table and side: what is its own, and what the others have in the mean. Who holds
        no card at all may be out of play: then the others' cards count for something else."""
        layout = self.layout
        split = layout.lies - layout.table
        end = split + 8 * layout.words * layout.slot_count
        numbers = np.ascontiguousarray(tables[:, :split]).view("<i4")
        words = np.ascontiguousarray(tables[:, split:end]).view("<u8")
        cards = np.bitwise_count(words).reshape(len(tables), layout.slot_count, layout.words)
        found = np.concatenate([numbers, cards.sum(axis=2, dtype=np.int32)], axis=1)
        found = found[:, self.columns]
        bare = (found[:, :, -self.zones :] == 0).all(axis=2, keepdims=True) & (self.zones > 0)
        found = np.concatenate([found, found == 0, bare], axis=2).astype(float)
        own = np.stack([found[:, list(side)].mean(axis=1) for side in self.sides.seats], axis=1)
        others = (own.sum(axis=1, keepdims=True) - own) / (len(self.sides) - 1)
        return np.concatenate([own, others, own[:, :, -1:] * others], axis=2)

    def learn(self, tables: Bytes, shares: Floats) -> None:
        """Weights from tables, and what share in the win each seat had in the end."""
        facts = self.facts(tables)
        sides = [shares[:, list(side)].mean(axis=1) for side in self.sides.seats]
        wanted = np.stack(sides, axis=1).reshape(-1)
        facts = facts.reshape(len(wanted), -1)
        scale = facts.std(axis=0)
        scale = np.where(scale > FLAT, scale, np.inf)
        facts = np.concatenate([facts / scale, np.ones((len(facts), 1))], axis=1)
        found = np.zeros(facts.shape[1])
        doubt = np.full(len(found), DOUBT)
        for _ in range(STEPS):
            guess = chance(facts @ found)
            slope = facts.T @ (guess - wanted) + doubt * found
            bend = (facts * (guess * (1 - guess))[:, None]).T @ facts + np.diag(doubt)
            found -= np.linalg.solve(bend, slope)
        # Sums of the same numbers may differ in their last digits from one processor to another.
        found = found.round(DIGITS)
        self.weights, self.base = found[:-1] / scale, float(found[-1])


def chance(logit: Floats) -> Floats:
    """The logistic function."""
    return 0.5 + 0.5 * np.tanh(logit / 2)


def outlook(game: Game, machine: Machine) -> Outlook | None:
    """What the game's tables are worth; None where its random games are short enough to be played
    to their end. Learned when first asked, with the same result in every process."""
    if game not in KNOWN:
        KNOWN[game] = learned(game, machine)
    return KNOWN[game]


def learned(game: Game, machine: Machine) -> Outlook | None:
    sides, (columns, zones) = Sides.of(game), own_columns(game)
    try:
        machine.look(ahead=LONG)
        long = (played(machine, 0, BATCH)[:, 0] == STOPPED).mean() > 0.5
        if not long or len(sides) < 2 or not columns.size:
            return None
        machine.look()
        apart = max(1, round(played(machine, 0, FIRST)[:, 3].mean() / TABLES))
        return taught(Outlook(game.program.layout, sides, columns, zones), machine, apart)
    except Trap:
        # The rules go wrong there: play, not search, is to say so.
        return None


def taught(outlook: Outlook, machine: Machine, apart: int) -> Outlook | None:
    """The same with its weights, learned from tables so many choices apart."""
    size = outlook.layout.table_size
    tables: list[Bytes] = []
    found: list[Floats] = []
    choices = 0
    machine.look(ahead=apart, onward=True)
    for first in range(0, LESSONS, BATCH):
        if choices > MOST_CHOICES:
            break
        results = played(machine, first, BATCH)
        choices += int(results[:, 3].sum())
        noted = np.maximum(results[:, 3] - 1, 0) // apart + 1
        count = int(noted.sum())
        if count > MAX_NOTES:
            continue
        data = machine.read(machine.memory.notes, count * size)
        of_game = np.repeat(np.arange(BATCH), noted)
        use = np.full(count, True)
        use[np.cumsum(noted) - 1] = False  # the last table of each game is its end
        tables.append(np.frombuffer(data, np.uint8).reshape(count, size)[use])
        found.append(shares(results, outlook.sides)[of_game[use]])
    if not sum(map(len, tables)):
        return None
    outlook.learn(np.concatenate(tables), np.concatenate(found))
    return outlook


def played(machine: Machine, first: int, count: int) -> Results:
    """Some random games, from one number on."""
    machine.call("games", 0, first, count)
    return read_results(machine, count)


def read_results(machine: Machine, count: int) -> Results:
    """How the games of the last call ended."""
    data = machine.read(machine.memory.results, count * machine.memory.result_size)
    return np.frombuffer(data, "<i4").reshape(count, -1)


def shares(results: Results, sides: Sides) -> Floats:
    """For each game, each seat's share in the win: 1 where it won, or where only losers are named
    and it is none; the same for all sides where nobody won, or a limit ended the game."""
    players = len(sides.of_seat)
    won, lost = results[:, 1], results[:, 2]
    won = np.where((won == 0) & (lost != 0), (1 << players) - 1 & ~lost, won)
    decided = ((results[:, 0] == ENDED) & (won != 0))[:, None]
    return np.where(decided, won[:, None] >> np.arange(players) & 1, 1 / len(sides))


def own_columns(game: Game) -> tuple[NDArray[np.intp], int]:
    """For each seat, where its own things stand among the numbers and zones of a table; and how
    many of them are zones."""
    layout = game.program.layout
    numbers = (layout.lies - layout.table) // 4
    teams = {seat: at for at, (_, seats) in enumerate(game.checked.teams) for seat in seats}
    own: dict[object, dict[int, int]] = {
        game.checked.enumerations["player"]: {seat: seat for seat in range(game.players)}
    }
    if teams:
        own[game.checked.enumerations["team"]] = teams
    found: list[list[int]] = [[] for _ in range(game.players)]
    for entry in game.checked.state.values():
        if entry.each in own and isinstance(entry.kind, Numbers | Flag):
            for seat, columns in enumerate(found):
                at = layout.state[entry] + 4 * own[entry.each][seat]
                columns.append((at - layout.table) // 4)
    zones = [zone for zone in game.checked.zones.values() if zone.each in own]
    for zone in zones:
        for seat, columns in enumerate(found):
            columns.append(numbers + layout.slots[zone] + own[zone.each][seat])
    return np.array(found, np.intp), len(zones)
