"""Second pass, statements: what steps, moves and definitions do."""

from __future__ import annotations

from collections.abc import Callable

from rulebook import nodes as n
from rulebook import terms as t
from rulebook.diagnostics import Fix
from rulebook.kinds import (
    FLAG,
    NUMBER_LIMIT,
    UNKNOWN,
    GroupsOf,
    Kind,
    Members,
    NumberRange,
    Numbers,
    SetOf,
    Unknown,
)
from rulebook.resolve.dealing import Dealing
from rulebook.resolve.expressions import Expressions
from rulebook.resolve.namespace import Scope
from rulebook.resolve.sets import named
from rulebook.resolve.values import short
from rulebook.resolve.walks import assigned, ends_block
from rulebook.suggest import closest
from rulebook.terms import Statement, Term, Variable


class Statements(Dealing):
    """`block` is the door; one method for each statement class behind it."""

    def __init__(self, expressions: Expressions) -> None:
        super().__init__(expressions)
        self.returns: list[Term] = []
        self.reassigned: set[str] = set()

    def body(self, block: n.Block, scope: Scope) -> tuple[Statement, ...]:
        """A whole body: a step, a move's `do` or a definition."""
        self.returns = []
        self.reassigned = set(assigned(block))
        return self.block(block, scope)

    def block(self, block: n.Block, scope: Scope) -> tuple[Statement, ...]:
        inner = scope.inner()
        result: list[Statement] = []
        for position, node in enumerate(block):
            statement = METHODS[type(node)](self, node, inner)
            if statement is not None:
                result.append(statement)
            if ends_block(node) and position + 1 < len(block):
                self.problems.add(
                    "unreachable",
                    "nothing from here on is ever reached",
                    block[position + 1].span,
                    others=(),
                    severity="warning",
                )
                for rest in block[position + 1 :]:
                    METHODS[type(rest)](self, rest, inner)
                break
        return tuple(result)

    # ---- values ----

    def assign(self, node: n.Assign, scope: Scope) -> Statement | None:
        target_node = node.target
        if isinstance(target_node, n.Name):
            variable = scope.find(target_node.text)
            if variable is not None:
                return self.assign_variable(node, variable, scope)
            if node.sign == "=" and self.undeclared(target_node, scope):
                self.expressions.term(node.value, scope)
                return None
        target = self.expressions.term(target_node, scope)
        if isinstance(target, t.StateOf):
            target.state.written = True
            if not self.only_in(node, "setting a state entry", scope, "step", "act"):
                return None
        elif not isinstance(target.kind, Unknown):
            help = "declare it under `state:`, or begin a local with `let`"
            if isinstance(target, t.ZoneOf):
                help = "cards go from zone to zone with `move`"
            self.problems.add(
                "not-assignable",
                f"`{target_node.span.text}` is not something that can be set",
                target_node.span,
                help=help,
            )
            self.expressions.term(node.value, scope, target.kind)
            return None
        value = self.changed(node, target, scope)
        fitted = self.expressions.fit(value, target.kind, f"`{target_node.span.text}`")
        if not isinstance(target, t.StateOf) or isinstance(fitted.kind, Unknown):
            return None
        return t.SetState(node.span, target, fitted)

    def undeclared(self, target: n.Name, scope: Scope) -> bool:
        """Whether a value is set that is neither declared nor a local; told once for each name."""
        names = self.names
        if target.text in names.symbols or names.blind or target.text in names.lost:
            return False
        known = [*names.symbols, *scope.names()]
        if closest(target.text, known):
            return False
        self.problems.add(
            "unknown-name",
            f"there is nothing called `{target.text}`",
            target.span,
            label="not a name of this file",
            help=f"write `let {target.text} = ...` for a local, or declare it under `state:`",
        )
        names.lost.add(target.text)
        return True

    def changed(self, node: n.Assign, target: Term, scope: Scope) -> Term:
        """The value to store; `+=` and `-=` make it from the old one."""
        # What is added is a number, also where one could be a seat or a rank.
        want = target.kind if node.sign == "=" else None
        value = self.expressions.term(node.value, scope, want)
        if node.sign == "=":
            return value
        for term in (target, value):
            if isinstance(target.kind, SetOf):
                word = "with" if node.sign == "+=" else "without"
                right = node.value.span.text
                right = right if isinstance(node.value, n.Name | n.Of) else f"({right})"
                changed = f"{target.span.text} = {target.span.text} {word} {right}"
                return self.expressions.wrong(
                    "wrong-kind",
                    f"`{node.sign}` is for numbers; `{short(target.span)}` is {target.kind}",
                    node.target.span,
                    label=f"{target.kind}",
                    help=f"write `{changed}`",
                    fix=Fix(node.span, changed),
                )
            if not isinstance(term.kind, Numbers | Unknown):
                sum = n.Arithmetic(node.span, node.sign[0], node.target, node.value)
                told = self.expressions.neighbour(sum, target, value, node.target.span.text)
                return told or self.expressions.mismatch(term, "a number")
        if isinstance(target.kind, Unknown) or isinstance(value.kind, Unknown):
            return t.Constant(node.span, UNKNOWN, 0)
        return self.expressions.combined(node.span, node.sign[0], target, value)

    def assign_variable(self, node: n.Assign, variable: Variable, scope: Scope) -> Statement | None:
        variable.written = True
        read = t.Read(node.target.span, variable.kind, variable)
        value = self.changed(node, read, scope)
        fitted = self.expressions.fit(value, variable.kind, f"`{variable.name}`")
        return t.SetVariable(node.span, variable, fitted)

    def let(self, node: n.Let, scope: Scope) -> Statement:
        value = self.expressions.term(node.value, scope)
        kind = value.kind
        if isinstance(kind, Numbers) and node.name.text in self.reassigned:
            kind = Numbers(-NUMBER_LIMIT, NUMBER_LIMIT)
        elif isinstance(kind, Members) and node.name.text in self.reassigned:
            kind = Members(kind.enumeration, True)
        elif isinstance(kind, GroupsOf | NumberRange) or kind in (None,):
            value = self.expressions.mismatch(value, "a single value or a set")
            kind = UNKNOWN
        elif not isinstance(kind, Unknown) and str(kind) in ("none", "empty"):
            self.problems.add(
                "no-kind",
                f"`{kind}` alone does not say what kind of value `{node.name.text}` holds",
                node.value.span,
            )
            kind = UNKNOWN
        variable = Variable(node.name.text, kind, node.name.span, scope.lasting)
        self.expressions.bind(node.name.text, node.name.span, variable, scope)
        return t.SetVariable(node.span, variable, self.expressions.fit(value, kind))

    # ---- flow ----

    def if_(self, node: n.If, scope: Scope) -> Statement:
        branches = tuple(
            (
                None if condition is None else self.expressions.flag(condition, scope),
                self.block(block, scope),
            )
            for condition, block in node.branches
        )
        return t.If(node.span, branches)

    def for_(self, node: n.For, scope: Scope) -> Statement:
        subject = self.expressions.term(named(node.subject, node.name), scope)
        inner = scope.inner()
        start: Term | None = None
        kind: Kind = UNKNOWN
        player = self.found.enumerations["player"]
        if isinstance(subject.kind, SetOf):
            kind = Members(subject.kind.enumeration)
        elif isinstance(subject.kind, NumberRange):
            kind = Numbers(subject.kind.low, subject.kind.high)
        elif isinstance(subject.kind, GroupsOf):
            kind = SetOf(subject.kind.enumeration)
        elif not isinstance(subject.kind, Unknown):
            self.expressions.mismatch(subject, "a set or a range of numbers")
        if node.start is not None:
            start = self.expressions.term(node.start, scope, Members(player))
            start = self.expressions.fit(start, Members(player), "`starting`")
            if not isinstance(subject.kind, Unknown) and subject.kind != SetOf(player):
                self.problems.add(
                    "wrong-kind",
                    "`starting` goes with a walk round the players",
                    node.start.span,
                )
        variable = Variable(node.name.text, kind, node.name.span, scope.lasting)
        self.expressions.bind(node.name.text, node.name.span, variable, inner)
        body = self.block(node.body, inner)
        return t.For(node.span, variable, subject, start, body)

    def repeat(self, node: n.Repeat, scope: Scope) -> Statement:
        times = None
        if node.times is not None:
            times = self.expressions.term(node.times, scope)
            if not isinstance(times.kind, Numbers | Unknown):
                times = self.expressions.mismatch(times, "a number")
        body = self.block(node.body, scope)
        until = None if node.until is None else self.expressions.flag(node.until, scope)
        return t.Repeat(node.span, body, until, times)

    def while_(self, node: n.While, scope: Scope) -> Statement:
        condition = self.expressions.flag(node.condition, scope)
        return t.While(node.span, condition, self.block(node.body, scope))

    def do(self, node: n.Do, scope: Scope) -> Statement | None:
        symbol = self.names.get(node.step.text)
        if symbol is None or symbol.what != "step":
            self.names.unknown(
                "unknown-step",
                f"there is no step called `{node.step.text}`",
                node.step.span,
                self.found.steps,
                "a step",
            )
            return None
        if not self.only_in(node, "`do`", scope, "step", "act"):
            return None
        parameters = self.expressions.step_parameters.get(node.step.text, ())
        if len(parameters) != len(node.arguments):
            self.expressions.arguments(
                node.step.text, len(parameters), len(node.arguments), node.span
            )
            return None
        arguments = tuple(
            self.expressions.fit(
                self.expressions.term(argument, scope, parameter.kind),
                parameter.kind,
                f"`{parameter.name}`",
            )
            for argument, parameter in zip(node.arguments, parameters, strict=True)
        )
        return t.Do(node.span, node.step.text, arguments)

    def return_(self, node: n.Return, scope: Scope) -> Statement | None:
        value = self.expressions.term(node.value, scope)
        if not self.only_in(node, "`return`", scope, "pure"):
            return None
        self.returns.append(value)
        return t.Return(node.span, value)

    def stop(self, node: n.Stop, scope: Scope) -> Statement | None:
        if not self.only_in(node, "`stop`", scope, "step", "act"):
            return None
        return t.Stop(node.span)

    def choose(self, node: n.Choose, scope: Scope) -> Statement | None:
        player = Members(self.found.enumerations["player"])
        chooser = self.expressions.fit(
            self.expressions.term(node.player, scope, player), player, "`chooses`"
        )
        seat = None
        if node.seat is not None:
            seat = self.expressions.fit(
                self.expressions.term(node.seat, scope, player), player, "`for`"
            )
        good = [self.expressions.move_name(word) for word in (*node.moves, *node.fallback)]
        if not self.only_in(node, "a choice", scope, "step") or not all(good):
            return None
        return t.Choose(
            node.span,
            chooser,
            seat,
            tuple(word.text for word in node.moves),
            tuple(word.text for word in node.fallback),
        )

    def secretly(self, node: n.Secretly, scope: Scope) -> Statement | None:
        if node.each.text != "player":
            self.problems.add(
                "wrong-kind",
                f"players choose, not each `{node.each.text}`",
                node.each.span,
                help="write `each player`",
            )
        player = self.found.enumerations["player"]
        subject: Term = t.Constant(node.each.span, SetOf(player), player.full)
        if node.subject is not None:
            subject = self.expressions.as_set(self.expressions.term(node.subject, scope), player)
        known = self.expressions.move_name(node.move)
        if not self.only_in(node, "a choice", scope, "step") or not known:
            return None
        variable = Variable("", Members(player), node.each.span, scope.lasting)
        chooser = t.Read(node.each.span, variable.kind, variable)
        choice = t.Choose(node.span, chooser, None, (node.move.text,), ())
        return t.Secretly(node.span, t.For(node.span, variable, subject, None, ()), choice)

    # ---- words and ends ----

    def text(self, node: n.Text, scope: Scope) -> t.Text:
        pieces: list[str | Term] = []
        for piece in node.pieces:
            if isinstance(piece, str):
                pieces.append(piece)
                continue
            term = self.expressions.term(piece, scope)
            if isinstance(term.kind, GroupsOf | NumberRange):
                term = self.expressions.mismatch(term, "a single value or a set")
            pieces.append(term)
        return t.Text(node.span, tuple(pieces))

    def say(self, node: n.Say, scope: Scope) -> Statement | None:
        text = self.text(node.text, scope)
        if not self.only_in(node, "`say`", scope, "step", "act"):
            return None
        return t.Say(node.span, text)

    def players(self, node: n.Expr, scope: Scope) -> Term:
        """A player, a team, or a set of either, as a set of players."""
        player = self.found.enumerations["player"]
        term = self.expressions.term(node, scope, Members(player))
        kind = term.kind
        team = self.found.enumerations.get("team")
        if team is not None and isinstance(kind, Members | SetOf) and kind.enumeration is team:
            teams = self.expressions.as_set(term, team)
            variable = Variable("", Members(player), node.span)
            seat = t.Read(node.span, variable.kind, variable)
            of = self.expressions.attribute("team", seat, node.span)
            inside = t.Contains(node.span, FLAG, teams, of)
            everyone = t.Constant(node.span, SetOf(player), player.full)
            return t.Filter(node.span, SetOf(player), everyone, variable, inside)
        return self.expressions.as_set(term, player)

    def outcome(self, node: n.Outcome, scope: Scope) -> Statement | None:
        who = None if node.who is None else self.players(node.who, scope)
        if not self.only_in(node, "the end of the game", scope, "step", "act"):
            return None
        return t.Outcome(node.span, who, node.wins)

    def finish(self, node: n.Finish, scope: Scope) -> Statement | None:
        kind = self.expressions.term(node.who, scope).kind
        who = self.players(node.who, scope)
        variable = Variable("", Members(self.found.enumerations["player"]), node.span)
        team = self.found.enumerations.get("team")
        teams = isinstance(kind, SetOf) and kind.enumeration is team
        through = self.expressions.attributes["team"] if teams else None
        key = self.expressions.term(node.key, scope.inner(variable, through))
        if not isinstance(key.kind, Numbers | Unknown):
            self.expressions.mismatch(key, "a number")
        if not self.only_in(node, "the end of the game", scope, "step", "act"):
            return None
        return t.Finish(node.span, who, key, variable, node.lowest)


METHODS: dict[type, Callable[..., Statement | None]] = {
    n.Assign: Statements.assign,
    n.Let: Statements.let,
    n.If: Statements.if_,
    n.For: Statements.for_,
    n.Repeat: Statements.repeat,
    n.While: Statements.while_,
    n.Do: Statements.do,
    n.Return: Statements.return_,
    n.Stop: Statements.stop,
    n.Choose: Statements.choose,
    n.Secretly: Statements.secretly,
    n.Move: Statements.move,
    n.Gather: Statements.gather,
    n.Deal: Statements.deal,
    n.Shuffle: Statements.shuffle,
    n.Turn: Statements.turn,
    n.Show: Statements.show,
    n.Say: Statements.say,
    n.Outcome: Statements.outcome,
    n.Finish: Statements.finish,
}
