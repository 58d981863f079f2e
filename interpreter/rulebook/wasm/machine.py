"""A module at work: wasmtime runs it, the host reads and writes its memory.

One machine serves all matches of a game: a match keeps its state block as bytes and loads it before
each run. A trap leaves memory half-written, so callers hold the state from before and put it back.
Not safe for use by several threads at once.
"""

from __future__ import annotations

import ctypes
import struct
from functools import cached_property
from typing import cast

import wasmtime

from rulebook.program import ROW_CELL, ROW_HEAD
from rulebook.wasm import Wasm
from rulebook.wasm.writer import CONTROL, NO_ERROR, STATE

WORD = struct.Struct("<i")
LONG = struct.Struct("<Q")
PAIR = struct.Struct("<qq")


class Trap(Exception):
    """The module stopped: at a rule (`site` 0 and up), or for a reason of its own (below 0)."""

    def __init__(self, site: int, value: int, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.site = site
        self.value = value


class Machine:
    def __init__(self, wasm: Wasm) -> None:
        self.wasm = wasm
        self.memory = wasm.memory
        self.size = wasm.program.layout.size
        engine = wasmtime.Engine()
        self.store = wasmtime.Store(engine)
        self.module = wasmtime.Module(engine, bytes(wasmtime.wat2wasm(wasm.text)))
        self.instance = wasmtime.Instance(self.store, self.module, [])
        self.exports = self.instance.exports(self.store)
        self.linear = cast(wasmtime.Memory, self.exports["memory"])
        self.functions: dict[str, wasmtime.Func] = {}
        self.horizon = (False, 0, False)

    @cached_property
    def base(self) -> int:
        """Where linear memory lies in this process; it never grows, so it never moves."""
        return ctypes.addressof(self.linear.data_ptr(self.store).contents)

    @cached_property
    def view(self) -> memoryview:
        """The whole of linear memory, as bytes."""
        size = self.memory.pages * 65536
        return memoryview((ctypes.c_ubyte * size).from_address(self.base)).cast("B")

    # ---- memory ----

    def read(self, address: int, size: int) -> bytes:
        return bytes(self.view[address : address + size])

    def write(self, address: int, data: bytes) -> None:
        """ValueError where it does not fit."""
        self.view[address : address + len(data)] = data

    def word(self, address: int) -> int:
        found: int = WORD.unpack_from(self.view, address)[0]
        return found

    def set_word(self, address: int, value: int) -> None:
        WORD.pack_into(self.view, address, value)

    @property
    def state(self) -> bytes:
        return self.read(STATE, self.size)

    @state.setter
    def state(self, block: bytes) -> None:
        self.write(STATE, block)

    # ---- running ----

    def call(self, name: str, *arguments: int) -> int:
        """Call an exported function; `Trap` if it stops. Arguments are taken modulo 2**64, or
        2**32 where the function wants that. The first result, which means nothing if there is
        none."""
        for place, argument in enumerate(arguments):
            LONG.pack_into(self.view, CONTROL["arguments"] + 8 * place, argument % 2**64)
        function = self.functions.get(name)
        if function is None:
            function = self.functions[name] = cast(wasmtime.Func, self.exports[name])
        try:
            function(self.store)
            return self.results()[0]
        except wasmtime.Trap as error:
            site = self.word(CONTROL["error"])
            reason = str(error).splitlines()[0]
            site = -4 if site == NO_ERROR else site
            raise Trap(site, self.word(CONTROL["error_value"]), reason) from None

    def results(self) -> tuple[int, int]:
        """What the last call gave; the second means nothing where there is one."""
        first, second = PAIR.unpack_from(self.view, CONTROL["results"])
        return first, second

    def run(self, row: int | None = None) -> None:
        """Go on to the next choice or the end; `row` is the number of the listed move that was
        chosen. `Trap` too if more happened than there is room to tell."""
        if row is not None:
            address = self.memory.rows + row * self.memory.row_size
            self.set_word(CONTROL["chosen"], address)
        self.call("run")
        if self.word(CONTROL["events"]) > self.memory.events_limit:
            raise Trap(-3, 0, "the room for events is full")

    def rows(self) -> list[bytes]:
        """The legal moves of the choice that play waits for."""
        size = self.memory.row_size
        count = self.word(CONTROL["rows"])
        data = self.read(self.memory.rows, count * size)
        return [data[at : at + size] for at in range(0, len(data), size)]

    def replay(self, state: bytes, script: bytes, seat: int, begin: bool) -> tuple[int, int]:
        """Replay moves (rows one after the other) from a state; how many were legal in their turn,
        and what the seat would have been told, as one number. Only waiting builds have this."""
        self.state = state
        self.write(self.memory.script, script)
        self.call("replay", len(script) // self.memory.row_size, seat, int(begin))
        done, seen = self.results()
        return done, seen % 2**64

    def look(self, shuffle: bool = False, ahead: int = 0, onward: bool = False) -> None:
        """How far random games go from now on, and when the table is noted (`horizon_function`).
        The module is told only of changes: a call takes longer than a short game."""
        if (shuffle, ahead, onward) != self.horizon:
            self.call("horizon", shuffle, ahead, onward)
            self.horizon = (shuffle, ahead, onward)

    def write_row(self, number: int, data: bytes) -> int:
        """Put a move in the list, and its address."""
        address = self.memory.rows + number * self.memory.row_size
        self.write(address, data.ljust(self.memory.row_size, b"\0"))
        return address

    def events(self) -> bytes:
        """What the last call wrote, record after record."""
        end = self.word(CONTROL["events"])
        return self.read(self.memory.events, end - self.memory.events)

    def counts(self) -> list[int]:
        """How often each probe was passed since the module was made (probed builds)."""
        size = 4 * len(self.wasm.probes)
        data = self.read(self.memory.probes, size)
        return [int.from_bytes(data[at : at + 4], "little") for at in range(0, size, 4)]

    def trace(self, name: str, *arguments: int) -> bytes:
        """Call a function of a probed build and return what it traced, record by record."""
        self.set_word(CONTROL["trace"], self.memory.trace)
        try:
            self.call(name, *arguments)
        finally:
            end = self.word(CONTROL["trace"])
            self.set_word(CONTROL["trace"], 0)
        return self.read(self.memory.trace, end - self.memory.trace)

    def supply(self, outcomes: dict[tuple[int, int], bytes]) -> None:
        """Give outcomes of chance: (site, use) -> cards or members as bytes. Empty takes back."""
        if not outcomes:
            self.set_word(CONTROL["supply"], 0)
            return
        data = b""
        for (site, use), outcome in outcomes.items():
            padded = outcome.ljust(-(-len(outcome) // 4) * 4, b"\0")
            head = b"".join(n.to_bytes(4, "little") for n in (site, use, len(outcome)))
            data += head + padded
        data += (-1).to_bytes(4, "little", signed=True)
        if len(data) > 65536:
            raise ValueError("more outcomes of chance than there is room for")
        self.write(self.memory.supply, data)
        self.set_word(CONTROL["supply"], self.memory.supply)


def cell(row: bytes, position: int) -> bytes:
    """The bytes of one pick in a row."""
    start = ROW_HEAD + ROW_CELL * position
    return row[start : start + ROW_CELL]
