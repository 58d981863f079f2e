"""Terms to code. One-word values are i32 (none is -1); sets are words of bits.

A search with `where` becomes an operation on whole sets when its condition is one: each table
and attribute has, for each value, the set of members that have it. Otherwise it is a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rulebook import terms as t
from rulebook.compile import orders_that_matter, parts
from rulebook.kinds import Enumeration, Kind, Members, NumberRange, Numbers, SetOf
from rulebook.program import HEADER, Program, set_words
from rulebook.source import Span
from rulebook.wasm.fold import by_member, compare, fold, reads, total
from rulebook.wasm.writer import (
    STATE,
    Build,
    Function,
    Memory,
    SetLocal,
    Sets,
    Sites,
    add,
    i32,
    scaled,
    wasm_types,
)

MAX_MASKS = 512
FEW_VALUES = 6


class Module:
    """What all functions of one module share."""

    def __init__(self, program: Program, build: Build, memory: Memory) -> None:
        self.program = program
        self.game = program.game
        self.layout = program.layout
        self.build = build
        self.memory = memory
        self.sites = Sites()
        self.card_sets = Sets(self.layout.deck, self.layout.words)
        self.asked: list[str] = []
        """Moves that a `can` asks about, so that their test functions are made."""
        self.texts: list[t.Text] = []
        self.remembers = any(isinstance(node, t.MovedBy) for node in parts(program.game))
        """Whether some rule asks who moved a card."""
        ordered = {zone for zone in program.game.zones.values() if zone.ordered}
        self.ordered = ordered if build.waiting else orders_that_matter(program.game)
        """Zones that keep an order; where nobody watches, only those whose order matters."""

    def text(self, text: t.Text) -> int:
        """The number by which events name a message."""
        self.texts.append(text)
        return len(self.texts) - 1

    def sets(self, enumeration: Enumeration) -> Sets:
        return Sets(enumeration.size, set_words(enumeration))

    def header(self, name: str) -> str:
        return i32(STATE + HEADER[name])


class Expressions:
    """Code for the terms of one function."""

    def __init__(self, module: Module, function: Function) -> None:
        self.module = module
        self.function = function
        self.variables: dict[t.Variable, str | SetLocal] = {}

    # ---- variables ----

    def declare(self, variable: t.Variable) -> None:
        """A local for a variable that does not last across choices."""
        if variable.lasting or variable in self.variables:
            return
        kind = variable.kind
        if isinstance(kind, SetOf):
            sets = self.module.sets(kind.enumeration)
            self.variables[variable] = SetLocal(self.function, sets.words, variable.name)
        else:
            self.variables[variable] = self.function.local("i32", variable.name)

    def read(self, variable: t.Variable) -> str:
        if variable.lasting:
            return self.load(variable.kind, i32(0), STATE + self.module.layout.frame[variable])
        place = self.variables[variable]
        return place.get() if isinstance(place, SetLocal) else f"(local.get {place})"

    def write(self, variable: t.Variable, code: str) -> str:
        if variable.lasting:
            address = STATE + self.module.layout.frame[variable]
            return self.store(variable.kind, i32(address), code)
        self.declare(variable)
        place = self.variables[variable]
        return place.set(code) if isinstance(place, SetLocal) else f"(local.set {place} {code})"

    def load(self, kind: Kind, address: str, offset: int) -> str:
        if isinstance(kind, SetOf):
            return self.module.sets(kind.enumeration).load(address, offset)
        return f"(i32.load offset={offset} {address})"

    def store(self, kind: Kind, address: str, code: str) -> str:
        if isinstance(kind, SetOf):
            return self.module.sets(kind.enumeration).store(address, code)
        return f"(i32.store {address} {code})"

    def temporary(self, kind: Kind, code: str) -> tuple[str, str]:
        """Keep a value: the code that sets it, and the code that gets it."""
        if isinstance(kind, SetOf):
            local = SetLocal(self.function, self.module.sets(kind.enumeration).words)
            return local.set(code), local.get()
        name = self.function.local("i32")
        return f"(local.set {name} {code})", f"(local.get {name})"

    # ---- the door ----

    def value(self, term: t.Term) -> str:
        return METHODS[type(term)](self, term)

    def flag(self, term: t.Term) -> str:
        return self.value(term)

    def fail(self, slug: str, message: str, span: Span, value: str | None = None) -> str:
        number = self.module.sites.number(slug, message, span)
        return f"(call $fail {i32(number)} {value or i32(0)}) (unreachable)"

    def block(self, kind: Kind, *code: str) -> str:
        types = " ".join(wasm_types(kind))
        return f"(block (result {types}) {' '.join(code)})"

    # ---- values ----

    def constant(self, term: t.Constant) -> str:
        if isinstance(term.kind, SetOf):
            return self.module.sets(term.kind.enumeration).constant(term.value)
        return i32(term.value)

    def read_term(self, term: t.Read) -> str:
        return self.read(term.variable)

    def mover(self, term: t.Mover) -> str:
        return f"(i32.load {self.module.header('mover')})"

    def place(self, index: t.Term | None, each: object, stride: int) -> str:
        """The bytes from the first cell of a family to the one with this index."""
        if index is None:
            return i32(0)
        low = each.low if isinstance(each, NumberRange) else 0
        code = self.value(index)
        if low:
            code = add(code, -low)
        return scaled(code, stride)

    def state_of(self, term: t.StateOf) -> str:
        layout = self.module.layout
        place = self.place(term.index, term.state.each, layout.width(term.state.kind))
        return self.load(term.state.kind, place, STATE + layout.state[term.state])

    def zone_of(self, term: t.ZoneOf) -> str:
        layout = self.module.layout
        place = self.place(term.index, term.zone.each, 8 * layout.words)
        return self.module.card_sets.load(place, STATE + layout.bits[term.zone])

    def order_of(self, term: t.ZoneOf) -> str:
        """The address of an ordered zone's count and cards."""
        layout = self.module.layout
        place = self.place(term.index, term.zone.each, layout.order_stride)
        address = STATE + layout.orders[term.zone]
        if place.startswith("(i32.const "):
            return i32(int(place[11:-1]) + address)
        return add(place, address)

    def slot_of(self, term: t.ZoneOf) -> str:
        layout = self.module.layout
        place = self.place(term.index, term.zone.each, 1)
        if place.startswith("(i32.const "):
            return i32(int(place[11:-1]) + layout.slots[term.zone])
        return add(place, layout.slots[term.zone])

    def lookup(self, term: t.Lookup) -> str:
        constant = fold(term, {})
        if constant is not None:
            return i32(constant)
        code = i32(0)
        for index, argument in zip(term.table.indexes, term.arguments, strict=True):
            low = index.low if isinstance(index, NumberRange) else 0
            size = index.high - low + 1 if isinstance(index, NumberRange) else index.size
            one = add(self.value(argument), -low)
            code = one if code == i32(0) else f"(i32.add {scaled(code, size)} {one})"
        # One argument may be none: what stands before the table is none too.
        before = -1 if len(term.arguments) == 1 else None
        address = self.module.memory.words(term.table.values, before)
        return (
            f"(i32.load offset={address} {scaled(code, 4)})"
            if before is None
            else (f"(i32.load {add(scaled(code, 4), address)})")
        )

    def moved_by(self, term: t.MovedBy) -> str:
        address = STATE + self.module.layout.moved_by
        card = self.value(term.card)
        if isinstance(term.card.kind, Members) and not term.card.kind.optional:
            return f"(i32.load8_s offset={address} {card})"
        keep, get = self.temporary(term.card.kind, card)
        return (
            f"{keep} (if (result i32) (i32.lt_s {get} (i32.const 0)) (then (i32.const -1)) "
            f"(else (i32.load8_s offset={address} {get})))"
        )

    def owner_of(self, term: t.OwnerOf) -> str:
        """The index within its family of the slot that holds the card, if each player has one."""
        layout = self.module.layout
        keep, get = self.temporary(term.card.kind, self.value(term.card))
        slot = self.function.local("i32")
        code = i32(-1)
        for zone in self.module.game.zones.values():
            if isinstance(zone.each, Enumeration) and zone.each.name == "player":
                index = add(f"(local.get {slot})", -layout.slots[zone])
                inside = f"(i32.lt_u {index} {i32(zone.size)})"
                code = f"(if (result i32) {inside} (then {index}) (else {code}))"
        found = f"(local.set {slot} (call $slot_of {get})) {code}"
        there = f"(i32.lt_s {get} (i32.const 0))"
        return f"{keep} (if (result i32) {there} (then (i32.const -1)) (else {found}))"

    def seat(self, term: t.Seat) -> str:
        players = self.module.game.players
        steps = term.steps % players
        if steps == 0:
            return self.value(term.player)
        keep, get = self.temporary(term.kind, f"(i32.add {self.value(term.player)} {i32(steps)})")
        beyond = f"(i32.ge_s {get} {i32(players)})"
        return f"{keep} (select (i32.sub {get} {i32(players)}) {get} {beyond})"

    def next_among(self, term: t.NextAmong) -> str:
        keep, get = self.temporary(term.subject.kind, self.value(term.subject))
        first = self.seat(t.Seat(term.span, term.player.kind, term.player, term.direction))
        routine = "turn_first" if term.direction > 0 else "turn_last"
        return (
            f"{keep} (if (result i32) (i64.eqz {get}) (then (i32.const -1)) "
            f"(else (call ${routine} {get} {first})))"
        )

    def call(self, term: t.Call) -> str:
        arguments = " ".join(self.value(argument) for argument in term.arguments)
        return f"(call $def.{term.definition.name} {arguments})"

    def measure(self, term: t.Function) -> str:
        first, second = term.arguments
        keep, get = self.temporary(first.kind, self.value(first))
        if term.name in ("larger", "smaller"):
            keep2, get2 = self.temporary(second.kind, self.value(second))
            sign = "gt_s" if term.name == "larger" else "lt_s"
            return f"{keep} {keep2} (select {get} {get2} (i32.{sign} {get} {get2}))"
        assert isinstance(second, t.Constant)
        step = second.value
        # half_up: (n + step / 2) down to a step; half_down: (n + (step - 1) / 2), so halves fall.
        shift = {
            "rounded_down": 0,
            "rounded_up": step - 1,
            "half_up": step // 2,
            "half_down": (step - 1) // 2,
        }[term.name]
        down = f"(call $floor_div {add(get, shift)} {i32(step)})"
        return f"{keep} (i32.mul {down} {i32(step)})"

    # ---- sets ----

    def end_card(self, term: t.EndCard) -> str:
        return f"(call $end_card {self.order_of(term.zone)} {i32(int(term.which == 'last'))})"

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
        mask = self.mask(condition, variable, kind.enumeration)
        if mask is not None:
            return sets.common(subject, mask)
        result = SetLocal(self.function, sets.words)
        with self.each(subject, kind, variable) as code:
            found = result.set(sets.union(result.get(), sets.single(self.read(variable))))
            code.append(f"(if {self.flag(condition)} (then {found}))")
        return self.block(kind, result.set(sets.empty), *code, result.get())

    def mask(self, condition: t.Term, variable: t.Variable, enumeration: Enumeration) -> str | None:
        """The set of all members that satisfy the condition, if that is a few operations."""
        sets = self.module.sets(enumeration)
        values = by_member(condition, variable, enumeration.size)
        if values is not None:
            return sets.constant(sum(1 << i for i, value in enumerate(values) if value))
        if not reads(condition, variable):
            if not total(condition):
                return None
            return sets.choose(self.flag(condition), sets.full, sets.empty)
        if isinstance(condition, t.Not):
            inner = self.mask(condition.operand, variable, enumeration)
            return None if inner is None else sets.complement(inner)
        if isinstance(condition, t.Logic):
            left = self.mask(condition.left, variable, enumeration)
            right = self.mask(condition.right, variable, enumeration)
            if left is None or right is None:
                return None
            if condition.word == "and":
                return sets.common(left, right)
            return sets.union(sets.complement(left) if condition.word == "implies" else left, right)
        if isinstance(condition, t.Contains):
            same = isinstance(condition.item, t.Read) and condition.item.variable is variable
            if same and not reads(condition.subject, variable) and total(condition.subject):
                return self.value(condition.subject)
            return None
        if isinstance(condition, t.Compare):
            return self.compare_mask(condition, variable, enumeration)
        return None

    def compare_mask(
        self, condition: t.Compare, variable: t.Variable, enumeration: Enumeration
    ) -> str | None:
        """A comparison of an attribute with a value that does not depend on the member: a row of a
        table with the set for each value."""
        sign, left, right = condition.sign, condition.left, condition.right
        if not reads(left, variable):
            turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
            sign, left, right = turned.get(sign, sign), right, left
        if reads(right, variable) or not total(right) or isinstance(left.kind, SetOf):
            return None
        values = by_member(left, variable, enumeration.size)
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
        address = self.module.memory.masks(rows, sets.words)
        return sets.load(scaled(add(self.value(right), -low), 8 * sets.words), address)

    def count(self, term: t.Count) -> str:
        kind = term.subject.kind
        assert isinstance(kind, SetOf)
        if isinstance(term.subject, t.ZoneOf) and term.subject.zone in self.module.ordered:
            return f"(i32.load {self.order_of(term.subject)})"
        return self.module.sets(kind.enumeration).count(self.value(term.subject))

    def any(self, term: t.Any) -> str:
        kind = term.subject.kind
        assert isinstance(kind, SetOf)
        sets = self.module.sets(kind.enumeration)
        return f"(i32.eqz {sets.is_empty(self.value(term.subject))})"

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

    # ---- aggregates ----

    def aggregate(self, term: t.Aggregate) -> str:
        kind = term.subject.kind
        assert isinstance(kind, SetOf)
        values = by_member(term.key, term.variable, kind.enumeration.size)
        if values is not None and term.word == "sum":
            quick = self.sum_by_value(term, values)
            if quick is not None:
                return quick
        if values is not None and term.word in ("highest", "lowest"):
            if all(a <= b for a, b in zip(values, values[1:], strict=False)):
                return self.end_member(term, kind)
        subject = self.value(term.subject)
        if term.word == "sum":
            total_, key = self.function.local("i32"), None
            with self.each(subject, kind, term.variable) as code:
                key = self.value(term.key)
                code.append(f"(local.set {total_} (i32.add (local.get {total_}) {key}))")
            return self.block(
                term.kind, f"(local.set {total_} (i32.const 0))", *code, f"(local.get {total_})"
            )
        return self.extreme(term, kind, subject)

    def sum_by_value(self, term: t.Aggregate, values: list[int]) -> str | None:
        """A sum of few different values: count the members that have each."""
        distinct = sorted(set(values) - {0})
        if len(distinct) > FEW_VALUES:
            return None
        kind = term.subject.kind
        assert isinstance(kind, SetOf)
        sets = self.module.sets(kind.enumeration)
        keep, get = self.temporary(kind, self.value(term.subject))
        code = i32(0)
        for value in distinct:
            mask = sets.constant(sum(1 << i for i, one in enumerate(values) if one == value))
            count = sets.count(sets.common(get, mask))
            code = f"(i32.add {code} (i32.mul {count} {i32(value)}))"
        return f"{keep} {code}"

    def end_member(self, term: t.Aggregate, kind: SetOf) -> str:
        """The key grows with the member, so the highest is the last."""
        sets = self.module.sets(kind.enumeration)
        keep, get = self.temporary(kind, self.value(term.subject))
        end = sets.highest(get) if term.word == "highest" else sets.lowest(get)
        return f"{keep} (if (result i32) {sets.is_empty(get)} (then (i32.const -1)) (else {end}))"

    def extreme(self, term: t.Aggregate, kind: SetOf, subject: str) -> str:
        """Most, least, highest and lowest, by a walk. Of equals, highest takes the last and lowest
        the first."""
        sets = self.module.sets(kind.enumeration)
        every = term.word.startswith("all ")
        up = term.word.removeprefix("all ") in ("highest", "most")
        best, found, key = (self.function.local("i32") for _ in range(3))
        members = SetLocal(self.function, sets.words)
        sign = {(True, False): "ge_s", (False, False): "lt_s", (True, True): "gt_s"}.get(
            (up, every), "lt_s"
        )
        with self.each(subject, kind, term.variable) as code:
            code.append(f"(local.set {key} {self.value(term.key)})")
            better = (
                f"(i32.or (i32.lt_s (local.get {found}) (i32.const 0)) "
                f"(i32.{sign} (local.get {key}) (local.get {best})))"
            )
            member = self.read(term.variable)
            take = f"(local.set {best} (local.get {key})) (local.set {found} {member})"
            if every:
                same = f"(i32.eq (local.get {key}) (local.get {best}))"
                code.append(
                    f"(if {better} (then {take} {members.set(sets.single(member))}) (else "
                    f"(if {same} (then {members.set(sets.union(members.get(), sets.single(member)))}"
                    "))))"
                )
            else:
                code.append(f"(if {better} (then {take}))")
        start = f"(local.set {best} (i32.const 0)) (local.set {found} (i32.const -1))"
        result = f"(local.get {found})"
        if every:
            start += members.set(sets.empty)
            result = members.get()
        elif term.word in ("most", "least"):
            result = f"(local.get {best})"
        return self.block(term.kind, start, *code, result)

    # ---- logic and numbers ----

    def not_(self, term: t.Not) -> str:
        return f"(i32.eqz {self.flag(term.operand)})"

    def logic(self, term: t.Logic) -> str:
        left, right = self.flag(term.left), self.flag(term.right)
        then, other = {
            "and": (right, i32(0)),
            "or": (i32(1), right),
            "implies": (right, i32(1)),
        }[term.word]
        return f"(if (result i32) {left} (then {then}) (else {other}))"

    def compare_term(self, term: t.Compare) -> str:
        left, right = self.value(term.left), self.value(term.right)
        if isinstance(term.left.kind, SetOf):
            equal = self.module.sets(term.left.kind.enumeration).equal(left, right)
            return equal if term.sign == "is" else f"(i32.eqz {equal})"
        sign = {"is": "eq", "is not": "ne", "<": "lt_s", "<=": "le_s", ">": "gt_s", ">=": "ge_s"}
        return f"(i32.{sign[term.sign]} {left} {right})"

    def arithmetic(self, term: t.Arithmetic) -> str:
        left, right = self.value(term.left), self.value(term.right)
        if term.sign == "/":
            return f"(call $floor_div {left} {right})"
        if term.sign == "mod":
            keep, get = self.temporary(term.right.kind, right)
            keep2, get2 = self.temporary(term.left.kind, left)
            down = f"(i32.mul (call $floor_div {get2} {get}) {get})"
            return f"{keep2} {keep} (i32.sub {get2} {down})"
        sign = {"+": "add", "-": "sub", "*": "mul"}[term.sign]
        return f"(i32.{sign} {left} {right})"

    def if_else(self, term: t.IfElse) -> str:
        types = " ".join(wasm_types(term.kind))
        condition = self.flag(term.condition)
        then, other = self.value(term.then), self.value(term.other)
        return f"(if (result {types}) {condition} (then {then}) (else {other}))"

    def need(self, term: t.Need) -> str:
        keep, get = self.temporary(term.kind, self.value(term.operand))
        failed = self.fail("none-used", f"{term.use} is none here", term.span)
        return f"{keep} (if (i32.lt_s {get} (i32.const 0)) (then {failed})) {get}"

    def fit(self, term: t.Fit) -> str:
        keep, get = self.temporary(term.kind, self.value(term.operand))
        message = f"{term.use or 'this number'} is outside {term.low}..{term.high}"
        failed = self.fail("number-out-of-range", message, term.span, get)
        outside = f"(i32.or (i32.lt_s {get} {i32(term.low)}) (i32.gt_s {get} {i32(term.high)}))"
        return f"{keep} (if {outside} (then {failed})) {get}"

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

    def random_from(self, term: t.RandomFrom) -> str:
        kind = term.subject.kind
        assert isinstance(kind, SetOf)
        sets = self.module.sets(kind.enumeration)
        keep, get = self.temporary(kind, self.value(term.subject))
        empty = self.fail("nothing-to-draw", "there is nothing to choose from", term.span)
        use = self.function.local("i32")
        number = term.chance.number
        given = self.function.local("i32")
        return (
            f"{keep} (if {sets.is_empty(get)} (then {empty})) "
            f"(local.set {use} (call $open {i32(number)})) "
            f"(local.set {given} (call $supplied {i32(number)} (local.get {use}))) "
            f"(if (result i32) (local.get {given}) (then (i32.load8_u offset=4 (local.get {given})))"
            f" (else {sets.nth(get, f'(call $below {sets.count(get)})')}))"
        )


def loop(done: str, *body: str) -> str:
    """Repeat the body until the condition `done`, tested first, holds. Labels nest, so the same
    names serve everywhere."""
    return f"(block $done (loop $again (br_if $done {done}) {' '.join(body)} (br $again)))"


def span_of(kind: Kind) -> tuple[int, int] | None:
    """The values that a one-word kind can have."""
    if isinstance(kind, Numbers):
        return kind.low, kind.high
    if isinstance(kind, Members):
        return (-1 if kind.optional else 0), kind.enumeration.size - 1
    return None


METHODS: dict[type, Callable[..., str]] = {
    t.Constant: Expressions.constant,
    t.Read: Expressions.read_term,
    t.Mover: Expressions.mover,
    t.StateOf: Expressions.state_of,
    t.ZoneOf: Expressions.zone_of,
    t.Lookup: Expressions.lookup,
    t.MovedBy: Expressions.moved_by,
    t.OwnerOf: Expressions.owner_of,
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
}
