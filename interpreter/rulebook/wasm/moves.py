"""Moves to code: listing the legal ones, choosing one at random, judging one, carrying one out.

For each move there is a function that narrows each pick (`$keep`), used by all of these. Candidates
of a pick are a set: members of an enumeration, or positions in a range of numbers.

Order within a pick: the source, then the conditions that this pick completes, then the `must` lines
for it, each narrowing what the earlier ones left. `stage` numbers count these in that order.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from rulebook import terms as t
from rulebook.kinds import FLAG, Enumeration, Members, SetOf
from rulebook.wasm.expressions import Module
from rulebook.wasm.runtime import event
from rulebook.wasm.statements import EVERYONE, Statements
from rulebook.wasm.writer import (
    CONTROL,
    MAX_ROWS,
    ROW_CELL,
    ROW_HEAD,
    Function,
    SetLocal,
    Sets,
    add,
    i32,
    scaled,
    wasm_types,
)

NUMBERS = Enumeration("number", tuple(str(position) for position in range(64)))
"""Stands for the positions in a range of numbers, so that they can be a set."""


class Picker:
    """The candidates of one pick, whatever they are."""

    def __init__(self, owner: Statements, pick: t.Pick) -> None:
        self.owner = owner
        self.pick = pick
        kind = pick.source.kind
        self.numbers = not isinstance(kind, SetOf)
        enumeration = kind.enumeration if isinstance(kind, SetOf) else NUMBERS
        self.kind = SetOf(enumeration)
        self.sets: Sets = owner.module.sets(enumeration)
        self.member = t.Variable(pick.variable.name, Members(enumeration), pick.span)

    def source(self) -> str:
        """All candidates, as a set."""
        owner = self.owner
        if not self.numbers:
            return owner.value(self.pick.source)
        low, high, step = owner.bounds(self.pick.source)
        keep, get_low = owner.temporary(FLAG, low)
        room = f"(i32.sub {high} {get_low})"
        keep2, get_room = owner.temporary(FLAG, room)
        self.low, self.step = get_low, step
        count = f"(i32.add (i32.div_u {get_room} {i32(step)}) (i32.const 1))"
        keep3, get_count = owner.temporary(FLAG, count)
        too_many = owner.fail(
            "too-many-choices", "more than 64 numbers to choose from", self.pick.span, get_count
        )
        bits = f"(i64.shr_u (i64.const -1) (i64.extend_i32_u (i32.sub (i32.const 64) {get_count})))"
        return (
            f"{keep} {keep2} (if (result i64) (i32.lt_s {get_room} (i32.const 0)) "
            f"(then (i64.const 0)) (else {keep3} "
            f"(if (i32.gt_u {get_count} (i32.const 64)) (then {too_many})) {bits}))"
        )

    low = ""
    step = 1

    def filtered(self, set_code: str, condition: t.Term) -> str:
        """The candidates of a set that satisfy a condition on the pick's variable."""
        owner = self.owner
        if not self.numbers:
            return owner.filtered(set_code, self.kind, self.pick.variable, condition)
        result = SetLocal(owner.function, 1)
        with owner.each(set_code, self.kind, self.member) as code:
            member = owner.read(self.member)
            code.append(owner.write(self.pick.variable, self.value_of(member)))
            found = result.set(self.sets.union(result.get(), self.sets.single(member)))
            code.append(f"(if {owner.flag(condition)} (then {found}))")
        return owner.block(self.kind, result.set("(i64.const 0)"), *code, result.get())

    def value_of(self, member: str) -> str:
        """The picked value of a candidate: itself, or the number at its position."""
        if not self.numbers:
            return member
        return f"(i32.add {self.low} {scaled(member, self.step)})"

    def position_of(self, value: str) -> str:
        """The candidate with a value that comes from a listed move."""
        if not self.numbers:
            return value
        return f"(i32.div_u (i32.sub {value} {self.low}) {i32(self.step)})"

    def walk(self, set_code: str, body: Callable[[], str]) -> str:
        owner = self.owner
        with owner.each(set_code, self.kind, self.member) as code:
            value = self.value_of(owner.read(self.member))
            code += [owner.write(self.pick.variable, value), body()]
        return " ".join(code)


class Moves:
    """All functions of one move."""

    def __init__(self, module: Module, move: t.Move) -> None:
        self.module = module
        self.move = move
        self.number = list(module.game.moves).index(move.name)

    def function(self, prefix: str, parameters: list[str], results: list[str]) -> Statements:
        return Statements(self.module, Function(f"{prefix}.{self.move.name}", parameters, results))

    # ---- narrowing ----

    def steps(self, picker: Picker, position: int) -> list[Callable[[str], str]]:
        """The narrowings of a pick after its source, in order, each from set code to set code."""
        found: list[Callable[[str], str]] = []
        for condition in self.move.conditions:
            if condition.after == position + 1:
                found.append(partial(picker.filtered, condition=condition.term))
        for must in self.move.musts:
            if must.on == position:
                found.append(partial(self.narrow, picker, must))
        return found

    def narrow(self, picker: Picker, must: t.Must, code: str) -> str:
        """Of the candidates the line speaks for, only those it keeps stay, if it keeps any."""
        owner, sets = picker.owner, picker.sets
        all_, spoken, kept = (SetLocal(owner.function, sets.words) for _ in range(3))
        speaks = all_.get() if must.speaks is None else picker.filtered(all_.get(), must.speaks)
        parts = [
            all_.set(code),
            spoken.set(speaks),
            kept.set(picker.filtered(spoken.get(), must.keep)),
        ]
        dropped = sets.minus(all_.get(), sets.minus(spoken.get(), kept.get()))
        if must.speaks is None:
            dropped = kept.get()
        result = sets.branch(sets.is_empty(kept.get()), all_.get(), dropped)
        return owner.block(picker.kind, *parts, result)

    def before(self, owner: Statements) -> list[str]:
        """Conditions that need no pick, in order."""
        return [owner.flag(c.term) for c in self.move.conditions if c.after == 0]

    def candidates(self, picker: Picker, position: int) -> str:
        code = picker.source()
        for step in self.steps(picker, position):
            code = step(code)
        return code

    # ---- listing ----

    def listing(self, body: Callable[[Statements], str], owner: Statements, out: str) -> str:
        """Nested walks over the candidates of each pick, with `body` inside; `out` leaves when a
        condition without picks fails."""
        code = "".join(f"(if (i32.eqz {flag}) (then {out}))" for flag in self.before(owner))

        def nest(position: int) -> str:
            if position == len(self.move.picks):
                return body(owner)
            picker = Picker(owner, self.move.picks[position])
            candidates = self.candidates(picker, position)
            return picker.walk(candidates, lambda: nest(position + 1))

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
        """Whether the legal moves are just the candidates of one pick."""
        return len(self.move.picks) == 1 and not any(
            condition.after == 0 for condition in self.move.conditions
        )

    def random_pick(self, owner: Statements, none_left: str) -> str:
        """Code that binds the pick's variable to a random candidate."""
        picker = Picker(owner, self.move.picks[0])
        candidates = SetLocal(owner.function, picker.sets.words)
        count = owner.function.local("i32")
        chosen = picker.sets.nth(candidates.get(), f"(call $bot_below (local.get {count}))")
        return (
            candidates.set(self.candidates(picker, 0))
            + f"(local.set {count} {picker.sets.count(candidates.get())})"
            + f"(if (i32.eqz (local.get {count})) (then {none_left}))"
            + owner.write(self.move.picks[0].variable, picker.value_of(chosen))
        )

    # ---- judging ----

    def judge(self) -> str:
        """`$judge(row) -> stage`: the first narrowing that drops the move in the row, or -1. The
        candidates that it kept instead are left in `kept`."""
        owner = self.function("judge", ["(param $row i32)"], ["i32"])
        stage = 0
        code = self.load_row(owner, "(local.get $row)")
        for flag in self.before(owner):
            code += f"(if (i32.eqz {flag}) (then (return {i32(stage)})))"
            stage += 1
        for position, pick in enumerate(self.move.picks):
            picker = Picker(owner, pick)
            value = SetLocal(owner.function, picker.sets.words)
            given = owner.function.local("i32")
            code += f"(local.set {given} {owner.read(pick.variable)})"
            stages = [None, *self.steps(picker, position)]
            for narrowing in stages:
                kept = picker.source() if narrowing is None else narrowing(value.get())
                code += value.set(kept)
                # The walks above used the variable; it holds the judged value again.
                code += owner.write(pick.variable, f"(local.get {given})")
                code += picker.sets.store(i32(CONTROL["kept"]), value.get())
                inside = picker.sets.contains(
                    value.get(), picker.position_of(f"(local.get {given})")
                )
                if picker.numbers:
                    inside = self.on_grid(picker, given, inside)
                code += f"(if (i32.eqz {inside}) (then (return {i32(stage)})))"
                stage += 1
        owner.function.emit(code, "(i32.const -1)")
        return owner.function.text(f"judge.{self.move.name}")

    def on_grid(self, picker: Picker, given: str, inside: str) -> str:
        """Whether a number from outside is in the range at all, and then a candidate."""
        offset = f"(i32.sub (local.get {given}) {picker.low})"
        grid = (
            f"(i32.and (i32.lt_u {offset} {i32(64 * picker.step)}) "
            f"(i32.eqz (i32.rem_u {offset} {i32(picker.step)})))"
        )
        return f"(if (result i32) {grid} (then {inside}) (else (i32.const 0)))"

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

    def announce(self, owner: Statements, row: str) -> str:
        """Events that tell the choice: the move to everyone, each pick to those who may know it; a
        card from an ordered zone also has its position, which everyone sees."""
        mover, chooser = (f"(i32.load {self.module.header(n)})" for n in ("mover", "chooser"))
        code = event("chose", i32(EVERYONE), mover, chooser, i32(self.number))
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
