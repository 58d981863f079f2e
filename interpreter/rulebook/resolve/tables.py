"""Orders and tables: values for members, written out in the file."""

from __future__ import annotations

import re
from collections.abc import Sequence as List

from rulebook import nodes as n
from rulebook import parse
from rulebook.diagnostics import Fix, Problems
from rulebook.document import Mapping, Node, Scalar, Sequence
from rulebook.kinds import FLAG, Enumeration, Kind, Members, NumberRange, Numbers
from rulebook.suggest import closest
from rulebook.terms import Table

_NUMBER = re.compile(r"-?[0-9]{1,7}")
MAX_ROWS = 1000
Index = Enumeration | NumberRange


def number_text(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None


def read_order(
    name: str,
    key: Scalar,
    members: List[Scalar],
    kinds: dict[str, Enumeration],
    problems: Problems,
    blind: bool = False,
) -> Table | None:
    """An order gives each member its position, the lowest 0. It lists every member once."""
    if not members:
        return None
    texts = [member.text for member in members]
    kind = max(kinds.values(), key=lambda kind: len(set(kind.members) & set(texts)))
    if blind and not set(kind.members) & set(texts):
        return None  # The members could not be read.
    positions: dict[str, int] = {}
    for position, member in enumerate(members):
        if member.text not in kind.members:
            _unknown_member(member, kind, problems)
        elif member.text in positions:
            problems.add("duplicate-name", f"`{member.text}` stands twice here", member.span)
        positions.setdefault(member.text, position)
    missing = [member for member in kind.members if member not in positions]
    # A misspelt member has been told, and is not missing as well.
    if missing and positions.keys() <= set(kind.members):
        problems.add(
            "incomplete-order",
            f"the order `{name}` leaves out {_and(missing)}",
            key.span,
            help="list every member once, the lowest first",
        )
    values = tuple(positions.get(member, 0) for member in kind.members)
    return Table(name, (kind,), Numbers(0, max(len(members) - 1, 0)), values, key.span)


def read_table(
    name: str, key: Scalar, entry: Mapping, kinds: dict[str, Enumeration], problems: Problems
) -> Table | None:
    of, rows = entry.get("of"), entry.get("is")
    indexes = [_index(item, kinds, problems) for item in _items(of)]
    if not indexes or any(index is None for index in indexes) or not isinstance(rows, Mapping):
        return None
    found: list[Index] = [index for index in indexes if index is not None]
    if any(isinstance(index, Enumeration) and not index.size for index in found):
        return None  # The members could not be read.
    cells: dict[tuple[int, ...], Scalar] = {}
    before = len(problems)
    _collect(rows, found, (), cells, problems)
    misspelt = len(problems) > before
    other = entry.get("else")
    default = other if isinstance(other, Scalar) else None
    kind = _value_kind([*cells.values(), *([default] if default else [])], kinds, problems)
    if kind is None:
        return None
    values: list[int] = []
    missing: list[str] = []
    for place in _places(found):
        scalar = cells.get(place, default)
        if scalar is None:
            missing.append(" ".join(_label(i, p) for i, p in zip(found, place, strict=True)))
        values.append(0 if scalar is None else _value(scalar, kind))
    if missing and not misspelt:
        problems.add(
            "incomplete-table",
            f"the table `{name}` has no value for {_and(missing)}",
            key.span,
            help="add the missing rows, or `else:` with a value for all others",
        )
    return Table(name, tuple(found), kind, tuple(values), key.span)


def _items(node: Node | None) -> list[Scalar]:
    if isinstance(node, Scalar):
        return [node]
    if isinstance(node, Sequence):
        return [item for item in node.items if isinstance(item, Scalar)]
    return []


def _index(scalar: Scalar, kinds: dict[str, Enumeration], problems: Problems) -> Index | None:
    spec = parse.read_each(scalar, problems)
    if isinstance(spec, n.KindRange):
        if not 0 <= spec.high - spec.low < MAX_ROWS or spec.step != 1:
            wanted = f"a range of 1 to {MAX_ROWS} numbers without a step is wanted here"
            problems.add("bad-range", wanted, scalar.span)
            return None
        return NumberRange(spec.low, spec.high)
    if spec is None:
        return None
    if spec.name in kinds:
        return kinds[spec.name]
    near = closest(spec.name, kinds)
    problems.add(
        "unknown-kind",
        f"there is no kind `{spec.name}`",
        scalar.span,
        help=f"write `{near[0]}`" if near else "",
    )
    return None


def _collect(
    rows: Mapping,
    indexes: list[Index],
    place: tuple[int, ...],
    cells: dict[tuple[int, ...], Scalar],
    problems: Problems,
) -> None:
    for entry in rows.entries.values():
        position = _position(entry.key, indexes[0], problems)
        if position is None:
            continue
        if len(indexes) == 1 and isinstance(entry.value, Scalar):
            cells[(*place, position)] = entry.value
        elif len(indexes) > 1 and isinstance(entry.value, Mapping):
            _collect(entry.value, indexes[1:], (*place, position), cells, problems)
        else:
            wanted = "a row of values" if len(indexes) > 1 else "one value"
            problems.add("wrong-shape", f"{wanted} is wanted here", entry.value.span)


def _position(key: Scalar, index: Index, problems: Problems) -> int | None:
    if isinstance(index, NumberRange):
        if number_text(key.text) and index.low <= int(key.text) <= index.high:
            return int(key.text) - index.low
        problems.add("bad-row", f"`{key.text}` is not in {index.low}..{index.high}", key.span)
        return None
    if key.text in index.members:
        return index.members.index(key.text)
    _unknown_member(key, index, problems)
    return None


def _unknown_member(scalar: Scalar, kind: Enumeration, problems: Problems) -> None:
    near = closest(scalar.text, kind.members)
    problems.add(
        "unknown-member",
        f"there is no {kind.name} `{scalar.text}`",
        scalar.span,
        help=f"write `{near[0]}`" if near else f"the members are {_and(list(kind.members))}",
        fix=Fix(scalar.body, near[0]) if near else None,
    )


def _places(indexes: list[Index]) -> list[tuple[int, ...]]:
    places: list[tuple[int, ...]] = [()]
    for index in indexes:
        size = index.size
        places = [(*place, position) for place in places for position in range(size)]
    return places


def _label(index: Index, position: int) -> str:
    return str(index.low + position) if isinstance(index, NumberRange) else index.members[position]


def _value_kind(
    cells: list[Scalar], kinds: dict[str, Enumeration], problems: Problems
) -> Kind | None:
    """The one kind that all values have."""
    if not cells:
        return None
    texts = {cell.text for cell in cells}
    if all(number_text(text) for text in texts):
        return Numbers(min(map(int, texts)), max(map(int, texts)))
    if texts <= {"yes", "no"}:
        return FLAG
    for kind in kinds.values():
        if texts - {"none"} <= set(kind.members) and texts != {"none"}:
            return Members(kind, "none" in texts)
    best = max(kinds.values(), key=lambda kind: len(texts & set(kind.members)))
    for cell in cells:
        if cell.text not in best.members and cell.text != "none":
            if texts & set(best.members):
                _unknown_member(cell, best, problems)
            else:
                problems.add(
                    "bad-value", f"`{cell.text}` is neither a number nor a member", cell.span
                )
    return None


def _value(scalar: Scalar, kind: Kind) -> int:
    if isinstance(kind, Numbers):
        return int(scalar.text)
    if isinstance(kind, Members):
        members = kind.enumeration.members
        return members.index(scalar.text) if scalar.text in members else -1
    return int(scalar.text == "yes")


def _and(words: list[str]) -> str:
    quoted = [f"`{word}`" for word in words[:5]]
    if len(words) > 5:
        return ", ".join(quoted) + f" and {len(words) - 5} more"
    return ", ".join(quoted[:-1]) + " and " + quoted[-1] if len(quoted) > 1 else quoted[0]
