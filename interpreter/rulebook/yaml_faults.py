"""What PyYAML says about a faulty piece of a file, in words for people.

PyYAML tells where it gave up and what it was reading; the typical slips behind that are told
apart by the text around the place.
"""

import re
from dataclasses import dataclass

import yaml

from .diagnostics import Fix, Label, Problems
from .source import Source, Span, line_end


class TooDeep(Exception):
    """Collections nest deeper than a rule file may; `args[0]` is the offset in the piece."""


@dataclass(frozen=True, slots=True)
class _Fault:
    """A place of failure (`at`, its line from `line` to `line_end`) and what was begun at `begun`.

    Offsets are those of the source; `begun` is -1 where PyYAML names no beginning.
    """

    source: Source
    start: int
    end: int
    at: int
    begun: int
    said: str
    reading: str

    @property
    def text(self) -> str:
        return self.source.text

    @property
    def line(self) -> int:
        return self.text.rfind("\n", 0, self.at) + 1

    @property
    def line_end(self) -> int:
        """Where the line's text ends."""
        return line_end(self.text, self.at)

    @property
    def before(self) -> str:
        """The line's text in front of the place."""
        return self.text[self.line : self.at]

    @property
    def sign(self) -> str:
        return self.text[self.at : self.at + 1]

    def span(self, start: int, end: int) -> Span:
        """A place on one line, and not empty where that line has any text."""
        limit = line_end(self.text, start)
        return Span(self.source, start, max(start, min(end, limit)))


def report_fault(
    fault: Exception, source: Source, start: int, end: int, problems: Problems
) -> None:
    """Add the one problem that explains why the piece from `start` to `end` cannot be read."""
    if isinstance(fault, TooDeep):
        _too_deep(source, start + int(fault.args[0]), problems)
        return
    problem_mark = getattr(fault, "problem_mark", None)
    context_mark = getattr(fault, "context_mark", None)
    mark = problem_mark or context_mark
    at = min(start + mark.index, end) if mark else start
    begun = start + context_mark.index if context_mark else -1
    # The end of the text says nothing: stand on its last line instead.
    while at > start and at >= end and source.text[at - 1 : at].isspace():
        at, end = at - 1, end - 1
    said = (getattr(fault, "problem", None) or "") if isinstance(fault, yaml.YAMLError) else ""
    reading = getattr(fault, "context", None) or ""
    if "depth" in said or "depth" in reading:
        _too_deep(source, at, problems)
        return
    found = _Fault(source, start, end, at, begun, said, reading)
    for explain in (_quote, _bracket, _tab, _directive, _escape, _block, _property, _colon):
        if explain(found, problems):
            return
    for explain in (_special, _item, _after, _name, _indent):
        if explain(found, problems):
            return
    problems.add(
        "yaml-syntax",
        "the YAML cannot be read from here on",
        found.span(at, found.line_end),
        help="look for a missing quote, bracket or colon, or for a wrong indentation",
    )


def _too_deep(source: Source, at: int, problems: Problems) -> None:
    problems.add(
        "too-deep",
        "the entries are nested too deeply here",
        Span(source, at, min(at + 1, len(source.text))),
        help="rule files need a handful of levels; look for brackets that are not closed",
    )


def _quote(fault: _Fault, problems: Problems) -> bool:
    """A quoted text that does not end, or ends lines later than meant."""
    begun, text = fault.begun, fault.text
    if begun < 0 or text[begun : begun + 1] not in ("'", '"'):
        return False
    if "escape" in fault.said or "hexadecimal" in fault.said:
        return False
    sign = text[begun]
    if sign in text[begun + 1 : line_end(text, begun)] and "quoted" not in fault.reading:
        return False
    problems.add(
        "unclosed-quote",
        f"the quote `{sign}` that opens here is not closed on its line",
        fault.span(begun, begun + 1),
        help=f"close it with `{sign}`"
        + (", or write `''` for an apostrophe inside" if sign == "'" else ""),
    )
    return True


def _bracket(fault: _Fault, problems: Problems) -> bool:
    """Something wrong inside `[ ]` or `{ }`."""
    text, begun = fault.text, fault.begun
    if "flow node" in fault.reading:
        begun = _opener(text, fault.start, fault.at)
    if "flow" not in fault.reading or begun < 0 or text[begun : begun + 1] not in ("[", "{"):
        if fault.sign in ("]", "}") and "cannot start" not in fault.said and fault.said:
            problems.add(
                "unopened-bracket",
                f"this `{fault.sign}` closes nothing",
                fault.span(fault.at, fault.at + 1),
            )
            return True
        return False
    opening = text[begun]
    closing = "]" if opening == "[" else "}"
    lines = fault.line > begun
    ended = fault.at >= fault.end - 1 and fault.sign != closing
    if ended or (lines and re.match(r"[^\[\]{}\n]*:(\s|$)|\s*- ", text[fault.line : fault.end])):
        problems.add(
            "unclosed-bracket",
            f"the `{opening}` that opens here is never closed",
            fault.span(begun, begun + 1),
            help=f"close it with `{closing}`",
        )
    elif fault.sign in ("]", "}"):
        problems.add(
            "unclosed-bracket",
            f"`{fault.sign}` stands where `{closing}` would close the `{opening}`",
            fault.span(fault.at, fault.at + 1),
            others=(Label(fault.span(begun, begun + 1), "opened here"),),
        )
    elif fault.sign == ":":
        problems.add(
            "colon-in-value",
            f"a second colon stands in one value inside `{opening} {closing}`",
            fault.span(fault.at, fault.at + 1),
            help="write `,` in the place of `;`"
            if ";" in re.split(r"[,{\[]", fault.before)[-1]
            else "put a comma between entries, or the value in quotes",
        )
    elif "cannot start" in fault.said:
        return False
    else:
        problems.add(
            "missing-comma",
            f"this follows without a comma inside `{opening} {closing}`",
            fault.span(fault.at, _part_end(text, fault.at)),
            others=(Label(fault.span(begun, begun + 1), "opened here"),),
            help="put a comma in front of it, or the whole value in quotes",
        )
    return True


def _tab(fault: _Fault, problems: Problems) -> bool:
    """A tab where only spaces may stand: mostly in the indentation, or that of the line above."""
    first = fault.text.rfind("\n", 0, max(fault.line - 1, fault.start)) + 1
    if fault.sign == "\t":
        at = fault.at
    else:
        found = re.compile(r"^ *\t", re.MULTILINE).search(fault.text, first, fault.line_end)
        if not found:
            return False
        at = found.end() - 1
    end = at + len(fault.text[at:]) - len(fault.text[at:].lstrip("\t"))
    problems.add(
        "tab-indent",
        "a tab stands in the indentation of this line"
        if not fault.text[fault.text.rfind("\n", 0, at) + 1 : at].strip()
        else "a tab stands where only spaces may stand",
        fault.span(at, end),
        help="write spaces",
    )
    return True


def _directive(fault: _Fault, problems: Problems) -> bool:
    line = fault.start if fault.text[fault.start : fault.start + 1] == "%" else fault.line
    if fault.text[line : line + 1] != "%":
        return False
    problems.add(
        "special-start",
        "a line may not begin with `%`, which has a meaning in YAML",
        fault.span(line, line + 1),
        help="remove the line",
    )
    return True


def _escape(fault: _Fault, problems: Problems) -> bool:
    if fault.begun < 0 or fault.text[fault.begun : fault.begun + 1] != '"':
        return False
    at = fault.text.rfind("\\", fault.begun, fault.at + 1)
    if at < 0:
        return False
    problems.add(
        "bad-escape",
        f"`{fault.text[at : at + 2]}` stands for no character between double quotes",
        fault.span(at, at + 2),
        help="write `\\\\` for a backslash, or use single quotes",
    )
    return True


def _block(fault: _Fault, problems: Problems) -> bool:
    """A `|` or `>` with text on its own line, or less indented lines below it."""
    if "block scalar" not in fault.reading:
        return False
    sign = fault.text[fault.begun : fault.begun + 1]
    first = fault.text.rfind("\n", 0, fault.begun) + 1
    if fault.line > first:
        problems.add(
            "bad-indent",
            "the lines of this block are not indented alike",
            fault.span(fault.at, fault.line_end),
        )
    elif sign == ">":
        problems.add(
            "special-start",
            "a value may not begin with `>`, which has a meaning in YAML",
            fault.span(fault.begun, fault.begun + 1),
            help="put the value in quotes, or rule text in a `|` block",
        )
    else:
        problems.add(
            "text-beside-bar",
            "text stands on the line of the `|`",
            fault.span(fault.at, fault.line_end),
            help="begin the text on the next line, indented",
        )
    return True


def _property(fault: _Fault, problems: Problems) -> bool:
    """A value that begins with `*`, `&` or `!` but is no alias, anchor or tag either."""
    at = fault.begun if fault.begun >= 0 else fault.at
    sign = fault.text[at : at + 1]
    if sign not in ("*", "&", "!"):
        at, sign = fault.at, fault.sign
    # An alias or a tag may be read well, and only the text behind it fail.
    if behind := re.search(r"(?<!\S)([*&!])\S*[ ]*$", fault.before):
        at, sign = fault.line + behind.start(), behind[1]
    if sign not in ("*", "&", "!"):
        return False
    problems.add(
        "special-start",
        f"a value may not begin with `{sign}`, which has a meaning in YAML",
        fault.span(at, at + 1),
        help="put the value in quotes, or rule text in a `|` block",
    )
    return True


def _colon(fault: _Fault, problems: Problems) -> bool:
    """A colon where no name can end."""
    if "mapping values" not in fault.said:
        return False
    here = re.match(r"[^:#]*?:[ \t]+\S", fault.before)
    bare = re.match(r"[ ]*([a-z_][\w ]*?)[ ]+[{\[]", fault.before)
    if here and bare:
        begin = fault.line + bare.start(1)
        name = fault.span(begin, begin + len(bare[1]))
        problems.add(
            "missing-colon",
            f"`{bare[1]}` has no colon after it",
            name,
            help=f"write `{bare[1]}:`",
            fix=Fix(name, f"{bare[1]}:"),
        )
        return True
    if here:
        problems.add(
            "colon-in-value",
            "a second colon stands in one value",
            fault.span(fault.at, fault.at + 1),
            help="put the value in quotes, or rule text in a `|` block",
        )
        return True
    above = _line_above(fault)
    if above and ":" not in above.text:
        outside = _outside(fault, above)
        if outside:
            problems.add(
                "bad-indent",
                "this line is indented less than the block that it stands in",
                outside,
                help="give it the indentation of the line above",
            )
            return True
        word = re.fullmatch(r"[a-z][a-z0-9_]*", above.text)
        problems.add(
            "missing-colon",
            f"`{above.text}` has no colon after it",
            above,
            help=f"write `{above.text}:`" if word else "write a colon after its name",
            fix=Fix(above, f"{above.text}:") if word else None,
        )
    else:
        _deeper(fault, above, problems)
    return True


def _outside(fault: _Fault, last: Span) -> Span | None:
    """The first of the lines up to `last` that form one text, if it follows deeper ones.

    A line that is less indented than its block ends the block, and swallows what follows.
    """
    first = last
    while (above := _line_over(fault, first)) and ":" not in above.text:
        if above.column > first.column:
            return first if first.column < last.column or first is last else None
        first = above
    return None


def _deeper(fault: _Fault, above: Span | None, problems: Problems) -> None:
    begin = fault.line + len(fault.before) - len(fault.before.lstrip(" "))
    problems.add(
        "bad-indent",
        "this line is indented deeper than the entry above, which has its value already",
        fault.span(begin, fault.line_end),
        others=(Label(above, "the line above"),) if above else (),
        help="give both the same indentation",
    )


def _special(fault: _Fault, problems: Problems) -> bool:
    phrases = ("cannot start", "mapping keys are not", "node content")
    if not any(words in fault.said for words in phrases) or not fault.sign.strip():
        return False
    sign = "a backtick" if fault.sign == "`" else f"`{fault.sign}`"
    problems.add(
        "special-start",
        f"a value may not begin with {sign}, which has a meaning in YAML",
        fault.span(fault.at, fault.at + 1),
        help="put the value in quotes, or rule text in a `|` block",
    )
    return True


def _item(fault: _Fault, problems: Problems) -> bool:
    """A `-` where no list can begin."""
    if fault.sign != "-":
        return False
    if fault.before.strip():
        problems.add(
            "misplaced-item",
            "a list item stands on the line of its name",
            fault.span(fault.at, fault.at + 1),
            help="write a list as `[a, b]`, or each item on a line of its own",
        )
    else:
        problems.add(
            "misplaced-item",
            "a list item stands among entries that are no list",
            fault.span(fault.at, fault.line_end),
            help="write a name and a colon, or give all of them a `-`",
        )
    return True


def _after(fault: _Fault, problems: Problems) -> bool:
    """Text behind a quoted text or behind a bracket that has closed."""
    before = fault.before.rstrip()
    if before.endswith(("'", '"')):
        what = "the quoted text"
    elif before.endswith(("]", "}")):
        what = f"the `{before[-1]}`"
    else:
        return False
    problems.add(
        "text-after-value",
        f"the value ends with {what}, and more text follows",
        fault.span(fault.at, fault.line_end),
        help="put the whole value in quotes of the other kind"
        if before[-1] in "'\""
        else "put the whole value in quotes",
    )
    return True


def _name(fault: _Fault, problems: Problems) -> bool:
    """A line that is no entry: its name has no colon, or the colon no space."""
    if "could not find expected" not in fault.said:
        return False
    at = fault.begun if fault.begun >= 0 else fault.at
    end = line_end(fault.text, at)
    name = fault.text[at:end]
    tight = re.match(r"[a-z_0-9]+:(?=\S)", name)
    problems.add(
        "missing-colon",
        f"`{_short(name)}` is no entry, since no space follows its colon"
        if tight
        else f"`{_short(name)}` has no colon after its name",
        fault.span(at, end),
        help="write a name, a colon, a space and a value",
    )
    return True


def _indent(fault: _Fault, problems: Problems) -> bool:
    """A line whose indentation fits none of the entries that are open."""
    if fault.before.strip():
        return False
    if fault.sign == ":":
        problems.add(
            "bad-key", "the name before this colon is missing", fault.span(fault.at, fault.at + 1)
        )
        return True
    above = _line_above(fault)
    depth = len(fault.before)
    if above is not None and depth > above.column - 1:
        _deeper(fault, above, problems)
        return True
    problems.add(
        "bad-indent",
        "the indentation of this line is that of no entry above it",
        fault.span(fault.at, fault.line_end),
        others=(Label(above, "the line above"),) if above else (),
        help="give it the indentation of the entries that it belongs to",
    )
    return True


def _opener(text: str, start: int, at: int) -> int:
    """Where the last bracket before a place stands that is not closed before it; or -1."""
    depth = 0
    for offset in range(at - 1, start - 1, -1):
        if text[offset] in "]}":
            depth += 1
        elif text[offset] in "[{":
            if not depth:
                return offset
            depth -= 1
    return -1


def _line_above(fault: _Fault) -> Span | None:
    """The last line above the place that is neither blank nor a comment, without its indent."""
    return _line_before(fault, fault.line, fault.start)


def _line_over(fault: _Fault, line: Span) -> Span | None:
    """The line above another, in front of the piece too."""
    return _line_before(fault, fault.text.rfind("\n", 0, line.start) + 1, 0)


def _line_before(fault: _Fault, end: int, limit: int) -> Span | None:
    while end > limit:
        begin = fault.text.rfind("\n", 0, end - 1) + 1
        line = fault.text[begin:end]
        content = line.strip()
        if content and content[0] != "#":
            at = begin + len(line) - len(line.lstrip())
            return Span(fault.source, at, at + len(content))
        end = begin
    return None


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37].rstrip() + "..."


def _part_end(text: str, at: int) -> int:
    found = re.compile(r"[,\[\]{}\n]").search(text, at)
    end = found.start() if found else len(text)
    return at + max(len(text[at:end].rstrip()), 1)
