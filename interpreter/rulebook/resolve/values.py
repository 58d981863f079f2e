"""Second pass, values: reporting what is wrong, and fitting values to the kinds that a place wants.

A wrong expression is reported once and gets the kind `UNKNOWN`, which fits everywhere, so that one
cause gives one message.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from rulebook import nodes as n
from rulebook import terms as t
from rulebook.diagnostics import Fix, Label, Problems
from rulebook.kinds import (
    FLAG,
    UNKNOWN,
    Enumeration,
    Kind,
    Members,
    Nothing,
    Numbers,
    SetOf,
    Unknown,
    an,
    same,
)
from rulebook.resolve.declarations import Declarations
from rulebook.resolve.namespace import Namespace, Scope
from rulebook.source import Span
from rulebook.terms import Term, Variable

UNRANKED = ("card", "suit", "player", "team")
"""Built-in kinds without an order; kinds of the file compare in the order they list."""


class Values(ABC):
    def __init__(self, found: Declarations, problems: Problems) -> None:
        self.found = found
        self.problems = problems
        self.names: Namespace = found.names
        self.chances: list[t.Chance] = []
        self.definition: Callable[[str, Span], t.Definition | None] = lambda name, span: None
        """Set by the resolver of entries: a definition by name, resolved when first asked for."""
        self.step_parameters: dict[str, tuple[Variable, ...]] = {}
        """Set by the resolver of entries, before any statement is resolved."""
        self.plurals: set[str] = set()
        """State of which it was told that one member is wanted where several are declared."""

    @abstractmethod
    def term(self, node: n.Expr, scope: Scope, want: Kind | None = None) -> Term:
        """Resolve an expression. `want` only helps to read literals; `fit` enforces kinds."""

    # ---- reporting ----

    def wrong(self, slug: str, message: str, span: Span, **more: Any) -> Term:
        self.problems.add(slug, message, span, **more)
        return t.Constant(span, UNKNOWN, 0)

    def mismatch(self, term: Term, wanted: str) -> Term:
        if isinstance(term.kind, Unknown):
            return term
        help, fix = _way(term.kind, wanted, one_thing(term.span)), None
        if isinstance(term.kind, Nothing) and wanted.startswith("a set of "):
            help, fix = "write `empty`", Fix(term.span, "empty")
        others: tuple[Label, ...] = ()
        if isinstance(term, t.StateOf) and isinstance(term.kind, SetOf):
            one = Members(term.kind.enumeration)
            if wanted == str(one):
                # A plural in the declaration: one mistake, however often the state is used.
                if term.state.name in self.plurals:
                    return t.Constant(term.span, UNKNOWN, 0)
                self.plurals.add(term.state.name)
                help = f"declare `{term.state.name}` as `{one.enumeration.name}`, if it is one"
                others = (Label(term.state.span, "declared here"),)
        is_what = "not a set" if fix else str(term.kind)
        return self.wrong(
            "wrong-kind",
            f"`{short(term.span)}` is {is_what}; {wanted} is wanted here",
            term.span,
            label=f"{term.kind}",
            others=others,
            help=help,
            fix=fix,
        )

    # ---- fitting ----

    def flag(self, node: n.Expr, scope: Scope) -> Term:
        return self.fit(self.term(node, scope, FLAG), FLAG)

    def fit(self, term: Term, kind: Kind, use: str = "") -> Term:
        """The term as a value of the kind: converted, checked at run time, or reported."""
        own = term.kind
        if isinstance(own, Unknown) or isinstance(kind, Unknown):
            return term
        if isinstance(kind, Members):
            return self._fit_member(term, kind, use)
        if isinstance(kind, SetOf):
            return self.as_set(term, kind.enumeration)
        if isinstance(kind, Numbers) and isinstance(own, Numbers):
            if own.low > kind.high or own.high < kind.low:
                return self.wrong(
                    "out-of-range",
                    f"`{short(term.span)}` is never within {kind.low}..{kind.high}",
                    term.span,
                )
            if own.low >= kind.low and own.high <= kind.high:
                return term
            return t.Fit(term.span, kind, term, kind.low, kind.high, use)
        if same(own, kind):
            return term
        return self.mismatch(term, str(kind))

    def _fit_member(self, term: Term, kind: Members, use: str) -> Term:
        own = term.kind
        if isinstance(own, Nothing):
            if own.word == "none" and kind.optional:
                return t.Constant(term.span, kind, -1)
            if own.word == "none":
                return self.wrong(
                    "none-here", f"none cannot stand here: {kind} is wanted", term.span
                )
            return self.mismatch(term, str(kind))
        term = self.widened(term, kind.enumeration)
        own = term.kind
        if not isinstance(own, Members) or own.enumeration is not kind.enumeration:
            return self.mismatch(term, str(Members(kind.enumeration)))
        if own.optional and not kind.optional:
            return t.Need(term.span, kind, term, use or "a value")
        return term

    def widened(self, term: Term, enumeration: Enumeration) -> Term:
        """A suit or rank as a member of a kind of the file that lists all suits or ranks among its
        members; any other term as it is."""
        own = term.kind
        if not isinstance(own, Members) or own.enumeration.name not in ("suit", "rank"):
            return term
        small = own.enumeration
        if small is enumeration or not set(small.members) <= set(enumeration.members):
            return term
        places = tuple(enumeration.members.index(member) for member in small.members)
        kind = Members(enumeration, own.optional)
        if isinstance(term, t.Constant):
            return t.Constant(term.span, kind, places[term.value])
        table = t.Table(small.name, (small,), Members(enumeration), places, None)
        return t.Lookup(term.span, kind, table, (term,))

    def as_set(self, term: Term, enumeration: Enumeration | None = None) -> Term:
        """The term as a set; a single member is the set of that one."""
        if enumeration is not None:
            term = self.widened(term, enumeration)
        kind = term.kind
        if isinstance(kind, Unknown):
            return term
        if isinstance(kind, Nothing) and kind.word == "empty" and enumeration is not None:
            return t.Constant(term.span, SetOf(enumeration), 0)
        if isinstance(kind, Members) and enumeration in (None, kind.enumeration):
            return t.Single(term.span, SetOf(kind.enumeration), term)
        if isinstance(kind, SetOf) and enumeration in (None, kind.enumeration):
            return term
        name = enumeration.name if enumeration else "member"
        return self.mismatch(term, f"a set of {name}s")

    def ranked(self, enumeration: Enumeration) -> bool:
        return enumeration.name not in UNRANKED

    def bind(self, name: str, span: Span, variable: Variable, scope: Scope) -> None:
        """Give a variable its name, which must be new."""
        if scope.find(name) is not None or name in self.names.symbols:
            what = "local" if scope.find(name) else self.names.symbols[name].what
            self.problems.add(
                "shadowed-name",
                f"`{name}` is already the name of {an(what)}",
                span,
                help="choose another name",
            )
        variable.name = name
        scope.variables[name] = variable


def one_thing(span: Span) -> str:
    """The text of a place as one operand: in brackets, unless it is a name with its `of`."""
    text = short(span)
    return text if re.fullmatch(r"\w+( of \w+)*|\(.*\)", text) else f"({text})"


def short(span: Span) -> str:
    text = " ".join(span.text.split())
    return text if len(text) <= 40 else text[:37] + "..."


def _way(kind: Kind, wanted: str, text: str) -> str:
    """How one kind of thing leads to the one that is wanted."""
    have = kind.enumeration.name if isinstance(kind, Members) else ""
    want = wanted.removesuffix(" or none").partition(" ")[2]
    if have == "card" and want in ("suit", "rank", "player"):
        return f"write `{want} of` in front"
    if have == "player" and want == "team":
        return "write `team of` in front"
    cards = isinstance(kind, SetOf) and kind.enumeration.name == "card"
    if want == "card" and cards:
        return f"name one of them, such as `highest rank in {text}`"
    if wanted == "a zone" and cards:
        return f"only a zone has an order; write `highest rank in {text}`, or `lowest`"
    if want == "card":
        return "name a card, such as `last of` a zone or a pick"
    return ""
