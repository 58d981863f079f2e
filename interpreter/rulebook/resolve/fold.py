"""Values known at compile time: what an expression is for each member that `where` may look at.

Only terms made of constants, tables, the member itself and definitions of one line fold; anything
that could fail at run time does not.
"""

from __future__ import annotations

from rulebook import terms as t
from rulebook.kinds import NumberRange
from rulebook.resolve.arithmetic import constant_fold

Env = dict[t.Variable, int]


def fold(term: t.Term, env: Env) -> int | None:
    """The term's value, or None if it depends on the state of play."""
    if isinstance(term, t.Constant):
        return term.value
    if isinstance(term, t.Read):
        return env.get(term.variable)
    if isinstance(term, t.Lookup):
        return _lookup(term, env)
    if isinstance(term, t.Need):
        value = fold(term.operand, env)
        return None if value is None or value < 0 else value
    if isinstance(term, t.Fit):
        value = fold(term.operand, env)
        return value if value is not None and term.low <= value <= term.high else None
    if isinstance(term, t.Not):
        value = fold(term.operand, env)
        return None if value is None else 1 - value
    if isinstance(term, t.Logic):
        return _logic(term, env)
    if isinstance(term, t.Compare):
        left, right = fold(term.left, env), fold(term.right, env)
        return None if left is None or right is None else int(compare(term.sign, left, right))
    if isinstance(term, t.Arithmetic):
        left, right = fold(term.left, env), fold(term.right, env)
        return None if left is None or right is None else constant_fold(term.sign, left, right)
    if isinstance(term, t.Contains):
        subject, item = fold(term.subject, env), fold(term.item, env)
        if subject is None or item is None:
            return None
        return int(item >= 0 and subject >> item & 1)
    if isinstance(term, t.IfElse):
        condition = fold(term.condition, env)
        return None if condition is None else fold(term.then if condition else term.other, env)
    if isinstance(term, t.Call):
        return _call(term, env)
    return None


def compare(sign: str, left: int, right: int) -> bool:
    return {
        "is": left == right,
        "is not": left != right,
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
    }[sign]


def _logic(term: t.Logic, env: Env) -> int | None:
    left = fold(term.left, env)
    if left is None:
        return None
    if term.word == "and" and not left:
        return 0
    if (term.word == "or" and left) or (term.word == "implies" and not left):
        return 1
    return fold(term.right, env)


def _lookup(term: t.Lookup, env: Env) -> int | None:
    position = 0
    for index, argument in zip(term.table.indexes, term.arguments, strict=True):
        value = fold(argument, env)
        if value is None:
            return None
        low = index.low if isinstance(index, NumberRange) else 0
        if value < low:
            return -1 if len(term.arguments) == 1 else None
        size = index.size
        position = position * size + value - low
    return term.table.values[position]


def _call(term: t.Call, env: Env) -> int | None:
    body = term.definition.body
    if len(body) != 1 or not isinstance(body[0], t.Return):
        return None
    inner: Env = {}
    for parameter, argument in zip(term.definition.parameters, term.arguments, strict=True):
        value = fold(argument, env)
        if value is not None:
            inner[parameter] = value
    return fold(body[0].value, inner)


def by_member(
    term: t.Term, variable: t.Variable, size: int, known: Env | None = None, first: int = 0
) -> list[int] | None:
    """The term's value for each member, from `first` on; None unless all are known."""
    values: list[int] = []
    for member in range(first, size):
        value = fold(term, {**(known or {}), variable: member})
        if value is None:
            return None
        values.append(value)
    return values


def reads(term: object, variable: t.Variable) -> bool:
    """Whether the value of the term depends on the variable."""
    from rulebook.walks import inside

    return any(isinstance(node, t.Read) and node.variable is variable for node in inside(term))


def total(term: object, seen: frozenset[t.Definition] = frozenset()) -> bool:
    """Whether evaluating the term never fails, so that it may be evaluated unasked."""
    from rulebook.walks import inside

    for node in inside(term):
        if isinstance(node, t.Need | t.Fit | t.RandomFrom | t.Can):
            return False
        if isinstance(node, t.Call):
            definition = node.definition
            body = definition.body
            single = len(body) == 1 and isinstance(body[0], t.Return)
            if not single or definition in seen or not total(body, seen | {definition}):
                return False
    return True


def steady(term: object) -> bool:
    """Whether the term, asked again, gives the same value: it may fail, but draws nothing."""
    from rulebook.walks import inside

    return not any(
        isinstance(node, t.RandomFrom | t.Can)
        or (isinstance(node, t.Call) and not steady(node.definition.body))
        for node in inside(term)
    )
