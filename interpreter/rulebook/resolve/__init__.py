"""Names and kinds: a document becomes a checked game.

Two passes. `declare` reads what the file declares; then the bodies are resolved here, definitions
when they are first asked for (so their order in the file is free), then moves, then steps.
"""

from __future__ import annotations

from rulebook import nodes as n
from rulebook import parse
from rulebook import terms as t
from rulebook.diagnostics import Problems
from rulebook.document import Mapping, Node, Scalar, Sequence
from rulebook.kinds import (
    NUMBER_LIMIT,
    UNKNOWN,
    Enumeration,
    GroupsOf,
    Kind,
    Members,
    NumberRange,
    Numbers,
    SetOf,
    Unknown,
    join,
    same,
)
from rulebook.resolve.declare import PLAYS_LIMIT, Declarations, Declare, Setting, literal
from rulebook.resolve.expressions import Expressions
from rulebook.resolve.namespace import Scope
from rulebook.resolve.statements import Statements, called_steps, ends_block, waits
from rulebook.source import Span
from rulebook.terms import Term, Variable

__all__ = ["Resolver", "Setting", "resolve"]


def resolve(document: Mapping, setting: Setting, problems: Problems) -> t.CheckedGame:
    """The checked game, or as much of it as could be read; `problems` says whether it is whole."""
    return Resolver(document, setting, problems).run()


class Resolver:
    def __init__(self, document: Mapping, setting: Setting, problems: Problems) -> None:
        self.document = document
        self.setting = setting
        self.problems = problems
        self.found: Declarations = Declare(document, setting, problems).run()
        self.expressions = Expressions(self.found, problems)
        self.expressions.definition = self.definition
        self.definitions: dict[str, t.Definition | None] = {}
        self.under_way: list[str] = []
        self.step_blocks: dict[str, n.Block] = {}
        self.moves: dict[str, t.Move] = {}
        self.steps: dict[str, t.Step] = {}

    def run(self) -> t.CheckedGame:
        self.set_options()
        self.resolve_audiences()
        for name in self.found.definitions:
            self.definition(name, self.found.spans[name])
        for name, entry in self.found.moves.items():
            self.moves[name] = self.move(name, entry)
        self.resolve_steps()
        return self.game()

    # ---- options, audiences, state ----

    def set_options(self) -> None:
        """Option values chosen for this game, which replace the defaults."""
        for name, text in self.setting.options.items():
            option = self.found.options.get(name)
            value = None if option is None else literal(text, option.kind)
            if option is None:
                known = ", ".join(self.found.options) or "none"
                self.problems.add(
                    "unknown-option",
                    f"this game has no option `{name}`",
                    None,
                    help=f"its options: {known}",
                )
            elif value is None or not self._allowed(option, value):
                self.problems.add(
                    "bad-option", f"`{text}` is not a value of the option `{name}`", None
                )
            else:
                option.value = value

    def _allowed(self, option: t.Option, value: int) -> bool:
        if not isinstance(option.kind, Numbers):
            return True
        section = self.document.get("options")
        entry = section.get(option.name) if isinstance(section, Mapping) else None
        also = entry.get("also") if isinstance(entry, Mapping) else None
        if value in option.choices or not isinstance(also, Scalar):
            return value in option.choices or not isinstance(entry, Mapping) or (
                entry.get("choose") is None
            )
        spec = parse.read_each(also, Problems())
        return isinstance(spec, n.KindRange) and value in range(spec.low, spec.high + 1, spec.step)

    def resolve_audiences(self) -> None:
        scope = Scope("pure")
        for spec, entry in self.found.audiences.values():
            assert spec.condition is not None
            condition = self.expressions.flag(spec.condition, scope)
            entry.audience = t.Audience(entry.audience.seers, condition, entry.audience.otherwise)
        for name, scalar in self.found.starts.items():
            node = parse.read_expression(scalar, self.problems)
            state = self.found.state[name]
            if node is not None:
                value = self.expressions.term(node, scope, state.kind)
                state.starts = self.expressions.fit(value, state.kind, f"`{name}`")

    # ---- definitions ----

    def parameter_kind(self, word: n.Word) -> Kind:
        found = self.found
        if word.text == "number":
            return Numbers(-NUMBER_LIMIT, NUMBER_LIMIT)
        if word.text in found.enumerations:
            return Members(found.enumerations[word.text])
        plural = found.enumerations.get(word.text.removesuffix("s"))
        if plural is not None:
            return SetOf(plural)
        known = [*found.enumerations, *(f"{kind}s" for kind in found.enumerations), "number"]
        found.names.unknown(
            "unknown-kind", f"there is no kind `{word.text}`", word.span, known, "a kind"
        )
        return UNKNOWN

    def definition(self, name: str, span: Span) -> t.Definition | None:
        """A definition by name, resolved at the first call; None if it cannot be used."""
        if name in self.under_way:
            self.problems.add(
                "recursion",
                f"`{name}` is defined by itself",
                span,
                help="rule text has no recursion; use a loop",
            )
            return None
        if name not in self.definitions:
            self.under_way.append(name)
            self.definitions[name] = self._define(name)
            self.under_way.pop()
        return self.definitions[name]

    def _define(self, name: str) -> t.Definition | None:
        head, scalar = self.found.definitions[name]
        scope = Scope("pure")
        parameters: list[Variable] = []
        for parameter in head.parameters:
            kind = self.parameter_kind(parameter.kind)
            variable = Variable(parameter.name.text, kind, parameter.name.span)
            self.expressions.bind(variable.name, variable.span, variable, scope)
            parameters.append(variable)
        node = parse.read_definition(scalar, self.problems)
        if node is None:
            return None
        if isinstance(node, tuple):
            statements = Statements(self.expressions)
            body = statements.body(node, scope)
            kind = self._return_kind(statements.returns, scalar)
        else:
            term = self.expressions.term(node, scope)
            if isinstance(term.kind, GroupsOf | NumberRange):
                kind = term.kind
            else:
                kind = self._return_kind([term], scalar)
            body = (t.Return(node.span, term),)
        if isinstance(kind, Unknown):
            return None
        body = fit_returns(body, kind, self.expressions)
        return t.Definition(name, tuple(parameters), kind, body, head.name.span)

    def _return_kind(self, returns: list[Term], scalar: Scalar) -> Kind:
        if not returns:
            self.problems.add("no-return", "this definition returns nothing", scalar.span)
            return UNKNOWN
        kind = returns[0].kind
        for term in returns[1:]:
            if not same(kind, term.kind):
                self.expressions.mismatch(term, str(kind))
                return UNKNOWN
            kind = join(kind, term.kind)
        if str(kind) in ("none", "empty"):
            self.problems.add(
                "no-kind", f"this definition is always `{kind}`", returns[0].span
            )
            return UNKNOWN
        return kind

    # ---- moves ----

    def move(self, name: str, entry: Mapping) -> t.Move:
        span = self.found.spans[name]
        scope = Scope("pure")
        picks = self.picks(entry.get("pick"), scope)
        conditions = self.conditions(entry.get("if"), picks, scope)
        musts = self.musts(entry.get("must"), picks, scope, span)
        act = Scope("act", parent=scope)
        body: tuple[t.Statement, ...] = ()
        do = entry.get("do")
        if isinstance(do, Scalar):
            block = parse.read_statements(do, self.problems)
            if block is not None:
                body = Statements(self.expressions).body(block, act)
        say, about = entry.get("say"), entry.get("about")
        text = None
        if isinstance(say, Scalar):
            node = parse.read_text(say.body, self.problems)
            text = Statements(self.expressions).text(node, act)
        return t.Move(
            name,
            tuple(picks),
            tuple(conditions),
            tuple(musts),
            body,
            text,
            tuple(item.text for item in _scalars(entry.get("words"))),
            about.text if isinstance(about, Scalar) else "",
            span,
        )

    def picks(self, node: Node | None, scope: Scope) -> list[t.Pick]:
        result: list[t.Pick] = []
        for scalar in _scalars(node):
            for pick in parse.read_picks(scalar, self.problems) or ():
                result.append(self.pick(pick, scope))
        return result

    def pick(self, pick: n.Pick, scope: Scope) -> t.Pick:
        card = self.found.card
        name = pick.name
        if pick.form == "cards":
            self.expressions.shapes(pick.shapes)
            inner = scope.inner()
            source_node, condition = pick.subject, None
            if isinstance(source_node, n.Where):
                source_node, condition = source_node.subject, source_node.condition
            source = self.expressions.as_set(self.expressions.term(source_node, scope), card)
            variable = Variable(name.text, SetOf(card), name.span)
            self.expressions.bind(name.text, name.span, variable, scope)
            if condition is not None:
                self.expressions.flag(condition, inner)
            later = t.Later(pick.span, GroupsOf(card), "picks of several cards")
            return t.Pick(variable, later, zone_of(source), pick.span)
        subject = pick.subject
        if isinstance(subject, n.Where):
            member = n.Member(
                subject.span, n.Name(name.span, name.text), subject.subject, negated=False
            )
            subject = n.Where(subject.span, member, subject.condition)
        source = self.expressions.term(subject, scope)
        kind = source.kind
        member_kind: Kind = UNKNOWN
        if isinstance(kind, SetOf):
            member_kind = Members(kind.enumeration)
            if pick.form == "card" and kind.enumeration is not card:
                self.expressions.mismatch(source, "a set of cards")
            elif pick.form == "member" and kind.enumeration is card:
                self.problems.add(
                    "pick-from",
                    "a card is picked `from` a zone",
                    pick.span,
                    help=f"write `{name.text} from ...`",
                )
        elif isinstance(kind, NumberRange):
            member_kind = Numbers(kind.low, kind.high)
        elif not isinstance(kind, Unknown):
            self.expressions.mismatch(source, "a set or a range of numbers")
        variable = Variable(name.text, member_kind, name.span)
        self.expressions.bind(name.text, name.span, variable, scope)
        return t.Pick(variable, source, zone_of(source), pick.span)

    def conditions(
        self, node: Node | None, picks: list[t.Pick], scope: Scope
    ) -> list[t.Condition]:
        items: list[tuple[str, Scalar]] = []
        if isinstance(node, Scalar):
            items = [("", node)]
        elif isinstance(node, Mapping):
            for label, entry in node.entries.items():
                if isinstance(entry.value, Scalar):
                    items.append((label, entry.value))
        result: list[t.Condition] = []
        for label, scalar in items:
            expression = parse.read_expression(scalar, self.problems)
            if expression is not None:
                term = self.expressions.flag(expression, scope)
                after = last_pick(expression, picks)
                result.append(t.Condition(label, term, after, expression.span))
        return result

    def musts(
        self, node: Node | None, picks: list[t.Pick], scope: Scope, span: Span
    ) -> list[t.Must]:
        result: list[t.Must] = []
        if not isinstance(node, Mapping):
            return result
        for label, entry in node.entries.items():
            value = entry.value
            speaks_node = None
            keep: Node | None = value
            on = len(picks) - 1
            if isinstance(value, Mapping):
                speaks_node, keep = value.get("for"), value.get("keep")
                on = self.must_pick(value.get("on"), picks)
            if not picks:
                self.problems.add(
                    "must-without-pick",
                    "a `must` line chooses among things, and this move picks nothing",
                    entry.key.span,
                    help="write the condition under `if`",
                )
                continue
            if not isinstance(keep, Scalar):
                continue
            kept = parse.read_expression(keep, self.problems)
            speaks = (
                parse.read_expression(speaks_node, self.problems)
                if isinstance(speaks_node, Scalar)
                else None
            )
            for expression in (kept, speaks):
                if expression is not None and last_pick(expression, picks) > on + 1:
                    self.problems.add(
                        "must-too-early",
                        f"this line narrows `{picks[on].variable.name}` and reads a later pick",
                        expression.span,
                    )
            for_term = None if speaks is None else self.expressions.flag(speaks, scope)
            if kept is not None:
                keep_term = self.expressions.flag(kept, scope)
                result.append(t.Must(label, on, for_term, keep_term, entry.key.span))
        return result

    def must_pick(self, node: Node | None, picks: list[t.Pick]) -> int:
        if isinstance(node, Scalar):
            for position, pick in enumerate(picks):
                if pick.variable.name == node.text:
                    return position
            self.problems.add(
                "unknown-pick", f"this move has no pick `{node.text}`", node.span
            )
        return len(picks) - 1

    # ---- steps ----

    def resolve_steps(self) -> None:
        for name, scalar in self.found.steps.items():
            block = parse.read_statements(scalar, self.problems)
            self.step_blocks[name] = block or ()
        waiting = {name for name, block in self.step_blocks.items() if waits(block)}
        while True:
            more = {
                name
                for name, block in self.step_blocks.items()
                if name not in waiting
                and any(word.text in waiting for word in called_steps(block))
            }
            if not more:
                break
            waiting |= more
        self.refuse_recursion()
        for name, block in self.step_blocks.items():
            scope = Scope("step", lasting=name in waiting)
            body = Statements(self.expressions).body(block, scope)
            self.steps[name] = t.Step(name, body, name in waiting, self.found.spans[name])
        for move in self.moves.values():
            for statement in walk(move.body):
                if isinstance(statement, t.Do) and statement.step in waiting:
                    self.problems.add(
                        "choice-in-move",
                        f"`{statement.step}` asks for a choice, and a move is one choice itself",
                        statement.span,
                    )
        if "match" not in self.found.steps and "steps" not in self.document.broken:
            entry = self.document.entries.get("steps")
            self.problems.add(
                "no-match",
                "there is no step called `match`, where play begins",
                entry.key.span if entry else None,
                help="add a step `match:` under `steps:`",
            )

    def refuse_recursion(self) -> None:
        done: set[str] = set()

        def visit(name: str, path: list[str]) -> None:
            for word in called_steps(self.step_blocks.get(name, ())):
                if word.text in path:
                    self.problems.add(
                        "recursion",
                        f"`{word.text}` does itself",
                        word.span,
                        help="steps call each other without coming back; use `repeat`",
                    )
                elif word.text not in done:
                    visit(word.text, [*path, word.text])
            done.add(name)

        for name in self.step_blocks:
            if name not in done:
                visit(name, [name])

    # ---- the result ----

    def text(self, key: str) -> str:
        node = self.document.get(key)
        return node.text if isinstance(node, Scalar) else ""

    def limit(self, key: str) -> int | None:
        section = self.document.get("limits")
        node = section.get(key) if isinstance(section, Mapping) else None
        if not isinstance(node, Scalar):
            return None
        expression = parse.read_expression(node, self.problems)
        if expression is None:
            return None
        term = self.expressions.fit(
            self.expressions.term(expression, Scope("pure")), Numbers(1, PLAYS_LIMIT), "the limit"
        )
        if isinstance(term, t.Constant):
            return term.value
        if not isinstance(term.kind, Unknown):
            self.problems.add(
                "not-fixed", "a limit is a number or an option", expression.span
            )
        return None

    def game(self) -> t.CheckedGame:
        found = self.found
        names: dict[str, dict[str, str]] = {}
        section = self.document.get("names")
        if isinstance(section, Mapping):
            for name, entry in section.entries.items():
                if isinstance(entry.value, Scalar):
                    names[name] = {"text": entry.value.text}
                elif isinstance(entry.value, Mapping):
                    names[name] = {
                        key: inner.value.text
                        for key, inner in entry.value.entries.items()
                        if isinstance(inner.value, Scalar)
                    }
        examples = self.document.get("examples")
        return t.CheckedGame(
            name=self.text("game"),
            about=self.text("about"),
            credits=self.text("credits"),
            players=found.players,
            player_range=found.player_range,
            clockwise=found.clockwise,
            teams=tuple(found.teams),
            options=found.options,
            enumerations=found.enumerations,
            suit_of=found.suit_of,
            rank_of=found.rank_of,
            tables=found.tables,
            zones=found.zones,
            state=found.state,
            definitions={name: d for name, d in self.definitions.items() if d is not None},
            moves=self.moves,
            steps=self.steps,
            chances=self.expressions.chances,
            plays_limit=self.limit("plays"),
            repeats_limit=self.limit("repeats"),
            names=names,
            examples=list(examples.entries.items()) if isinstance(examples, Mapping) else [],
        )


def _scalars(node: Node | None) -> list[Scalar]:
    if isinstance(node, Scalar):
        return [node]
    if isinstance(node, Sequence):
        return [item for item in node.items if isinstance(item, Scalar)]
    return []


def zone_of(source: Term) -> t.ZoneOf | None:
    while isinstance(source, t.Filter):
        source = source.subject
    return source if isinstance(source, t.ZoneOf) else None


def fit_returns(
    body: tuple[t.Statement, ...], kind: Kind, expressions: Expressions
) -> tuple[t.Statement, ...]:
    """The body with every returned value as a value of the definition's kind."""

    def fitted(statement: t.Statement) -> t.Statement:
        if isinstance(statement, t.Return):
            value = expressions.fit(statement.value, kind)
            return t.Return(statement.span, value)
        if isinstance(statement, t.If):
            branches = tuple(
                (condition, fit_returns(block, kind, expressions))
                for condition, block in statement.branches
            )
            return t.If(statement.span, branches)
        if isinstance(statement, t.For):
            inner = fit_returns(statement.body, kind, expressions)
            return t.For(
                statement.span, statement.variable, statement.subject, statement.start, inner
            )
        if isinstance(statement, t.Repeat):
            inner = fit_returns(statement.body, kind, expressions)
            return t.Repeat(statement.span, inner, statement.until, statement.times)
        if isinstance(statement, t.While):
            return t.While(
                statement.span, statement.condition, fit_returns(statement.body, kind, expressions)
            )
        return statement

    return tuple(fitted(statement) for statement in body)


def walk(body: tuple[t.Statement, ...]) -> list[t.Statement]:
    """All statements of a checked body, inner ones too."""
    found: list[t.Statement] = []
    for statement in body:
        found.append(statement)
        if isinstance(statement, t.If):
            for _, block in statement.branches:
                found += walk(block)
        elif isinstance(statement, t.For | t.Repeat | t.While):
            found += walk(statement.body)
    return found


def names_in(node: object) -> set[str]:
    """Every name that an expression mentions, however deep."""
    found: set[str] = set()
    if isinstance(node, n.Name | n.Word):
        found.add(node.text)
    elif isinstance(node, tuple):
        for item in node:
            found |= names_in(item)
    elif isinstance(node, n.Node):
        for field in node.__dataclass_fields__:
            if field != "span":
                found |= names_in(getattr(node, field))
    return found


def last_pick(expression: n.Expr, picks: list[t.Pick]) -> int:
    """How many picks must be bound before the expression has a value."""
    names = names_in(expression)
    return max(
        (i + 1 for i, pick in enumerate(picks) if pick.variable.name in names), default=0
    )


