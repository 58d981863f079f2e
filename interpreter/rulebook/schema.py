"""The structure of a rule file: its JSON Schema, with the faults in words for people.

The schema says which entries there are and whether each is a text, a list or a mapping; what
the texts mean is for later passes. Its `title`s are written to follow "wants".
"""

import json
import re
from collections.abc import Iterable, Iterator
from collections.abc import Sequence as AnySequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from .diagnostics import Fix, Problems
from .document import Mapping, Node, Scalar, Sequence
from .resources import grammar
from .source import Span
from .suggest import closest

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator, ValidationError

Path = tuple[str | int, ...]

NAME = "a name has small letters, digits and `_`, and begins with a letter"
# A list of everything that may stand in a place helps only while it can be taken in.
MAX_LISTED = 12
# After this many problems nobody reads on.
MAX_PROBLEMS = 100


@dataclass(frozen=True, slots=True)
class _Fault:
    """What one keyword of the schema found: `wanted` is the keyword's value there.

    `of_name` tells that it is about a key of the mapping at `path`, which is then `instance`.
    """

    path: Path
    keyword: str
    wanted: Any
    instance: Any
    schema: dict[str, Any]
    of_name: bool

    @property
    def title(self) -> str:
        return str(self.schema.get("title", ""))


def validate_structure(document: Mapping, problems: Problems, part: bool = False) -> None:
    """Hold a document against the schema; every fault becomes a problem at its place.

    A `part` (a file that others take in with `uses`) need not be a whole game.
    """
    missing: dict[Path, list[str]] = {}
    lonely: list[tuple[Path, str, str]] = []
    meant: dict[Path, set[str]] = {}
    for fault in _faults(_validator().iter_errors(_plain(document))):
        if len(problems) > MAX_PROBLEMS:
            return
        path = fault.path
        node = _find(document, path)
        if fault.keyword == "required":
            if path or not part:
                names = missing.setdefault(path, [])
                names.extend(
                    name
                    for name in fault.wanted
                    if name not in fault.instance and name not in names
                )
        elif fault.keyword == "dependentRequired":
            lonely += [
                (path, key, name)
                for key, names in fault.wanted.items()
                for name in names
                if key in fault.instance and name not in fault.instance
            ]
        elif fault.keyword == "additionalProperties" and isinstance(node, Mapping):
            meant[path] = _unknown_keys(fault, node, problems)
        else:
            _explain(fault, document, node, problems)
    # What is misspelt or could not be read is not missing.
    for path, key, name in lonely:
        if name not in _present(document, path) | meant.get(path, set()):
            problems.add(
                "missing-key",
                f"`{key}` stands without `{name}`",
                _key_span(document, (*path, key)),
                help=f"add `{name}:`, or remove `{key}:`",
            )
    for path, names in missing.items():
        if not path and "extends" in _present(document, path) | meant.get(path, set()):
            names = [name for name in names if name in ("rulebook", "game")]
        there = _present(document, path) | meant.get(path, set())
        _missing_keys([name for name in names if name not in there], document, path, problems)


@cache
def _validator() -> "Draft202012Validator":
    # Imported here: it takes longer than all else that reads a file.
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(grammar("rulefile.schema.json")))


def _plain(node: Node) -> Any:
    """The node as dicts, lists and texts; numbers and truth values stay texts."""
    if isinstance(node, Mapping):
        return {key: _plain(entry.value) for key, entry in node.entries.items()}
    if isinstance(node, Sequence):
        return [_plain(item) for item in node.items]
    return node.text


def _find(document: Mapping, path: Iterable[str | int]) -> Node:
    node: Node = document
    for step in path:
        if isinstance(node, Mapping):
            node = node.entries[str(step)].value
        elif isinstance(node, Sequence):
            node = node.items[int(step)]
    return node


def _present(document: Mapping, path: Path) -> set[str]:
    """The keys of a mapping, whether their values could be read or not."""
    node = _find(document, path)
    return node.broken | set(node.entries) if isinstance(node, Mapping) else set()


def _faults(errors: Iterable["ValidationError"]) -> Iterator[_Fault]:
    """The errors, with those of an `anyOf` in place of it where one branch is clearly meant.

    A branch is meant if it wants the shape that stands there: then only its details are wrong.
    """
    for error in errors:
        schema = error.schema if isinstance(error.schema, dict) else {}
        # The schema has untitled ones only where one of several keys must be there.
        if error.validator == "anyOf" and "title" in schema:
            branches: dict[int, list[ValidationError]] = {}
            for inner in error.context or ():
                branches.setdefault(int(inner.relative_schema_path[0]), []).append(inner)
            fitting = [branch for branch in branches.values() if not any(map(_of_shape, branch))]
            if len(fitting) == 1:
                yield from _faults(fitting[0])
                continue
        yield _Fault(
            tuple(error.absolute_path),
            str(error.validator),
            error.validator_value,
            error.instance,
            schema,
            "propertyNames" in list(error.relative_schema_path)[-3:],
        )


def _of_shape(error: "ValidationError") -> bool:
    return error.validator == "type" and not error.relative_path


ELSEWHERE = {
    **dict.fromkeys(("values", "choices"), ("choose",)),
    **dict.fromkeys(("type", "range"), ("is",)),
    **dict.fromkeys(("visible", "visible to", "visible_to", "visibility", "seen"), ("seen by",)),
    **dict.fromkeys(("description", "info", "comment"), ("about",)),
    **dict.fromkeys(("condition", "requires", "only if"), ("if", "when")),
    **dict.fromkeys(("start", "initial", "begins"), ("starts",)),
    **dict.fromkeys(("effect", "action"), ("do",)),
    **dict.fromkeys(("message", "text"), ("say",)),
    **dict.fromkeys(("per", "owner"), ("each",)),
    **dict.fromkeys(("name", "title"), ("game",)),
    **dict.fromkeys(("author", "authors"), ("credits",)),
    **dict.fromkeys(("functions", "definitions"), ("define",)),
    **dict.fromkeys(("actions",), ("moves",)),
    **dict.fromkeys(("phases", "rules", "flow"), ("steps",)),
    **dict.fromkeys(("tests", "cases"), ("examples",)),
    **dict.fromkeys(("expected", "result"), ("expect",)),
    "then": ("do", "expect"),
    **dict.fromkeys(("setup", "situation"), ("given",)),
}
"""Words for keys that people bring along, and what they are called here."""


def _unknown_keys(fault: _Fault, node: Mapping, problems: Problems) -> set[str]:
    """Report the keys that the schema does not know; return what they seem to stand for."""
    known = list(fault.schema.get("properties", {}))
    patterns = fault.schema.get("patternProperties", {})
    meant: set[str] = set()
    where = f"`{_name(fault.path)}`" if fault.path else "a rule file"
    stray = False
    for key, entry in node.entries.items():
        if key in known or any(re.search(pattern, key) for pattern in patterns):
            # Names that follow a name without a value were meant to be indented below it: the
            # missing value is the one mistake.
            stray = isinstance(entry.value, Scalar) and not entry.value.text
            continue
        if stray or len(problems) > MAX_PROBLEMS:
            continue
        span = entry.key.span
        free = [name for name in known if name not in node.entries]
        near = closest(key, free)
        found = near or [name for name in ELSEWHERE.get(key, ()) if name in free]
        if found:
            meant.add(found[0])
            help, fix = f"write `{found[0]}`", Fix(span, found[0]) if near else None
        else:
            listed = free if len(free) <= MAX_LISTED else []
            help, fix = f"what may stand here: {_list(listed)}" if listed else "", None
        problems.add(
            "unknown-key",
            f"{where} has no entry called `{_short(key)}`",
            span,
            label="not an entry",
            help=help,
            fix=fix,
        )
    node.broken |= meant if fault.path else set()
    return meant


def _missing_keys(
    names: AnySequence[str], document: Mapping, path: Path, problems: Problems
) -> None:
    if not names:
        return
    where = f"`{_name(path)}`" if path else "the file"
    problems.add(
        "missing-key",
        f"{where} has no {_list(names, 'and no')}",
        _key_span(document, path),
        help=f"add {_list([f'{name}:' for name in names])}",
    )


def _explain(fault: _Fault, document: Mapping, node: Node, problems: Problems) -> None:
    """One fault that is not about which keys there are."""
    path = fault.path
    if fault.of_name:
        if isinstance(node, Mapping):
            _bad_name(fault, str(fault.instance), node.entries[fault.instance].key.span, problems)
    elif isinstance(node, Scalar) and not node.text:
        problems.add(
            "missing-value",
            f"{_place(path)} has no value",
            _key_span(document, path),
            help=_write(fault),
        )
    elif fault.keyword == "anyOf" and not fault.title:
        choices = [name for branch in fault.wanted for name in branch["required"]]
        if isinstance(node, Mapping) and not node.broken & set(choices):
            problems.add(
                "missing-key",
                f"{_place(path)} has neither {_list(choices, 'nor')}",
                _key_span(document, path),
                help=f"add {_list([f'{name}:' for name in choices], 'or')}",
            )
    elif fault.keyword in ("minItems", "maxItems") and isinstance(node, Sequence):
        _wrong_length(fault, node, problems)
    elif fault.keyword in ("enum", "pattern") and isinstance(node, Scalar):
        _bad_value(fault, node, problems)
    else:
        problems.add(
            "wrong-shape",
            f"{_place(path)} wants {fault.title or 'something else'}, and this is {_shape(node)}",
            node.span,
            help=_shaped(fault, node),
        )


ANSWERS = {
    **dict.fromkeys(("true", "on", "y", "1"), "yes"),
    **dict.fromkeys(("false", "off", "n", "0", "none"), "no"),
}


def _shaped(fault: _Fault, node: Node) -> str:
    if fault.wanted == "array" and isinstance(node, Scalar) and len(node.text) < 40:
        words = re.split(r"[, ]+(?:and )?", node.text)
        if {"to", "through", "-"} & {*words} or re.search(r"\w *(\.\.|-|–|…) *\w", node.text):
            return "write each of them, in the order from low to high, such as `[2, 3, 4]`"
        return f"write `[{', '.join(words)}]`"
    if fault.path and fault.path[-1] == "must" and isinstance(node, Scalar):
        return "write a sentence and a colon in front of it, such as `Follow suit if you can:`"
    return _write(fault)


def _write(fault: _Fault) -> str:
    if not fault.title:
        return ""
    below = fault.wanted == "object"
    return f"write {fault.title} {'below it, indented' if below else 'after the colon'}"


def _wrong_length(fault: _Fault, node: Sequence, problems: Problems) -> None:
    count = len(node.items)
    if not count:
        message = f"the list of {_place(fault.path)} is empty"
    else:
        limit = "at least" if fault.keyword == "minItems" else "at most"
        message = f"{_place(fault.path)} wants {limit} {fault.wanted} items, and has {count}"
    problems.add("wrong-shape", message, node.span)


def _bad_value(fault: _Fault, node: Scalar, problems: Problems) -> None:
    """A text that is none of a fixed choice or not written as it must be."""
    if fault.path == ("rulebook",):
        problems.add(
            "unknown-version",
            f"version `{_short(node.text)}` of the rule language is not known here",
            node.span,
            help="write `rulebook: 1`, or use a newer release of rulebook",
        )
        return
    if fault.title in ("a name", "a name or a number"):
        _bad_name(fault, node.text, node.span, problems)
        return
    choices = [value for value in fault.schema.get("enum", ()) if isinstance(value, str)]
    found = closest(node.text, choices)
    if set(choices) == {"yes", "no"}:
        found = [ANSWERS[node.text.lower()]] if node.text.lower() in ANSWERS else found
    elif range_ := re.fullmatch(r"(\d+) *(?:-|–|to|\.\.\.) *(\d+)", node.text):
        found = [f"{range_[1]}..{range_[2]}"]
    problems.add(
        "bad-value",
        f"{_place(fault.path)} wants {fault.title}, and this is `{_short(node.text)}`",
        node.span,
        help=f"write `{found[0]}`" if found else f"write {fault.title}",
        fix=Fix(node.body, found[0]) if found else None,
    )


def _bad_name(fault: _Fault, name: str, span: Span, problems: Problems) -> None:
    several = meant_range(name)
    if several and fault.path and isinstance(fault.path[-1], int):
        written = ", ".join(several)
        problems.add(
            "bad-name",
            f"`{_short(name)}` is not a name; a list has no ranges",
            span,
            help=f"write each: `{written}`",
            fix=Fix(span, written) if _in_brackets(span) else None,
        )
        return
    better = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    fits = re.fullmatch(fault.schema.get("pattern", r"(?!)"), better)
    problems.add(
        "bad-name",
        f"`{_short(name)}` is not a name that rule text can use"
        if name
        else "a name is missing here",
        span,
        help=f"write `{better}`: {NAME}" if fits and len(better) <= 40 else NAME,
    )


def meant_range(name: str) -> list[str]:
    """The numbers that `7..10`, written where names are listed, stands for; none for a name."""
    found = re.fullmatch(r"(\d{1,4}) *(?:\.\.\.?|-|–|to) *(\d{1,4})", name)
    numbers = range(int(found[1]), int(found[2]) + 1) if found else range(0)
    return [str(number) for number in numbers] if 1 < len(numbers) < 64 else []


def _in_brackets(span: Span) -> bool:
    """Whether an item stands in a list in brackets."""
    return span.source.text[: span.start].rstrip()[-1:] in ("[", ",")


def _key_span(document: Mapping, path: Path) -> Span:
    """The key that a path ends at; for an item of a list, the item; for the file, its first key."""
    if not path:
        first = next(iter(document.entries.values()), None)
        return first.key.span if first else document.span
    parent = _find(document, path[:-1])
    if isinstance(parent, Mapping):
        return parent.entries[str(path[-1])].key.span
    return _find(document, path).span


def _name(path: Path) -> str:
    return _short(next((step for step in reversed(path) if isinstance(step, str)), ""))


def _place(path: Path) -> str:
    if not path:
        return "the file"
    return f"`{_name(path)}`" if isinstance(path[-1], str) else f"an item of `{_name(path)}`"


def _shape(node: Node) -> str:
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list"
    return f"the text `{_short(node.text.strip())}`"


def _list(names: AnySequence[str], last: str = "and") -> str:
    quoted = [f"`{name}`" for name in names]
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} {last} {quoted[-1]}"


def _short(text: str) -> str:
    text = text.partition("\n")[0]
    return text if len(text) <= 40 else text[:37].rstrip() + "..."
