"""Searches to code: members picked out, counted and compared.

A search with `where` becomes an operation on whole sets when its condition is one: each table
and attribute has, for each value, the set of members that have it. Otherwise it is a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise

from rulebook import terms as t
from rulebook.kinds import FLAG, Enumeration, Kind, Members, Numbers, SetOf
from rulebook.resolve.fold import compare, reads, steady, total
from rulebook.wasm.short import written_in
from rulebook.wasm.values import Values
from rulebook.wasm.walks import exists, loop, member_of, own_local, walk
from rulebook.wasm.writer import SetLocal, add, i32, scaled

MAX_MASKS = 512
"""Rows of a table of sets."""


class Expressions(Values):
    """All terms."""

    def call(self, term: t.Call) -> str:
        if term.definition in self.module.short:
            return written_in(self, term)
        arguments = " ".join(self.value(argument) for argument in term.arguments)
        return f"(call $def.{term.definition.name} {arguments})"

    # ---- sets ----

    def end_card(self, term: t.EndCard) -> str:
        """Where there are no cards, a byte is read and thrown away."""
        keep, order = "", self.order_of(term.zone)
        if not order.startswith("(i32.const "):
            keep, order = self.temporary(FLAG, order)
        count = f"(i32.load {order})"
        end = f"(i32.load8_u offset=4 {order})"
        if term.which == "last":
            end = f"(i32.load8_u offset=3 (i32.add {order} {count}))"
        return f"{keep} (select {end} (i32.const -1) {count})"

    def end_cards(self, term: t.EndCards) -> str:
        sets = self.module.card_sets
        result = SetLocal(self.function, sets.words)
        order, left, at = (self.function.local("i32") for _ in range(3))
        count = self.value(term.count)
        step = -1 if term.which == "last" else 1
        start = (
            f"(i32.add (i32.add (local.get {order}) (i32.const 3)) (i32.load (local.get {order})))"
            if term.which == "last"
            else f"(i32.add (local.get {order}) (i32.const 4))"
        )
        body = (
            result.set(sets.union(result.get(), sets.single(f"(i32.load8_u (local.get {at}))"))),
            f"(local.set {at} {add(f'(local.get {at})', step)})",
            f"(local.set {left} {add(f'(local.get {left})', -1)})",
        )
        return self.block(
            term.kind,
            f"(local.set {left} {count})",
            f"(local.set {order} {self.order_of(term.zone)})",
            f"(if (i32.gt_s (local.get {left}) (i32.load (local.get {order})))"
            f" (then (local.set {left} (i32.load (local.get {order})))))",
            f"(local.set {at} {start})",
            result.set(sets.empty),
            loop(f"(i32.le_s (local.get {left}) (i32.const 0))", *body),
            result.get(),
        )

    @contextmanager
    def each(self, subject: str, kind: SetOf, variable: t.Variable) -> Iterator[list[str]]:
        """Collect in the yielded list the code of a walk over a set, lowest member first; the list
        becomes the loop once the body is added to it."""
        sets = self.module.sets(kind.enumeration)
        rest = SetLocal(self.function, sets.words, "rest")
        self.declare(variable)
        code: list[str] = []
        yield code
        body = list(code)
        code[:] = [
            rest.set(subject),
            loop(
                sets.is_empty(rest.get()),
                self.write(variable, sets.lowest(rest.get())),
                rest.set(sets.rest(rest)),
                *body,
            ),
        ]

    def filter(self, term: t.Filter) -> str:
        assert isinstance(term.kind, SetOf)
        return self.filtered(self.value(term.subject), term.kind, term.variable, term.condition)

    def filtered(self, subject: str, kind: SetOf, variable: t.Variable, condition: t.Term) -> str:
        """The members of a set that satisfy a condition. Both parts of an `and` narrow in turn, so
        the second is asked only of members that passed the first."""
        if isinstance(condition, t.Logic) and condition.word == "and":
            first = self.filtered(subject, kind, variable, condition.left)
            return self.filtered(first, kind, variable, condition.right)
        sets = self.module.sets(kind.enumeration)
        mask = self.mask(condition, variable, kind.enumeration, total)
        if mask is not None:
            return sets.common(subject, mask)
        mask = self.mask(condition, variable, kind.enumeration, steady)
        if mask is not None:
            keep, get = self.temporary(kind, subject)
            asked = f"(i32.eqz {sets.is_empty(get)})"
            return f"{keep} {sets.branch(asked, sets.common(get, mask), sets.empty)}"
        result = SetLocal(self.function, sets.words)
        with self.each(subject, kind, variable) as code:
            found = result.set(sets.union(result.get(), sets.single(self.read(variable))))
            code.append(f"(if {self.flag(condition)} (then {found}))")
        return self.block(kind, result.set(sets.empty), *code, result.get())

    def mask(
        self,
        condition: t.Term,
        variable: t.Variable,
        enumeration: Enumeration,
        allowed: Callable[[object], bool],
    ) -> str | None:
        """The set of all members that satisfy the condition, if that is a few operations.
        `allowed` tells which terms that do not depend on the member may be evaluated: `total`
        ones in any case, `steady` ones where the condition is asked of one member at least."""
        if self.module.build.probed:
            return None  # One by one, so that what is read is counted.
        sets = self.module.sets(enumeration)
        values = self.by_member(condition, variable, enumeration.size)
        if values is not None:
            return sets.constant(sum(1 << i for i, value in enumerate(values) if value))
        if not reads(condition, variable):
            if not allowed(condition):
                return None
            return sets.choose(self.flag(condition), sets.full, sets.empty)
        if isinstance(condition, t.Not):
            inner = self.mask(condition.operand, variable, enumeration, allowed)
            return None if inner is None else sets.complement(inner)
        if isinstance(condition, t.Logic):
            left = self.mask(condition.left, variable, enumeration, allowed)
            # Perhaps no member asks the right side.
            right = self.mask(condition.right, variable, enumeration, total)
            if left is None or right is None:
                return None
            if condition.word == "and":
                return sets.common(left, right)
            return sets.union(sets.complement(left) if condition.word == "implies" else left, right)
        if isinstance(condition, t.Contains):
            same = isinstance(condition.item, t.Read) and condition.item.variable is variable
            if same and not reads(condition.subject, variable) and allowed(condition.subject):
                return self.value(condition.subject)
            return None
        if isinstance(condition, t.Compare):
            return self.compare_mask(condition, variable, enumeration, allowed)
        return None

    def compare_mask(
        self,
        condition: t.Compare,
        variable: t.Variable,
        enumeration: Enumeration,
        allowed: Callable[[object], bool],
    ) -> str | None:
        """A comparison of an attribute with a value that does not depend on the member: a row of a
        table with the set for each value."""
        sign, left, right = condition.sign, condition.left, condition.right
        if not reads(left, variable):
            turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
            sign, left, right = turned.get(sign, sign), right, left
        if reads(right, variable) or not allowed(right) or isinstance(left.kind, SetOf):
            return None
        values = self.by_member(left, variable, enumeration.size)
        bounds = span_of(right.kind)
        if values is None or bounds is None:
            return None
        low, high = bounds
        if high - low >= MAX_MASKS:
            return None
        rows = [
            sum(1 << i for i, value in enumerate(values) if compare(sign, value, other))
            for other in range(low, high + 1)
        ]
        sets = self.module.sets(enumeration)
        index = self.value(right)
        if index.startswith("(i32.const "):
            return sets.constant(rows[int(index[11:-1]) - low])
        address = self.module.memory.masks(rows, sets.words)
        return sets.load(scaled(add(index, -low), 8 * sets.words), address)

    def set_operation(self, term: t.SetOperation) -> str:
        assert isinstance(term.kind, SetOf)
        sets = self.module.sets(term.kind.enumeration)
        left, right = self.value(term.left), self.value(term.right)
        return sets.union(left, right) if term.word == "with" else sets.minus(left, right)

    def single(self, term: t.Single) -> str:
        assert isinstance(term.kind, SetOf)
        sets = self.module.sets(term.kind.enumeration)
        member = self.value(term.member)
        if isinstance(term.member.kind, Members) and not term.member.kind.optional:
            return sets.single(member)
        keep, get = self.temporary(term.member.kind, member)
        there = f"(i32.ge_s {get} (i32.const 0))"
        return f"{keep} {sets.branch(there, sets.single(get), sets.empty)}"

    def contains(self, term: t.Contains) -> str:
        kind = term.subject.kind
        assert isinstance(kind, SetOf)
        sets = self.module.sets(kind.enumeration)
        item, subject = self.value(term.item), self.value(term.subject)
        if isinstance(term.item.kind, Members) and not term.item.kind.optional:
            return sets.contains(subject, item)
        keep, get = self.temporary(term.item.kind, item)
        keep2, get2 = self.temporary(kind, subject)
        there = f"(i32.ge_s {get} (i32.const 0))"
        inside = sets.contains(get2, get)
        return f"{keep} {keep2} (if (result i32) {there} (then {inside}) (else (i32.const 0)))"

    # ---- questions ----

    def count(self, term: t.Count) -> str:
        kind = term.subject.kind
        if not isinstance(kind, SetOf):
            return self.count_walked(term)
        if isinstance(term.subject, t.ZoneOf) and term.subject.zone in self.module.ordered:
            return f"(i32.load {self.order_of(term.subject)})"
        return self.module.sets(kind.enumeration).count(self.value(term.subject))

    def count_walked(self, term: t.Count) -> str:
        count = self.function.local("i32", "count")
        variable = member_of(term.subject)
        with own_local(self, variable):
            one = f"(local.set {count} {add(f'(local.get {count})', 1)})"
            search = walk(self, term.subject, variable, lambda: one)
        return f"(local.set {count} (i32.const 0)) {search} (local.get {count})"

    def any(self, term: t.Any) -> str:
        kind = term.subject.kind
        if not isinstance(kind, SetOf):
            return exists(self, term.subject, lambda _: i32(1))
        sets = self.module.sets(kind.enumeration)
        return f"(i32.eqz {sets.is_empty(self.value(term.subject))})"

    def aggregate(self, term: t.Aggregate) -> str:
        kind = term.subject.kind
        if not isinstance(kind, SetOf):
            return self.sum_walked(term) if term.word == "sum" else self.extreme(term)
        values = (
            None
            if self.module.build.probed
            else self.by_member(term.key, term.variable, kind.enumeration.size)
        )
        if values is not None and term.word == "sum" and min(values) >= 0:
            return self.sum_by_value(term, values)
        grows = values is not None and all(a <= b for a, b in pairwise(values))
        if values is not None and grows and term.word != "sum" and "all" not in term.word:
            return self.end_member(term, kind, values)
        return self.sum_walked(term) if term.word == "sum" else self.extreme(term)

    def sum_walked(self, term: t.Aggregate) -> str:
        total_ = self.function.local("i32", "sum")
        with own_local(self, term.variable):

            def add_key() -> str:
                key = self.value(term.key)
                return f"(local.set {total_} (i32.add (local.get {total_}) {key}))"

            search = walk(self, term.subject, term.variable, add_key)
        return f"(local.set {total_} (i32.const 0)) {search} (local.get {total_})"

    def sum_by_value(self, term: t.Aggregate, values: list[int]) -> str:
        """A sum of known values: count the members that have each, or each binary digit of it,
        whichever is less to count."""
        kind = term.subject.kind
        assert isinstance(kind, SetOf)
        distinct = set(values) - {0}
        digits = {1 << place for place in range(max(values).bit_length())}
        sets = self.module.sets(kind.enumeration)
        keep, get = self.temporary(kind, self.value(term.subject))
        code = i32(0)
        by_digit = len(digits) < len(distinct)
        for part in sorted(digits if by_digit else distinct):
            has = [value & part if by_digit else value == part for value in values]
            mask = sets.constant(sum(1 << i for i, one in enumerate(has) if one))
            count = scaled(sets.count(sets.common(get, mask)), part)
            code = count if code == i32(0) else f"(i32.add {code} {count})"
        return f"{keep} {code}"

    def end_member(self, term: t.Aggregate, kind: SetOf, values: list[int]) -> str:
        """The key grows with the member, so the highest is the last; `most` and `least` are its
        value."""
        sets = self.module.sets(kind.enumeration)
        keep, get = self.temporary(kind, self.value(term.subject))
        end = sets.highest(get) if term.word in ("highest", "most") else sets.lowest(get)
        nothing = i32(-1)
        if term.word in ("most", "least"):
            table = self.module.memory.words(values)
            end, nothing = f"(i32.load offset={table} {scaled(end, 4)})", i32(0)
        return f"{keep} (if (result i32) {sets.is_empty(get)} (then {nothing}) (else {end}))"

    def extreme(self, term: t.Aggregate) -> str:
        """Most, least, highest and lowest, by a walk. Of equals, highest takes the last and lowest
        the first; `all` takes every one."""
        up = term.word.removeprefix("all ") in ("highest", "most")
        every = term.word.startswith("all ")
        kind = term.variable.kind
        best, key, any_ = (self.function.local("i32") for _ in range(3))
        sign = ("gt_s" if every else "ge_s") if up else "lt_s"
        with own_local(self, term.variable):
            member = self.read(term.variable)
            keep, found = self.temporary(kind, member)
            if every:
                assert isinstance(term.kind, SetOf)
                sets = self.module.sets(term.kind.enumeration)
                members = SetLocal(self.function, sets.words)
                keep = members.set(sets.single(member))
                more = members.set(sets.union(members.get(), sets.single(member)))

            def look() -> str:
                better = (
                    f"(i32.or (i32.eqz (local.get {any_})) "
                    f"(i32.{sign} (local.get {key}) (local.get {best})))"
                )
                take = (
                    f"(local.set {best} (local.get {key})) (local.set {any_} (i32.const 1)) {keep}"
                )
                other = ""
                if every:
                    same = f"(i32.eq (local.get {key}) (local.get {best}))"
                    other = f"(else (if {same} (then {more})))"
                return (
                    f"(local.set {key} {self.value(term.key)}) (if {better} (then {take}) {other})"
                )

            search = walk(self, term.subject, term.variable, look)
        start = f"(local.set {best} (i32.const 0)) (local.set {any_} (i32.const 0)) "
        if every:
            return self.block(term.kind, start, members.set(sets.empty), search, members.get())
        if term.word in ("most", "least"):
            return self.block(term.kind, start, search, f"(local.get {best})")
        return self.block(term.kind, start, self.nothing(found, kind), search, found)

    def nothing(self, get: str, kind: Kind) -> str:
        """Set a kept value to none, or to the empty set."""
        if not isinstance(kind, SetOf):
            return f"(local.set {get[11:-1]} (i32.const -1))"
        names = [word.removeprefix("(local.get ").rstrip(")") for word in get.split(") (")]
        return " ".join(f"(local.set {name.split()[-1]} (i64.const 0))" for name in names)

    # ---- groups ----

    def group_in(self, term: t.GroupIn) -> str:
        assert isinstance(term.item.kind, SetOf)
        sets = self.module.sets(term.item.kind.enumeration)
        keep, get = self.temporary(term.item.kind, self.value(term.item))
        search = exists(self, term.groups, lambda group: sets.equal(get, self.read(group)))
        return f"{keep} {search}"

    def union_of(self, term: t.UnionOf) -> str:
        assert isinstance(term.kind, SetOf)
        sets = self.module.sets(term.kind.enumeration)
        all_ = SetLocal(self.function, sets.words, "union")
        variable = member_of(term.groups)
        with own_local(self, variable):

            def join() -> str:
                return all_.set(sets.union(all_.get(), self.read(variable)))

            search = walk(self, term.groups, variable, join)
        return self.block(term.kind, all_.set(sets.empty), search, all_.get())

    def random_from(self, term: t.RandomFrom) -> str:
        kind = term.subject.kind
        assert isinstance(kind, SetOf)
        sets = self.module.sets(kind.enumeration)
        keep, get = self.temporary(kind, self.value(term.subject))
        empty = self.fail("nothing-to-draw", "there is nothing to choose from", term.span)
        use = self.function.local("i32")
        number = term.chance.number
        given = self.function.local("i32")
        keep_one, one = self.temporary(term.kind, f"(i32.load8_u offset=4 (local.get {given}))")
        known = f"(i32.lt_u {one} {i32(kind.enumeration.size)})"
        fits = f"(if (result i32) {known} (then {sets.contains(get, one)}) (else (i32.const 0)))"
        refuse = f"(if (i32.eqz {fits}) (then (call $fail (i32.const -2) {i32(number)})))"
        return (
            f"{keep} (if {sets.is_empty(get)} (then {empty})) "
            f"(local.set {use} (call $open {i32(number)})) "
            f"(local.set {given} (call $supplied {i32(number)} (local.get {use}))) "
            f"(if (result i32) (local.get {given}) (then {keep_one} {refuse} {one})"
            f" (else {sets.nth(get, f'(call $below {sets.count(get)})')}))"
        )

    def can(self, term: t.Can) -> str:
        if term.move not in self.module.asked:
            self.module.asked.append(term.move)
        mover = self.module.header("mover")
        before, answer = self.function.local("i32"), self.function.local("i32")
        return (
            f"(local.set {before} (i32.load {mover})) "
            f"(i32.store {mover} {self.value(term.player)}) "
            f"(local.set {answer} (call $can.{term.move})) "
            f"(i32.store {mover} (local.get {before})) (local.get {answer})"
        )


def span_of(kind: Kind) -> tuple[int, int] | None:
    """The values that a one-word kind can have."""
    if isinstance(kind, Numbers):
        return kind.low, kind.high
    if isinstance(kind, Members):
        return (-1 if kind.optional else 0), kind.enumeration.size - 1
    return None


Expressions.methods = {
    t.Constant: Expressions.constant,
    t.Read: Expressions.read_term,
    t.Mover: Expressions.mover,
    t.StateOf: Expressions.state_of,
    t.ZoneOf: Expressions.zone_of,
    t.Lookup: Expressions.lookup,
    t.MovedBy: Expressions.moved_by,
    t.OwnerOf: Expressions.owner_of,
    t.FaceUp: Expressions.face_up,
    t.Above: Expressions.above,
    t.Seat: Expressions.seat,
    t.NextAmong: Expressions.next_among,
    t.Call: Expressions.call,
    t.Function: Expressions.measure,
    t.EndCard: Expressions.end_card,
    t.EndCards: Expressions.end_cards,
    t.Filter: Expressions.filter,
    t.Count: Expressions.count,
    t.Any: Expressions.any,
    t.Aggregate: Expressions.aggregate,
    t.Not: Expressions.not_,
    t.Logic: Expressions.logic,
    t.Compare: Expressions.compare_term,
    t.Contains: Expressions.contains,
    t.Arithmetic: Expressions.arithmetic,
    t.SetOperation: Expressions.set_operation,
    t.Single: Expressions.single,
    t.IfElse: Expressions.if_else,
    t.Can: Expressions.can,
    t.Need: Expressions.need,
    t.Fit: Expressions.fit,
    t.RandomFrom: Expressions.random_from,
    t.GroupIn: Expressions.group_in,
    t.UnionOf: Expressions.union_of,
}
