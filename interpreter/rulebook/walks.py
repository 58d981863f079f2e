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
    """A term or statement and all that it is made of, each before its parts; declarations that are
    named are not entered."""
    stack = [node]
    while stack:
        one = stack.pop()
        if one is None or isinstance(one, LEAVES):
            continue
        if isinstance(one, tuple):
            stack.extend(reversed(one))
            continue
        if isinstance(one, t.Base | t.Node):
            yield one
        stack.extend([getattr(one, name) for name in part_names(type(one))])


PARTS: dict[type, tuple[str, ...]] = {}


def part_names(kind: type) -> tuple[str, ...]:
    """The fields of a class that can hold terms and statements, the last one first."""
    if kind not in PARTS:
        fields = getattr(kind, "__dataclass_fields__", ())
        names = [name for name in fields if name not in ("span", "kind")]
        PARTS[kind] = tuple(reversed(names))
    return PARTS[kind]


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
