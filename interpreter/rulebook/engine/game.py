"""A game: one rule file at one number of players with one set of option values, ready to play."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rulebook import terms as t
from rulebook.engine.events import Decoder, bits
from rulebook.engine.match import Match, RuleError
from rulebook.engine.moves import MoveReader
from rulebook.engine.setup import build_state
from rulebook.engine.words import Words
from rulebook.kinds import NumberRange, Numbers, SetOf
from rulebook.program import Program, Site, set_words
from rulebook.wasm import Build, Wasm, generate
from rulebook.wasm.games import score_index
from rulebook.wasm.machine import Machine, Trap

if TYPE_CHECKING:
    from rulebook.learning.batch import Batch as LearningBatch
    from rulebook.learning.batch import Learner
    from rulebook.tools.simulate import Simulation


@dataclass(frozen=True, slots=True)
class Batch:
    """Whole random games: a row each. `winners` are bits of seats; `scores` has a number for each
    seat (0 where the file has no `score`)."""

    winners: list[int]
    scores: list[list[int]]
    plays: list[int]
    limited: list[bool]


class Game:
    """Use `rulebook.load` to make one."""

    def __init__(self, checked: t.CheckedGame, program: Program, text: str, path: str) -> None:
        self.checked = checked
        self.program = program
        self.text = text
        self.path = path
        self.players = checked.players

    @property
    def name(self) -> str:
        return self.checked.name

    @property
    def options(self) -> dict[str, str]:
        """The value of every option in this game, as text."""
        words = self.words
        return {
            name: words.value(option.kind, option.value, canonical=True)
            for name, option in self.checked.options.items()
        }

    @cached_property
    def words(self) -> Words:
        return Words(self.checked)

    @cached_property
    def reader(self) -> MoveReader:
        return MoveReader(self.checked, self.words)

    # ---- the machines ----

    @cached_property
    def wasm(self) -> Wasm:
        return generate(self.program, Build(waiting=True))

    @cached_property
    def machine(self) -> Machine:
        """The plain build, for play."""
        return Machine(self.wasm)

    @cached_property
    def fast(self) -> Machine:
        """The build that plays whole random games."""
        return Machine(generate(self.program, Build(waiting=False)))

    @cached_property
    def probed(self) -> Machine:
        """The plain build with probes: it counts what takes part, and can trace."""
        return Machine(generate(self.program, Build(waiting=True, probed=True)))

    @cached_property
    def probed_fast(self) -> Machine:
        """The build of whole random games with probes."""
        return Machine(generate(self.program, Build(waiting=False, probed=True)))

    @cached_property
    def batched(self) -> Machine:
        """The build that steps many states in one call."""
        return Machine(generate(self.program, Build(waiting=True, batched=True)))

    @property
    def sites(self) -> list[Site]:
        return self.wasm.sites

    def decoder(self) -> Decoder:
        return Decoder(self.checked, self.wasm.texts)

    # ---- beginning ----

    def start(
        self,
        seed: int | None = None,
        *,
        names: Sequence[str] = (),
        given: Mapping[str, object] | None = None,
        at: str = "match",
        chance: Mapping[tuple[int, int], Sequence[int]] | None = None,
    ) -> Match:
        """Begin a match. `given` sets up zones and state by their names (see `setup`), and play
        begins at the step `at`. `chance` supplies outcomes: (site, use) -> card numbers.

        Raises `RuleError` if the rules go wrong before the first choice, ValueError for a set-up
        that cannot be.
        """
        seed = secrets.randbits(32) if seed is None else seed % 2**64
        outcomes = {key: bytes(cards) for key, cards in (chance or {}).items()}
        match = Match(self, seed, outcomes)
        if names:
            match.name_players(names)
        self.machine.call("reset", seed)
        state = self.machine.state
        if given or at != "match":
            state = build_state(self, state, given or {}, at)
        match.begin(state)
        return match

    def random_games(self, games: int, seed: int = 0, first: int = 0) -> Iterator[Batch]:
        """Whole random games inside the module, in batches; the same numbers whatever the batch
        size. Game number i has its own seed, made from `seed` and i."""
        machine = self.fast
        most = 8192
        while games > 0:
            count = min(games, most)
            try:
                machine.call("games", seed, first, count)
            except Trap as trap:
                match = Match(self, seed, {})
                sites = machine.wasm.sites
                problem = match._problem(trap)
                if 0 <= trap.site < len(sites):
                    site = sites[trap.site]
                    label = f"in a random game, seed {seed}"
                    problem = type(problem)(site.slug, site.message, site.span, label=label)
                raise RuleError(problem) from None
            yield self._batch(machine, count)
            games -= count
            first += count

    def simulate(
        self, games: int = 100_000, seed: int = 1, processes: int | None = None
    ) -> Simulation:
        """Whole random games on all cores (or so many processes), as arrays: `winners` (games x
        seats, true for who won), `scores` (games x seats), `lengths` (choices in each game).

        The numbers depend on the seed, not on the processes. Raises `RuleError` if the rules go
        wrong in a game.
        """
        from rulebook.tools.simulate import simulate

        return simulate(self, games, seed, processes)

    # ---- for programs that learn ----

    def batch(
        self, n: int, seed: int = 0, *, auto_reset: bool = False, places: int | None = None
    ) -> LearningBatch:
        """Games played `n` at a time, stepped by arrays of actions; docs/learning.md has more.

        `places` is the number of actions of a move that has too many to list. ValueError if the
        game has too many moves to be listed at all.
        """
        from rulebook.learning.batch import Batch, Learner

        learner = self.learner if places is None else Learner(self, places)
        return Batch(learner, n, seed, auto_reset)

    @cached_property
    def learner(self) -> Learner:
        from rulebook.learning.batch import Learner

        return Learner(self)

    @cached_property
    def actions(self) -> list[str]:
        """The canonical text of every move that can be said, by the number of its action.
        ValueError if there are too many."""
        return self.learner.actions.texts

    def _batch(self, machine: Machine, count: int) -> Batch:
        size = machine.memory.result_size
        data = machine.read(machine.memory.results, count * size)
        batch = Batch([], [], [], [])
        for at in range(0, len(data), size):
            row = [
                int.from_bytes(data[k : k + 4], "little", signed=True)
                for k in range(at, at + size, 4)
            ]
            over, winners, losers, plays, *scores = row
            if not winners and losers:
                winners = (1 << self.players) - 1 & ~losers
            batch.winners.append(winners)
            batch.scores.append(scores)
            batch.plays.append(plays)
            batch.limited.append(over == 2)
        return batch

    # ---- reading a state block ----

    @cached_property
    def score_cells(self) -> list[int] | None:
        score = self.checked.state.get("score")
        if score is None or score.each is None or not isinstance(score.kind, Numbers):
            return None
        first = self.program.layout.state[score]
        cells: list[int] = []
        for seat in range(self.players):
            index = score_index(self.checked, score, seat)
            if index is None:
                return None
            cells.append(first + 4 * index)
        return cells

    @cached_property
    def slot_names(self) -> list[tuple[t.Zone, int]]:
        """Zone and position within it of every slot."""
        return [
            (zone, position)
            for zone in self.checked.zones.values()
            for position in range(zone.size)
        ]

    @cached_property
    def fixed_seers(self) -> list[int] | None:
        """Who sees each slot, where no condition decides."""
        if any(zone.audience.condition is not None for zone in self.checked.zones.values()):
            return None
        return self._ask_seers()

    def slot_seers(self) -> list[int]:
        """Who sees each slot in the state that the machine holds."""
        fixed = self.fixed_seers
        return self._ask_seers() if fixed is None else fixed

    def _ask_seers(self) -> list[int]:
        # After the events are read: each call begins with none.
        found: list[int] = []
        for slot in range(len(self.slot_names)):
            found.append(self.machine.call("seers", slot))
        return found

    def cards_in(self, state: bytes, slot: int) -> list[int]:
        """The cards of a slot, bottom first or in deck order."""
        layout = self.program.layout
        zone, position = self.slot_names[slot]
        if zone.ordered:
            at = layout.orders[zone] + position * layout.order_stride
            count = int.from_bytes(state[at : at + 4], "little")
            return list(state[at + 4 : at + 4 + count])
        width = 8 * layout.words
        at = layout.bits[zone] + position * width
        return list(bits(int.from_bytes(state[at : at + width], "little")))

    def face_down(self, state: bytes, card: int) -> bool:
        at = self.program.layout.faces + card // 8
        return bool(state[at] >> card % 8 & 1)

    def place_of(self, state: bytes, card: int) -> tuple[int, int] | None:
        """Slot and position of a card; None if it lies nowhere."""
        for slot in range(len(self.slot_names)):
            cards = self.cards_in(state, slot)
            if card in cards:
                return slot, cards.index(card)
        return None

    def value(self, state: bytes, name: str) -> object:
        """A state entry, zone or definition without parameters: a number, or canonical words (a
        list of them for a set). Of a family, a dict by index."""
        layout = self.program.layout
        entry = self.checked.state.get(name)
        if entry is not None:
            width = layout.width(entry.kind)
            found = []
            for position in range(entry.size):
                at = layout.state[entry] + position * width
                number = int.from_bytes(
                    state[at : at + width], "little", signed=not isinstance(entry.kind, SetOf)
                )
                found.append(self.plain(entry.kind, number))
            return found[0] if entry.each is None else self._family(entry.each, found)
        zone = self.checked.zones.get(name)
        if zone is not None:
            first = layout.slots[zone]
            members = self.checked.enumerations["card"].members
            cards = [
                [members[card] for card in self.cards_in(state, first + position)]
                for position in range(zone.size)
            ]
            return cards[0] if zone.each is None else self._family(zone.each, cards)
        definition = self.checked.definitions[name]
        if definition.parameters:
            raise KeyError(name)
        self.machine.state = state
        try:
            self.machine.call(f"def.{name}")
        except Trap as trap:
            match = Match(self, 0, {})
            match.state = state
            raise RuleError(match._problem(trap)) from None
        value, second = self.machine.results()
        if isinstance(definition.kind, SetOf):
            wide = set_words(definition.kind.enumeration) > 1
            value = value % 2**64 + (second % 2**64 << 64 if wide else 0)
        return self.plain(definition.kind, value)

    def plain(self, kind: object, value: int) -> object:
        """A value for programs: numbers as they are, flags as truth, members as words."""
        if isinstance(kind, Numbers):
            return value
        if isinstance(kind, SetOf):
            return [kind.enumeration.members[i] for i in bits(value)]
        if hasattr(kind, "enumeration"):
            return None if value < 0 else kind.enumeration.members[value]
        return bool(value)

    def _family(self, each: object, found: list[object] | list[list[str]]) -> dict[object, object]:
        if isinstance(each, NumberRange):
            return {each.low + i: one for i, one in enumerate(found)}
        assert hasattr(each, "members")
        return dict(zip(each.members, found, strict=True))


def load(
    path: str, players: int | None = None, options: Mapping[str, object] | None = None
) -> Game:
    """Read, check and compile a rule file (a path, or the name of a shipped game).

    Raises `RuleFileError`, with every problem, if it is not whole; ValueError for a number of
    players that the game does not take.
    """
    from rulebook.pipeline import compile_file
    from rulebook.resolve import Setting

    texts = {name: option_text(value) for name, value in (options or {}).items()}
    return compile_file(path, Setting(players, texts))


def option_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)
