"""Options: what the file offers, which values may be chosen, and the conditions between them."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as Values

from rulebook import nodes as n
from rulebook import parse
from rulebook import terms as t
from rulebook.diagnostics import Problems
from rulebook.document import Mapping, Scalar, Sequence
from rulebook.kinds import FLAG, UNKNOWN, Enumeration, Flag, Kind, Members, Numbers, Unknown
from rulebook.resolve.expressions import Expressions
from rulebook.resolve.fold import fold
from rulebook.resolve.namespace import Scope
from rulebook.resolve.tables import number_text
from rulebook.resolve.walks import names_in
from rulebook.terms import Option
from rulebook.walks import inside


def read_option(
    name: str,
    key: Scalar,
    entry: Mapping,
    kind_of: Callable[[n.KindSpec | None], Kind],
    problems: Problems,
) -> Option:
    """An option at its default. Whether its condition makes sense is for `Conditions`."""
    listed = entry.get("choose")
    items = listed.items if isinstance(listed, Sequence) else []
    choices = [item for item in items if isinstance(item, Scalar)]
    is_kind, default, when = entry.get("is"), entry.get("default"), entry.get("when")
    also = read_also(entry, problems)
    kind: Kind = UNKNOWN
    if isinstance(is_kind, Scalar):
        kind = kind_of(parse.read_kind(is_kind, problems))
    elif choices and all(number_text(choice.text) for choice in choices):
        values = [int(choice.text) for choice in choices]
        ends = [also[0], also[-1]] if also else []
        kind = Numbers(min(values + ends), max(values + ends))
    elif choices and {choice.text for choice in choices} <= {"yes", "no"}:
        kind = FLAG
    elif choices:
        words = tuple(choice.text for choice in choices if choice.text != "none")
        kind = Members(Enumeration(name, words), len(words) < len(choices))
    elif not entry.broken & {"choose", "is"}:
        problems.add(
            "missing-key",
            f"the option `{name}` has neither `choose` nor `is`",
            key.span,
            help="list its values under `choose:`",
        )

    def value(scalar: Scalar) -> int | None:
        found = literal(scalar.text, kind)
        if found is None and kind is not UNKNOWN:
            message = f"`{scalar.text}` is not a value that fits here"
            problems.add("bad-value", message, scalar.span)
        return found

    named = tuple(found for found in map(value, choices) if found is not None)
    if isinstance(kind, Numbers) and listed is None:
        also = also or range(kind.low, kind.high + 1)
    first = named[0] if named else kind.low if isinstance(kind, Numbers) else 0
    start = value(default) if isinstance(default, Scalar) else first
    start = first if start is None else start
    about = entry.get("about")
    return Option(
        name,
        about.text if isinstance(about, Scalar) else "",
        kind,
        named or (start,),
        start,
        start,
        key.span,
        also,
        parse.read_expression(when, problems) if isinstance(when, Scalar) else None,
    )


def read_also(entry: Mapping, problems: Problems) -> range:
    also = entry.get("also")
    spec = parse.read_each(also, problems) if isinstance(also, Scalar) else None
    if not isinstance(spec, n.KindRange):
        return range(0)
    if spec.low > spec.high:
        problems.add("bad-range", "this range is empty", spec.span)
    return range(spec.low, spec.high + 1)


class Conditions:
    """What `when` entries ask of other options.

    They are resolved once more for each set of values, as options are constants in rule text; so
    they name nothing whose meaning is kept from one time to the next, such as a definition.
    """

    def __init__(self, options: dict[str, Option], expressions: Expressions) -> None:
        self.options = options
        self.expressions = expressions
        self.sound: list[Option] | None = None

    def asked(self) -> list[Option]:
        """The options whose conditions depend on other options alone; the rest are problems."""
        if self.sound is None:
            self.sound = [option for option in self.options.values() if self.checked(option)]
        return self.sound

    def checked(self, option: Option) -> bool:
        if option.when is None:
            return False
        problems = self.expressions.problems
        before = len(problems)
        if option.name in names_in(option.when):
            message = f"`{option.name}` is asked about in its own condition"
            problems.add("not-fixed", message, option.when.span, help="ask about other options")
            return False
        term = self.expressions.flag(option.when, Scope("pure"))
        if len(problems) > before or isinstance(term.kind, Unknown):
            return False
        if fold(term, {}) is None or any(isinstance(node, t.Call) for node in inside(term)):
            problems.add(
                "not-fixed",
                f"when `{option.name}` may be chosen is known only in play",
                option.when.span,
                help="ask about options alone",
            )
            return False
        return True

    def refused(self, options: list[Option]) -> list[Option]:
        """Those that have another value than their default though their condition does not hold."""
        return [
            option
            for option in options
            if option.when is not None
            and option.value != option.default
            and not fold(self.expressions.flag(option.when, Scope("pure")), {})
        ]

    def refused_with(self, values: Values[str, int]) -> list[Option]:
        """The same with these values and all other options at their defaults."""
        kept = {name: option.value for name, option in self.options.items()}
        try:
            for name, option in self.options.items():
                option.value = values.get(name, option.default)
            return self.refused(self.asked())
        finally:
            for name, value in kept.items():
                self.options[name].value = value


# ---- in words ----


def only_for(option: Option) -> str:
    """What is wrong where an option's condition does not hold."""
    asked = " ".join(option.when.span.text.split()) if option.when is not None else ""
    return f"`{option.name}` is only for games with `{asked}`"


def written(option: Option, value: int) -> str:
    """A value as the file and commands write it."""
    kind = option.kind
    if isinstance(kind, Flag):
        return "yes" if value else "no"
    if isinstance(kind, Members):
        return kind.enumeration.members[value] if value >= 0 else "none"
    return str(value)


def allowed(option: Option) -> str:
    """What an option can be: `it can be one, two or three`."""
    kind, also = option.kind, option.also
    values = option.choices
    if isinstance(kind, Flag):
        values = (1, 0)
    elif isinstance(kind, Members) and len(values) < 2:
        values = tuple(range(-1 if kind.optional else 0, kind.enumeration.size))
    several = alternatives([written(option, value) for value in values])
    if not also:
        return f"it can be {several}"
    numbers = f"a number from {also[0]} to {also[-1]}"
    if not set(values) <= set(also):
        return f"it can be {several}, or {numbers}"
    return f"it is {numbers}" + (f", such as {several}" if len(values) > 1 else "")


def alternatives(texts: list[str]) -> str:
    return " or ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def literal(text: str, kind: Kind) -> int | None:
    """A value written in YAML (an option, a table, an example), as its number."""
    if isinstance(kind, Numbers):
        return int(text) if number_text(text) and kind.low <= int(text) <= kind.high else None
    if isinstance(kind, Flag):
        return {"yes": 1, "no": 0}.get(text)
    if isinstance(kind, Members):
        if text == "none":
            return -1 if kind.optional else None
        members = kind.enumeration.members
        return members.index(text) if text in members else None
    return None
