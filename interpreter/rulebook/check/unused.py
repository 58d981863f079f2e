"""Entries that nothing in the file uses. All of these are warnings: the game can be played."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulebook import terms as t
from rulebook.diagnostics import Problems
from rulebook.document import Entry, Mapping, Node, Scalar
from rulebook.kinds import Members
from rulebook.source import Span
from rulebook.walks import inside, parts


def unused_entries(game: t.CheckedGame, problems: Problems) -> None:
    """Warn of what is declared and not used, by rule text or by an example."""
    unused = Unused(game, problems)
    unused.names()
    unused.zones()
    unused.state()
    unused.steps_and_moves()
    unused.locals()


class Unused:
    def __init__(self, game: t.CheckedGame, problems: Problems) -> None:
        self.game = game
        self.problems = problems
        self.nodes = list(parts(game))
        # Where a construct is not compiled yet, what stands in it is not among the terms.
        self.whole = not any(isinstance(node, t.Later) for node in self.nodes)
        self.named = set(game.used)
        for _, example in game.examples:
            if isinstance(example, Entry):
                self.named |= words(example.value)

    def warn(self, slug: str, message: str, span: Span, help: str) -> None:
        self.problems.add(slug, message, span, help=help, severity="warning")

    def names(self) -> None:
        for name, span in entries(self.game):
            if name not in self.named:
                self.warn("unused", f"`{name}` is never used", span, "remove it")

    def zones(self) -> None:
        for zone in self.game.zones.values():
            if zone.name in self.named and not zone.filled:
                message = f"no card ever comes into the zone `{zone.name}`"
                self.warn("never-filled", message, zone.span, "move or deal cards to it")

    def state(self) -> None:
        """State that is set and never asked for, or asked for and never set."""
        targets = {id(node.target) for node in self.nodes if isinstance(node, t.SetState)}
        asked = {
            node.state
            for node in self.nodes
            if isinstance(node, t.StateOf) and id(node) not in targets
        }
        for state in self.game.state.values():
            if state.name not in self.named:
                continue
            # Of a single player (or a kind with one member) there is nothing to set.
            only = isinstance(state.kind, Members) and state.kind.enumeration.size == 1
            if not state.written and state.starts is None and not only:
                message = f"the state entry `{state.name}` is never set"
                help = "set it in a step or a move, or let it begin with a value: `starts:`"
                self.warn("never-set", message, state.span, help)
            elif state.written and self.whole and state not in asked and not shown(state):
                message = f"the state entry `{state.name}` is set and never read"
                help = "remove it, or say in `about:` what it tells the players"
                self.warn("never-read", message, state.span, help)

    def steps_and_moves(self) -> None:
        """Steps that are never done and moves that nobody may choose."""
        game = self.game
        offered: set[str] = set()
        # A move offered only where nobody comes is an echo of that step's own message.
        for step in game.steps.values():
            for node in inside(step.body):
                if isinstance(node, t.Choose):
                    offered |= {*node.moves, *node.fallback}
        reached = ["match", *(step for move in game.moves.values() for step in done(move.body))]
        for name in reached:
            body = game.steps[name].body if name in game.steps else ()
            reached += [step for step in done(body) if step not in reached]
            for node in inside(body):
                if isinstance(node, t.Choose):
                    offered |= {*node.moves, *node.fallback}
        if not self.whole:
            reached += self.named
            offered |= self.named
        for step in game.steps.values():
            if step.name not in reached:
                message = f"the step `{step.name}` is never reached from `match`"
                self.warn("never-done", message, step.span, f"write `do {step.name}` somewhere")
        for move in game.moves.values():
            if move.name not in offered:
                message = f"no step that is reached offers the move `{move.name}`"
                help = f"write `{move.name}` behind `chooses` in a step"
                self.warn("never-offered", message, move.span, help)

    def locals(self) -> None:
        for node in self.nodes:
            if isinstance(node, t.SetVariable) and not node.variable.read and node.variable.name:
                message = f"the value of `{node.variable.name}` is never used"
                self.warn("unused", message, node.variable.span, "remove this line")


def entries(game: t.CheckedGame) -> Iterator[tuple[str, Span]]:
    """Every declared thing that rule text names, but moves and steps."""
    for option in game.options.values():
        yield option.name, option.span
    for table in game.tables.values():
        if table.span is not None:
            yield table.name, table.span
    for zone in game.zones.values():
        yield zone.name, zone.span
    for state in game.state.values():
        if not shown(state):
            yield state.name, state.span
    for definition in game.definitions.values():
        yield definition.name, definition.span


def shown(state: t.State) -> bool:
    """Whether a state entry is there for the players to read."""
    return state.name == "score" or bool(state.about)


def done(body: tuple[t.Statement, ...]) -> set[str]:
    """The steps that a body does itself."""
    return {node.step for node in inside(body) if isinstance(node, t.Do)}


def words(node: Node) -> set[str]:
    """Every word of a piece of YAML, keys too."""
    if isinstance(node, Scalar):
        return set(re.findall(r"[a-z][a-z0-9_]*", node.text))
    if isinstance(node, Mapping):
        both = [part for entry in node.entries.values() for part in (entry.key, entry.value)]
        return {word for part in both for word in words(part)}
    return {word for item in node.items for word in words(item)}
