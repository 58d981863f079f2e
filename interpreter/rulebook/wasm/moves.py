"""Moves to code: listing the legal ones, choosing one at random, judging one, carrying one out.

`picks` has the candidates of one pick; here they are put together. `stage` numbers count the
conditions without picks, then for each pick its source, conditions and `must` lines, in that order.
"""

from __future__ import annotations

from collections.abc import Callable

from rulebook import terms as t
from rulebook.kinds import Members, SetOf
from rulebook.program import ROW_CELL, ROW_HEAD
from rulebook.wasm.picks import SetPick, pick_of, walked
from rulebook.wasm.runtime import event
from rulebook.wasm.statements import Statements
from rulebook.wasm.telling import EVERYONE
from rulebook.wasm.values import Module
from rulebook.wasm.writer import (
    CONTROL,
    MAX_ROWS,
    Function,
    add,
    i32,
    wasm_types,
)


class Moves:
    """All functions of one move."""

    def __init__(self, module: Module, move: t.Move) -> None:
        self.module = module
        self.move = move
        self.number = list(module.game.moves).index(move.name)

    def function(self, prefix: str, parameters: list[str], results: list[str]) -> Statements:
        return Statements(self.module, Function(f"{prefix}.{self.move.name}", parameters, results))

    def before(self, owner: Statements) -> list[str]:
        """Conditions that need no pick, in order."""
        found: list[str] = []
        for one in self.move.conditions:
            if one.after == 0:
                flag = owner.flag(one.term)
                out = self.module.probes.passed("if", one.label, one.span)
                if out:
                    flag = f"(if (result i32) {flag} (then {i32(1)}) (else {out} {i32(0)}))"
                found.append(flag)
        return found

    # ---- listing ----

    def listing(self, body: Callable[[Statements], str], owner: Statements, out: str) -> str:
        """Nested walks over the candidates of each pick, with `body` inside; `out` leaves when a
        condition without picks fails."""
        code = "".join(f"(if (i32.eqz {flag}) (then {out}))" for flag in self.before(owner))

        def nest(position: int) -> str:
            if position == len(self.move.picks):
                return body(owner)
            return pick_of(owner, self.move, position).walk(lambda: nest(position + 1))

        return code + nest(0)

    def offer(self) -> str:
        """`$offer(row) -> row`: writes the legal moves from `row` on; the next free row."""
        owner = self.function("offer", ["(param $row i32)"], ["i32"])
        memory = self.module.memory
        limit = memory.rows + MAX_ROWS * memory.row_size

        def row(owner: Statements) -> str:
            number = self.module.sites.number(
                "too-many-choices", f"more than {MAX_ROWS} moves to choose from", self.move.span
            )
            code = (
                f"(if (i32.ge_u (local.get $row) {i32(limit)}) "
                f"(then (call $fail {i32(number)} (i32.const 0))))"
                f"(i32.store (local.get $row) {i32(self.number)})"
            )
            for position, pick in enumerate(self.move.picks):
                at = ROW_HEAD + position * ROW_CELL
                value = owner.read(pick.variable)
                if isinstance(pick.variable.kind, SetOf):
                    code += owner.store(pick.variable.kind, add("(local.get $row)", at), value)
                else:
                    code += f"(i32.store offset={at} (local.get $row) {value})"
            return code + f"(local.set $row (i32.add (local.get $row) {i32(memory.row_size)}))"

        owner.counts = self.module.tally is not None
        body = self.listing(row, owner, "(return (local.get $row))")
        owner.function.emit(body, "(local.get $row)")
        return owner.function.text()

    def can(self) -> str:
        """`$can() -> flag`: whether the mover has this move, legal."""
        owner = self.function("can", [], ["i32"])
        body = self.listing(lambda _: "(return (i32.const 1))", owner, "(return (i32.const 0))")
        owner.function.emit(body, "(i32.const 0)")
        return owner.function.text()

    # ---- one pick of one set, chosen at random ----

    @property
    def simple(self) -> bool:
        """Whether the legal moves are just the candidates of one pick that is a set."""
        return (
            len(self.move.picks) == 1
            and not walked(self.move.picks[0].source)
            and not any(condition.after == 0 for condition in self.move.conditions)
        )

    def random_pick(self, owner: Statements, none_left: str) -> str:
        """Code that binds the pick's variable to a random candidate."""
        counts, owner.counts = owner.counts, self.module.tally is not None
        code = SetPick(owner, self.move, 0).random(none_left)
        owner.counts = counts
        return code

    # ---- judging ----

    def judge(self) -> str:
        """`$judge(row) -> stage`: the first narrowing that drops the move in the row, or -1. The
        candidates that it kept instead are left in `kept`."""
        owner = self.function("judge", ["(param $row i32)"], ["i32"])
        stage = 0
        code = self.load_row(owner, "(local.get $row)")
        first = [one for one in self.move.conditions if one.after == 0]
        for flag, line in zip(self.before(owner), first, strict=True):
            code += f"(if (i32.eqz {flag}) (then {self.dropped(line)} (return {i32(stage)})))"
            stage += 1
        for position in range(len(self.move.picks)):
            pick = pick_of(owner, self.move, position)
            lines = [None, *pick.conditions, *pick.musts]
            for flag, line_ in zip(pick.judge(), lines, strict=True):
                code += (
                    f"(if (i32.eqz (block (result i32) {flag})) "
                    f"(then {self.dropped(line_)} (return {i32(stage)})))"
                )
                stage += 1
        owner.function.emit(code, "(i32.const -1)")
        return owner.function.text(for_host=True)

    def dropped(self, line: t.Condition | t.Must | None) -> str:
        """Code that counts a line that takes part by dropping the move; None is the source."""
        if line is None:
            return ""
        what = "must" if isinstance(line, t.Must) else "if"
        return self.module.probes.passed(what, line.label, line.span)

    def load_row(self, owner: Statements, row: str) -> str:
        code = ""
        for position, pick in enumerate(self.move.picks):
            at = ROW_HEAD + position * ROW_CELL
            code += owner.write(pick.variable, owner.load(pick.variable.kind, row, at))
        return code

    # ---- carrying out ----

    def carry_out(self) -> str:
        """`$do(picks...)`: what the move does."""
        parameters = []
        for position, pick in enumerate(self.move.picks):
            for word, kind in enumerate(wasm_types(pick.variable.kind)):
                parameters.append(f"(param $p{position}.{word} {kind})")
        owner = Statements(
            self.module, Function(f"do.{self.move.name}", parameters, []), acting=True
        )
        for position, pick in enumerate(self.move.picks):
            words = wasm_types(pick.variable.kind)
            code = " ".join(f"(local.get $p{position}.{word})" for word in range(len(words)))
            owner.function.emit(owner.write(pick.variable, code))
            if pick.zone is not None:
                owner.sources[pick.variable] = pick.zone
        owner.function.emit(self.module.probes.passed("move", self.move.name, self.move.span))
        if self.module.build.waiting and self.move.say is not None:
            # The end of the game inside the move must not swallow its sentence.
            owner.finish = "(br $acted)"
            owner.leave = "(br $acted)"
            owner.function.emit(
                f"(block $acted {owner.block_of(self.move.body)})", owner.said(self.move.say)
            )
        else:
            owner.function.emit(owner.block_of(self.move.body))
        return owner.function.text()

    def apply(self, owner: Statements, row: str) -> str:
        """Code that carries out the move in a row."""
        arguments = []
        code = ""
        for position, pick in enumerate(self.move.picks):
            at = ROW_HEAD + position * ROW_CELL
            arguments.append(owner.load(pick.variable.kind, row, at))
        if self.module.build.waiting:
            code += self.announce(owner, row)
        return code + f"(call $do.{self.move.name} {' '.join(arguments)})"

    def announce(self, owner: Statements, row: str, secret: bool = False) -> str:
        """Events that tell the choice: the move to everyone, each pick to those who may know it; a
        card from an ordered zone also has its position, which everyone sees."""
        mover, chooser = (f"(i32.load {self.module.header(n)})" for n in ("mover", "chooser"))
        code = event("chose", i32(EVERYONE), mover, chooser, i32(self.number), i32(int(secret)))
        only = f"(i32.shl (i32.const 1) {chooser})"
        for position, pick in enumerate(self.move.picks):
            at = ROW_HEAD + position * ROW_CELL
            kind = pick.variable.kind
            keep, get = owner.temporary(kind, owner.load(kind, row, at))
            code += keep
            place = i32(-1)
            audience = i32(EVERYONE)
            if isinstance(kind, Members) and kind.enumeration.name == "card":
                audience = f"(call $card_seers {get})"
                if pick.zone is not None and pick.zone.zone.ordered:
                    place = f"(call $place {owner.order_of(pick.zone)} {get})"
            elif isinstance(kind, SetOf):
                cell = owner.function.local("i32")
                code += f"(local.set {cell} {i32(EVERYONE)})" + owner.narrow(
                    t.Read(pick.span, kind, pick.variable), get, cell
                )
                audience = f"(local.get {cell})"
            halves = owner.halves(kind, get)
            if secret:
                audience, place = only, i32(-1)
            code += event("argument", audience, i32(position), place, *halves)
        return code


def used_moves(module: Module) -> list[t.Move]:
    offered = {
        name for choice in module.program.choices for name in (*choice.moves, *choice.fallback)
    }
    return [move for name, move in module.game.moves.items() if name in offered]


def choice_list(module: Module, owner: Statements, choice: t.Choose) -> str:
    """Code that lists the legal moves of a choice; the fallback only if there is none."""
    rows = i32(module.memory.rows)
    code = rows
    for name in choice.moves:
        code = f"(call $offer.{name} {code})"
    end = owner.function.local("i32")
    result = f"(local.set {end} {code})"
    if choice.fallback:
        code = rows
        for name in choice.fallback:
            code = f"(call $offer.{name} {code})"
        result += f"(if (i32.eq (local.get {end}) {rows}) (then (local.set {end} {code})))"
    size = module.memory.row_size
    count = f"(i32.div_u (i32.sub (local.get {end}) {rows}) {i32(size)})"
    number = module.sites.number(
        "no-legal-move", "the player who must choose here has no legal move", choice.span
    )
    return (
        result
        + f"(i32.store {i32(CONTROL['rows'])} {count})"
        + f"(if (i32.eq (local.get {end}) {rows}) (then (call $fail {i32(number)} (i32.const 0))))"
    )


def apply_row(module: Module, owner: Statements, choice: t.Choose, row: str) -> str:
    """Code that carries out the move of a row, whichever of the choice's moves it is."""
    names = (*choice.moves, *choice.fallback)
    code = ""
    for position, name in enumerate(reversed(names)):
        moves = Moves(module, module.game.moves[name])
        one = moves.apply(owner, row)
        if position == 0:
            code = one
        else:
            is_it = f"(i32.eq (i32.load {row}) {i32(moves.number)})"
            code = f"(if {is_it} (then {one}) (else {code}))"
    return code
