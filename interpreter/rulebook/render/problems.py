"""Problems as text for people, one line each for tools, or JSON for programs."""

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, assert_never

from ..diagnostics import Fix, Problem
from ..source import Span

Format = Literal["full", "concise", "json"]

# Excerpts of longer lines are cut to about this many cells around the carets.
MAX_WIDTH = 100
TAB = 4

_COLOURS = {
    "error": "\x1b[1;31m",
    "warning": "\x1b[1;33m",
    "gutter": "\x1b[34m",
    "other": "\x1b[34m",
    "bold": "\x1b[1m",
}
_RESET = "\x1b[0m"
# Control characters and those that reorder what stands around them.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def render(problems: Iterable[Problem], format: Format = "full", colour: bool = False) -> str:
    """All problems, in the order given, without a final newline; "" for none (JSON: `[]`).

    `colour` adds terminal colours to the full format.
    """
    match format:
        case "full":
            return "\n\n".join(_full(problem, colour) for problem in problems)
        case "concise":
            return "\n".join(_concise(problem) for problem in problems)
        case "json":
            return json.dumps([_object(problem) for problem in problems], indent=2)
        case _:
            assert_never(format)


def _concise(problem: Problem) -> str:
    place = ""
    if problem.span:
        place = f"{_place(problem.span)}: "
    return _safe(f"{place}{problem.severity}[{problem.slug}] {problem.message}")


def _place(span: Span) -> str:
    return f"{span.source.path}:{span.line}:{span.column}"


def _object(problem: Problem) -> dict[str, Any]:
    return {
        **_range(problem.span),
        "slug": problem.slug,
        "severity": problem.severity,
        "message": problem.message,
        "label": problem.label,
        "help": problem.help,
        "fix": _fix(problem.fix),
        "others": [{**_range(other.span), "text": other.text} for other in problem.others],
    }


def _range(span: Span | None) -> dict[str, Any]:
    if span is None:
        return dict.fromkeys(("path", "line", "column", "end_line", "end_column"))
    end_line, end_column = span.source.position(span.end)
    return {
        "path": span.source.path,
        "line": span.line,
        "column": span.column,
        "end_line": end_line,
        "end_column": end_column,
    }


def _fix(fix: Fix | None) -> dict[str, Any] | None:
    return {**_range(fix.span), "text": fix.text} if fix else None


@dataclass(frozen=True, slots=True)
class _Mark:
    """Part of one line to underline: `start` and `end` are columns from 0 in its characters."""

    line: int
    start: int
    end: int
    text: str
    main: bool


def _full(problem: Problem, colour: bool) -> str:
    def paint(text: str, style: str) -> str:
        return f"{_COLOURS[style]}{text}{_RESET}" if colour and text else text

    head = paint(f"{problem.severity}[{problem.slug}]", problem.severity)
    lines = [f"{head}: {paint(_safe(problem.message), 'bold')}"]
    marks = [(problem.span, problem.label, True)] if problem.span else []
    marks += [(other.span, other.text, False) for other in problem.others]
    # The main file comes first; other files follow in the order of their labels.
    files = dict.fromkeys(span.source for span, _, _ in marks)
    numbers = [span.line for span, _, _ in marks]
    gutter = len(str(max(numbers, default=1)))
    for source in files:
        own = [mark for mark in marks if mark[0].source == source]
        lead = next((mark for mark in own if mark[2]), own[0])[0]
        arrow = "-->" if source is next(iter(files)) else ":::"
        if not source.text:
            lines.append(f"{' ' * gutter}{paint(arrow, 'gutter')} {_safe(source.path)}")
            continue
        lines.append(f"{' ' * gutter}{paint(arrow, 'gutter')} {_safe(_place(lead))}")
        lines.append(paint(f"{' ' * gutter} |", "gutter"))
        shown = sorted((_mark(*mark) for mark in own), key=lambda mark: (mark.line, mark.main))
        last = 0
        for mark in shown:
            if last and mark.line > last + 1:
                lines.append(paint(f"{' ' * gutter} :", "gutter"))
            text, under = _excerpt(source.line_text(mark.line), mark)
            if mark.line != last:
                number = paint(f"{mark.line:>{gutter}} |", "gutter")
                lines.append(f"{number} {text}".rstrip())
            style = problem.severity if mark.main else "other"
            bar = paint(f"{' ' * gutter} |", "gutter")
            space = len(under) - len(under.lstrip())
            lines.append(f"{bar} {under[:space]}{paint(under[space:], style)}")
            last = mark.line
    edge = paint(f"{' ' * gutter} =", "gutter")
    if any(source.text for source in files):
        lines.append(paint(f"{' ' * gutter} |", "gutter"))
    if problem.help:
        lines.append(f"{edge} {paint('help:', 'bold')} {_safe(problem.help)}")
    lines.append(f"{edge} {paint('more:', 'bold')} rulebook explain {problem.slug}")
    return "\n".join(lines)


def _mark(span: Span, text: str, main: bool) -> _Mark:
    """A span's underline; one over several lines is underlined to the end of its first."""
    line, column = span.source.position(span.start)
    end_line, end_column = span.source.position(span.end)
    length = len(span.source.line_text(line))
    end = end_column - 1 if end_line == line else length
    return _Mark(line, column - 1, max(min(end, length), column), text, main)


def _excerpt(line: str, mark: _Mark) -> tuple[str, str]:
    """A line as shown and the line of carets below it, cut around the carets if too long."""
    if _cells(line) > MAX_WIDTH:
        # Keep about a third in front of the carets, so that what leads to them can be read.
        first = max(0, mark.start - MAX_WIDTH // 3)
        if first < 8:
            first = 0
        after = first + MAX_WIDTH - 6
        head, tail = "..." if first else "", "..." if after < len(line) else ""
        shift = len(head) - first
        end = min(mark.end, max(after, mark.start + 1))
        line = head + line[first:after] + tail
        mark = _Mark(mark.line, mark.start + shift, end + shift, mark.text, mark.main)
    before = _cells(line[: mark.start])
    width = max(_cells(line[: mark.end]) - before, 1)
    sign = "^" if mark.main else "-"
    under = f"{' ' * before}{sign * width} {_safe(mark.text)}".rstrip()
    return _safe(line.expandtabs(TAB) if line.isascii() else _expand(line)), under


def _expand(line: str) -> str:
    """Tabs as spaces, counted in cells rather than characters."""
    shown, cells = "", 0
    for character in line:
        if character == "\t":
            width = TAB - cells % TAB
            shown += " " * width
        else:
            width = _width(character)
            shown += character
        cells += width
    return shown


def _cells(text: str) -> int:
    if text.isascii() and "\t" not in text:
        return len(text)
    cells = 0
    for character in text:
        cells += TAB - cells % TAB if character == "\t" else _width(character)
    return cells


def _width(character: str) -> int:
    if unicodedata.combining(character) or character in "\u200b\u200c\u200d\ufe0e\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _safe(text: str) -> str:
    return _UNSAFE.sub("\ufffd", text)
