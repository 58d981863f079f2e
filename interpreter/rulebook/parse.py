"""Rule text to syntax nodes, with the positions of the file it stands in.

One Lark parser serves every place where rule text stands; each place has its start rule. A piece
of text that cannot be read becomes one problem (see `slips`) and the result None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Any, ClassVar, cast

from lark import Lark, Token, Tree
from lark import __version__ as lark_version
from lark.exceptions import UnexpectedCharacters, UnexpectedToken
from lark.indenter import DedentError, Indenter
from lark.utils import TextSlice

from rulebook import nodes as n
from rulebook.diagnostics import Problems
from rulebook.document import Scalar
from rulebook.kept import kept_path
from rulebook.resources import grammar
from rulebook.slips import OPENERS, report_slip
from rulebook.source import Source, Span

BLOCKS = ("block", "picks")
STARTS = [*BLOCKS, "line", "expression", "pick", "head", "kind", "each", "audience"]
STATEMENT_WORDS = set(OPENERS) - {"else", "until"}
"""Words with which a definition in lines begins; some of them cannot stand there, and say so."""
MAX_NESTING = 100
"""Brackets and levels of indentation in one piece of rule text."""


class Layout(Indenter):
    """Line breaks and indentation become tokens in blocks, and vanish everywhere else."""

    NL_type = "_NL"
    OPEN_PAREN_types: ClassVar = ["LPAR"]
    CLOSE_PAREN_types: ClassVar = ["RPAR"]
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = 8

    def __init__(self) -> None:
        super().__init__()
        self.flat = False

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        if self.flat:
            return (token for token in stream if token.type != self.NL_type)
        laid_out = super().process(stream)  # type: ignore[no-untyped-call]  # lark has no types here
        return cast("Iterator[Token]", laid_out)


class Build:
    """Turns one parse tree of a source into syntax nodes, leaves first."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def node(self, tree: Tree[Token]) -> Any:
        parts = [self.node(part) if isinstance(part, Tree) else part for part in tree.children]
        span = Span(self.source, tree.meta.start_pos, tree.meta.end_pos)
        return RULES[tree.data](self, span, parts)

    def word(self, token: Token) -> n.Word:
        start, end = cast(int, token.start_pos), cast(int, token.end_pos)
        return n.Word(Span(self.source, start, end), str(token))


Rule = Callable[[Build, Span, list[Any]], Any]


def words(build: Build, tokens: list[Any]) -> tuple[n.Word, ...]:
    return tuple(build.word(token) for token in tokens if token is not None)


def shape(build: Build, span: Span, run: bool, parts: list[Any]) -> n.Shape:
    longest = any(isinstance(part, Token) and part.type == "LONGEST" for part in parts)
    low, high = next((p for p in parts if isinstance(p, tuple)), (0, None))
    order = next((p for p in parts if isinstance(p, Token) and p.type == "NAME"), None)
    one = next((p for p in parts if isinstance(p, n.Word)), None)
    return n.Shape(span, run, longest, low, high, build.word(order) if order else None, one)


def as_shapes(value: Any) -> tuple[n.Shape, ...]:
    return value if isinstance(value, tuple) else (value,)


def as_arguments(value: n.Expr | None) -> tuple[n.Expr, ...]:
    if value is None:
        return ()
    return value.items if isinstance(value, n.ListOf) else (value,)


def choose(build: Build, span: Span, parts: list[Any]) -> n.Choose:
    return n.Choose(span, parts[0], parts[1], parts[2] or (), parts[3])


def say_text(build: Build, token: Token) -> n.Text:
    span = build.word(token).span
    return read_text(Span(span.source, span.start + 1, span.end - 1), None)


def facing(value: Any) -> str | None:
    return None if value is None else str(value)


RULES: dict[str, Rule] = {
    # places
    "block": lambda b, s, p: tuple(p),
    "line": lambda b, s, p: p[0],
    "expression": lambda b, s, p: p[0],
    "picks": lambda b, s, p: tuple(p),
    "pick_member": lambda b, s, p: n.Pick(s, "member", b.word(p[0]), (), p[1], None),
    "pick_card": lambda b, s, p: n.Pick(s, "card", b.word(p[0]), (), p[1], None),
    "pick_cards": lambda b, s, p: n.Pick(s, "cards", b.word(p[0]), as_shapes(p[1]), p[2], p[3]),
    "head": lambda b, s, p: n.Head(s, b.word(p[0]), tuple(p[1:])),
    "parameter": lambda b, s, p: n.Parameter(s, b.word(p[0]), b.word(p[1])),
    "kind_range": lambda b, s, p: n.KindRange(s, *p[0]),
    "kind_name": lambda b, s, p: n.KindName(s, str(p[0]), False),
    "kind_optional": lambda b, s, p: n.KindName(s, str(p[0]), True),
    "range_text": lambda b, s, p: (p[0], p[1], 1 if p[2] is None else p[2]),
    "integer": lambda b, s, p: int(p[0]),
    "negative": lambda b, s, p: -int(p[0]),
    "audience": lambda b, s, p: n.Audience(s, p[0], *[*p[1:], None, None][:2]),
    "seers": lambda b, s, p: b.word(p[0]),
    # statements
    "suite": lambda b, s, p: tuple(p),
    "if_statement": lambda b, s, p: n.If(
        s, ((p[0], p[1]), *p[2:-1], *([(None, p[-1])] if p[-1] is not None else []))
    ),
    "else_if": lambda b, s, p: (p[0], p[1]),
    "for_statement": lambda b, s, p: n.For(s, b.word(p[0]), p[1], p[2], p[3]),
    "repeat_forever": lambda b, s, p: n.Repeat(s, p[0], None, None),
    "repeat_until": lambda b, s, p: n.Repeat(s, p[0], p[1], None),
    "repeat_times": lambda b, s, p: n.Repeat(s, p[1], None, p[0]),
    "while_statement": lambda b, s, p: n.While(s, p[0], p[1]),
    "assign": lambda b, s, p: n.Assign(s, "=", p[0], p[1]),
    "assign_change": lambda b, s, p: n.Assign(s, str(p[1]), p[0], p[2]),
    "let": lambda b, s, p: n.Let(s, b.word(p[0]), p[1]),
    "random": lambda b, s, p: n.Random(s, p[0]),
    "do": lambda b, s, p: n.Do(s, b.word(p[0]), as_arguments(p[1])),
    "return": lambda b, s, p: n.Return(s, p[0]),
    "stop": lambda b, s, p: n.Stop(s),
    "chooses": choose,
    "secretly": lambda b, s, p: n.Secretly(s, b.word(p[0]), p[1], b.word(p[2])),
    "names": lambda b, s, p: words(b, p),
    "move": lambda b, s, p: n.Move(s, p[0], p[1], p[2][0], p[2][1]),
    "place": lambda b, s, p: (len(p) == 2, p[-1]),
    "facing": lambda b, s, p: str(p[0]),
    "gather_all": lambda b, s, p: n.Gather(s, None, p[0]),
    "gather": lambda b, s, p: n.Gather(s, p[0], p[1]),
    "deal_one": lambda b, s, p: n.Deal(s, p[0], p[1], False, p[2], None),
    "deal_each": lambda b, s, p: n.Deal(
        s, p[0], p[1], True, n.Name(b.word(p[2]).span, str(p[2])), p[3]
    ),
    "shuffle": lambda b, s, p: n.Shuffle(s, p[0]),
    "turn": lambda b, s, p: n.Turn(s, p[0], str(p[1])),
    "show": lambda b, s, p: n.Show(s, p[0], None if isinstance(p[1], Token) else p[1]),
    "say": lambda b, s, p: n.Say(s, say_text(b, p[0])),
    "outcome": lambda b, s, p: n.Outcome(s, p[0], p[1].type == "WINS"),
    "nobody_wins": lambda b, s, p: n.Outcome(s, None, True),
    "finish": lambda b, s, p: n.Finish(s, p[0], p[3], p[2] is not None),
    # expressions
    "where": lambda b, s, p: n.Where(s, p[0], p[1]),
    "if_else": lambda b, s, p: n.IfElse(s, p[0], p[1], p[2]),
    "implies": lambda b, s, p: n.Logic(s, "implies", p[0], p[1]),
    "or": lambda b, s, p: n.Logic(s, "or", p[0], p[1]),
    "and": lambda b, s, p: n.Logic(s, "and", p[0], p[1]),
    "not": lambda b, s, p: n.Not(s, p[0]),
    "every": lambda b, s, p: n.Every(s, p[0], p[1]),
    "compare": lambda b, s, p: n.Compare(s, " ".join(str(p[1]).split()), p[0], p[2]),
    "membership": lambda b, s, p: n.Member(s, p[0], p[1], False),
    "not_membership": lambda b, s, p: n.Member(s, p[0], p[2], True),
    "can": lambda b, s, p: n.Can(s, p[0], b.word(p[1])),
    "among": lambda b, s, p: n.Among(s, p[0], p[1]),
    "range": lambda b, s, p: n.Range(s, p[0], p[1], p[2]),
    "add": lambda b, s, p: n.Arithmetic(s, str(p[1]), p[0], p[2]),
    "multiply": lambda b, s, p: n.Arithmetic(s, str(p[1]), p[0], p[2]),
    "negate": lambda b, s, p: n.Negate(s, p[1]),
    "of": lambda b, s, p: n.Of(s, b.word(p[0]), p[1]),
    "of_number": lambda b, s, p: n.Of(s, b.word(p[0]), p[1]),
    "steps_of": lambda b, s, p: n.StepsOf(s, int(p[0]), b.word(p[1]), p[2]),
    "cards_of": lambda b, s, p: n.CardsOf(s, p[1]),
    "one_end": lambda b, s, p: n.End(s, str(p[0]), None, p[1]),
    "ends": lambda b, s, p: n.End(s, str(p[0]), p[1], p[2]),
    "quantity": lambda b, s, p: n.Quantity(s, str(p[0]), p[1]),
    "aggregate": lambda b, s, p: n.Aggregate(s, str(p[1]), p[0] is not None, p[2], p[3]),
    "split": lambda b, s, p: n.Split(s, p[0], p[1]),
    "name": lambda b, s, p: n.Name(s, str(p[0])),
    "number": lambda b, s, p: n.Number(s, int(p[0])),
    "all_cards": lambda b, s, p: n.Constant(s, "cards"),
    "none": lambda b, s, p: n.Constant(s, "none"),
    "yes": lambda b, s, p: n.Constant(s, "yes"),
    "nay": lambda b, s, p: n.Constant(s, "no"),
    "empty": lambda b, s, p: n.Constant(s, "empty"),
    "list": lambda b, s, p: n.ListOf(s, tuple(p)),
    "groups": lambda b, s, p: n.Groups(s, b.word(p[0]), as_shapes(p[1]), p[2], p[3]),
    "shapes": lambda b, s, p: tuple(p),
    "shape_cards": lambda b, s, p: shape(b, s, False, p),
    "shape_any": lambda b, s, p: shape(b, s, False, p),
    "shape_run": lambda b, s, p: shape(b, s, True, p),
    "one_of": lambda b, s, p: b.word(p[0]),
    "amount_exact": lambda b, s, p: (int(p[0]), int(p[0])),
    "amount_least": lambda b, s, p: (int(p[0]), None),
    "amount_range": lambda b, s, p: (int(p[0]), int(p[1])),
}


@cache
def _lark() -> Lark:
    """The one parser, made at first use and kept between runs."""
    text = grammar("rules.lark")
    kept = kept_path("grammar", text, lark_version)
    return Lark(
        text,
        parser="lalr",
        lexer="basic",
        postlex=Layout(),
        start=STARTS,
        propagate_positions=True,
        maybe_placeholders=True,
        cache=str(kept) if kept else False,
    )


def _too_deep(span: Span) -> bool:
    depth = worst = 0
    for character in span.text:
        depth += (character == "(") - (character == ")")
        worst = max(worst, depth)
    return worst > MAX_NESTING


@lru_cache(maxsize=1024)
def _read(span: Span, start: str) -> Any:
    # Kept, as a file is resolved once for each number of players; nodes never change.
    lark = _lark()
    layout = cast(Layout, lark.options.postlex)
    layout.flat = start not in BLOCKS
    tree = lark.parse(cast(str, TextSlice(span.source.text, span.start, span.end)), start=start)
    return Build(span.source).node(tree)


def _parse(span: Span, start: str, problems: Problems) -> Any:
    if _too_deep(span):
        problems.add("too-deep", f"more than {MAX_NESTING} brackets stand inside each other", span)
        return None
    try:
        return _read(span, start)
    except (UnexpectedToken, UnexpectedCharacters, DedentError) as error:
        report_slip(error, span, start, problems)
    except RecursionError:
        problems.add("too-deep", "this text is nested too deeply", span)
    return None


def _rule_scalar(scalar: Scalar, problems: Problems) -> bool:
    """Whether the scalar is written as rule text may be: plain on one line, or a `|` block."""
    if scalar.style == "block" or (scalar.style == "plain" and not scalar.multiline):
        return True
    if scalar.style in ("single", "double"):
        problems.add(
            "quoted-rule",
            "rule text stands in quotes",
            scalar.span,
            help="write it without the quotes, or as a `|` block",
        )
    elif scalar.style == "folded":
        problems.add(
            "folded-rule", "rule text stands in a `>` block", scalar.span, help="begin it with `|`"
        )
    else:
        problems.add(
            "folded-rule",
            "rule text runs over several lines without a `|`",
            scalar.span,
            help="write `|` after the colon and the text on the lines below",
        )
    return False


def _content(scalar: Scalar) -> Span:
    """The scalar's text without what stands around it."""
    text = scalar.body.text
    left = len(text) - len(text.lstrip())
    right = len(text.rstrip())
    start = scalar.body.start
    return Span(scalar.span.source, start + left, start + max(left, right))


def _empty(scalar: Scalar, what: str, problems: Problems) -> bool:
    if any(line.split("#")[0].strip() for line in scalar.body.text.splitlines()):
        return False
    if not scalar.text:
        return True  # The structure wants a text there, and has said so.
    problems.add("missing-text", f"{what} is missing here", scalar.span)
    return True


def read_statements(scalar: Scalar, problems: Problems) -> n.Block | None:
    if _empty(scalar, "rule text", problems) or not _rule_scalar(scalar, problems):
        return None
    if scalar.style == "block":
        return cast("n.Block | None", _parse(scalar.body, "block", problems))
    statement = _parse(_content(scalar), "line", problems)
    return None if statement is None else (statement,)


def read_expression(scalar: Scalar, problems: Problems) -> n.Expr | None:
    if _empty(scalar, "an expression", problems) or not _rule_scalar(scalar, problems):
        return None
    return cast("n.Expr | None", _parse(_content(scalar), "expression", problems))


def read_definition(scalar: Scalar, problems: Problems) -> n.Expr | n.Block | None:
    """The body of a definition: an expression, or statements that return its value."""
    first = _first_word(scalar)
    if first in STATEMENT_WORDS:
        return read_statements(scalar, problems)
    return read_expression(scalar, problems)


def _first_word(scalar: Scalar) -> str:
    for line in scalar.body.text.splitlines():
        words = line.split("#")[0].replace(":", " ").split()
        if words:
            return words[0]
    return ""


def read_picks(scalar: Scalar, problems: Problems) -> tuple[n.Pick, ...] | None:
    if _empty(scalar, "a pick", problems) or not _rule_scalar(scalar, problems):
        return None
    if scalar.style == "block":
        return cast("tuple[n.Pick, ...] | None", _parse(scalar.body, "picks", problems))
    pick = _parse(_content(scalar), "pick", problems)
    return None if pick is None else (pick,)


def read_head(scalar: Scalar, problems: Problems) -> n.Head | None:
    return cast("n.Head | None", _parse(_content(scalar), "head", problems))


def read_kind(scalar: Scalar, problems: Problems) -> n.KindSpec | None:
    if _empty(scalar, "a kind", problems):
        return None
    return cast("n.KindSpec | None", _parse(_content(scalar), "kind", problems))


def read_each(scalar: Scalar, problems: Problems) -> n.KindSpec | None:
    return cast("n.KindSpec | None", _parse(_content(scalar), "each", problems))


def read_audience(scalar: Scalar, problems: Problems) -> n.Audience | None:
    return cast("n.Audience | None", _parse(_content(scalar), "audience", problems))


def read_text(span: Span, problems: Problems | None) -> n.Text:
    """A message with `{expressions}` in it. Inside rule text (`problems` None) faults travel as
    Lark's own errors to the place that reads the whole piece."""
    pieces: list[str | n.Expr] = []
    at = span.start
    text = span.source.text
    while at < span.end:
        opening = text.find("{", at, span.end)
        if opening < 0:
            pieces.append(text[at : span.end])
            break
        if opening > at:
            pieces.append(text[at:opening])
        closing = text.find("}", opening, span.end)
        closing = span.end if closing < 0 else closing
        inner = Span(span.source, opening + 1, closing)
        if problems is None:
            pieces.append(_read(inner, "expression"))
        else:
            expression = _parse(inner, "expression", problems)
            if expression is not None:
                pieces.append(expression)
        at = closing + 1
    return n.Text(span, tuple(pieces))
