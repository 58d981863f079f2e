"""Names and kinds: a document becomes a checked game.

Two passes. `declare` reads what the file declares; then the bodies are resolved here, definitions
when they are first asked for (so their order in the file is free), then moves, then steps.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulebook import nodes as n
from rulebook import parse
from rulebook import terms as t
from rulebook.diagnostics import Problems
from rulebook.document import Mapping, Node, Scalar
from rulebook.kinds import (
    FLAG,
    NUMBER_LIMIT,
    UNKNOWN,
    Kind,
    Members,
    NumberRange,
    Numbers,
    SetOf,
    Unknown,
    join,
    same,
)
from rulebook.resolve.declarations import Declarations, Setting
from rulebook.resolve.declare import PLAYS_LIMIT, Declare
from rulebook.resolve.expressions import Expressions
from rulebook.resolve.moves import Moves
from rulebook.resolve.namespace import Scope
from rulebook.resolve.options import Conditions, allowed, literal, only_for, written
from rulebook.resolve.statements import Statements
from rulebook.resolve.walks import called_steps, waits, walk
from rulebook.source import Span
from rulebook.suggest import closest
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
        self.conditions = Conditions(self.found.options, self.expressions)
        self.definitions: dict[str, t.Definition | None] = {}
        self.under_way: list[str] = []
        self.step_blocks: dict[str, n.Block] = {}
        self.step_scopes: dict[str, Scope] = {}
        self.moves: dict[str, t.Move] = {}
        self.steps: dict[str, t.Step] = {}

    def run(self) -> t.CheckedGame:
        self.set_options()
        self.resolve_audiences()
        for name in self.found.definitions:
            self.definition(name, self.found.spans[name])
        self.read_steps()
        moves = Moves(self.expressions)
        for name, entry in self.found.moves.items():
            self.moves[name] = moves.move(name, entry)
        self.resolve_steps()
        self.number_chances()
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
            elif value is None or not option.allows(value):
                message = f"`{text}` is not a value of the option `{name}`"
                self.problems.add("bad-option", message, None, help=allowed(option))
            else:
                option.value = value
        for option in self.conditions.refused(self.conditions.asked()):
            self.problems.add(
                "option-condition",
                only_for(option),
                None,
                help=f"leave it at `{written(option, option.default)}`",
            )

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

    def parameters(self, head: n.Head, scope: Scope, lasting: bool) -> tuple[Variable, ...]:
        """The parameters of a definition or step, known in its scope."""
        result: list[Variable] = []
        for parameter in head.parameters:
            kind = self.parameter_kind(parameter.kind)
            variable = Variable(parameter.name.text, kind, parameter.name.span, lasting)
            self.expressions.bind(variable.name, variable.span, variable, scope)
            result.append(variable)
        return tuple(result)

    def parameter_kind(self, word: n.Word) -> Kind:
        found = self.found
        if word.text == "number":
            return Numbers(-NUMBER_LIMIT, NUMBER_LIMIT)
        if word.text == "flag":
            return FLAG
        if word.text in found.enumerations:
            return Members(found.enumerations[word.text])
        plural = found.enumerations.get(word.text.removesuffix("s"))
        if plural is not None:
            return SetOf(plural)
        known = [
            *found.enumerations,
            *(f"{kind}s" for kind in found.enumerations),
            "number",
            "flag",
        ]
        found.names.unknown(
            "unknown-kind", f"there is no kind `{word.text}`", word.span, known, "a kind"
        )
        return UNKNOWN

    def definition(self, name: str, span: Span) -> t.Definition | None:
        """A definition by name, resolved at the first call; None if it cannot be used."""
        if name in self.under_way:
            if span != self.found.spans[name]:  # Asked for its parameters alone, not called.
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
        parameters = self.parameters(head, scope, lasting=False)
        node = parse.read_definition(scalar, self.problems)
        if node is None:
            return None
        if isinstance(node, tuple):
            statements = Statements(self.expressions)
            body = statements.body(node, scope)
            kind = self._return_kind(statements.returns, scalar)
        else:
            term = self.expressions.term(node, scope)
            kind = self._return_kind([term], scalar)
            body = (t.Return(node.span, term),)
        if isinstance(kind, Unknown):
            return None
        body = fit_returns(body, kind, self.expressions)
        return t.Definition(name, parameters, kind, body, head.name.span)

    def _return_kind(self, returns: list[Term], scalar: Scalar) -> Kind:
        if not returns:
            self.problems.add("no-return", "this definition returns nothing", scalar.span)
            return UNKNOWN
        kind = returns[0].kind
        if isinstance(kind, NumberRange):
            self.expressions.mismatch(returns[0], "a value or a set")
            return UNKNOWN
        for term in returns[1:]:
            if not same(kind, term.kind):
                self.expressions.mismatch(term, str(kind))
                return UNKNOWN
            kind = join(kind, term.kind)
        if str(kind) in ("none", "empty"):
            self.problems.add("no-kind", f"this definition is always `{kind}`", returns[0].span)
            return UNKNOWN
        return kind

    # ---- steps ----

    def read_steps(self) -> None:
        """The steps as written, and their parameters, which moves may already give values to."""
        for name, (head, scalar) in self.found.steps.items():
            self.step_blocks[name] = parse.read_statements(scalar, self.problems) or ()
            scope = self.step_scopes[name] = Scope("step")
            self.expressions.step_parameters[name] = self.parameters(head, scope, lasting=True)
            if name == "match" and head.parameters:
                self.problems.add(
                    "wrong-arguments", "`match` begins the game and is of nothing", head.span
                )

    def resolve_steps(self) -> None:
        waiting = {name for name, block in self.step_blocks.items() if waits(block)}
        while True:
            more = {
                name
                for name, block in self.step_blocks.items()
                if name not in waiting and any(word.text in waiting for word in called_steps(block))
            }
            if not more:
                break
            waiting |= more
        self.refuse_recursion()
        for name, block in self.step_blocks.items():
            scope = self.step_scopes[name]
            scope.lasting = name in waiting
            body = Statements(self.expressions).body(block, scope)
            span, parameters = self.found.spans[name], self.expressions.step_parameters[name]
            self.steps[name] = t.Step(name, body, name in waiting, span, parameters)
        for move in self.moves.values():
            for statement in walk(move.body):
                if isinstance(statement, t.Do) and statement.step in waiting:
                    self.problems.add(
                        "choice-in-move",
                        f"`{statement.step}` asks for a choice, and a move is one choice itself",
                        statement.span,
                    )
        # A file without steps has been told so, and one whose `match` cannot be read.
        entry = self.document.entries.get("steps")
        if entry and "match" not in self.found.steps.keys() | self.found.names.lost:
            near = closest("match", self.found.steps)
            place = entry.key.span
            self.problems.add(
                "no-match",
                "there is no step called `match`, where play begins",
                self.found.spans[near[0]] if near else place,
                help="write `match`" if near else "add a step `match:` under `steps:`",
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

    def number_chances(self) -> None:
        """Chance is known by its number in the file, whatever the order of resolving.

        In a file put together from several, that is the order of the entries: the same as in its
        flattened text.
        """
        texts = [scalar.span for scalar in scalars(self.document)]

        def place(chance: t.Chance) -> tuple[int, int]:
            span = chance.span
            holding = (
                number
                for number, text in enumerate(texts)
                if text.source == span.source and text.start <= span.start < text.end
            )
            return next(holding, len(texts)), span.start

        self.expressions.chances.sort(key=place)
        for number, chance in enumerate(self.expressions.chances):
            chance.number = number

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
            self.problems.add("not-fixed", "a limit is a number or an option", expression.span)
        return None

    def alike(self) -> str | None:
        """The attribute that tells cards of a position apart, if the file names one."""
        section = self.document.get("limits")
        node = section.get("alike") if isinstance(section, Mapping) else None
        if not isinstance(node, Scalar):
            return None
        if node.text not in ("suit", "rank"):
            self.problems.add(
                "bad-value",
                f"`{node.text}` does not tell cards apart",
                node.span,
                help="write `suit` or `rank`",
            )
            return None
        return node.text

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
            alike=self.alike(),
            names=names,
            examples=list(examples.entries.items()) if isinstance(examples, Mapping) else [],
            used=frozenset(s.name for s in found.names.symbols.values() if s.used),
        )


def scalars(node: Node) -> Iterator[Scalar]:
    """The texts of a piece of a document, in its order."""
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Mapping):
        for entry in node.entries.values():
            yield from scalars(entry.value)
    else:
        for item in node.items:
            yield from scalars(item)


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
