"""Statements to code, inside functions and inside blocks of the dispatcher.

The two differ only in how control leaves: `leave` is the code for `stop`, `finish` for the end of
the game.
"""

from __future__ import annotations

from collections.abc import Callable

from rulebook import terms as t
from rulebook.kinds import FLAG, Kind, NumberRange, SetOf
from rulebook.program import ENDED
from rulebook.walks import inside
from rulebook.wasm.cards import Cards
from rulebook.wasm.runtime import event
from rulebook.wasm.telling import EVERYONE
from rulebook.wasm.values import Module
from rulebook.wasm.walks import loop, walk
from rulebook.wasm.writer import STATE, Function, SetLocal, add, i32, scaled


class Statements(Cards):
    """Code for the statements of one function. `acting` is a move's `do`, where cards remember who
    moved them."""

    def __init__(self, module: Module, function: Function, acting: bool = False) -> None:
        super().__init__(module, function, acting)
        self.counts = False
        """Whether it is counted what `must` lines take away (see `measured`)."""
        self.leave = "(return)"
        self.finish = "(return)"
        self.returning: tuple[int, Kind] | None = None
        """Number and kind of the definition that this function is."""

    def block_of(self, body: tuple[t.Statement, ...]) -> str:
        return " ".join(self.statement(statement) for statement in body)

    def statement(self, statement: t.Statement) -> str:
        passed = self.module.probes.passed("statement", "", statement.span)
        return passed + STATEMENTS[type(statement)](self, statement)

    # ---- values ----

    def set_state(self, node: t.SetState) -> str:
        layout = self.module.layout
        state, target = node.target.state, node.target
        place = self.place(target.index, state.each, layout.width(state.kind))
        address = add(place, STATE + layout.state[state])
        if not self.module.build.waiting:
            stored = self.store(state.kind, address, self.value(node.value))
            return stored + (self.module.tally.scored(state) if self.module.tally else "")
        keep, get = self.temporary(state.kind, self.value(node.value))
        keep_index, index = "", i32(0)
        if target.index is not None:
            keep_index, index = self.temporary(target.index.kind, self.value(target.index))
            low = state.each.low if isinstance(state.each, NumberRange) else 0
            scaled_index = scaled(add(index, -low), layout.width(state.kind))
            address = add(scaled_index, STATE + layout.state[state])
        store = self.store(state.kind, address, get)
        told = self.announce_state(state, index, get)
        if isinstance(node.value, t.RandomFrom):
            # Who may know the state may know what chance gave.
            site = i32(node.value.chance.number)
            told += event("drawn", f"(call $sees.{state.name} {index})", site, get)
        return f"{keep_index} {keep} {store} {told}"

    def set_variable(self, node: t.SetVariable) -> str:
        value = self.value(node.value)
        return self.write(node.variable, value)

    # ---- flow ----

    def if_(self, node: t.If) -> str:
        code = ""
        probes = self.module.probes
        if node.branches[-1][0] is not None:
            # No branch taken is a branch too.
            code = probes.passed("branch", "no", node.branches[-1][0].span)
        for condition, body in reversed(node.branches):
            inner = self.block_of(body)
            if condition is not None:
                taken = probes.passed("branch", "yes", condition.span)
                inner = taken + probes.taken(condition.span) + inner
            if condition is None:
                code = inner
            else:
                other = f" (else {code})" if code else ""
                code = f"(if {self.flag(condition)} (then {inner}){other})"
        return code

    def for_(self, node: t.For) -> str:
        kind = node.subject.kind
        if not isinstance(kind, SetOf):
            return walk(self, node.subject, node.variable, lambda: self.block_of(node.body))
        if isinstance(node.subject, t.Constant) and kind.enumeration.name != "player":
            whole = node.subject.value == kind.enumeration.full
            if whole and kind.enumeration.size <= MAX_UNROLLED and short(node.body):
                return self.unrolled(node, kind.enumeration.size)
            if whole:
                return self.count_up(node, i32(0), i32(kind.enumeration.size - 1), 1)
        if kind.enumeration.name != "player":
            with self.each(self.value(node.subject), kind, node.variable) as code:
                code.append(self.block_of(node.body))
            return " ".join(code)
        sets = self.module.sets(kind.enumeration)
        rest = SetLocal(self.function, sets.words, "rest")
        keep, start = self.temporary(node.variable.kind, self.turn_start(node))
        player = self.next_player(rest.get(), start)
        self.declare(node.variable)
        read = self.read(node.variable)
        return (
            keep
            + rest.set(self.value(node.subject))
            + loop(
                sets.is_empty(rest.get()),
                self.write(node.variable, player),
                rest.set(sets.minus(rest.get(), sets.single(read))),
                self.block_of(node.body),
            )
        )

    def unrolled(self, node: t.For, size: int) -> str:
        """The body once for each member, which is then known: its sets and table values are
        constants."""
        code = ""
        for member in range(size):
            self.fixed[node.variable] = member
            code += self.block_of(node.body) + " "
        del self.fixed[node.variable]
        return code

    def count_up(self, node: t.For, low: str, high: str, step: int) -> str:
        counter, end = self.function.local("i32"), self.function.local("i32")
        self.declare(node.variable)
        return f"(local.set {counter} {low}) (local.set {end} {high})" + loop(
            f"(i32.gt_s (local.get {counter}) (local.get {end}))",
            self.write(node.variable, f"(local.get {counter})"),
            f"(local.set {counter} {add(f'(local.get {counter})', step)})",
            self.block_of(node.body),
        )

    def bounds(self, subject: t.Term) -> tuple[str, str, int]:
        assert isinstance(subject, t.RangeOf)
        return self.value(subject.low), self.value(subject.high), subject.step

    def repeat(self, node: t.Repeat) -> str:
        body = self.block_of(node.body)
        if node.times is not None:
            counter = self.function.local("i32")
            left = f"(local.get {counter})"
            return f"(local.set {counter} {self.value(node.times)})" + loop(
                f"(i32.le_s {left} (i32.const 0))",
                f"(local.set {counter} {add(left, -1)})",
                self.tick(node.span),
                body,
            )
        again = self.tick(node.span)
        if node.until is None:
            return f"(loop $again {body} {again} (br $again))"
        return f"(loop $again {body} {again} (br_if $again (i32.eqz {self.flag(node.until)})))"

    def while_(self, node: t.While) -> str:
        return loop(
            f"(i32.eqz {self.flag(node.condition)})", self.tick(node.span), self.block_of(node.body)
        )

    def do(self, node: t.Do) -> str:
        call = f"{self.arguments(node)} (call $step.{node.step})"
        if f"step:{node.step}" not in self.module.program.may_end:
            return call
        return f"{call} {self.end_if_over()}"

    def arguments(self, node: t.Do) -> str:
        """Parameters of steps are lasting variables: all are computed, then all are set."""
        step = self.module.game.steps[node.step]
        kept = [self.temporary(argument.kind, self.value(argument)) for argument in node.arguments]
        code = [keep for keep, _ in kept]
        for parameter, (_, get) in zip(step.parameters, kept, strict=True):
            code.append(self.write(parameter, get))
        return " ".join(code)

    def end_if_over(self) -> str:
        return f"(if (i32.load {self.module.header('over')}) (then {self.finish}))"

    def return_(self, node: t.Return) -> str:
        value = self.value(node.value)
        if self.returning is None or not self.module.probes.tracing:
            return f"{value} (return)"
        number, kind = self.returning
        keep, get = self.temporary(kind, value)
        told = self.module.probes.returned(number, node.value.span, self.halves(kind, get))
        return f"{keep} {told} {get} (return)"

    def stop(self, node: t.Stop) -> str:
        return self.leave

    # ---- words and ends ----

    def outcome(self, node: t.Outcome) -> str:
        code = ""
        if node.who is not None:
            cell = self.module.header("winners" if node.wins else "losers")
            code = f"(i32.store {cell} (i32.wrap_i64 {self.value(node.who)}))"
        return code + self.end()

    def end(self) -> str:
        code = f"(i32.store {self.module.header('over')} {i32(ENDED)})"
        if self.module.build.waiting:
            code += event("ended", i32(EVERYONE))
        return f"{code} {self.finish}"

    def finish_by(self, node: t.Finish) -> str:
        """Everyone's place is the number of players who did better; the winners are in place 0."""
        kind = node.who.kind
        assert isinstance(kind, SetOf)
        player = kind.enumeration
        keys = [self.function.local("i32", "key") for _ in range(player.size)]
        keep, who = self.temporary(kind, self.value(node.who))
        sets = self.module.sets(player)
        code = [keep]
        for seat, key in enumerate(keys):
            code.append(self.write(node.variable, i32(seat)))
            inside = sets.contains(who, i32(seat))
            value = self.value(node.key)
            if node.lowest:
                value = f"(i32.sub (i32.const 0) {value})"
            worst = i32(-(2**31) + 1)
            code.append(
                f"(local.set {key} (if (result i32) {inside} (then {value}) (else {worst})))"
            )
        places = STATE + self.module.layout.places
        winners = self.function.local("i32")
        code.append(f"(local.set {winners} (i32.const 0))")
        for seat, key in enumerate(keys):
            better = i32(0)
            for other in keys:
                if other != key:
                    one = f"(i32.gt_s (local.get {other}) (local.get {key}))"
                    better = f"(i32.add {better} {one})"
            keep, place = self.temporary(FLAG, better)
            first = f"(i32.eqz {place})"
            mine = f"(i32.or (local.get {winners}) {i32(1 << seat)})"
            code.append(
                f"{keep} (i32.store8 {i32(places + seat)} {place}) "
                f"(if {first} (then (local.set {winners} {mine})))"
            )
        code.append(f"(i32.store {self.module.header('winners')} (local.get {winners}))")
        return " ".join(code) + self.end()


MAX_UNROLLED = 6
"""Members of a loop that is written out."""


def short(body: tuple[t.Statement, ...]) -> bool:
    """Whether a loop is worth writing out: one statement without loops inside that sets nothing."""
    loops = (t.For, t.Repeat, t.While, t.SetVariable)
    return len(body) == 1 and not any(isinstance(node, loops) for node in inside(body))


STATEMENTS: dict[type, Callable[..., str]] = {
    t.SetState: Statements.set_state,
    t.SetVariable: Statements.set_variable,
    t.If: Statements.if_,
    t.For: Statements.for_,
    t.Repeat: Statements.repeat,
    t.While: Statements.while_,
    t.Do: Statements.do,
    t.Return: Statements.return_,
    t.Stop: Statements.stop,
    t.MoveCards: Statements.move,
    t.Gather: Statements.gather,
    t.Deal: Statements.deal,
    t.Shuffle: Statements.shuffle,
    t.Show: Statements.show,
    t.TurnCards: Statements.turn,
    t.Say: Statements.say,
    t.Outcome: Statements.outcome,
    t.Finish: Statements.finish_by,
}
