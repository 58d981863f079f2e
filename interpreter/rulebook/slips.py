"""Syntax faults of rule text, said for people.

First a table of typical slips, looked for in the text around the fault; then what could stand
there, with a human name for every terminal of the grammar.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lark.exceptions import UnexpectedCharacters, UnexpectedToken
from lark.indenter import DedentError

from rulebook.diagnostics import Fix, Problems
from rulebook.source import Span


@dataclass(frozen=True, slots=True)
class Slip:
    slug: str
    pattern: str
    """Matched at the fault, after up to two characters before it."""
    message: str
    help: str
    replacement: str | None = None


SLIPS = [
    Slip("double-equals", r"==", "`==` is not used here", "write `is`", "is"),
    Slip("not-equals", r"!=|<>|≠", "unequal is not written like this", "write `is not`", "is not"),
    Slip("sign-for-word", r"&&", "`&&` is not used here", "write `and`", "and"),
    Slip("sign-for-word", r"\|\|", "`||` is not used here", "write `or`", "or"),
    Slip("sign-for-word", r"!", "`!` is not used here", "write `not`", "not "),
    Slip("sign-for-word", r"%", "`%` is not used here", "write `mod`", "mod"),
    Slip("sign-for-word", r"≤", "`≤` is not used here", "write `<=`", "<="),
    Slip("sign-for-word", r"≥|=>", "at least is not written like this", "write `>=`", ">="),
    Slip("sign-for-word", r"=<", "at most is not written like this", "write `<=`", "<="),
    Slip("sign-for-word", r"\+\+", "`++` is not used here", "write `+= 1`", "+= 1"),
    Slip(
        "dot-for-of",
        r"\.[a-z]",
        "an attribute is not written with a dot",
        "write `attribute of thing`",
    ),
    Slip("brackets", r"\[", "square brackets are not used in rule text", "write `name of index`"),
    Slip("brackets", r"\{|\}", "braces are used only in messages", "write `(a, b)` for a set"),
    Slip("tab", r"\t", "a tab stands in rule text", "indent with spaces"),
    Slip(
        "quotes", r"'", "single quotes are not used in rule text", 'put messages between `"` signs'
    ),
    Slip("open-string", r'"', 'this `"` has no partner on its line', 'end the message with `"`'),
    Slip("capital", r"[A-Z]", "names have small letters", "write it in small letters"),
    Slip("semicolon", r";", "`;` is not used here", "write each statement on a line of its own"),
]

NAMES = {
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": "a message in quotes",
    "_NL": "the end of the line",
    "_INDENT": "an indented line",
    "_DEDENT": "the end of the block",
    "$END": "the end of the text",
    "IS_NOT": "`is not`",
    "NOT_IN": "`not in`",
    "_OR_ELSE": "`, else`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "COLON": "`:`",
    "COMMA": "`,`",
    "EQUAL": "`=`",
    "ASSIGN_OP": "`+=`",
    "LESS_EQUAL": "`<=`",
    "MORE_EQUAL": "`>=`",
    "LESS": "`<`",
    "MORE": "`>`",
    "PLUS": "`+`",
    "MINUS": "`-`",
    "TIMES_SIGN": "`*`",
    "SLASH": "`/`",
    "__ANON_0": "`..`",
}
VALUE_STARTS = {"NAME", "NUMBER", "LPAR", "CARDS", "NONE", "HIGHEST", "FIRST"}
OPERATORS = {"IS", "IS_NOT", "LESS", "PLUS", "AND", "OR"}
COMPOUND = re.compile(r"^\s*(if|else|for|repeat|while)\b(?!.*:)")


def name_of(terminal: str) -> str:
    return NAMES.get(terminal) or f"`{terminal.lower()}`"


def _likely(expected: set[str]) -> str:
    """What could stand there, in few words."""
    names: list[str] = []
    if VALUE_STARTS <= expected:
        names.append("a value")
        expected = {t for t in expected if t in ("_NL", "RPAR", "$END")}
    elif OPERATORS & expected and len(expected) > 4:
        keep = {"_NL", "RPAR", "COLON", "$END", "TO", "FROM", "THEN", "CHOOSES", "EQUAL", "IN"}
        shown = sorted(expected & keep)
        names += [name_of(t) for t in shown]
        names.append("an operator")
        return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    if "_NL" in expected:
        expected = expected - {"_DEDENT", "$END"}
    names += [name_of(t) for t in sorted(expected)]
    if len(names) > 6:
        return ""
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def report_slip(
    error: UnexpectedToken | UnexpectedCharacters | DedentError,
    span: Span,
    start: str,
    problems: Problems,
) -> None:
    source = span.source
    if isinstance(error, DedentError):
        _report_dedent(error, span, problems)
        return
    at = min(max(error.pos_in_stream or 0, span.start), span.end)
    token = error.token if isinstance(error, UnexpectedToken) else None
    ended = token is not None and token.type in ("$END", "_NL", "_DEDENT")
    if ended:
        before = source.text[span.start : at].rstrip()
        at = span.start + len(before) if token is not None and token.type != "_NL" else at
    for slip in SLIPS:
        for back in (0, 1):
            found = re.compile(slip.pattern).match(
                source.text, max(span.start, at - back), span.end
            )
            if found and found.end() > at:
                place = Span(source, found.start(), found.end())
                fix = Fix(place, slip.replacement) if slip.replacement else None
                problems.add(slip.slug, slip.message, place, help=slip.help, fix=fix)
                return
    end = at if ended else (at + len(str(token)) if token is not None else at + 1)
    place = Span(source, at, max(end, at))
    expected = set(error.expected if isinstance(error, UnexpectedToken) else error.allowed or ())
    line = _line_before(span, at)
    if token is not None and token.type == "EQUAL" and "IS" in expected:
        problems.add(
            "equals-for-is",
            "`=` sets a value; it does not compare",
            place,
            help="write `is`",
            fix=Fix(place, "is"),
        )
    elif ended and COMPOUND.match(line):
        problems.add(
            "missing-colon",
            "this line opens a block and has no `:` at its end",
            place,
            help="end the line with `:`",
            fix=Fix(Span(source, at, at), ":"),
        )
    elif token is not None and expected == {"NAME"} and str(token) in KEYWORDS:
        problems.add(
            "reserved-word",
            f"`{token}` is a word of the language",
            place,
            label="a name is wanted here",
            help="choose another name",
        )
    elif token is not None and token.type == "_INDENT":
        problems.add(
            "bad-indent",
            "this line is indented more than the one above",
            place,
            help="line it up with the line above, or end that one with `:`",
        )
    elif expected == {"_INDENT"} or (ended and "_INDENT" in expected):
        problems.add(
            "missing-block",
            "nothing stands under this line",
            place,
            help="write the statements below it, indented, or on the same line after `:`",
        )
    else:
        _report_expected(token, place, expected, problems, source.text[at : at + 1])


def _report_expected(
    token: object, place: Span, expected: set[str], problems: Problems, character: str
) -> None:
    likely = _likely(expected)
    wanted = f"expected {likely}" if likely else ""
    if token is None:
        message = f"`{character}` has no meaning in rule text"
        problems.add("bad-sign", message, place, help=wanted and f"{wanted} here")
        return
    kind = getattr(token, "type", "")
    if kind in ("$END", "_NL", "_DEDENT"):
        found = "the text ends too early" if kind != "_NL" else "the line ends too early"
        message = f"{found}: {wanted}" if wanted else found
    else:
        message = f"{wanted}, found `{token}`" if wanted else f"`{token}` cannot stand here"
    problems.add("syntax", message, place)


def _report_dedent(error: DedentError, span: Span, problems: Problems) -> None:
    """The indenter counts columns but not where; find the first line back to no known column."""
    source = span.source
    columns: list[int] = []
    offset = span.start
    for line in span.text.split("\n"):
        text = line.split("#")[0]
        if text.strip():
            column = len(text) - len(text.lstrip())
            if not columns or column > columns[-1]:
                columns.append(column)
            while columns and column < columns[-1]:
                columns.pop()
            if not columns or column != columns[-1]:
                place = Span(source, offset, offset + max(column, 1))
                problems.add(
                    "bad-indent",
                    "this line lines up with none of the lines above",
                    place,
                    help="give it the indentation of the block it belongs to",
                )
                return
        offset += len(line) + 1
    problems.add("bad-indent", f"the indentation is uneven ({error})", span)


def _line_before(span: Span, at: int) -> str:
    begin = span.source.text.rfind("\n", 0, at) + 1
    return span.source.text[max(begin, span.start) : at]
