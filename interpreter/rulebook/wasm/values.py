"""Terms to code: values, tables, numbers and logic.

One-word values are i32 (none is -1); sets are words of bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rulebook import terms as t
from rulebook.compile import orders_that_matter
from rulebook.kinds import FLAG, Enumeration, Kind, Members, NumberRange, SetOf
from rulebook.program import HEADER, Program, set_words
from rulebook.resolve.fold import by_member, fold
from rulebook.source import Span
from rulebook.walks import inside, parts
from rulebook.wasm.measured import Tally, ranked_score
from rulebook.wasm.probes import Probes
from rulebook.wasm.short import short_definitions
from rulebook.wasm.writer import (
    HISTORY_ROWS,
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


class Module:
    """What all functions of one module share."""

    def __init__(self, program: Program, build: Build, memory: Memory) -> None:
        self.program = program
        self.game = program.game
        self.layout = program.layout
        self.build = build
        self.memory = memory
        self.sites = Sites()
        self.probes = Probes(self)
        self.card_sets = Sets(self.layout.deck, self.layout.words)
        self.worked_out: dict[tuple[object, ...], list[int] | None] = {}
        """Values of terms for each member, by term, variable and what else was fixed."""
        self.asked: list[str] = []
        """Moves that a `can` asks about, so that their test functions are made."""
        self.texts: list[t.Text] = []
        self.tally: Tally | None = None
        """Counts what happens, in builds that measure."""
        self.remembers = any(isinstance(node, t.MovedBy) for node in parts(program.game))
        """Whether some rule asks who moved a card."""
        self.has_faces = any(zone.faces for zone in program.game.zones.values())
        """Whether cards lie face up or down anywhere."""
        self.quick = not build.waiting and self.layout.words == 1 and not self.has_faces
        """Whether cards may move as bits alone: nobody watches, one word, no faces."""
        self.short = set() if build.probed else short_definitions(program.game)
        """Definitions that are written in where they are used."""
        self.searches = any(isinstance(node, t.Groups) for node in parts(program.game))
        ordered = {zone for zone in program.game.zones.values() if zone.ordered}
        self.ordered = ordered if build.waiting else orders_that_matter(program.game)
        """Zones that keep an order; where nobody watches, only those whose order matters."""

    def text(self, text: t.Text) -> int:
        """The number by which events name a message."""
        self.texts.append(text)
        return len(self.texts) - 1

    @property
    def keeps_history(self) -> bool:
        """Whether the module itself counts positions: in play, matches do."""
        return self.game.repeats_limit is not None and not self.build.waiting

    @property
    def history_rows(self) -> int:
        """Of the table of positions, a power of two: it is half filled at the most."""
        limit = self.game.plays_limit
        return HISTORY_ROWS if limit is None else min(HISTORY_ROWS, 2 << (limit + 1).bit_length())

    @property
    def score_cell(self) -> int | None:
        """Where the first score stands, if the lead in the game can be told by it."""
        score = ranked_score(self.game)
        return None if score is None else STATE + self.layout.state[score]

    def sets(self, enumeration: Enumeration) -> Sets:
        return Sets(enumeration.size, set_words(enumeration))

    def header(self, name: str) -> str:
        return i32(STATE + HEADER[name])


class Values:
    """Code for the terms of one function. `methods`, one for each class of terms, is filled by
    the subclass that knows them all."""

    methods: ClassVar[dict[type, Callable[..., str]]] = {}

    def __init__(self, module: Module, function: Function) -> None:
        self.module = module
        self.function = function
        self.variables: dict[t.Variable, str | SetLocal] = {}
        self.fixed: dict[t.Variable, int] = {}
        """Variables that have one known value in the code being made: those of unrolled loops."""
        self.mover_now = ""
        """Code that gets the mover, where it is at hand in a local."""

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
        if variable in self.fixed:
            return i32(self.fixed[variable])
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
        return self.methods[type(term)](self, term)

    def flag(self, term: t.Term) -> str:
        return self.value(term)

    def fail(self, slug: str, message: str, span: Span, value: str | None = None) -> str:
        number = self.module.sites.number(slug, message, span)
        return f"(call $fail {i32(number)} {value or i32(0)}) (unreachable)"

    def tick(self, span: Span) -> str:
        """One more turn of a loop, counted by the guard against loops without end."""
        message = "this loop goes on and on: nobody is asked for a choice and it never ends"
        return f"(call $tick {i32(self.module.sites.number('endless-loop', message, span))})"

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
        return self.mover_now or f"(i32.load {self.module.header('mover')})"

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
        watched = self.module.build.probed and term.table.span is not None
        constant = None if watched else fold(term, self.fixed)
        if constant is not None:
            return i32(constant)
        composed = None if watched else self.composed(term)
        if composed is not None:
            return composed
        code = i32(0)
        for index, argument in zip(term.table.indexes, term.arguments, strict=True):
            low = index.low if isinstance(index, NumberRange) else 0
            size = index.size
            one = add(self.value(argument), -low)
            code = one if code == i32(0) else f"(i32.add {scaled(code, size)} {one})"
        if watched:
            keep, get = self.temporary(FLAG, code)
            return f"{keep} {self.row_read(term.table, get)} {self.row(term, get)}"
        return self.row(term, code)

    def composed(self, term: t.Lookup) -> str | None:
        """A table read with what another table says of one member: one table of both."""
        found = {node.variable for node in inside(term.arguments) if isinstance(node, t.Read)}
        free = list(found - self.fixed.keys())
        plain = len(term.arguments) == 1 and isinstance(term.arguments[0], t.Read)
        if plain or len(free) != 1 or not isinstance(free[0].kind, Members):
            return None
        (variable,) = free
        kind = free[0].kind
        first = -1 if kind.optional else 0
        values = self.by_member(term, variable, kind.enumeration.size, first)
        if values is None:
            return None
        table = self.module.memory.words(values) - 4 * first
        return f"(i32.load {add(scaled(self.read(variable), 4), table)})"

    def by_member(
        self, term: t.Term, variable: t.Variable, size: int, first: int = 0
    ) -> list[int] | None:
        """What the term is for each member, if nothing else decides it; worked out once."""
        key = (term, variable, first, *self.fixed.items())
        if key not in self.module.worked_out:
            self.module.worked_out[key] = by_member(term, variable, size, self.fixed, first)
        return self.module.worked_out[key]

    def row_read(self, table: t.Table, index: str) -> str:
        """Count a row of a table of the file that is read."""
        assert table.span is not None
        labels = [""]
        for each in table.indexes:
            names = (
                [str(number) for number in range(each.low, each.high + 1)]
                if isinstance(each, NumberRange)
                else list(each.members)
            )
            labels = [f"{label} {name}".strip() for label in labels for name in names]
        probes = self.module.probes
        first = probes.rows(table.name, labels, table.span)
        passed = probes.count(f"(i32.add {i32(first)} {index})")
        return f"(if (i32.ge_s {index} (i32.const 0)) (then {passed}))"

    def row(self, term: t.Lookup, code: str) -> str:
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

    def face_up(self, term: t.FaceUp) -> str:
        sets = self.module.card_sets
        keep, get = self.temporary(term.card.kind, self.value(term.card))
        down = sets.load(i32(STATE + self.module.layout.faces))
        up = f"(i32.eqz {sets.contains(down, get)})"
        return (
            f"{keep} (if (result i32) (i32.lt_s {get} (i32.const 0)) (then {i32(0)}) (else {up}))"
        )

    def above(self, term: t.Above) -> str:
        """From the top of the zone down to the card, which is not counted."""
        sets = self.module.card_sets
        keep, get = self.temporary(term.card.kind, self.value(term.card))
        result = SetLocal(self.function, sets.words)
        order, at, card = (self.function.local("i32") for _ in range(3))
        now = f"(local.get {card})"
        walk = (
            f"(local.set {order} (call $order_of (call $slot_of {get}))) "
            f"(if (local.get {order}) (then (local.set {at} (i32.add (i32.add (local.get {order}) "
            f"(i32.const 3)) (i32.load (local.get {order})))) "
            f"(block $done (loop $again (local.set {card} (i32.load8_u (local.get {at}))) "
            f"(br_if $done (i32.eq {now} {get})) "
            f"{result.set(sets.union(result.get(), sets.single(now)))} "
            f"(local.set {at} {add(f'(local.get {at})', -1)}) (br $again)))))"
        )
        lies = (
            f"(if (result i32) (i32.lt_s {get} (i32.const 0)) (then {i32(0)}) "
            f"(else (i32.ge_s (call $slot_of {get}) {i32(0)})))"
        )
        return f"{keep} {result.set(sets.empty)} (if {lies} (then {walk})) {result.get()}"

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
        # Worked out before the set is looked at: a player that is none is a mistake either way.
        seat = self.seat(t.Seat(term.span, term.player.kind, term.player, term.direction))
        keep_first, first = self.temporary(term.player.kind, seat)
        routine = "turn_first" if term.direction > 0 else "turn_last"
        return (
            f"{keep} {keep_first} (if (result i32) (i64.eqz {get}) (then (i32.const -1)) "
            f"(else (call ${routine} {get} {first})))"
        )

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
        passed = self.module.probes.passed
        then = passed("branch", "yes", term.condition.span) + self.value(term.then)
        other = passed("branch", "no", term.condition.span) + self.value(term.other)
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
