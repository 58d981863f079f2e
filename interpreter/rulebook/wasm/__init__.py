"""Programs to WebAssembly text."""

from __future__ import annotations

from dataclasses import dataclass

from rulebook import terms as t
from rulebook.kinds import GroupsOf, Members, Numbers
from rulebook.program import Program, Site, row_size
from rulebook.wasm.batched import Room, batch_functions
from rulebook.wasm.dispatch import Dispatcher
from rulebook.wasm.games import (
    games_function,
    horizon_function,
    horizon_globals,
    rollouts_function,
)
from rulebook.wasm.measured import Tally
from rulebook.wasm.moves import Moves, used_moves
from rulebook.wasm.positions import position_function, repeated_function
from rulebook.wasm.probes import MAX_PROBES, MAX_TRACE, TRACE_SIZE, Probe
from rulebook.wasm.runtime import FUEL, runtime
from rulebook.wasm.statements import Statements
from rulebook.wasm.telling import mask_of
from rulebook.wasm.values import Module
from rulebook.wasm.writer import (
    CONTROL,
    NO_ERROR,
    STATE,
    Build,
    Function,
    Memory,
    add,
    i32,
    wasm_types,
)

__all__ = ["Build", "Memory", "Wasm", "generate"]


@dataclass(slots=True)
class Wasm:
    """One generated module and what the host needs to know of it."""

    text: str
    program: Program
    build: Build
    memory: Memory
    sites: list[Site]
    texts: list[t.Text]
    probes: list[Probe]
    room: Room | None = None
    """Where many states lie, in batched builds."""


class Generator(Module):
    """Collects the functions of one module."""

    def __init__(self, program: Program, build: Build) -> None:
        game = program.game
        tally = Tally(game) if build.measured else None
        counters = 0 if tally is None else len(tally.shown)
        memory = Memory(program.layout, row_size(game), game.players, counters)
        if build.probed:
            memory.probes = memory.take(4 * MAX_PROBES)
            memory.trace = memory.take(TRACE_SIZE * MAX_TRACE)
        super().__init__(program, build, memory)
        self.room = Room(program.game, program.layout) if build.batched else None
        if tally is not None:
            tally.place(memory)
            self.tally = tally

    def text_of_module(self) -> str:
        layout = self.layout
        functions: list[str] = []
        for definition in self.game.definitions.values():
            if not isinstance(definition.kind, GroupsOf):
                functions.append(self.definition(definition))
        for step in self.game.steps.values():
            if not step.waits and step.name != "match":
                functions.append(self.step(step))
        moves = [Moves(self, move) for move in used_moves(self)]
        for move in moves:
            functions += [move.carry_out(), move.offer()]
            if self.build.waiting:
                functions.append(move.judge())
        functions.append(Dispatcher(self).text())
        made: set[str] = set()
        while len(made) < len(self.asked):
            for name in list(self.asked):
                if name not in made:
                    made.add(name)
                    functions.append(Moves(self, self.game.moves[name]).can())
        functions.append(self.reset())
        if self.build.waiting or self.keeps_history:
            functions.append(position_function(self))
        if self.keeps_history:
            self.memory.history = self.memory.take(16 * self.history_rows)
            too_long = self.sites.number(
                "endless-game",
                "this game goes on and on: there are too many positions to remember",
                self.game.steps["match"].span,
            )
            functions.append(repeated_function(self, too_long))
        if self.build.waiting:
            functions += self.audiences()
        else:
            functions += [horizon_function(self), games_function(self), rollouts_function(self)]
            if self.tally is not None and self.score_cell is not None:
                functions.append(self.tally.watch_score(self.score_cell))
        if self.room is not None:
            functions.append(batch_functions(self, self.room))
        slot_orders = []
        for zone in self.game.zones.values():
            for index in range(zone.size):
                cell = 0
                if zone in self.ordered:
                    cell = STATE + layout.orders[zone] + index * layout.order_stride
                slot_orders.append(cell)
        slot_faces = [
            int(zone.faces == "down") for zone in self.game.zones.values() for _ in range(zone.size)
        ]
        support = runtime(self, self.memory.words(slot_orders), self.memory.words(slot_faces))
        data = "\n".join(
            f'(data (i32.const {address}) "{escaped(content)}")'
            for address, content in self.memory.data
        )
        return "\n".join(
            [
                "(module",
                f'(memory (export "memory") {self.memory.pages} {self.memory.pages})',
                f"(global $fuel (mut i32) (i32.const {FUEL}))",
                "(global $chance (mut i64) (i64.const 0))",
                *horizon_globals(self),
                "(global $shuffled (mut i32) (i32.const 0))",
                "(global $searched (mut i32) (i32.const 0))",
                f"(global $stack (mut i32) (i32.const {self.memory.splits}))",
                "(global $best_worth (mut i32) (i32.const 0))",
                "(global $best_count (mut i32) (i32.const 0))",
                "(global $game (mut i32) (i32.const 0))",
                "(global $positions (mut i32) (i32.const 0))",
                "(func $fresh",
                f"  (i32.store {i32(CONTROL['error'])} {i32(NO_ERROR)})",
                f"  (i32.store {i32(CONTROL['events'])} {i32(self.memory.events)})",
                f"  (global.set $fuel {i32(FUEL)}) (global.set $searched (i32.const 0))",
                "(global.set $witness (i32.const -1))" if self.build.waiting else "",
                f"  (global.set $stack {i32(self.memory.splits)}))",
                support,
                self.probes.routines() if self.build.probed else "",
                *functions,
                data,
                ")",
            ]
        )

    # ---- definitions and steps ----

    def definition(self, definition: t.Definition) -> str:
        parameters: list[str] = []
        for position, parameter in enumerate(definition.parameters):
            for word, kind in enumerate(wasm_types(parameter.kind)):
                parameters.append(f"(param $p{position}.{word} {kind})")
        function = Function(f"def.{definition.name}", parameters, wasm_types(definition.kind))
        code = Statements(self, function)
        for position, parameter in enumerate(definition.parameters):
            words = range(len(wasm_types(parameter.kind)))
            value = " ".join(f"(local.get $p{position}.{word})" for word in words)
            function.emit(code.write(parameter, value))
        number = list(self.game.definitions.values()).index(definition)
        code.returning = (number, definition.kind)
        function.emit(self.probes.enter(number))
        first = definition.body[0]
        if isinstance(first, t.Return) and not self.build.probed:
            function.emit(code.value(first.value))
        else:
            function.emit(code.block_of(definition.body))
            message = f"`{definition.name}` came to its end without returning a value"
            function.emit(code.fail("no-value", message, definition.span))
        return function.text(self.build.waiting and not definition.parameters)

    def step(self, step: t.Step) -> str:
        function = Function(f"step.{step.name}", [], [])
        code = Statements(self, function)
        function.emit(code.block_of(step.body))
        # Examples look at what a single step does.
        whole = self.build.waiting and not step.parameters
        return function.text(whole)

    # ---- the beginning ----

    def reset(self) -> str:
        """`reset(seed)`: the state before the first step: nothing dealt, values as declared."""
        layout = self.layout
        function = Function("reset", ["(param $seed i64)"], [])
        code = Statements(self, function)
        code.module = self
        function.emit(
            f"(memory.fill {i32(STATE)} (i32.const 0) {i32(layout.size)})",
            f"(i64.store {self.header('seed')} (local.get $seed))",
            f"(i32.store {self.header('resume')} {i32(self.program.entries['match'])})",
            f"(memory.fill {i32(STATE + layout.moved_by)} (i32.const 255) {i32(layout.deck)})",
            "(call $start_bots)",
            "(call $forget_positions)" if self.keeps_history else "",
            f"(global.set $fuel {i32(FUEL)})",
        )
        for state in self.game.state.values():
            value = self.start_value(code, state)
            if value is None:
                continue
            for index in range(state.size):
                address = STATE + layout.state[state] + index * layout.width(state.kind)
                function.emit(code.store(state.kind, i32(address), value))
        return function.text(for_host=True)

    def start_value(self, code: Statements, state: t.State) -> str | None:
        """The declared start of a state entry, or None where it is zero."""
        if state.starts is not None:
            return code.value(state.starts)
        if isinstance(state.kind, Members) and state.kind.optional:
            return i32(-1)
        if isinstance(state.kind, Numbers) and not state.kind.low <= 0 <= state.kind.high:
            return i32(state.kind.low)
        return None

    # ---- who sees what ----

    def audiences(self) -> list[str]:
        """`$sees` of each state entry, `$seers` of a slot, `$card_seers` of a card, as bits."""
        functions: list[str] = []
        for state in self.game.state.values():
            functions.append(self.audience(f"sees.{state.name}", state))
        code = i32(0)
        seers = Function("seers", ["(param $slot i32)"], ["i32"])
        for zone in self.game.zones.values():
            functions.append(self.audience(f"seers.{zone.name}", zone))
            first = self.layout.slots[zone]
            inside = f"(i32.lt_u {add('(local.get $slot)', -first)} {i32(zone.size)})"
            call = f"(call $seers.{zone.name} {add('(local.get $slot)', -first)})"
            code = f"(if (result i32) {inside} (then {call}) (else {code}))"
        seers.emit(code)
        functions.append(seers.text(for_host=True))
        card = Function("card_seers", ["(param $card i32)"], ["i32"])
        slot = card.local("i32")
        down = self.card_sets.load(i32(STATE + self.layout.faces))
        hidden = self.card_sets.contains(down, "(local.get $card)")
        card.emit(
            f"(local.set {slot} (call $slot_of (local.get $card)))",
            f"(if (i32.lt_s (local.get {slot}) (i32.const 0)) (then (return (i32.const 0))))",
            f"(if {hidden} (then (return (i32.const 0))))" if self.has_faces else "",
            f"(call $seers (local.get {slot}))",
        )
        functions.append(card.text())
        return functions

    def audience(self, name: str, entry: t.Zone | t.State) -> str:
        function = Function(name, ["(param $index i32)"], ["i32"])
        code = Statements(self, function)
        audience = entry.audience
        index = "(local.get $index)"
        seen = mask_of(audience.seers, entry.each, index, self.game)
        if audience.condition is not None:
            other = mask_of(audience.otherwise, entry.each, index, self.game)
            seen = f"(if (result i32) {code.flag(audience.condition)} (then {seen}) (else {other}))"
        function.emit(seen)
        return function.text()


def escaped(data: bytes) -> str:
    return "\\" + data.hex("\\") if data else ""


def generate(program: Program, build: Build) -> Wasm:
    generator = Generator(program, build)
    text = generator.text_of_module()
    return Wasm(
        text,
        program,
        build,
        generator.memory,
        generator.sites.sites,
        generator.texts,
        generator.probes.list,
        generator.room,
    )
