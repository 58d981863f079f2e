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
from rulebook.habits import habit_in
from rulebook.source import Source, Span
from rulebook.suggest import closest


@dataclass(frozen=True, slots=True)
class Slip:
    slug: str
    pattern: str
    """Matched at the fault, a character before it, or from the beginning of the word there."""
    message: str
    help: str
    replacement: str | None = None
    """This and `help` may name groups of the pattern."""


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
    Slip("sign-for-word", r"=\+", "`=+` is not used here", "write `+=`", "+="),
    Slip("sign-for-word", r"//|/\*", "a comment begins in another way", "begin it with `#`"),
    Slip(
        "quotes",
        r"[“”„‟«]([^\"\n“”»]*)[“”»]",
        "these quotes are not used in rule text",
        'write `"` on both sides',
        r'"\1"',
    ),
    Slip(
        "quotes",
        r"'([^'\"\n]*)'",
        "single quotes are not used in rule text",
        'write `"` on both sides',
        r'"\1"',
    ),
    Slip(
        "bad-sign",
        "[\u00a0\u2007\u202f\u3000]",
        "this space is of another kind than those of rule text",
        "write a plain space",
        " ",
    ),
    Slip(
        "dot-for-of",
        r"([a-z]\w*)\.([a-z]\w*)",
        "an attribute is not written with a dot",
        r"write `\2 of \1`",
        r"\2 of \1",
    ),
    Slip(
        "brackets",
        r"([a-z]\w*)\[(\w+)\]",
        "square brackets are not used in rule text",
        r"write `\1 of \2`",
        r"\1 of \2",
    ),
    Slip(
        "brackets",
        r"\[([\w ]+,[\w ,]+)\]",
        "square brackets are not used in rule text",
        r"write `(\1)`",
        r"(\1)",
    ),
    Slip(
        "brackets",
        r"\[\s*\]|\{\s*\}",
        "a set with nothing in it is a word",
        "write `empty`",
        "empty",
    ),
    Slip("brackets", r"\(\s*\)", "these brackets hold nothing", "leave them out", ""),
    Slip(
        "brackets", r"\[", "square brackets are not used in rule text", "write `(a, b)` for a set"
    ),
    Slip("brackets", r"\{|\}", "braces are used only in messages", "write `(a, b)` for a set"),
    Slip("tab", r"\t", "a tab stands in rule text", "write spaces"),
    Slip(
        "quotes", r"'", "single quotes are not used in rule text", 'put messages between `"` signs'
    ),
    Slip("open-string", r'"', 'this `"` has no partner on its line', 'end the message with `"`'),
    Slip("capital", r"\w*[A-Z]\w*", "words of rule text have small letters only", ""),
    Slip(
        "semicolon", r";(?=\s*(?:\n|$))", "a line of rule text ends without `;`", "leave it out", ""
    ),
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
OPENERS = [
    *("let", "do", "return", "stop", "secretly", "move", "gather", "deal", "shuffle", "turn"),
    *("show", "say", "if", "else", "for", "repeat", "until", "while"),
]
"""Words that begin a statement."""
PREFIXES = [
    *("any", "no", "every", "not", "count", "sum", "highest", "lowest", "most", "least", "all"),
    *("first", "last", "best"),
]
"""Words that begin an expression."""
COUNTED = re.compile(r"\b(len|length|size|number) ?$")
COMPARISONS = ("LESS", "MORE", "LESS_EQUAL", "MORE_EQUAL")
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
    if token is not None and ended:
        before = (span.text if token.type == "$END" else source.text[span.start : at]).rstrip()
        at = span.start + len(before) if token is not None and token.type != "_NL" else at
    if _report_habit(span, at, start, False, problems) or _report_slip(span, at, problems):
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
    elif (opener := _open_bracket(span, at)) is not None and _new_line(span, at, ended):
        problems.add(
            "unclosed-bracket",
            "the `(` that opens here is never closed",
            opener,
            help="close it with `)`",
        )
    elif (ended or (token is not None and str(token) in OPENERS)) and COMPOUND.match(line):
        end = at if ended else len(source.text[:at].rstrip())
        problems.add(
            "missing-colon",
            "this line opens a block and has no `:` at its end"
            if ended
            else f"`{COMPOUND.findall(line)[0]}` has no `:` in front of `{token}`",
            Span(source, end, end),
            help="end the line with `:`" if ended else f"write `:` in front of `{token}`",
            fix=Fix(Span(source, end, end), ":"),
        )
    elif token is not None and expected == {"NAME"} and str(token).isalpha():
        if any(p.slug == "reserved-word" and p.span and p.span.text == token for p in problems):
            return  # The entry of this name has been told.
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
            _margin(source, end),
            help="line it up with the line above, or end that one with `:`",
        )
    elif expected == {"_INDENT"} or (ended and "_INDENT" in expected):
        problems.add(
            "missing-block",
            "nothing stands under this line",
            _line_above(span, at),
            help="write the statements below it, indented, or on the same line after `:`",
        )
    elif token is not None and token.type in ("IS", "IS_NOT") and "EQUAL" in expected:
        problems.add(
            "is-for-equals",
            f"`{token}` compares; it does not set a value",
            place,
            help="write `=`",
            fix=Fix(place, "=") if token.type == "IS" else None,
        )
    elif token is not None and token.type == "LPAR" and (name := COUNTED.search(line)):
        whole = Span(source, at - len(name[0]), at)
        problems.add(
            "wrong-word",
            f"`{name[1]}` is not a word of rule text",
            Span(source, whole.start, whole.start + len(name[1])),
            help="write `count`",
            fix=Fix(whole, "count "),
        )
    elif token is not None and token.type in COMPARISONS and re.search(r"[<>]", line):
        problems.add(
            "syntax",
            "two comparisons stand in one",
            place,
            help="write two comparisons with `and` between them",
        )
    elif token is not None and token.type == "LPAR" and (name := re.search(r"[a-z_0-9]+ ?$", line)):
        problems.add(
            "brackets",
            f"`(` cannot stand after `{name[0].strip()}`",
            place,
            help=f"write `{name[0].strip()} of`",
            fix=Fix(place, "of (" if name[0].endswith(" ") else " of ("),
        )
    elif (
        token is None or not _report_misspelt(str(token), place, expected, span, problems)
    ) and not _report_habit(span, at, start, True, problems):
        _report_expected(token, place, expected, problems, span)


def _report_slip(span: Span, at: int, problems: Problems) -> bool:
    """Whether the fault is one of the typical slips."""
    text = span.source.text
    word = span.start + len(re.sub(r"\w+[.\[]?$", "", text[span.start : at]))
    for slip in SLIPS:
        for begin in dict.fromkeys((word, at, max(span.start, at - 1))):
            found = re.compile(slip.pattern).match(text, begin, span.end)
            if not found or found.end() <= at:
                continue
            place = Span(span.source, found.start(), found.end())
            replacement = found.expand(slip.replacement or "")
            help = found.expand(slip.help)
            if slip.slug == "double-equals" and at > found.start():
                # The first `=` was in order: a value is set here.
                replacement, help = "=", "write `=`"
            if slip.slug == "capital":
                replacement = found[0].lower()
                help = f"write `{replacement}`"
            certain = replacement or slip.replacement == ""
            fix = Fix(place, replacement) if certain else None
            problems.add(slip.slug, slip.message, place, help=help, fix=fix)
            return True
    return False


def _report_habit(span: Span, at: int, start: str, late: bool, problems: Problems) -> bool:
    """Whether the line of the fault holds a habit from elsewhere."""
    text = span.source.text
    begin = max(text.rfind("\n", 0, at) + 1, span.start)
    end = text.find("\n", at, span.end)
    line = text[begin : end if end >= 0 else span.end]
    found = habit_in(re.sub(r"(^|\s)#.*", "", line), at - begin, start, late)
    if found is None:
        return False
    place = Span(span.source, begin + found.start, begin + found.end)
    fix = None if found.replacement is None else Fix(place, found.replacement)
    word = place.text.strip()
    place = Span(span.source, place.end - len(place.text.lstrip()), place.end) if word else place
    problems.add(found.slug, found.message, place, help=found.help, fix=fix)
    return True


def _open_bracket(span: Span, at: int) -> Span | None:
    """The last `(` in front of a place that is not closed there; messages and comments apart."""
    opened: list[int] = []
    text = span.source.text[span.start : at]
    for sign in re.finditer(r'"[^"\n]*"|#[^\n]*|[()]', text):
        if sign[0] == "(":
            opened.append(span.start + sign.start())
        elif sign[0] == ")" and opened:
            opened.pop()
    return Span(span.source, opened[-1], opened[-1] + 1) if opened else None


def _new_line(span: Span, at: int, ended: bool) -> bool:
    """Whether a fault stands at the end of a line, or is the first word of its own."""
    return ended or (
        "\n" in span.source.text[span.start : at] and not _line_before(span, at).strip()
    )


def _report_misspelt(
    found: str, place: Span, expected: set[str], span: Span, problems: Problems
) -> bool:
    """Whether the fault is a word of the language with a slip in it: the word found, or the one
    before it, which was taken for a name and so let the fault appear one word late."""
    before = place.source.text[span.start : place.start]
    last = re.search(r"([a-z_]+)\s*$", before)
    near: list[str] = []
    if last and last[1] not in OPENERS + PREFIXES:
        begins = re.search(r"(^|[\n:])[ ]*$", before[: last.start()])
        near = closest(last[1], OPENERS + PREFIXES if begins else PREFIXES)
        if near:
            place = Span(place.source, span.start + last.start(1), span.start + last.end(1))
    if not near and found.isalpha():
        words = [name.lower() for name in expected if name.isalpha() and name not in NAMES]
        near = closest(found, words)
    if near:
        problems.add(
            "misspelt-word",
            f"`{place.text}` has no meaning here",
            place,
            help=f"write `{near[0]}`",
            fix=Fix(place, near[0]),
        )
    return bool(near)


def _report_expected(
    token: object, place: Span, expected: set[str], problems: Problems, span: Span
) -> None:
    before = place.source.text[span.start : place.start]
    likely = _likely(expected)
    wanted = f"expected {likely}" if likely else ""
    if token is None:
        character = place.source.text[place.start : place.start + 1]
        message = f"`{character}` has no meaning in rule text"
        problems.add("bad-sign", message, place, help="remove it")
        return
    kind = getattr(token, "type", "")
    if kind in ("$END", "_NL", "_DEDENT"):
        found = "the text ends too early" if kind != "_NL" else "the line ends too early"
        message = f"{found}: {wanted}" if wanted else found
    elif len(OPERATORS & expected) > 4 and (last := re.search(r"\S+(?=\s*$)", before)):
        message = f"`{token}` cannot stand after `{last[0]}`"
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


def _margin(source: Source, at: int) -> Span:
    """The blanks in front of the line of a place."""
    begin = source.text.rfind("\n", 0, at) + 1
    return Span(
        source, begin, begin + len(source.text[begin:]) - len(source.text[begin:].lstrip(" "))
    )


def _line_above(span: Span, at: int) -> Span:
    """The last line with text before a place."""
    lines = list(re.finditer(r"[^\s#][^\n#]*", span.source.text[span.start : at]))
    start, end = (lines[-1].start(), lines[-1].end()) if lines else (0, 0)
    return Span(span.source, span.start + start, span.start + end)


def _line_before(span: Span, at: int) -> str:
    begin = span.source.text.rfind("\n", 0, at) + 1
    return span.source.text[max(begin, span.start) : at]
