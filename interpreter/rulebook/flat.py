"""The text of a flattened document: a rule file that extends and uses nothing.

Entries are copied from their sources, with the comments above and behind them; only what was put
together from several places is written anew, entry by entry.
"""

from .document import Entry, Mapping
from .flatten import Composed
from .source import Source, line_end

STEP = 2
"""Columns by which entries stand below their name."""

# Entries of one group stand without empty lines between them.
_HEAD = ("rulebook", "game", "credits", "link", "about", "language")
_TABLE = ("players", "turns", "teams")


def whole_text(document: Mapping, source: Source) -> str:
    """The text of a document: that of its source, or of all that was put together."""
    if not isinstance(document, Composed):
        return source.text
    lines = _header(source)
    files = ", ".join(dict.fromkeys(_files(document, source)))
    lines.append(f"# Put together from {files}.")
    before = ""
    for key, entry in document.entries.items():
        if before and _group(before) != _group(key):
            lines.append("")
        lines += _piece(entry, 0, comments=not _at_top(entry))
        before = key
    return "\n".join(lines) + "\n"


def _group(key: str) -> str:
    return "head" if key in _HEAD else "table" if key in _TABLE else key


def _header(source: Source) -> list[str]:
    """The comment lines with which a file begins."""
    lines: list[str] = []
    for line in source.text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.rstrip())
    return lines


def _at_top(entry: Entry) -> bool:
    """Whether the comments above an entry are those with which its file begins."""
    source = entry.key.span.source
    return entry.key.span.line == len(_header(source)) + 1


def _files(document: Mapping, source: Source) -> list[str]:
    def sources(mapping: Mapping) -> list[Source]:
        found: list[Source] = []
        for entry in mapping.entries.values():
            found.append(entry.key.span.source)
            if isinstance(entry.value, Composed):
                found += sources(entry.value)
        return found

    return [one.path.replace("\\", "/").rpartition("/")[2] for one in [source, *sources(document)]]


def _piece(entry: Entry, column: int, comments: bool = True) -> list[str]:
    """The lines of an entry, with its name at a column."""
    lines = [" " * column + line for line in _above(entry)] if comments else []
    if isinstance(entry.value, Composed):
        below = [_piece(inner, column + STEP) for inner in entry.value.entries.values()]
        head = f"{' ' * column}{entry.key.span.text}:"
        return [*lines, head, *(line for piece in below for line in piece)]
    return lines + _copied(entry, column)


def _above(entry: Entry) -> list[str]:
    """The comment lines right above an entry that begins its line."""
    source, line, column = entry.key.span.source, entry.key.span.line, entry.key.span.column
    found: list[str] = []
    if source.line_text(line)[: column - 1].strip():
        return found
    while line > 1:
        line -= 1
        text = source.line_text(line)
        # A comment that is indented further may belong to a block of rule text.
        if not text[: column - 1].isspace() and column > 1:
            break
        if not text[column - 1 :].startswith("#"):
            break
        found.insert(0, text.strip())
    return found


def _copied(entry: Entry, column: int) -> list[str]:
    """An entry as its source writes it, moved to a column."""
    source, start, end = entry.key.span.source, entry.key.span.start, entry.value.span.end
    if source.text[start:end].endswith("\n"):  # A block takes in the end of its last line.
        end = start + len(source.text[start:end].rstrip())
    else:
        close = line_end(source.text, end)
        rest = source.text[end:close].strip()
        if not rest or rest.startswith("#"):
            end = close
    first, *more = source.text[start:end].splitlines()
    moved = column - (entry.key.span.column - 1)
    lines = [" " * column + first.rstrip()]
    for line in more:
        indent = len(line) - len(line.lstrip(" "))
        # Braces may be laid out at will in the source, but not to the left of their name.
        lines.append(" " * max(indent + moved, column + 1) + line.strip() if line.strip() else "")
    while not lines[-1]:
        lines.pop()
    return lines
