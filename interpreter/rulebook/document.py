"""Strict YAML: one document of scalars, lists and mappings, each with its place in the file.

Everything is text: `no`, `10` and `1:30` are the characters that stand there. Anchors, aliases,
tags and merge keys are refused, so what is read is never larger than the file.

The whole file is read at once where its YAML is sound. Where it is not, it is cut at the lines
of one indentation, and each piece is read alone (and cut again, if it is faulty too), so that a
fault hides no other. What could not be read is remembered in `Mapping.broken`: later passes must
not report it as missing.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator

import yaml

from .bars import Bars, take_out
from .diagnostics import Problems
from .source import Source, Span, clean_text
from .yaml_faults import TooDeep, report_fault
from .yaml_nodes import (
    Builder,
    Entry,
    Mapping,
    Node,
    Scalar,
    Sequence,
    enter,
    line_of,
    odd_spaces,
    start_of,
)

__all__ = ["Entry", "Mapping", "Node", "Scalar", "Sequence", "read_document"]

MAX_DEPTH = 60
# Pieces are cut again at the indentation of their children this often.
MAX_CUTS = 4
# After this many faults nobody reads on, and the file is likely not a rule file at all.
MAX_FAULTS = 100
# The loader written in Python explains faults best but is slow: larger pieces do without.
MAX_EXPLAINED = 60_000

# A key that is given twice is read once, and text without its `|` as if it were there.
HARMLESS = ("duplicate-key", "missing-bar")

_FAST = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FAULTS = (yaml.YAMLError, ValueError, OverflowError, TooDeep)
_KEY = re.compile(r"""[ ]*("[^"\n]*"|'[^'\n]*'|[^\s:#'"\[\]{}][^\n]*?)[ ]*:(?=[ \r\n]|$)""")
_WORD = re.compile(r"[ ]*([a-z0-9_]+)")
_BARE = re.compile(r"[ \t]*(#[^\n]*)?\r?\n")


def read_document(source: Source, problems: Problems) -> Mapping | None:
    """Read the one mapping that a rule file is; every fault becomes a problem.

    None where nothing of it can be used.
    """
    if not clean_text(source, problems):
        return None
    try:
        root = _Reader(source, take_out(source, problems), problems).read(0, len(source.text), 0)
    except _TooManyFaults:
        return None
    if root is None:
        if not problems.errors:
            problems.add(
                "empty-file",
                "the file holds no rules",
                Span(source, 0, 0),
                help="begin with `rulebook: 1` and `game:`",
            )
        return None
    if isinstance(root, Mapping):
        _note_faults(root, source, problems)
        return root if root.entries or not problems.errors else None
    shape = "a list" if isinstance(root, Sequence) else "one text"
    problems.add(
        "not-a-mapping",
        f"the file is {shape}, where a rule file is made of entries such as `game: A Name`",
        line_of(root.span),
        help="write a name, a colon and a value on each line",
    )
    return None


def _note_faults(root: Mapping, source: Source, problems: Problems) -> None:
    """Note the entries of the file in which a fault stands, though the rest was read."""
    entries = sorted(root.entries.values(), key=lambda entry: entry.key.span.start)
    starts = [entry.key.span.start for entry in entries]
    for problem in problems:
        if problem.span and problem.span.source is source and problem.slug not in HARMLESS:
            position = bisect_right(starts, problem.span.start) - 1
            if position >= 0:
                root.faulty.add(entries[position].key.text)


class _TooManyFaults(Exception):
    """Raised to read no further."""


class _Reader:
    """Reads pieces of one source: events, then nodes; or, after a fault, smaller pieces."""

    def __init__(self, source: Source, bars: Bars, problems: Problems) -> None:
        self.source = source
        self.bars = bars
        self.text = bars.text
        self.problems = problems
        self.full = len(problems) + MAX_FAULTS

    def builder(self, start: int) -> Builder:
        return Builder(self.source, self.problems, start, self.bars.bodies)

    def read(self, start: int, end: int, cuts: int) -> Node | None:
        """The node that a piece holds; None for nothing or, with a problem added, a fault."""
        text = self.text[start:end]
        fault: Exception
        try:
            return self.builder(start).build(_events(text, _FAST))
        except _FAULTS as error:
            fault = error
        before = len(self.problems)
        pieces = list(_pieces(self.text, start, end)) if cuts < MAX_CUTS else []
        if len(pieces) > 1:
            mapping = self._read_pieces(pieces, cuts)
            if len(self.problems) > before:
                return mapping
        elif pieces:
            below = self._read_below(pieces[0], cuts)
            if below and len(self.problems) > before:
                return below
        if len(text) <= MAX_EXPLAINED:
            try:
                events = _events(text, yaml.SafeLoader)
            except (yaml.YAMLError, TooDeep) as error:
                fault = error
            except (ValueError, OverflowError):
                pass  # An escape or a number out of range, without a place: the first fault has it.
            else:
                return self.builder(start).build(events)
        report_fault(fault, self.source, start, end, self.problems)
        return None

    def _read_pieces(self, pieces: list[tuple[int, int]], cuts: int) -> Mapping:
        whole = Mapping({}, Span(self.source, pieces[0][0], pieces[-1][1]))
        for start, end in pieces:
            if len(self.problems) >= self.full:
                raise _TooManyFaults
            before = len(self.problems)
            node = self.read(start, end, cuts)
            if isinstance(node, Mapping):
                for entry in node.entries.values():
                    enter(whole, entry, self.problems)
                whole.broken |= node.broken
                continue
            key = _KEY.match(self.text, start, end)
            key = key or _WORD.match(self.text, start, end)
            if key:
                whole.broken.add(key[1].strip("'\""))
            if isinstance(node, Sequence):
                self.problems.add(
                    "misplaced-item",
                    "a list item stands among entries that are no list",
                    line_of(node.span),
                    help="write a name and a colon, or give all of them a `-`",
                )
            elif node is not None and len(self.problems) == before:
                line = line_of(node.span)
                self.problems.add(
                    "missing-colon",
                    "this line has no colon after its name",
                    line,
                    help=odd_spaces(line.text) or "write a name, a colon and a value",
                )
        return whole

    def _read_below(self, piece: tuple[int, int], cuts: int) -> Mapping | None:
        """A faulty entry whose value begins on the next line: read that value in pieces."""
        text, (start, end) = self.text, piece
        head = _KEY.match(text, start, end)
        bare = _BARE.match(text, head.end(), end) if head else None
        if not head or not bare:
            return None
        # The rest must hold several entries, or cutting it explains nothing.
        below = list(_pieces(text, bare.end(), end))
        if len(below) < 2 and not (below and _KEY.match(text, *below[0])):
            return None
        value = self.read(bare.end(), end, cuts + 1)
        header = self.read(start, bare.end(), MAX_CUTS)
        if not isinstance(header, Mapping):
            return None
        for key, entry in list(header.entries.items()):
            if isinstance(value, Mapping):
                header.entries[key] = Entry(entry.key, value)
            else:
                del header.entries[key]
                header.broken.add(key)
        return header


def _events(text: str, loader: type[yaml.SafeLoader]) -> list[yaml.Event]:
    """All events of a text; TooDeep or a YAML error where there is a fault."""
    depth = 0
    events: list[yaml.Event] = []
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise TooDeep(start_of(event))
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        events.append(event)
    return events


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut at the lines that have the indentation of the first one and may begin an entry."""
    begin, indent = -1, 0
    at = start
    while at < end:
        after = text.find("\n", at, end) + 1 or end
        line = text[at:after].rstrip("\r\n")
        content = line.lstrip(" ")
        if content and content[0] != "#":
            here = len(line) - len(content)
            marker = here == 0 and line.startswith(("---", "..."))
            if begin < 0 and not marker:
                begin, indent = at, here
            elif begin >= 0 and (marker or (here == indent and _begins(content))):
                yield begin, at
                begin = -1 if marker else at
            if marker and line[:3] == "---" and begin < 0 and _has_content(text, start, at):
                return
        at = after
    if begin >= 0:
        yield begin, end


def _begins(content: str) -> bool:
    return content[0] not in "]}," and content != "-" and not content.startswith("- ")


def _has_content(text: str, start: int, end: int) -> bool:
    return any(
        line.strip() and not line.lstrip().startswith(("#", "%"))
        for line in text[start:end].split("\n")
    )
