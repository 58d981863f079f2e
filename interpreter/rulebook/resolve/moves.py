"""Second pass, moves: what is picked, which picks are legal, what a player must do."""

from __future__ import annotations

from rulebook import nodes as n
from rulebook import parse
from rulebook import terms as t
from rulebook.document import Mapping, Node, Scalar, Sequence
from rulebook.kinds import UNKNOWN, GroupsOf, Kind, Members, NumberRange, Numbers, SetOf, Unknown
from rulebook.resolve.expressions import Expressions
from rulebook.resolve.namespace import Scope
from rulebook.resolve.sets import named
from rulebook.resolve.statements import Statements
from rulebook.resolve.values import short
from rulebook.resolve.walks import names_in
from rulebook.source import Span
from rulebook.suggest import closest
from rulebook.terms import Term, Variable


class Moves:
    """`move` is the door."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions
        self.found = expressions.found
        self.problems = expressions.problems

    def move(self, name: str, entry: Mapping) -> t.Move:
        span = self.found.spans[name]
        scope = Scope("pure")
        names = self.expressions.names
        blind = names.blind
        # Where a pick cannot be read, or stands under a misspelt key, its name is not unknown.
        names.blind |= entry.get("pick") is None and bool(closest("pick", entry.entries))
        picks = self.picks(entry.get("pick"), scope)
        conditions = self.conditions(entry.get("if"), picks, scope)
        # Without its picks, which could not be read, all would be echoes.
        lost = not picks and ("pick" in entry.entries or "pick" in entry.broken)
        musts = [] if lost else self.musts(entry.get("must"), picks, scope, span)
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
        names.blind = blind
        return t.Move(
            name,
            tuple(picks),
            tuple(conditions),
            tuple(musts),
            body,
            text,
            self.words(entry.get("words"), picks),
            about.text if isinstance(about, Scalar) else "",
            span,
        )

    def words(self, node: Node | None, picks: list[t.Pick]) -> tuple[str, ...]:
        """How the move can be typed; `{name}` stands for what a pick is."""
        names = [pick.variable.name for pick in picks]
        for scalar in _scalars(node):
            for piece in parse.read_text(scalar.body, self.problems).pieces:
                if isinstance(piece, str) or (isinstance(piece, n.Name) and piece.text in names):
                    continue
                known = " and ".join(f"`{{{name}}}`" for name in names)
                self.problems.add(
                    "unknown-pick",
                    f"`{piece.span.text}` is not a pick of this move",
                    piece.span,
                    help=f"its picks: {known}" if known else "write plain words",
                )
        return tuple(item.text for item in _scalars(node))

    def picks(self, node: Node | None, scope: Scope) -> list[t.Pick]:
        result: list[t.Pick] = []
        for scalar in _scalars(node):
            found = parse.read_picks(scalar, self.problems)
            self.expressions.names.blind |= found is None
            for pick in found or ():
                result.append(self.pick(pick, scope))
        return result

    def pick(self, pick: n.Pick, scope: Scope) -> t.Pick:
        card = self.found.card
        name = pick.name
        if pick.form == "cards":
            shapes = self.expressions.shapes(pick.shapes)
            source = self.expressions.as_set(self.expressions.term(pick.subject, scope), card)
            variable = Variable(name.text, SetOf(card), name.span)
            self.expressions.bind(name.text, name.span, variable, scope)
            condition = None
            if pick.condition is not None:
                condition = self.expressions.flag(pick.condition, scope.inner(variable))
            groups = t.Groups(pick.span, GroupsOf(card), variable, shapes, source, condition)
            return t.Pick(variable, groups, zone_of(source), pick.span)
        source = self.expressions.term(named(pick.subject, name), scope)
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
        elif isinstance(kind, GroupsOf):
            member_kind = SetOf(card)
        elif isinstance(kind, Members) and kind.enumeration is card:
            one = short(source.span)
            self.problems.add(
                "wrong-kind",
                f"`{one}` is one card, so there is nothing to choose",
                source.span,
                label=f"{kind}",
                help=f"leave out `pick:`, and write `{one}` where `{name.text}` stands",
            )
        elif not isinstance(kind, Unknown):
            self.expressions.mismatch(source, "a set or a range of numbers")
        variable = Variable(name.text, member_kind, name.span)
        self.expressions.bind(name.text, name.span, variable, scope)
        return t.Pick(variable, source, zone_of(source), pick.span)

    def conditions(self, node: Node | None, picks: list[t.Pick], scope: Scope) -> list[t.Condition]:
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
            self.problems.add("unknown-pick", f"this move has no pick `{node.text}`", node.span)
        return len(picks) - 1


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


def last_pick(expression: n.Expr, picks: list[t.Pick]) -> int:
    """How many picks must be bound before the expression has a value."""
    names = names_in(expression)
    return max((i + 1 for i, pick in enumerate(picks) if pick.variable.name in names), default=0)
