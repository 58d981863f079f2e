"""What took part: which places of the rules were passed, in examples and in random games.

The places come from the rules themselves: each statement, each way that a condition can go, each
move, each `if` and `must` line of a move (it takes part when it drops something) and each row of a
table. The counts come from the probes of watched games; they add up over all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from rulebook import terms as t
from rulebook.document import Entry, Mapping, Scalar
from rulebook.engine.game import Game
from rulebook.kinds import GroupsOf
from rulebook.source import Source, Span
from rulebook.walks import inside
from rulebook.wasm.machine import Machine, Trap

Key = tuple[str, str, str, int, int]
"""What, name, path, start and end of a probe."""

CONTROL = (t.If, t.For, t.Repeat, t.While, t.Do, t.Secretly)
"""Statements that are seen by what stands in them."""


@dataclass(slots=True)
class Place:
    """`what` is statement, branch, move, if, must or row; `name` tells those of one span apart, and
    `entry` names the part of the file that it belongs to."""

    what: str
    name: str
    entry: str
    span: Span
    count: int = 0

    @property
    def missing(self) -> str:
        """What never happened here, in a few words."""
        text = " ".join(self.span.text.split())
        short = text if len(text) <= 60 else f"{text[:57]}..."
        return {
            "statement": f"never done: `{short}`",
            "branch": f"never {'true' if self.name == 'yes' else 'false'}: `{short}`",
            "move": f"never chosen: `{self.name}`",
            "if": f"never drops anything: `{self.name or short}`",
            "must": f"never drops anything: `{self.name}`",
            "row": f"never looked up: `{self.name}`",
        }[self.what]


@dataclass(slots=True)
class Coverage:
    """The places of one file in the order of the file, and how often each was passed."""

    places: list[Place] = field(default_factory=list)
    found: dict[Key, int] = field(default_factory=dict)
    games: int = 0

    # ---- counting ----

    def watch(self, game: Game) -> None:
        """Add what the probed build of a game counted."""
        self.add(game.probed)

    def play(self, game: Game, games: int, seed: int = 0) -> str:
        """Add random games; why they stopped, if the rules went wrong."""
        machine = game.probed_fast
        stopped = ""
        for first in range(0, games, 1000):
            try:
                machine.call("games", seed, first, min(1000, games - first))
            except Trap as trap:
                stopped = trap.reason
                if 0 <= trap.site < len(machine.wasm.sites):
                    stopped = machine.wasm.sites[trap.site].message
                break
        self.games += games
        self.add(machine)
        return stopped

    def add(self, machine: Machine) -> None:
        for probe, count in zip(machine.wasm.probes, machine.counts(), strict=True):
            span = probe.span
            key = (probe.what, probe.name, span.source.path, span.start, span.end)
            self.found[key] = self.found.get(key, 0) + count

    # ---- reading ----

    def fill(self, game: t.CheckedGame, document: Mapping) -> None:
        """Give the places of a game the counts that were found."""
        tables = document.get("tables")
        self.places = list(places(game))
        for place in self.places:
            key = (place.what, place.name, place.span.source.path, place.span.start, place.span.end)
            place.count = self.found.get(key, 0)
        if isinstance(tables, Mapping):
            for entry in tables.entries.values():
                self.places += self.rows(entry)
        self.places.sort(key=lambda place: (place.span.source.path, place.span.start))

    def rows(self, entry: Entry) -> Iterator[Place]:
        """The rows that a table lists, and one for all others."""
        name = entry.key.text
        counts = {
            key[1].removeprefix(f"{name} "): count
            for key, count in self.found.items()
            if key[0] == "row" and key[1].startswith(f"{name} ")
        }
        listed = entry.value.get("is") if isinstance(entry.value, Mapping) else None
        for label, key in row_keys(listed):
            count = counts.pop(label, 0)
            yield Place("row", f"{name} of {label}", name, key.span, count)
        rest = entry.value.entries.get("else") if isinstance(entry.value, Mapping) else None
        if rest is not None:
            yield Place("row", f"{name} of others", name, rest.key.span, sum(counts.values()))

    @property
    def missed(self) -> list[Place]:
        return [place for place in self.places if not place.count]

    @property
    def sources(self) -> list[Source]:
        """The files of the places, each once."""
        found: dict[str, Source] = {}
        for place in self.places:
            found.setdefault(place.span.source.path, place.span.source)
        return list(found.values())


def row_keys(node: object) -> Iterator[tuple[str, Scalar]]:
    """The listed rows of a table, or of a table of two things."""
    if not isinstance(node, Mapping):
        return
    for entry in node.entries.values():
        if isinstance(entry.value, Mapping):
            for label, key in row_keys(entry.value):
                yield f"{entry.key.text} {label}", key
        else:
            yield entry.key.text, entry.key


def places(game: t.CheckedGame) -> Iterator[Place]:
    """Every place of the rules but the rows of tables."""
    for definition in game.definitions.values():
        # Groups are searched where they are asked for, not returned.
        whole = not isinstance(definition.kind, GroupsOf)
        for place in within(definition.body, f"define {definition.name}"):
            if whole or place.what != "statement":
                yield place
    for move in game.moves.values():
        entry = f"move {move.name}"
        yield Place("move", move.name, entry, move.span)
        for condition in move.conditions:
            yield Place("if", condition.label, entry, condition.span)
        for must in move.musts:
            yield Place("must", must.label, entry, must.span)
        yield from within((move.picks, move.conditions, move.musts, move.body), entry)
    for step in game.steps.values():
        yield from within(step.body, f"step {step.name}")


def within(node: object, entry: str) -> Iterator[Place]:
    """The statements and branches of a piece of rule text."""
    for part in inside(node):
        if isinstance(part, t.If):
            last = None
            for last, _ in part.branches:
                if last is not None:
                    yield Place("branch", "yes", entry, last.span)
            if last is not None:
                yield Place("branch", "no", entry, last.span)
        elif isinstance(part, t.IfElse):
            yield Place("branch", "yes", entry, part.condition.span)
            yield Place("branch", "no", entry, part.condition.span)
        elif isinstance(part, t.Node) and not isinstance(part, (*CONTROL, t.Text)):
            yield Place("statement", "", entry, part.span)
