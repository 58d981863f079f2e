"""Why a value is what it is: a short tree of rule lines and values, read from a probed build."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rulebook import terms as t
from rulebook.engine.events import FLAG_WORDS, Changed, joined
from rulebook.engine.words import listed, tokens
from rulebook.kinds import Enumeration, GroupsOf, Kind, Members, SetOf
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


class AskedOf(ValueError):
    """A value that only is one of something, such as of a card; `rule` is where it is defined."""

    def __init__(self, match: Match, definition: t.Definition) -> None:
        self.rule = definition.span
        name = match.words.shown(definition.name)
        wanted = listed([str(parameter.kind) for parameter in definition.parameters])
        super().__init__(
            f"`{name}` has a value for {wanted}, and none by itself; "
            "`why` can tell of values that stand by themselves"
        )


def why_value(match: Match, name: str, seat: int | None = None) -> Why:
    """How a definition without parameters, a state entry or a zone came to its value.

    With a seat, only what that seat may see is told. KeyError if there is no such name; ValueError
    if the seat may not see what it depends on, or if it has a value only for something else.
    """
    checked = match.game.checked
    entries = (*checked.definitions, *checked.state, *checked.zones)
    if name not in entries:  # As it is shown.
        asked = tokens(name.replace("_", " "))
        name = next((one for one in entries if tokens(match.words.shown(one)) == asked), name)
    definition = checked.definitions.get(name)
    if definition is not None:
        if definition.parameters:
            raise AskedOf(match, definition)
        if isinstance(definition.kind, GroupsOf):
            raise KeyError(name)
        return of_definition(match, definition, seat)
    if name in checked.state:
        return of_state(match, checked.state[name], seat)
    if name in checked.zones:
        zone = checked.zones[name]
        cards = SetOf(checked.enumerations["card"])
        refuse_hidden(match, [t.ZoneOf(zone.span, cards, zone, None)], seat)
        return Why(match.words.shown(name), in_words(match, name), zone.span)
    raise KeyError(name)


def asked_of(match: Match, typed: str) -> AskedOf | None:
    """What to say where text begins with the name of a value that is one of something else."""
    words = tokens(typed)
    for definition in match.game.checked.definitions.values():
        name = tokens(match.words.shown(definition.name))
        if definition.parameters and words[: len(name)] == name:
            return AskedOf(match, definition)
    return None


# ---- definitions ----


def of_definition(match: Match, definition: t.Definition, seat: int | None) -> Why:
    refuse_hidden(match, list(reached(definition)), seat)
    machine = match.game.probed
    machine.state = match.state
    try:
        data = machine.trace(f"def.{definition.name}")
    except Trap as trap:
        raise ValueError(
            f"`{match.words.shown(definition.name)}` has no value now: {trap.reason}"
        ) from None
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
                stack.append(Why(self.match.words.shown(definition.name), "", definition.span))
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
            found.setdefault(name, Why(self.match.words.shown(name), in_words(self.match, name)))
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
        raise ValueError(f"you may not see `{match.words.shown(state.name)}`")
    parts: list[Why] = []
    for event in changes[-MAX_CHANGES:]:
        whose = ""
        if isinstance(state.each, Enumeration):
            whose = f" of {match.words.member(state.each, event.index)}"
        parts.append(Why(f"set{whose}", match.words.value(state.kind, event.value)))
    value = (
        in_words(match, state.name)
        if seat is None or (state.audience.seers == "everyone" and state.audience.condition is None)
        else (parts[-1].value if parts else "")
    )
    return Why(match.words.shown(state.name), value, state.span, parts)


# ---- what a seat may know ----


def reached(definition: t.Definition, seen: set[t.Definition] | None = None) -> list[t.Base]:
    """Every zone and state entry that a definition can come to read, and every question of where a
    card lies or what a player may do."""
    seen = set() if seen is None else seen
    seen.add(definition)
    return reached_from(definition.body, seen)


def reached_from(body: object, seen: set[t.Definition] | None = None) -> list[t.Base]:
    """The same of a term."""
    seen = set() if seen is None else seen
    found: list[t.Base] = []
    for node in inside(body):
        if isinstance(node, t.ZoneOf | t.StateOf | t.OwnerOf | t.FaceUp | t.Above | t.Can):
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
                raise ValueError(
                    f"it depends on `{match.words.shown(entry.name)}`, which you may not see"
                )
        elif (
            not all(mask >> seat & 1 for mask in match.seers)
            if audience is None
            else audience.seers != "everyone" or audience.condition is not None
        ):
            raise ValueError("it depends on something that you may not see")


# ---- words ----


def in_words(match: Match, name: str) -> str:
    """The value of a state entry or a zone, with the table's names."""
    checked, value = match.game.checked, match.value(name)
    state = checked.state.get(name)
    entry = state or checked.zones[name]
    kind = SetOf(checked.enumerations["card"]) if state is None else state.kind
    if not isinstance(value, dict):
        return shown(match, kind, value)
    each = entry.each
    parts: list[str] = []
    for key, one in value.items():
        of = str(key)
        if isinstance(each, Enumeration):
            of = match.words.member(each, each.members.index(of))
        parts.append(f"{shown(match, kind, one)} for {of}")
    return ("; " if isinstance(kind, SetOf) else ", ").join(parts)


def shown(match: Match, kind: Kind, value: object) -> str:
    """One value of `Game.value`, in words."""
    if isinstance(value, list):
        assert isinstance(kind, SetOf)
        members = kind.enumeration.members
        names = [match.words.member(kind.enumeration, members.index(one)) for one in value]
        return ", ".join(names) or "nothing"
    if isinstance(value, bool):
        return FLAG_WORDS[value]
    if isinstance(kind, Members) and value is not None:
        return match.words.member(kind.enumeration, kind.enumeration.members.index(str(value)))
    return "none" if value is None else str(value)


def text_of(span: Span) -> str:
    text = " ".join(span.text.split())
    return text if len(text) <= 100 else text[:97] + "..."
