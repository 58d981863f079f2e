"""Walks through a checked game: every term and statement, and where the game can end."""

from __future__ import annotations

from collections.abc import Iterator

from rulebook import terms as t


def parts(game: t.CheckedGame) -> Iterator[t.Base | t.Node]:
    """Every term and statement of the game."""
    for zone in game.zones.values():
        yield from inside(zone.audience)
    for state in game.state.values():
        yield from inside(state.audience)
        yield from inside(state.starts)
    for definition in game.definitions.values():
        yield from inside(definition.body)
    for move in game.moves.values():
        yield from inside(move.picks)
        yield from inside(move.conditions)
        yield from inside(move.musts)
        yield from inside(move.body)
        yield from inside(move.say)
    for step in game.steps.values():
        yield from inside(step.body)


LEAVES = (t.Variable, t.Table, t.Zone, t.State, t.Definition, t.Move, t.Step, t.Chance, str, int)


def inside(node: object) -> Iterator[t.Base | t.Node]:
    """A term or statement and all that it is made of; declarations it names are not entered."""
    if node is None or isinstance(node, LEAVES):
        return
    if isinstance(node, tuple):
        for item in node:
            yield from inside(item)
        return
    if isinstance(node, t.Base | t.Node):
        yield node
    for name in getattr(node, "__dataclass_fields__", ()):
        if name not in ("span", "kind"):
            yield from inside(getattr(node, name))


def may_end(game: t.CheckedGame) -> set[str]:
    """Steps and moves in which the game can end, directly or through steps they call."""
    bodies = {f"step:{name}": step.body for name, step in game.steps.items()}
    bodies |= {f"move:{name}": move.body for name, move in game.moves.items()}
    found: set[str] = set()
    while True:
        more = {
            name
            for name, body in bodies.items()
            if name not in found
            and any(
                isinstance(node, t.Outcome | t.Finish)
                or (isinstance(node, t.Do) and f"step:{node.step}" in found)
                for node in inside(body)
            )
        }
        if not more:
            return found
        found |= more
