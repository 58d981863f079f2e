"""Probes: what took part. Only probed builds have them.

A probe counts how often a place was passed: a statement, a branch, a move carried out, a condition
or `must` line that dropped something, a row of a table that was read. The trace tells, for one
question, which definitions were asked, which branches were taken and what came back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rulebook.source import Span
from rulebook.wasm.writer import CONTROL, i32

if TYPE_CHECKING:
    from rulebook.wasm.values import Module

MAX_PROBES = 16_384
TRACE_SIZE = 32
"""Bytes of a trace record: kind, number, place, and up to four words of a value."""
MAX_TRACE = 8_192
ENTER, RETURN, TAKEN = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Probe:
    """`what`: statement, branch, move, if, must or row; `name` tells those of one span apart."""

    what: str
    name: str
    span: Span


class Probes:
    """The probes of one module, numbered as they are made."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.list: list[Probe] = []
        self.numbers: dict[tuple[str, str, str, int, int], int] = {}

    def number(self, what: str, name: str, span: Span) -> int:
        key = (what, name, span.source.path, span.start, span.end)
        if key not in self.numbers:
            self.numbers[key] = len(self.list)
            self.list.append(Probe(what, name, span))
            if len(self.list) > MAX_PROBES:
                raise ValueError("this game has more rule lines than can be watched")
        return self.numbers[key]

    def rows(self, name: str, labels: list[str], span: Span) -> int:
        """Probes for all rows of a table, one after the other; the number of the first."""
        numbers = [self.number("row", f"{name} {label}", span) for label in labels]
        return numbers[0]

    def passed(self, what: str, name: str, span: Span) -> str:
        """Code that counts one passing; empty in other builds."""
        if not self.module.build.probed:
            return ""
        return self.count(i32(self.number(what, name, span)))

    def count(self, number: str) -> str:
        cell = f"(i32.add {i32(self.module.memory.probes)} (i32.shl {number} (i32.const 2)))"
        return f"(call $passed {cell})"

    # ---- the trace ----

    @property
    def tracing(self) -> bool:
        return self.module.build.probed and self.module.build.waiting

    def enter(self, number: int) -> str:
        return self.record(ENTER, i32(number), i32(0)) if self.tracing else ""

    def taken(self, span: Span) -> str:
        if not self.tracing:
            return ""
        return self.record(TAKEN, i32(self.number("branch", "", span)), i32(0))

    def returned(self, number: int, span: Span, words: list[str]) -> str:
        place = i32(self.number("statement", "", span))
        return self.record(RETURN, i32(number), place, *words)

    def record(self, kind: int, number: str, place: str, *words: str) -> str:
        rest = list(words) + [i32(0)] * (4 - len(words))
        return f"(call $trace {i32(kind)} {number} {place} {' '.join(rest)})"

    def routines(self) -> str:
        """The two routines that probed modules carry."""
        cell = i32(CONTROL["trace"])
        limit = self.module.memory.trace + MAX_TRACE * TRACE_SIZE
        names = ("number", "place", "a", "b", "c", "d")
        stores = " ".join(
            f"(i32.store offset={4 * position + 4} (local.get $at) (local.get ${name}))"
            for position, name in enumerate(names)
        )
        parameters = " ".join(f"(param ${name} i32)" for name in names)
        return f"""
(func $passed (param $cell i32)
  (i32.store (local.get $cell) (i32.add (i32.load (local.get $cell)) (i32.const 1))))
(func $trace (param $kind i32) {parameters}
  (local $at i32)
  (local.set $at (i32.load {cell}))
  ;; switched off, or full: the question goes on unrecorded
  (if (i32.or (i32.eqz (local.get $at)) (i32.ge_u (local.get $at) {i32(limit)}))
    (then (return)))
  (i32.store (local.get $at) (local.get $kind)) {stores}
  (i32.store {cell} (i32.add (local.get $at) {i32(TRACE_SIZE)})))
"""
