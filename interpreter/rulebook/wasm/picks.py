"""The candidates of one pick: all, then narrowed by conditions and `must` lines.

Order: the source, then the conditions that this pick completes, then the `must` lines for it, each
narrowing what the earlier ones left. Members of an enumeration and numbers in a range are narrowed
as sets (of members, or of positions in the range). Groups of cards are walked instead: a `must`
line asks beforehand whether any group meets it.
"""

from __future__ import annotations

from collections.abc import Callable

from rulebook import terms as t
from rulebook.kinds import FLAG, Enumeration, Members, SetOf
from rulebook.wasm.statements import Statements
from rulebook.wasm.walks import exists, own_local, walk
from rulebook.wasm.writer import CONTROL, SetLocal, Sets, i32, scaled

NUMBERS = Enumeration("number", tuple(str(position) for position in range(64)))
"""Stands for the positions in a range of numbers, so that they can be a set."""


def walked(source: t.Term) -> bool:
    """Whether the candidates are not a set that fits in words of bits."""
    return not isinstance(source.kind, SetOf) and not isinstance(source, t.RangeOf)


def pick_of(owner: Statements, move: t.Move, position: int) -> SetPick | WalkedPick:
    if walked(move.picks[position].source):
        return WalkedPick(owner, move, position)
    return SetPick(owner, move, position)


class OnePick:
    """What both kinds of picks share."""

    def __init__(self, owner: Statements, move: t.Move, position: int) -> None:
        self.owner = owner
        self.move = move
        self.pick = move.picks[position]
        self.conditions = [c for c in move.conditions if c.after == position + 1]
        self.musts = [must for must in move.musts if must.on == position]

    def drops(self, must: t.Must) -> str:
        """Code where a `must` line takes something away: nothing unless that is counted."""
        tally = self.owner.module.tally if self.owner.counts else None
        counted = "" if tally is None else tally.narrowed(self.move.name, must)
        return counted + self.owner.module.probes.passed("must", must.label, must.span)


class SetPick(OnePick):
    def __init__(self, owner: Statements, move: t.Move, position: int) -> None:
        super().__init__(owner, move, position)
        kind = self.pick.source.kind
        self.numbers = not isinstance(kind, SetOf)
        enumeration = kind.enumeration if isinstance(kind, SetOf) else NUMBERS
        self.kind = SetOf(enumeration)
        self.sets: Sets = owner.module.sets(enumeration)
        self.member = t.Variable(self.pick.variable.name, Members(enumeration), self.pick.span)
        self.low = ""
        self.step = 1

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

    # ---- narrowing ----

    def narrow(self, must: t.Must, code: str) -> str:
        """Of the candidates the line speaks for, only those it keeps stay, if it keeps any."""
        owner, sets = self.owner, self.sets
        all_, spoken, kept = (SetLocal(owner.function, sets.words) for _ in range(3))
        speaks = all_.get() if must.speaks is None else self.filtered(all_.get(), must.speaks)
        parts = [
            all_.set(code),
            spoken.set(speaks),
            kept.set(self.filtered(spoken.get(), must.keep)),
        ]
        dropped = sets.minus(all_.get(), sets.minus(spoken.get(), kept.get()))
        if must.speaks is None:
            dropped = kept.get()
        result = sets.choose(sets.is_empty(kept.get()), all_.get(), dropped)
        passed = self.drops(must)
        if passed:
            # It took part if it dropped something.
            left = SetLocal(owner.function, sets.words)
            same = sets.equal(left.get(), all_.get())
            parts += [left.set(result), f"(if (i32.eqz {same}) (then {passed}))"]
            result = left.get()
        return owner.block(self.kind, *parts, result)

    def filter(self, condition: t.Condition, code: str) -> str:
        """The candidates that satisfy one of the move's conditions."""
        owner, sets = self.owner, self.sets
        passed = owner.module.probes.passed("if", condition.label, condition.span)
        if not passed:
            return self.filtered(code, condition.term)
        all_, left = (SetLocal(owner.function, sets.words) for _ in range(2))
        same = sets.equal(left.get(), all_.get())
        return owner.block(
            self.kind,
            all_.set(code),
            left.set(self.filtered(all_.get(), condition.term)),
            f"(if (i32.eqz {same}) (then {passed}))",
            left.get(),
        )

    def candidates(self) -> str:
        code = self.source()
        for condition in self.conditions:
            code = self.filter(condition, code)
        for must in self.musts:
            code = self.narrow(must, code)
        return code

    # ---- uses ----

    def walk(self, body: Callable[[], str]) -> str:
        """The body for each candidate that is left, with the pick's variable bound to it."""
        owner = self.owner
        with owner.each(self.candidates(), self.kind, self.member) as code:
            value = self.value_of(owner.read(self.member))
            code += [owner.write(self.pick.variable, value), body()]
        return " ".join(code)

    def random(self, none_left: str) -> str:
        """Code that binds the pick's variable to a random candidate."""
        candidates = SetLocal(self.owner.function, self.sets.words)
        count = self.owner.function.local("i32")
        tally = self.owner.module.tally
        chosen = self.sets.nth(candidates.get(), f"(call $bot_below (local.get {count}))")
        return (
            candidates.set(self.candidates())
            + f"(local.set {count} {self.sets.count(candidates.get())})"
            + f"(if (i32.eqz (local.get {count})) (then {none_left}))"
            + (tally.choice(f"(local.get {count})") if tally is not None else "")
            + self.owner.write(self.pick.variable, self.value_of(chosen))
        )

    def judge(self) -> list[str]:
        """A flag for each stage: whether the value in the pick's variable is still there. What is
        left instead is in `kept`."""
        owner, sets = self.owner, self.sets
        value = SetLocal(owner.function, sets.words)
        given = owner.function.local("i32")
        flags: list[str] = []
        keep = f"(local.set {given} {owner.read(self.pick.variable)}) "
        stages = [
            self.source(),
            *(self.filtered(value.get(), one.term) for one in self.conditions),
            *(self.narrow(must, value.get()) for must in self.musts),
        ]
        for stage in stages:
            inside = sets.contains(value.get(), self.position_of(f"(local.get {given})"))
            if self.numbers:
                inside = self.on_grid(given, inside)
            # The stage's code used the variable; it holds the judged value again after it.
            flags.append(
                keep
                + value.set(stage)
                + owner.write(self.pick.variable, f"(local.get {given})")
                + sets.store(i32(CONTROL["kept"]), value.get())
                + inside
            )
            keep = ""
        return flags

    def on_grid(self, given: str, inside: str) -> str:
        """Whether a number from outside is in the range at all, and then a candidate."""
        offset = f"(i32.sub (local.get {given}) {self.low})"
        grid = (
            f"(i32.and (i32.lt_u {offset} {i32(64 * self.step)}) "
            f"(i32.eqz (i32.rem_u {offset} {i32(self.step)})))"
        )
        return f"(if (result i32) {grid} (then {inside}) (else (i32.const 0)))"


class WalkedPick(OnePick):
    """`any_kept` has a local for each `must` line: whether any candidate that is left before it
    meets it."""

    def __init__(self, owner: Statements, move: t.Move, position: int) -> None:
        super().__init__(owner, move, position)
        self.any_kept = [owner.function.local("i32", "kept") for _ in self.musts]

    def passes(self, lines: int) -> str:
        """Whether the candidate in the variable passes the conditions and the first `must`
        lines."""
        owner, passed = self.owner, self.owner.module.probes.passed
        code = i32(1)
        for must, kept in reversed(list(zip(self.musts, self.any_kept, strict=True))[:lines]):
            speaks = i32(1) if must.speaks is None else owner.flag(must.speaks)
            keeps = owner.flag(must.keep)
            stays = f"(if (result i32) {speaks} (then {keeps}) (else (i32.const 1)))"
            good = f"(if (result i32) (local.get {kept}) (then {stays}) (else (i32.const 1)))"
            out = self.drops(must)
            code = f"(if (result i32) {good} (then {code}) (else {out} (i32.const 0)))"
        for one in reversed(self.conditions):
            out = passed("if", one.label, one.span)
            good = owner.flag(one.term)
            code = f"(if (result i32) {good} (then {code}) (else {out} (i32.const 0)))"
        return code

    def found(self, holds: Callable[[], str]) -> str:
        """Whether the source has a candidate for which the code holds; it stands in the pick's
        variable, whose value outside is not touched."""
        owner, variable = self.owner, self.pick.variable

        def with_pick(member: t.Variable) -> str:
            with own_local(owner, variable):
                return owner.write(variable, owner.read(member)) + holds()

        return exists(owner, self.pick.source, with_pick)

    def ask(self, line: int) -> str:
        """Fill the local of one `must` line; those before it are filled already."""
        must, kept = self.musts[line], self.any_kept[line]

        def meets() -> str:
            owner = self.owner
            speaks = i32(1) if must.speaks is None else owner.flag(must.speaks)
            meets = (
                f"(if (result i32) {speaks} (then {owner.flag(must.keep)}) (else (i32.const 0)))"
            )
            return f"(if (result i32) {self.passes(line)} (then {meets}) (else (i32.const 0)))"

        return f"(local.set {kept} (block (result i32) {self.found(meets)}))"

    def walk(self, body: Callable[[], str]) -> str:
        owner = self.owner
        asked = " ".join(self.ask(line) for line in range(len(self.musts)))
        member = self.pick.variable
        owner.declare(member)
        return asked + walk(
            owner,
            self.pick.source,
            member,
            lambda: f"(if {self.passes(len(self.musts))} (then {body()}))",
        )

    def judge(self) -> list[str]:
        owner, variable = self.owner, self.pick.variable
        keep, given = owner.temporary(variable.kind, owner.read(variable))
        if isinstance(variable.kind, SetOf):
            sets = owner.module.sets(variable.kind.enumeration)
            same = self.found(lambda: sets.equal(owner.read(variable), given))
        else:
            same = self.found(lambda: f"(i32.eq {owner.read(variable)} {given})")
        nothing = " ".join(
            f"(i64.store {i32(CONTROL['kept'] + 8 * word)} (i64.const 0))" for word in range(2)
        )
        flags = [f"{nothing} {keep} {same}"]
        flags += [owner.flag(condition.term) for condition in self.conditions]
        for line in range(len(self.musts)):
            flags.append(f"{self.ask(line)} {self.passes(line + 1)}")
        return flags
