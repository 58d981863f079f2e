"""Why a value is what it is: a short tree of rule lines and values, read from a probed build."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rulebook import terms as t
from rulebook.engine.events import Changed, joined
from rulebook.kinds import Enumeration, GroupsOf, SetOf
from rulebook.source import Span
from rulebook.walks import inside
from rulebook.wasm.machine import Trap
from rulebook.wasm.probes import ENTER, RETURN, TAKEN, TRACE_SIZE

if TYPE_CHECKING:
    from rulebook.engine.match import Match

MAX_CHILDREN = 12
MAX_CHANGES = 5


@dataclass(slots=True)
class Why:
    """`text` is a name, a rule line or a fact; `value` what it came to, in words; `rule` where it
    stands in the file; `parts` what it was made from, in order."""

    text: str
    value: str = ""
    rule: Span | None = None
    parts: list[Why] = field(default_factory=list)

    def lines(self, depth: int = 0) -> list[str]:
        """The tree as indented lines."""
        place = f"   (line {self.rule.line})" if self.rule else ""
        own = "  " * depth + self.text + (f": {self.value}" if self.value else "") + place
        return [own, *(line for part in self.parts for line in part.lines(depth + 1))]


def why_value(match: Match, name: str, seat: int | None = None) -> Why:
    """How a definition without parameters, a state entry or a zone came to its value.

    With a seat, only what that seat may see is told. KeyError if there is no such name; ValueError
    if the seat may not see what it depends on.
    """
    checked = match.game.checked
    definition = checked.definitions.get(name)
    if definition is not None and not definition.parameters:
        if isinstance(definition.kind, GroupsOf):
            raise KeyError(name)
        return of_definition(match, definition, seat)
    if name in checked.state:
        return of_state(match, checked.state[name], seat)
    if name in checked.zones:
        zone = checked.zones[name]
        cards = SetOf(checked.enumerations["card"])
        refuse_hidden(match, [t.ZoneOf(zone.span, cards, zone, None)], seat)
        return Why(name, shown(match, match.value(name)), zone.span)
    raise KeyError(name)


# ---- definitions ----


def of_definition(match: Match, definition: t.Definition, seat: int | None) -> Why:
    refuse_hidden(match, list(reached(definition)), seat)
    machine = match.game.probed
    machine.state = match.state
    try:
        data = machine.trace(f"def.{definition.name}")
    except Trap as trap:
        raise ValueError(f"`{definition.name}` has no value now: {trap.reason}") from None
    return Reader(match, data).tree()


class Reader:
    """Turns trace records into a tree: each call a branch, with the lines that decided inside."""

    def __init__(self, match: Match, data: bytes) -> None:
        self.match = match
        self.records = [
            [
                int.from_bytes(data[k : k + 4], "little", signed=True)
                for k in range(at, at + TRACE_SIZE, 4)
            ]
            for at in range(0, len(data), TRACE_SIZE)
        ]
        self.definitions = list(match.game.checked.definitions.values())
        self.probes = match.game.probed.wasm.probes

    def tree(self) -> Why:
        stack: list[Why] = [Why("")]
        for kind, number, place, *words in self.records:
            if kind == ENTER:
                definition = self.definitions[number]
                stack.append(Why(spoken(definition.name), "", definition.span))
            elif kind == TAKEN:
                span = self.probes[number].span
                stack[-1].parts.append(Why(f"because {text_of(span)}", "", span))
            elif kind == RETURN and len(stack) > 1:
                done = stack.pop()
                definition = self.definitions[number]
                value = joined(definition.kind, words[:4])
                done.value = self.match.words.value(definition.kind, value)
                span = self.probes[place].span
                done.parts.append(Why(text_of(span), "", span, self.facts(definition, span)))
                done.parts = thinned(done.parts)
                stack[-1].parts.append(done)
        return stack[0].parts[-1] if stack[0].parts else stack[-1]

    def facts(self, definition: t.Definition, span: Span) -> list[Why]:
        """What the line read directly: zones and state without an index."""
        found: dict[str, Why] = {}
        for node in inside(definition.body):
            if not span.start <= node.span.start < max(span.end, span.start + 1):
                continue
            if isinstance(node, t.StateOf) and node.index is None:
                name = node.state.name
            elif isinstance(node, t.ZoneOf) and node.index is None:
                name = node.zone.name
            else:
                continue
            value = self.match.game.value(self.match.state, name)
            found.setdefault(name, Why(spoken(name), shown(self.match, value)))
        return list(found.values())


def thinned(parts: list[Why]) -> list[Why]:
    """Equal parts once, and not too many: a search asks the same question of many cards."""
    seen: set[tuple[str, str]] = set()
    kept: list[Why] = []
    for part in parts:
        key = (part.text, part.value)
        if key not in seen:
            seen.add(key)
            kept.append(part)
    if len(kept) > MAX_CHILDREN:
        kept = [*kept[: MAX_CHILDREN - 1], Why(f"and {len(kept) - MAX_CHILDREN} more"), kept[-1]]
    return kept


# ---- state ----


def of_state(match: Match, state: t.State, seat: int | None) -> Why:
    """Its value, and the last changes that made it."""
    events = match.events if seat is None else match.stream(seat)
    changes = [e for e in events if isinstance(e, Changed) and e.state == state.name]
    if seat is not None and not changes and state.audience.seers != "everyone":
        raise ValueError(f"you may not see `{spoken(state.name)}`")
    parts: list[Why] = []
    for event in changes[-MAX_CHANGES:]:
        whose = ""
        if isinstance(state.each, Enumeration):
            whose = f" of {match.words.member(state.each, event.index)}"
        parts.append(Why(f"set{whose}", match.words.value(state.kind, event.value)))
    value = (
        shown(match, match.value(state.name))
        if seat is None or (state.audience.seers == "everyone" and state.audience.condition is None)
        else (parts[-1].value if parts else "")
    )
    return Why(spoken(state.name), value, state.span, parts)


# ---- what a seat may know ----


def reached(definition: t.Definition, seen: set[t.Definition] | None = None) -> list[t.Base]:
    """Every zone and state entry that a definition can come to read."""
    seen = set() if seen is None else seen
    seen.add(definition)
    found: list[t.Base] = []
    for node in inside(definition.body):
        if isinstance(node, t.ZoneOf | t.StateOf):
            found.append(node)
        elif isinstance(node, t.Call) and node.definition not in seen:
            found += reached(node.definition, seen)
    return found


def refuse_hidden(match: Match, nodes: list[t.Base], seat: int | None) -> None:
    """ValueError if a seat may not see something that is read; the sizes of zones count too."""
    if seat is None:
        return
    for node in nodes:
        entry = node.zone if isinstance(node, t.ZoneOf) else None
        audience = node.state.audience if isinstance(node, t.StateOf) else None
        if entry is not None:
            first = match.game.program.layout.slots[entry]
            if not all(match.seers[first + i] >> seat & 1 for i in range(entry.size)):
                raise ValueError(f"it depends on `{spoken(entry.name)}`, which you may not see")
        elif audience is not None and (
            audience.seers != "everyone" or audience.condition is not None
        ):
            raise ValueError("it depends on something that you may not see")


# ---- words ----


def shown(match: Match, value: object) -> str:
    """A value of `Game.value`, in words."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {shown(match, one)}" for key, one in value.items())
    if isinstance(value, list):
        return ", ".join(str(one) for one in value) or "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def spoken(name: str) -> str:
    return name.replace("_", " ")


def text_of(span: Span) -> str:
    text = " ".join(span.text.split())
    return text if len(text) <= 100 else text[:97] + "..."
