"""Rule text that stands below its heading without a `|`, found before YAML reads the file.

YAML would take such lines for entries or run them together, and nothing that it then says is about
the one sign that is missing. So they are told here, once for each heading, and kept from YAML; what
stands in them is read as if the `|` were there.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from .diagnostics import Fix, Problems
from .source import Source, Span

_BEGUN = re.compile(r"([a-z](?:(?!:\s)[^#\n'\"])*?):[ ]+(?=[a-z])")
# After so many nobody reads on.
MAX_TOLD = 100
_SIGNS = "'\"[]{}|>&*!%@`?,-:#"
"""What no name begins with."""
_SECTIONS = ("define", "moves", "steps")
_STATEMENT = re.compile(
    r"(let|do|return|secretly|move|gather|deal|shuffle|turn|show|say|if|for|repeat|until|while|stop)\b"
    r"(?!\s*:)|(repeat:|else\b)|[a-z][^:]* (=|\+=|-=|chooses|wins|loses|finish) "
    r"|[a-z][^:]* (wins|loses)$"
)
_ENTRY = re.compile(r"[^:]*:(\s|$)")
_PICK = re.compile(r"[a-z]\w* (from|in|are) ")


class _Line(NamedTuple):
    start: int
    end: int
    indent: int
    content: str


@dataclass(frozen=True, slots=True)
class Bars:
    """The text that YAML is to read, and the bodies that were taken out of it, by the offset at
    which their names end."""

    text: str
    bodies: dict[int, Span | None]
    """None for one that cannot be read."""


def take_out(source: Source, problems: Problems) -> Bars:
    """Tell each heading without its `|`, and blank the lines below it."""
    parts: list[str] = []
    bodies: dict[int, Span | None] = {}
    lines = list(_lines(source.text))
    done = 0
    for position, word in _headings(lines):
        if lines[position].start < done:
            continue
        if len(bodies) > MAX_TOLD:
            break
        found = _heading(source, lines, position, word, problems)
        if found is not None:
            name, body, end = found
            # The signs behind the name too: YAML is to see a name without a value.
            parts += [source.text[done:name], ":", _blank(source.text[name + 1 : end])]
            bodies[name] = body
            done = end
    return Bars("".join([*parts, source.text[done:]]), bodies)


def _heading(
    source: Source, lines: list[_Line], position: int, word: str, problems: Problems
) -> tuple[int, Span | None, int] | None:
    """Where the name of a faulty heading ends, its body, and where that ends; with the problem."""
    line = lines[position]
    content = re.split(r"\s#", line.content, maxsplit=1)[0].rstrip()
    head = content.removesuffix("|").rstrip().removesuffix(":").rstrip()
    if not head or head[0] in _SIGNS or re.search(r":\s|[#'\"]", head):
        return _begun(source, line, _below(lines, position), problems) if word != "pick" else None
    start = line.start + line.indent
    name = Span(source, start, start + len(head))
    behind = Span(source, name.end, start + len(content))
    colon, bar = ":" in behind.text, "|" in behind.text
    deeper = _below(lines, position)
    block = deeper or (_beside(lines, position) if not word and colon else [])
    if not block or (colon and deeper and not bar and not _rule_text(block, word)):
        return None
    if not _told(name, behind, bool(deeper), problems):
        return None
    end = block[-1].end
    return name.end, Span(source, line.end, end + source.text.startswith("\n", end)), end


def _told(name: Span, behind: Span, deeper: bool, problems: Problems) -> bool:
    """Add the problem of one heading, with what stands behind it, if there is one."""
    signs = behind.text
    colon, space, bar = ":" in signs, " |" in signs, "|" in signs
    if not (colon or bar) or (deeper and colon and space):
        return False
    if bar and deeper:
        what = "space" if colon else "colon"
        message = f"`{name.text}` has no {what} in front of its `|`"
    elif deeper:
        message = f"rule text stands below `{name.text}` without a `|`"
    else:
        message = f"the lines of `{name.text}` are not indented below it"
    help = f"write `{name.text}: |`"
    if not deeper:
        help = "indent its lines" if bar else f"{help}, and indent its lines"
    problems.add(
        "missing-colon" if bar and deeper else "missing-bar" if deeper else "bad-indent",
        message,
        name,
        help=help,
        fix=Fix(behind, ": |") if deeper else None,
    )
    return True


def _begun(
    source: Source, line: _Line, block: list[_Line], problems: Problems
) -> tuple[int, None, int] | None:
    """The same of a heading with statements both beside and below it, which cannot be read."""
    found = _BEGUN.match(line.content)
    rest = line.content[found.end() :] if found else ""
    if found is None or not _STATEMENT.match(rest):
        return None
    if not any(_STATEMENT.match(below.content) for below in block):
        return None
    start = line.start + line.indent
    name = Span(source, start, start + len(found[1]))
    opens = rest.split("#")[0].rstrip().endswith(":")
    indent = line.indent + 2 if opens else block[0].indent
    certain = indent < block[0].indent if opens else True
    problems.add(
        "missing-bar",
        f"the rule text of `{name.text}` begins beside it and goes on below",
        name,
        help=f"write `{name.text}: |`, and begin the text on the next line",
        fix=Fix(Span(source, name.end, start + found.end()), f": |\n{' ' * indent}")
        if certain
        else None,
    )
    return name.end, None, block[-1].end


def _blank(text: str) -> str:
    return re.sub(r"[^\r\n]", " ", text)


def _lines(text: str) -> Iterator[_Line]:
    """The lines that hold more than a comment."""
    for found in re.finditer(r"[^\r\n]+", text):
        content = found[0].strip()
        if content and content[0] != "#":
            indent = len(found[0]) - len(found[0].lstrip(" "))
            yield _Line(found.start(), found.end(), indent, found[0][indent:].rstrip())


def _headings(lines: list[_Line]) -> Iterator[tuple[int, str]]:
    """The entries that may hold rule text: steps and definitions, and a few words of moves."""
    section, levels = "", [0]
    for position, line in enumerate(lines):
        while line.indent < levels[-1]:
            levels.pop()
        if not line.indent:
            section = line.content.partition(":")[0]
            if not re.fullmatch(r"\w+:\s*(#.*)?", line.content) or section not in _SECTIONS:
                section = ""
            continue
        if not section:
            continue
        if line.indent > levels[-1]:
            levels.append(line.indent)
        depth = len(levels) - 1
        if section != "moves" and depth == 1:
            yield position, ""
        elif section == "moves" and depth == 2:
            word = re.match(r"(do|pick|if)\b", line.content)
            if word:
                yield position, word[1]


def _below(lines: list[_Line], position: int) -> list[_Line]:
    """The lines that are indented below a heading."""
    result = []
    for at in range(position + 1, len(lines)):
        line = lines[at]
        if line.indent <= lines[position].indent:
            break
        result.append(line)
    return result


def _beside(lines: list[_Line], position: int) -> list[_Line]:
    """The statements that follow a heading at its own indentation, with what is below them."""
    result: list[_Line] = []
    for at in range(position + 1, len(lines)):
        line = lines[at]
        deeper = bool(result) and line.indent > lines[position].indent
        if line.indent < lines[position].indent or not (deeper or _STATEMENT.match(line.content)):
            break
        result.append(line)
    return result


def _rule_text(block: list[_Line], word: str) -> bool:
    """Whether lines are rule text that YAML does not take as it is."""
    top = [line.content for line in block if line.indent == block[0].indent]
    if top[0][0] in "|>-[{\"'":
        return False
    entries = [content for content in top if _ENTRY.match(content)]
    if word == "if":
        return not entries and len(block) > 1
    if word == "pick":
        return len(top) > 1 and all(_PICK.match(content) for content in top)
    if len(block) == 1 and not entries:
        return False  # A plain text on the next line is as good as one beside the name.
    return len(entries) < len(top) or any(_STATEMENT.match(content) for content in top)
