"""Positions: one number for all that rules can tell apart, and how often each occurred in a game.

A position is the choice at hand, values alive, state not marked as outside it, and zones: unordered
ones as sets, ordered ones in their order. Where the file says that cards of one rank (or suit) are
`alike`, only that of each card counts. Numbers are 64-bit mixes: two positions share one by chance
in less than one of 10**12 games.
"""

from __future__ import annotations

from rulebook.kinds import Kind, Members, SetOf
from rulebook.program import HEADER
from rulebook.wasm.runtime import GOLDEN
from rulebook.wasm.statements import Statements
from rulebook.wasm.values import Module
from rulebook.wasm.writer import STATE, Function, add, i32, i64


def position_function(module: Module) -> str:
    """`$position(choice) -> i64`."""
    return Position(module).text()


class Position:
    """Every word is mixed with a number of its own, and the position is the sum: the machine can
    work on many words at a time."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.function = Function("position", ["(param $choice i32)"], ["i64"])
        self.code = Statements(module, self.function)
        self.hash = self.function.local("i64", "hash")
        self.mixed = 0
        self.plain: list[tuple[int, int]] = []
        """Address and size of what counts as it stands."""
        alike = module.game.alike
        attribute = {"rank": module.game.rank_of, "suit": module.game.suit_of}.get(alike or "", ())
        self.alike = module.game.enumerations[alike] if alike else None
        # A card that has none is like no other.
        size = 0 if self.alike is None else self.alike.size
        self.attribute = [size + i if one < 0 else one for i, one in enumerate(attribute)]

    def text(self) -> str:
        module, layout = self.module, self.module.layout
        self.mix("(i64.extend_i32_u (local.get $choice))")
        self.plain += [(STATE + HEADER[name], 4) for name in ("mover", "chooser")]
        self.plain += [(STATE + address, 4) for address in layout.returns.values()]
        self.plain += [(STATE + address, size) for address, size in layout.hidden_cells]
        for variable, address in layout.frame.items():
            self.value(variable.kind, STATE + address)
        for state, address in layout.state.items():
            if not state.outside:
                width = layout.width(state.kind)
                for cell in range(state.size):
                    self.value(state.kind, STATE + address + cell * width)
        width = 8 * layout.words
        for zone in module.game.zones.values():
            for cell in range(zone.size):
                if zone in module.ordered:
                    self.row(STATE + layout.orders[zone] + cell * layout.order_stride)
                else:
                    self.cards(STATE + layout.bits[zone] + cell * width)
        if module.has_faces:
            self.cards(STATE + layout.faces)
        if module.remembers and self.alike is None:
            self.plain.append((STATE + layout.moved_by, (layout.deck + 7) // 8 * 8))
        for at, size in joined(self.plain):
            for word in range(at, at + size, 8):
                load = "i64.load" if word + 8 <= at + size else "i64.load32_u"
                self.mix(f"({load} {i32(word)})")
        self.function.emit(f"(local.get {self.hash})")
        return self.function.text(module.build.waiting)

    def mix(self, value: str) -> None:
        self.mixed += 1
        own = i64(GOLDEN * self.mixed % 2**64)
        mixed = f"(call $mix (i64.add {value} {own}))"
        self.function.emit(f"(local.set {self.hash} (i64.add (local.get {self.hash}) {mixed}))")

    def value(self, kind: Kind, address: int) -> None:
        card = isinstance(kind, Members | SetOf) and kind.enumeration.name == "card"
        if not card or self.alike is None:
            self.plain.append((address, self.module.layout.width(kind)))
        elif isinstance(kind, SetOf):
            self.cards(address)
        else:
            table = self.module.memory.words(self.attribute, -1)
            card_at = f"(i32.shl (i32.load {i32(address)}) (i32.const 2))"
            self.mix(f"(i64.load32_u (i32.add {card_at} {i32(table)}))")

    def cards(self, address: int) -> None:
        """A set of cards: its words, or how many of each kind, as many numbers as fit in a word."""
        sets = self.module.card_sets
        if self.alike is None:
            self.plain.append((address, 8 * sets.words))
            return
        masks = [
            sum(1 << card for card, one in enumerate(self.attribute) if one == kind)
            for kind in sorted(set(self.attribute))
        ]
        bits = max(mask.bit_count() for mask in masks).bit_length()
        keep, get = self.code.temporary(
            SetOf(self.module.game.enumerations["card"]), sets.load(i32(address))
        )
        self.function.emit(keep)
        fit = 64 // bits
        for first in range(0, len(masks), fit):
            word = i64(0)
            for place, mask in enumerate(masks[first : first + fit]):
                count = sets.count(sets.common(get, sets.constant(mask)))
                shifted = f"(i64.shl (i64.extend_i32_u {count}) {i64(bits * place)})"
                word = f"(i64.or {word} {shifted})"
            self.mix(word)

    def row(self, address: int) -> None:
        """The cards of an ordered zone, each with its place."""
        at, end = self.function.local("i32"), self.function.local("i32")
        start = i32(address + 4)
        card = f"(i32.load8_u (local.get {at}))"
        if self.alike is not None:
            table = self.module.memory.words(self.attribute, -1)
            card = f"(i32.load offset={table} (i32.shl {card} (i32.const 2)))"
        place = f"(i64.shl (i64.extend_i32_u (local.get {at})) (i64.const 32))"
        self.function.emit(
            f"(local.set {at} {start})",
            f"(local.set {end} (i32.add {start} (i32.load {i32(address)})))",
            "(block $done (loop $again "
            f"(br_if $done (i32.ge_u (local.get {at}) (local.get {end})))",
        )
        self.mix(f"(i64.or {place} (i64.extend_i32_u {card}))")
        self.function.emit(f"(local.set {at} {add(f'(local.get {at})', 1)}) (br $again)))")


def joined(pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pieces of memory in order, neighbours as one."""
    found: list[tuple[int, int]] = []
    for at, size in sorted(pieces):
        if found and sum(found[-1]) == at:
            at, before = found.pop()
            size += before
        found.append((at, size))
    return found


def repeated_function(module: Module, too_long: int) -> str:
    """`$repeated(choice) -> i32`: how often the position at hand has occurred in this game, this
    time among them. A table of open addresses; rows of earlier games carry another mark."""
    table, rows = module.memory.history, module.history_rows
    return f"""
(func $repeated (param $choice i32) (result i32)
  (local $key i64) (local $row i32) (local $count i32)
  (local.set $key (call $position (local.get $choice)))
  (local.set $row (i32.and (i32.wrap_i64 (local.get $key)) {i32(rows - 1)}))
  (loop $search
    (local.set $count (i32.add {i32(table)} (i32.shl (local.get $row) (i32.const 4))))
    (if (i32.ne (i32.load offset=12 (local.get $count)) (global.get $game)) (then
      (global.set $positions (i32.add (global.get $positions) (i32.const 1)))
      (if (i32.gt_u (global.get $positions) {i32(rows // 2)})
        (then (call $fail {i32(too_long)} (i32.const 0))))
      (i64.store (local.get $count) (local.get $key))
      (i32.store offset=8 (local.get $count) (i32.const 1))
      (i32.store offset=12 (local.get $count) (global.get $game))
      (return (i32.const 1))))
    (if (i64.eq (i64.load (local.get $count)) (local.get $key)) (then
      (local.set $row (i32.add (i32.load offset=8 (local.get $count)) (i32.const 1)))
      (i32.store offset=8 (local.get $count) (local.get $row))
      (return (local.get $row))))
    (local.set $row (i32.and (i32.add (local.get $row) (i32.const 1)) {i32(rows - 1)}))
    (br $search))
  (unreachable))
(func $forget_positions
  (global.set $game (i32.add (global.get $game) (i32.const 1)))
  (global.set $positions (i32.const 0)))
"""
