"""The nodes of a document, and how they are made of YAML events.

What YAML allows and rule files do not (aliases, tags, names without values, texts that a comma
or a comment has cut short) is reported here, and left out of the nodes.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

import yaml

from .diagnostics import Label, Problems
from .source import Source, Span, is_clean, line_end

Style = Literal["plain", "single", "double", "block", "folded"]

_STYLES: dict[str, Style] = {"'": "single", '"': "double", "|": "block", ">": "folded"}
# Spaces and joiners that look like a plain space or like nothing.
_ODD_SPACE = re.compile("[\u00a0\u2000-\u200d\u202f\u3000]")


@dataclass(frozen=True, slots=True)
class Scalar:
    """A text. `span` covers it as written; `body` is the part that may be rule text.

    Of a plain scalar the body is all of it; of a quoted one, what is inside the quotes; of a
    block, everything from the newline that ends its header line to the end of its last line
    that is not blank, with that line's newline if the file has one.
    """

    text: str
    span: Span
    body: Span
    style: Style
    multiline: bool


@dataclass(slots=True)
class Sequence:
    """A list."""

    items: list["Node"]
    span: Span


@dataclass(frozen=True, slots=True)
class Entry:
    """A key and its value."""

    key: Scalar
    value: "Node"


@dataclass(slots=True)
class Mapping:
    """Entries in the order of the file, by the text of their keys.

    `broken` holds the keys whose values could not be read; each has its problem already.
    `faulty` holds those (of the whole file only) in whose values something could not be read.
    """

    entries: dict[str, Entry]
    span: Span
    broken: set[str] = field(default_factory=set)
    faulty: set[str] = field(default_factory=set)

    def get(self, key: str) -> "Node | None":
        entry = self.entries.get(key)
        return entry.value if entry else None


Node = Scalar | Sequence | Mapping


def line_of(span: Span) -> Span:
    """From the beginning of a span to the end of that line's text."""
    return Span(span.source, span.start, line_end(span.source.text, span.start))


def start_of(event: yaml.Event) -> int:
    """Where an event begins in its piece; the loaders give every event both marks."""
    return event.start_mark.index if event.start_mark else 0


def end_of(event: yaml.Event) -> int:
    return event.end_mark.index if event.end_mark else 0


def odd_spaces(text: str) -> str:
    """Advice for text with spaces that only look like spaces; empty for all other text."""
    return "write plain spaces in place of the no-break spaces" if _ODD_SPACE.search(text) else ""


def enter(mapping: Mapping, entry: Entry, problems: Problems) -> None:
    """Add an entry; of two with one key the first is kept."""
    key = entry.key
    first = mapping.entries.get(key.text)
    if first is None:
        mapping.entries[key.text] = entry
        return
    problems.add(
        "duplicate-key",
        f"`{key.text}` is given twice",
        key.span,
        label="again here",
        others=(Label(first.key.span, "first here"),),
        help="keep one of the two",
    )


class Builder:
    """Turns the events of one sound piece into nodes and reports what YAML allows but we do not.

    `base` is where the piece begins in the source; `bodies` is rule text that was kept from YAML,
    by the offset at which its name ends.
    """

    def __init__(
        self, source: Source, problems: Problems, base: int, bodies: dict[int, Span | None]
    ) -> None:
        self.source = source
        self.problems = problems
        self.base = base
        self.bodies = bodies
        self.anchors: set[str] = set()

    def build(self, events: Iterable[yaml.Event]) -> Node | None:
        stream = iter(events)
        node: Node | None = None
        documents = 0
        for event in stream:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self.problems.add(
                        "several-documents",
                        "a second YAML document begins here",
                        self._span(start_of(event), end_of(event)),
                        help="remove the line; a rule file is one document",
                    )
                    return node
            elif isinstance(event, yaml.NodeEvent):
                node = self._node(event, stream, flow=False)
        return node

    def _span(self, start: int, end: int) -> Span:
        return Span(self.source, self.base + start, self.base + end)

    def _node(self, event: yaml.Event, stream: Iterator[yaml.Event], flow: bool) -> Node | None:
        """The node that an event begins; None, with a problem added, for what is refused."""
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self.anchors:
                self._refuse(event, "*", "an alias")
            return None
        self._properties(event)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, flow)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(event, stream, flow or bool(event.flow_style))
        assert isinstance(event, yaml.MappingStartEvent)
        return self._mapping(event, stream, flow or bool(event.flow_style))

    def _properties(self, event: yaml.Event) -> None:
        anchor: str | None = getattr(event, "anchor", None)
        if anchor is not None:
            self.anchors.add(anchor)
            self._refuse(event, "&", "an anchor")
        if getattr(event, "tag", None) is not None:
            self._refuse(event, "!", "a tag")

    def _refuse(self, event: yaml.Event, sign: str, what: str) -> None:
        at = self.base + start_of(event)
        end = _word_end(self.source.text, at)
        text = self.source.text[at:end]
        found = text.find(sign)
        if found > 0:
            at, text = at + found, text[found:]
        elif found < 0:
            # The sign stands after the other property (`!tag &anchor`).
            line = self.source.text[at : line_end(self.source.text, at)]
            at += max(line.find(sign), 0)
            end = _word_end(self.source.text, at)
            text = self.source.text[at:end]
        self.problems.add(
            f"yaml-{what.split()[-1]}",
            f"`{text}` is {what} in YAML, which rule files do not use",
            Span(self.source, at, end),
            help=f"put text that begins with `{sign}` in quotes"
            if sign == "!"
            else f"write the value out where it is needed; put text that begins with `{sign}` "
            "in quotes",
        )

    def _scalar(self, event: yaml.ScalarEvent, flow: bool) -> Scalar | None:
        text = self.source.text
        start, end = self.base + start_of(event), self.base + end_of(event)
        style: Style = _STYLES.get(event.style or "", "plain")
        if start == end:
            while start and text[start - 1] in " \t":
                start -= 1
            if text[start - 1 : start] == ":" and text[start : start + 1] == " ":
                start += 1
            end = start
        elif event.anchor is not None or event.tag is not None:
            start += _properties_length(text[start:end])
        body = Span(self.source, start, end)
        if style in ("block", "folded"):
            end = start + len(text[start:end].rstrip())
            begin = text.find("\n", start, end)
            if begin < 0:
                begin = end = line_end(text, start)
            elif text[begin - 1] == "\r":
                begin -= 1
            close = text.find("\n", end)
            rest = text[end : close if close >= 0 else len(text)]
            if not rest.strip():
                end = close + 1 if close >= 0 else len(text)
            body = Span(self.source, begin, end)
        elif style != "plain":
            body = Span(self.source, start + 1, max(start + 1, end - 1))
        span = Span(self.source, start, end)
        if style == "double" and not is_clean(event.value):
            self.problems.add(
                "bad-character",
                "an escape in this text stands for a character that rule files do not hold",
                span,
                help="remove it",
            )
            return None
        return Scalar(event.value, span, body, style, "\n" in text[start:end])

    def _sequence(
        self, event: yaml.SequenceStartEvent, stream: Iterator[yaml.Event], flow: bool
    ) -> Sequence:
        items: list[Node] = []
        last = end_of(event)
        for inner in stream:
            if isinstance(inner, yaml.SequenceEndEvent):
                if event.flow_style:
                    last = end_of(inner)
                break
            node = self._node(inner, stream, flow)
            last = end_of(inner)
            if node is None:
                continue
            last = node.span.end - self.base
            if flow and self._cut(node):
                continue
            items.append(node)
        return Sequence(items, self._span(start_of(event), last))

    def _mapping(
        self, event: yaml.MappingStartEvent, stream: Iterator[yaml.Event], flow: bool
    ) -> Mapping:
        mapping = Mapping({}, self._span(start_of(event), end_of(event)))
        last = end_of(event)
        bare = False
        for first in stream:
            if isinstance(first, yaml.MappingEndEvent):
                if event.flow_style:
                    last = max(last, end_of(first))
                break
            key = self._key(self._node(first, stream, flow))
            second = next(stream)
            value = self._node(second, stream, flow)
            last = value.span.end - self.base if value else end_of(second)
            if key is None:
                continue
            if value is None:
                mapping.broken.add(key.text)
                continue
            if key.span.end in self.bodies:
                body = self.bodies[key.span.end]
                if body is None:
                    mapping.broken.add(key.text)
                    continue
                value = Scalar(body.text, body, body, "block", True)
            entry = Entry(key, value)
            if flow and self._is_bare(entry):
                # Names alone in `{ }` get one message, at the first.
                if mapping.entries or mapping.broken:
                    self._comma(key.span)
                elif not bare:
                    self.problems.add(
                        "missing-colon",
                        f"`{key.text}` has no colon and no value",
                        key.span,
                        help="write a list in `[ ]`, names with values in `{ }`",
                    )
                bare = True
                continue
            if self._trapped(entry, flow, mapping):
                continue
            enter(mapping, entry, self.problems)
        mapping.span = self._span(start_of(event), last)
        return mapping

    def _key(self, node: Node | None) -> Scalar | None:
        if node is None:
            return None
        if not isinstance(node, Scalar) or node.style in ("block", "folded") or node.multiline:
            end = min(node.span.end, line_end(self.source.text, node.span.start))
            self.problems.add(
                "bad-key",
                "a name before a colon is one word or text, on one line",
                Span(self.source, node.span.start, end),
            )
            return None
        if not node.text:
            self.problems.add("bad-key", "the name before this colon is missing", node.span)
            return None
        if _ODD_SPACE.search(node.text):
            self.problems.add(
                "bad-key",
                f"the name `{node.text}` holds a no-break space",
                node.span,
                help=odd_spaces(node.text),
            )
            return None
        if node.text == "<<":
            self.problems.add(
                "yaml-merge",
                "`<<` merges mappings in YAML, which rule files do not use",
                node.span,
                help="write the entries out",
            )
            return None
        return node

    def _is_bare(self, entry: Entry) -> bool:
        """Whether an entry of `{ }` is a name alone, with no colon behind it."""
        value = entry.value
        between = self.source.text[entry.key.span.end : value.span.end + 1]
        return isinstance(value, Scalar) and value.span.text == "" and ":" not in between

    def _trapped(self, entry: Entry, flow: bool, mapping: Mapping) -> bool:
        """Whether an entry is what a YAML trap made of something else; then it is left out."""
        text, key, value = self.source.text, entry.key, entry.value
        if not isinstance(value, Scalar) or value.style != "plain":
            return False
        if flow and self._cut(value):
            mapping.broken.add(key.text)
            return True
        if not flow and _open_brackets(value):
            after = text[value.span.end : line_end(text, value.span.end)]
            if after.lstrip(" \t").startswith("#"):
                at = value.span.end + after.index("#")
                self._comment(Span(self.source, at, at + len(after.strip())))
                mapping.broken.add(key.text)
                return True
        if not value.text and (found := re.match(r"[ \t]*(#[^\s#]\S*)", text[key.span.end + 1 :])):
            at = key.span.end + 1 + found.start(1)
            self._comment(Span(self.source, at, at + len(found[1])))
            mapping.broken.add(key.text)
            return True
        return False

    def _comment(self, span: Span) -> None:
        self.problems.add(
            "comment-cuts-value",
            "the value ends here, since `#` after a space begins a comment",
            span,
            help="put the value in quotes, or rule text in a `|` block",
        )

    def _comma(self, span: Span) -> None:
        self.problems.add(
            "comma-cuts-value",
            f"the comma before `{span.text}` ends the value in front of it",
            span,
            help="put a value with a comma in quotes, or rule text on a line of its own",
        )

    def _cut(self, node: Node) -> bool:
        """Whether a comma of `[ ]` or `{ }` has cut this value; reported at what it cut off."""
        if not _open_brackets(node):
            return False
        text, end = self.source.text, node.span.end
        found = re.compile(r"\s*,\s*([^,\[\]{}\n]+)").match(text, end)
        if not found:
            return False
        self._comma(Span(self.source, found.start(1), found.start(1) + len(found[1].rstrip())))
        return True


def _open_brackets(node: Node) -> bool:
    """Whether a plain text opens a parenthesis or a quoted text that it does not close."""
    if not isinstance(node, Scalar) or node.style != "plain":
        return False
    return node.text.count("(") > node.text.count(")") or node.text.count('"') % 2 == 1


def _word_end(text: str, at: int) -> int:
    found = re.compile(r"[\s,\]}]").search(text, at + 1)
    return found.start() if found else len(text)


def _properties_length(text: str) -> int:
    found = re.match(r"([&!]\S*\s+)+", text)
    return found.end() if found else 0
