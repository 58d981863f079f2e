"""The one namespace of a rule file, and the scopes of its locals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from rulebook.diagnostics import Fix, Label, Problems
from rulebook.kinds import an
from rulebook.source import Span
from rulebook.suggest import closest
from rulebook.terms import Table, Variable

_KEYWORDS = """
    where if else implies or and not is in can any no every satisfies count sum highest lowest
    most least all of first last among step starting for repeat until times while do let return
    stop chooses secretly each move to bottom face up down gather deal from shuffle turn show say
    win wins lose loses finish finishes by nobody everyone random are run longest one more best
    split mod with without empty none yes card cards
"""
KEYWORDS = frozenset(_KEYWORDS.split())
_BUILT_IN = """
    mover left right next partner owner face_up above
    larger smaller rounded_up rounded_down half_up half_down
"""
BUILT_IN = _BUILT_IN.split()


@dataclass(slots=True)
class Symbol:
    """What a name stands for. `what` is the word for its kind of entry: zone, state entry, ..."""

    name: str
    what: str
    span: Span | None
    value: object
    used: bool = False


ELSEWHERE = {
    **dict.fromkeys(("true", "on"), "yes"),
    **dict.fromkeys(("false", "off"), "no"),
    **dict.fromkeys(("null", "nil", "nothing", "undefined"), "none"),
}
"""Words of other languages for words of this one."""
IN_OTHER_WORDS = {
    "winner": "write `player of` and the card that wins, such as `player of highest rank in trick`",
}
"""What is written for things that people expect to have a name."""


class Namespace:
    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.lost: set[str] = set()
        """Names whose entries are faulty: a second message about them would be an echo."""
        self.blind = False
        """Whether a part of the file is so faulty that it may declare any name."""
        self.symbols: dict[str, Symbol] = {
            name: Symbol(name, "built-in word", None, name) for name in BUILT_IN
        }

    def add(self, name: str, what: str, span: Span | None, value: object) -> bool:
        """Declare a name; False (and a problem) if it is reserved or already taken."""
        if name in KEYWORDS or name in self.symbols:
            self.lost.add(name)
        if name in KEYWORDS:
            self.problems.add(
                "reserved-word",
                f"`{name}` is a word of the language",
                span,
                label=f"not free as the name of {an(what)}",
                help="choose another name",
            )
            return False
        other = self.symbols.get(name)
        if other is not None:
            before = (Label(other.span, f"{an(other.what)} with this name"),) if other.span else ()
            self.problems.add(
                "duplicate-name",
                f"the name `{name}` is already taken by {an(other.what)}",
                span,
                others=before,
                help="give one of the two another name",
            )
            return False
        self.symbols[name] = Symbol(name, what, span, value)
        return True

    def get(self, name: str) -> Symbol | None:
        symbol = self.symbols.get(name)
        if symbol is not None:
            symbol.used = True
        return symbol

    def unknown(
        self,
        slug: str,
        message: str,
        span: Span,
        candidates: Iterable[str],
        what: str,
        help: str = "",
    ) -> None:
        """Report a name that is not there, with the nearest of the candidates that fit."""
        if self.blind or span.text in self.lost:
            return
        near = closest(span.text, candidates)
        if not near:
            same = ELSEWHERE.get(span.text, "") if slug == "unknown-name" else ""
            self.problems.add(
                slug,
                message,
                span,
                label=f"not {what}",
                help=f"write `{same}`" if same else help or IN_OTHER_WORDS.get(span.text, ""),
                fix=Fix(span, same) if same else None,
            )
            return
        symbol = self.symbols.get(near[0])
        if symbol is not None:
            symbol.used = True
        others = (Label(symbol.span, "a similar name"),) if symbol and symbol.span else ()
        self.problems.add(
            slug,
            message,
            span,
            label=f"not {what}",
            others=others,
            help=f"write `{near[0]}`",
            fix=Fix(span, near[0]),
        )


@dataclass(slots=True)
class Scope:
    """The locals that can be seen at one place.

    `element` is the member that a bare attribute speaks of (or, with `through`, the value that this
    table has for it). `place` says what may be done here:
    `pure` (definitions, conditions), `act` (a move's `do`) or `step`.
    """

    place: str
    lasting: bool = False
    parent: Scope | None = None
    element: Variable | None = None
    through: Table | None = None
    variables: dict[str, Variable] = field(default_factory=dict)

    def inner(self, element: Variable | None = None, through: Table | None = None) -> Scope:
        if element is None:
            element, through = self.element, self.through
        return Scope(self.place, self.lasting, self, element, through)

    def find(self, name: str) -> Variable | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.variables:
                return scope.variables[name]
            scope = scope.parent
        return None

    def names(self) -> list[str]:
        found: list[str] = []
        scope: Scope | None = self
        while scope is not None:
            found += scope.variables
            scope = scope.parent
        return found
