"""The few routines that every module carries: chance, ordered zones, events, wide sets.

Their text is in `text/*.wat`; names in braces stand for addresses, limits and pieces that only some
modules need. The generator is SplitMix64, its draws Lemire's; docs/language.md states both, since a
seed must give the same game in every release.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from rulebook.program import HEADER, ROW_CELL, ROW_HEAD
from rulebook.wasm.writer import CONTROL, EVENT_SIZE, STATE, export

if TYPE_CHECKING:
    from rulebook.wasm.values import Module

GOLDEN = -7046029254386353131
FUEL = 100_000
"""Turns of open-ended loops between two choices."""
SEARCH_LIMIT = 5_000_000
"""Groups of cards that searches may look at between two choices."""


EVENT_KINDS = (
    "moved",
    "gathered",
    "shuffled",
    "set",
    "chose",
    "argument",
    "said",
    "ended",
    "shown",
    "turned",
    "drawn",
)


@cache
def routines(name: str) -> str:
    return (Path(__file__).parent / "text" / f"{name}.wat").read_text(encoding="utf-8")


def event(kind: str, audience: str, *values: str) -> str:
    """Code that writes one event; missing values are 0."""
    rest = list(values) + ["(i32.const 0)"] * (6 - len(values))
    return f"(call $event (i32.const {EVENT_KINDS.index(kind)}) {audience} {' '.join(rest)})"


@cache
def nth_in_byte() -> bytes:
    """For each byte and n below 8, the place of its nth bit."""
    rows = ([place for place in range(8) if byte >> place & 1] for byte in range(256))
    return bytes(place for row in rows for place in (*row, *[0] * (8 - len(row))))


def runtime(module: Module, slot_orders: int, slot_faces: int) -> str:
    memory, build = module.memory, module.build
    layout = memory.layout
    first = layout.lies
    moved = ""
    if build.waiting:
        nowhere = "(i32.or (i32.lt_s (local.get $from) (i32.const 0)) (local.get $was_down))"
        seers = (
            f"(i32.or (if (result i32) {nowhere} (then (i32.const 0)) "
            "(else (call $seers (local.get $from)))) (if (result i32) (local.get $is_down) "
            "(then (i32.const 0)) (else (call $seers (local.get $to)))))"
        )
        moved = event(
            "moved",
            seers,
            "(local.get $card)",
            "(local.get $from)",
            "(local.get $to)",
            "(local.get $position)",
            "(local.get $bottom)",
            "(local.get $is_down)",
        )
    pieces = {
        "moved_event": moved,
        "deal_quickly": routines("deal_quickly") if module.quick else "",
        "draw": routines("draw"),
        "faces": routines("faces") if module.has_faces else "",
    }
    values: dict[str, object] = {
        "golden": GOLDEN,
        "seed": STATE + HEADER["seed"],
        "bot": STATE + HEADER["bot"],
        "chances": STATE + layout.chances,
        "supply": CONTROL["supply"],
        "error": CONTROL["error"],
        "error_value": CONTROL["error_value"],
        "slot_orders": slot_orders,
        "bits": STATE + first,
        "set_bytes": 8 * layout.words,
        "slots": layout.slot_count,
        "deck_bits": 64 * layout.words,
        "faces_at": STATE + layout.faces,
        "slot_faces": slot_faces,
        "nth_in_byte": memory.constant(nth_in_byte()),
        "events_end": CONTROL["events"],
        "events_limit": memory.events_limit,
        "events_over": memory.events_limit + EVENT_SIZE,
        "event_size": EVENT_SIZE,
        "search_limit": SEARCH_LIMIT,
        "moved": EVENT_KINDS.index("moved"),
        "turned": EVENT_KINDS.index("turned"),
        "argument": EVENT_KINDS.index("argument"),
        "row_head": ROW_HEAD,
        "row_cell": ROW_CELL,
        "row_size": memory.row_size,
        "rows": memory.rows,
        "row_count": CONTROL["rows"],
        "chosen": CONTROL["chosen"],
        "over": STATE + HEADER["over"],
        "script": memory.script,
        "most_picks": (memory.row_size - ROW_HEAD) // ROW_CELL,
    }
    names = ["chance", "zones", "groups", "wide", *(["event", "replay"] if build.waiting else [])]
    if build.batched:
        names.remove("event")
    text = "".join(routines(name) for name in names)
    # Pieces first: they have names of their own in them.
    for name, value in [*pieces.items(), *values.items()]:
        text = text.replace("{" + name + "}", str(value))
    if build.waiting:
        text += export("replay", ["i32"] * 3, ["i32", "i64"])
    return text
