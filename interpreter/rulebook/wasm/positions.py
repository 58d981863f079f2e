"""Positions: one number for all that rules can tell apart, and how often each occurred in a game.

A position is the choice at hand, values alive, state not marked as outside it, and zones: unordered
ones as sets, ordered ones in their order. Where the file says that cards of one rank (or suit) are
`alike`, only that of each card counts. Numbers are 64-bit mixes: two positions share one by chance
in less than one of 10**12 games.
"""

from __future__ import annotations

from rulebook.kinds import Kind, Members, SetOf
from rulebook.wasm.statements import Statements
from rulebook.wasm.values import Module
from rulebook.wasm.writer import HISTORY_ROWS, STATE, Function, add, i32

CELL = 16


def position_function(module: Module) -> str:
    """`$position(choice) -> i64`."""
    return Position(module).text()


class Position:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.function = Function("position", ["(param $choice i32)"], ["i64"])
        self.code = Statements(module, self.function)
        self.hash = self.function.local("i64", "hash")
        alike = module.game.alike
        self.attribute = {"rank": module.game.rank_of, "suit": module.game.suit_of}.get(alike or "")
        self.alike = module.game.enumerations[alike] if alike else None

    def text(self) -> str:
        module, layout = self.module, self.module.layout
        self.mix("(i64.extend_i32_u (local.get $choice))")
        for name in ("mover", "chooser"):
            self.mix(f"(i64.load32_u {module.header(name)})")
        for address in layout.returns.values():
            self.mix(f"(i64.load32_u {i32(STATE + address)})")
        for address, size in layout.hidden_cells:
            for at in range(address, address + size, 4):
                self.mix(f"(i64.load32_u {i32(STATE + at)})")
        for variable, address in layout.frame.items():
            self.value(variable.kind, STATE + address)
        for state, address in layout.state.items():
            if not state.outside:
                width = layout.width(state.kind)
                for cell in range(state.size):
                    self.value(state.kind, STATE + address + cell * width)
        for zone in module.game.zones.values():
            for cell in range(zone.size):
                if zone in module.ordered:
                    self.row(STATE + layout.orders[zone] + cell * layout.order_stride)
                else:
                    width = 8 * layout.words
                    self.cards(module.card_sets.load(i32(STATE + layout.bits[zone] + cell * width)))
        if module.has_faces:
            self.cards(module.card_sets.load(i32(STATE + layout.faces)))
        if module.remembers and self.alike is None:
            for at in range(0, (layout.deck + 7) // 8 * 8, 8):
                self.mix(f"(i64.load {i32(STATE + layout.moved_by + at)})")
        self.function.emit(f"(local.get {self.hash})")
        return self.function.text(module.build.waiting)

    def mix(self, value: str) -> None:
        mixed = (
            f"(i64.add (i64.xor (local.get {self.hash}) {value}) (i64.const 0x9E3779B97F4A7C15))"
        )
        self.function.emit(f"(local.set {self.hash} (call $mix {mixed}))")

    def value(self, kind: Kind, address: int) -> None:
        code = self.code.load(kind, i32(address), 0)
        card = isinstance(kind, Members | SetOf) and kind.enumeration.name == "card"
        if isinstance(kind, SetOf):
            if card:
                self.cards(code)
            else:
                self.mix(code)
        elif card and self.alike is not None:
            table = self.module.memory.words(self.attribute or (), -1)
            at = f"(i32.add (i32.shl {code} (i32.const 2)) {i32(table)})"
            self.mix(f"(i64.load32_u {at})")
        else:
            self.mix(f"(i64.extend_i32_u {code})")

    def cards(self, code: str) -> None:
        """A set of cards: its words, or how many of each rank."""
        sets = self.module.card_sets
        kind = SetOf(self.module.game.enumerations["card"])
        keep, get = self.code.temporary(kind, code)
        self.function.emit(keep)
        if self.alike is None:
            for word in get.split(") ("):
                self.mix("(" + word.strip("()") + ")")
            return
        for member in range(self.alike.size):
            mask = sum(1 << c for c, one in enumerate(self.attribute or ()) if one == member)
            count = sets.count(sets.common(get, sets.constant(mask)))
            self.mix(f"(i64.extend_i32_u {count})")

    def row(self, address: int) -> None:
        """The cards of an ordered zone, one after the other, and their number."""
        at, end = self.function.local("i32"), self.function.local("i32")
        start = i32(address + 4)
        card = f"(i32.load8_u (local.get {at}))"
        if self.alike is not None:
            table = self.module.memory.words(self.attribute or (), -1)
            card = f"(i32.load offset={table} (i32.shl {card} (i32.const 2)))"
        self.function.emit(
            f"(local.set {at} {start})",
            f"(local.set {end} (i32.add {start} (i32.load {i32(address)})))",
            "(block $done (loop $again "
            f"(br_if $done (i32.ge_u (local.get {at}) (local.get {end})))",
        )
        self.mix(f"(i64.extend_i32_u {card})")
        self.function.emit(f"(local.set {at} {add(f'(local.get {at})', 1)}) (br $again)))")
        self.mix(f"(i64.load32_u {i32(address)})")


def repeated_function(module: Module, too_long: int) -> str:
    """`$repeated(choice) -> i32`: how often the position at hand has occurred in this game, this
    time among them. A table of open addresses; rows of earlier games carry another mark."""
    table = module.memory.history
    return f"""
(func $repeated (param $choice i32) (result i32)
  (local $key i64) (local $row i32) (local $count i32)
  (local.set $key (call $position (local.get $choice)))
  (local.set $row (i32.and (i32.wrap_i64 (local.get $key)) {i32(HISTORY_ROWS - 1)}))
  (loop $search
    (local.set $count (i32.add {i32(table)} (i32.shl (local.get $row) (i32.const 4))))
    (if (i32.ne (i32.load offset=12 (local.get $count)) (global.get $game)) (then
      (global.set $positions (i32.add (global.get $positions) (i32.const 1)))
      (if (i32.gt_u (global.get $positions) {i32(HISTORY_ROWS // 2)})
        (then (call $fail {i32(too_long)} (i32.const 0))))
      (i64.store (local.get $count) (local.get $key))
      (i32.store offset=8 (local.get $count) (i32.const 1))
      (i32.store offset=12 (local.get $count) (global.get $game))
      (return (i32.const 1))))
    (if (i64.eq (i64.load (local.get $count)) (local.get $key)) (then
      (local.set $row (i32.add (i32.load offset=8 (local.get $count)) (i32.const 1)))
      (i32.store offset=8 (local.get $count) (local.get $row))
      (return (local.get $row))))
    (local.set $row (i32.and (i32.add (local.get $row) (i32.const 1)) {i32(HISTORY_ROWS - 1)}))
    (br $search))
  (unreachable))
(func $forget_positions
  (global.set $game (i32.add (global.get $game) (i32.const 1)))
  (global.set $positions (i32.const 0)))
"""
