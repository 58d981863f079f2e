"""Short definitions, whose code stands where they are used.

A call costs more than most one-line rules, and hides from the code around it what is known of the
arguments. Builds that are probed call every definition, since they count and trace calls.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from rulebook import terms as t
from rulebook.kinds import GroupsOf, SetOf
from rulebook.resolve.fold import fold
from rulebook.walks import inside
from rulebook.wasm.walks import own_local

if TYPE_CHECKING:
    from rulebook.wasm.expressions import Expressions

SHORT = 24
"""Terms in a definition that is written in, with those of the definitions in it."""


def short_definitions(game: t.CheckedGame) -> set[t.Definition]:
    """Definitions of one line that may be written in. No definition leads back to itself."""
    sizes: dict[t.Definition, int] = {}

    def size(definition: t.Definition) -> int:
        if definition not in sizes:
            body = definition.body
            plain = len(body) == 1 and isinstance(body[0], t.Return)
            if not plain or isinstance(definition.kind, GroupsOf):
                return SHORT + 1
            sizes[definition] = 0
            for node in inside(body):
                one = size(node.definition) if isinstance(node, t.Call) else 0
                sizes[definition] += 1 if one > SHORT else 1 + one
        return sizes[definition]

    return {one for one in game.definitions.values() if size(one) <= SHORT}


def written_in(code: Expressions, term: t.Call) -> str:
    """The value of a short definition, with its parameters as locals or, where known, constants."""
    definition = term.definition
    (statement,) = definition.body
    assert isinstance(statement, t.Return)
    # Arguments first, all of them: they may call the same definition.
    values: list[int | str] = []
    for parameter, argument in zip(definition.parameters, term.arguments, strict=True):
        one = None if isinstance(parameter.kind, SetOf) else fold(argument, code.fixed)
        values.append(code.value(argument) if one is None else one)
    outer = dict(code.fixed)
    lines: list[str] = []
    with ExitStack() as locals_:
        for parameter, value in zip(definition.parameters, values, strict=True):
            if isinstance(value, int):
                code.fixed[parameter] = value
            else:
                code.fixed.pop(parameter, None)
                locals_.enter_context(own_local(code, parameter))
                lines.append(code.write(parameter, value))
        lines.append(code.value(statement.value))
    code.fixed.clear()
    code.fixed.update(outer)
    return " ".join(lines)
