"""A file's text and places in it.

Offsets count characters of the text without its byte order mark. Lines end at ``\\n`` or
``\\r\\n`` only: `clean_text` refuses every other line break, so that YAML, rule text and this
module always agree on what a line is.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .diagnostics import Problems

# Far above any rule file, and read in about a second at worst.
MAX_BYTES = 500_000

_REFUSED = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]|\r(?!\n)"
)


@dataclass(frozen=True, slots=True)
class Source:
    """One file: its path as the user wrote it, and its text."""

    path: str
    text: str = field(repr=False)
    # Filled at the first question about lines; empty until then.
    _starts: list[int] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def starts(self) -> list[int]:
        """The offset of each line's first character."""
        if not self._starts:
            self._starts.append(0)
            self._starts.extend(found.end() for found in re.finditer("\n", self.text))
        return self._starts

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1; columns count characters."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def line_text(self, line: int) -> str:
        """A line (from 1) without its line end; empty where there is no such line."""
        if not 1 <= line <= len(self.starts):
            return ""
        end = self.starts[line] - 1 if line < len(self.starts) else len(self.text)
        return self.text[self.starts[line - 1] : end].removesuffix("\r")


@dataclass(frozen=True, slots=True)
class Span:
    """The characters `start` to `end` (not included) of a source."""

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.position(self.start)[1]

    def to(self, other: "Span") -> "Span":
        """From the beginning of this span to the end of another of the same source."""
        return Span(self.source, self.start, max(self.start, other.end))


def read_source(path: str, problems: "Problems") -> Source | None:
    """Read a UTF-8 file; None, with a problem added, where it cannot be read as text."""
    nowhere = Span(Source(path, ""), 0, 0)
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        problems.add("no-such-file", f"there is no file `{path}`", nowhere)
        return None
    except IsADirectoryError:
        problems.add(
            "not-a-file",
            f"`{path}` is a directory",
            nowhere,
            help="name the rule file inside it",
        )
        return None
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        problems.add("cannot-read", f"`{path}` cannot be read: {reason}", nowhere)
        return None
    if len(data) > MAX_BYTES:
        problems.add(
            "file-too-big",
            f"`{path}` is larger than {MAX_BYTES // 1000} kB, the most that a rule file may hold",
            nowhere,
        )
        return None
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        start = len(data[: error.start].decode("utf-8"))
        problems.add(
            "not-utf-8",
            "the file holds bytes that are not UTF-8 text",
            Span(Source(path, data.decode("utf-8", "replace")), start, start + 1),
            label=f"byte {data[error.start]:#04x}",
            help="save the file as UTF-8",
        )
        return None
    source = Source(path, text)
    return source if clean_text(source, problems) else None


def clean_text(source: Source, problems: "Problems") -> bool:
    """Whether the text holds only characters that may stand in a rule file.

    Only the first offender is reported: a file of another kind holds thousands.
    """
    found = _REFUSED.search(source.text)
    if not found:
        return True
    character = found.group()
    name = "lone carriage return" if character == "\r" else f"character U+{ord(character):04X}"
    problems.add(
        "bad-character",
        f"the file holds a {name}, which may not stand in a rule file",
        Span(source, found.start(), found.end()),
        help="remove it",
    )
    return False


def is_clean(text: str) -> bool:
    """Whether text (of an escaped scalar, say) has none of the refused characters."""
    return _REFUSED.search(text) is None


def line_end(text: str, at: int) -> int:
    """Where the text of the line of an offset ends, blanks behind it left out."""
    found = text.find("\n", at)
    end = len(text) if found < 0 else found
    return at + len(text[at:end].rstrip())
