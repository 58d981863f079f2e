"""Statements to code, inside functions and inside blocks of the dispatcher.

The two differ only in how control leaves: `leave` is the code for `stop`, `finish` for the end of
the game.
"""

from __future__ import annotations

from collections.abc import Callable

from rulebook import terms as t
from rulebook.kinds import FLAG, Enumeration, Members, NumberRange, SetOf
from rulebook.program import ENDED
from rulebook.source import Span
from rulebook.wasm.expressions import Expressions
from rulebook.wasm.runtime import event
from rulebook.wasm.values import Module
from rulebook.wasm.walks import loop, walk
from rulebook.wasm.writer import STATE, Function, SetLocal, add, i32, scaled

EVERYONE = -1


class Statements(Expressions):
    """Code for the statements of one function. `acting` is a move's `do`, where cards remember who
    moved them."""

    def __init__(self, module: Module, function: Function, acting: bool = False) -> None:
        super().__init__(module, function)
        self.acting = acting
        self.leave = "(return)"
        self.finish = "(return)"
        self.sources: dict[t.Variable, t.ZoneOf] = {}
        """Zones that picked cards come from."""

    def block_of(self, body: tuple[t.Statement, ...]) -> str:
        return " ".join(self.statement(statement) for statement in body)

    def statement(self, statement: t.Statement) -> str:
        return STATEMENTS[type(statement)](self, statement)

    # ---- values ----

    def set_state(self, node: t.SetState) -> str:
        layout = self.module.layout
        state, target = node.target.state, node.target
        place = self.place(target.index, state.each, layout.width(state.kind))
        address = add(place, STATE + layout.state[state])
        if not self.module.build.waiting:
            return self.store(state.kind, address, self.value(node.value))
        keep, get = self.temporary(state.kind, self.value(node.value))
        keep_index, index = "", i32(0)
        if target.index is not None:
            keep_index, index = self.temporary(target.index.kind, self.value(target.index))
            low = state.each.low if isinstance(state.each, NumberRange) else 0
            scaled_index = scaled(add(index, -low), layout.width(state.kind))
            address = add(scaled_index, STATE + layout.state[state])
        store = self.store(state.kind, address, get)
        return f"{keep_index} {keep} {store} {self.announce_state(state, index, get)}"

    def announce_state(self, state: t.State, index: str, get: str) -> str:
        number = list(self.module.game.state.values()).index(state)
        audience = f"(call $sees.{state.name} {index})"
        return event("set", audience, i32(number), index, *self.halves(state.kind, get))

    def halves(self, kind: object, get: str) -> list[str]:
        """A value as 32-bit pieces, the lowest first."""
        if not isinstance(kind, SetOf):
            return [get]
        words = get.split(") (")
        words = [w if w.startswith("(") else "(" + w for w in words]
        words = [w if w.endswith(")") else w + ")" for w in words]
        pieces: list[str] = []
        for word in words:
            pieces.append(f"(i32.wrap_i64 {word})")
            pieces.append(f"(i32.wrap_i64 (i64.shr_u {word} (i64.const 32)))")
        return pieces

    def set_variable(self, node: t.SetVariable) -> str:
        value = self.value(node.value)
        return self.write(node.variable, value)

    # ---- flow ----

    def if_(self, node: t.If) -> str:
        code = ""
        for condition, body in reversed(node.branches):
            inner = self.block_of(body)
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

    def turn_start(self, node: t.For) -> str:
        if node.start is not None:
            return self.value(node.start)
        return i32(0 if self.module.game.clockwise else self.module.game.players - 1)

    def next_player(self, rest: str, start: str) -> str:
        routine = "turn_first" if self.module.game.clockwise else "turn_last"
        return f"(call ${routine} {rest} {start})"

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

    def tick(self, span: Span) -> str:
        message = "this loop goes on and on: nobody is asked for a choice and it never ends"
        return f"(call $tick {i32(self.module.sites.number('endless-loop', message, span))})"

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
        return f"{self.value(node.value)} (return)"

    def stop(self, node: t.Stop) -> str:
        return self.leave

    # ---- cards ----

    def moved(self, card: str) -> str:
        """Remember who moves the card."""
        if not self.acting or not self.module.remembers:
            return ""
        mover = f"(i32.load {self.module.header('mover')})"
        return f"(i32.store8 offset={STATE + self.module.layout.moved_by} {card} {mover})"

    def move(self, node: t.MoveCards) -> str:
        if isinstance(node.cards, t.Single):
            return self.move_one(node, node.cards.member)
        if isinstance(node.cards, t.ZoneOf) and node.source is node.cards:
            return self.move_all(node, node.cards)
        return self.move_set(node)

    def move_one(self, node: t.MoveCards, member: t.Term) -> str:
        keep, card = self.temporary(member.kind, self.value(member))
        source = node.source
        if source is None and isinstance(member, t.Read):
            source = self.sources.get(member.variable)
        code = self.quick_move(node, source, card) or self.shift(node, card, None)
        code += self.moved(card)
        if isinstance(member.kind, Members) and member.kind.optional:
            code = f"(if (i32.ge_s {card} (i32.const 0)) (then {code}))"
        return f"{keep} {code}"

    def shift(self, node: t.MoveCards, card: str, source: str | None) -> str:
        target = self.slot_of(node.zone)
        return f"(call $shift {card} {source or i32(-1)} {target} {i32(how(node))})"

    def quick_move(self, node: t.MoveCards, source: t.ZoneOf | None, card: str) -> str | None:
        """Two operations on bits, where nobody watches and the card lies where it should."""
        layout = self.module.layout
        if not self.module.quick or source is None or source.zone in self.module.ordered:
            return None
        here = self.place(source.index, source.zone.each, 8)
        there = self.place(node.zone.index, node.zone.zone.each, 8)
        keep, bit = self.temporary(
            SetOf(self.module.game.enumerations["card"]), self.module.card_sets.single(card)
        )
        from_, to = STATE + layout.bits[source.zone], STATE + layout.bits[node.zone.zone]
        keep_here, here = self.temporary(FLAG, here)
        old = f"(i64.load offset={from_} {here})"
        lies = f"(i64.ne (i64.and {old} {bit}) (i64.const 0))"
        take = f"(i64.store offset={from_} {here} (i64.xor {old} {bit}))"
        keep_there, there = self.temporary(FLAG, there)
        put = f"(i64.store offset={to} {there} (i64.or (i64.load offset={to} {there}) {bit}))"
        push = ""
        if node.zone.zone in self.module.ordered:
            routine = "push_bottom" if node.bottom else "push"
            push = f"(call ${routine} {self.order_of(node.zone)} {card})"
        slow = self.shift(node, card, None)
        return (
            f"{keep} {keep_here} {keep_there} (if {lies} (then {take} {put} {push}) (else {slow}))"
        )

    def move_all(self, node: t.MoveCards, source: t.ZoneOf) -> str:
        layout = self.module.layout
        target = node.zone
        if self.acting and self.module.remembers:
            return self.move_set(node)
        if not self.module.quick or target.zone in self.module.ordered:
            return (
                f"(call $shift_all {self.slot_of(source)} {self.slot_of(target)} {i32(how(node))})"
            )
        here = add(self.place(source.index, source.zone.each, 8), STATE + layout.bits[source.zone])
        there = add(self.place(target.index, target.zone.each, 8), STATE + layout.bits[target.zone])
        kind = SetOf(self.module.game.enumerations["card"])
        keep, cards = self.temporary(kind, f"(i64.load {here})")
        # Emptied first, so that a zone moved to itself keeps its cards.
        empty = f"(i64.store {here} (i64.const 0))"
        if source.zone in self.module.ordered:
            empty += f" (i32.store {self.order_of(source)} (i32.const 0))"
        return f"{keep} {empty} (i64.store {there} (i64.or (i64.load {there}) {cards}))"

    def move_set(self, node: t.MoveCards) -> str:
        """Card by card; from an ordered zone in its order, else in deck order."""
        sets = self.module.card_sets
        kind = SetOf(self.module.game.enumerations["card"])
        cards = SetLocal(self.function, sets.words)
        source = node.source
        if source is None or source.zone not in self.module.ordered:
            variable = t.Variable("card", Members(kind.enumeration), node.span)
            with self.each(cards.get(), kind, variable) as code:
                card = self.read(variable)
                code += [self.shift(node, card, None), self.moved(card)]
            return cards.set(self.value(node.cards)) + " ".join(code)
        # The order array is walked by position; a moved card closes the gap behind it.
        order, at, card = (self.function.local("i32") for _ in range(3))
        get = f"(local.get {card})"
        inside = sets.contains(cards.get(), get)
        return (
            cards.set(self.value(node.cards))
            + f"(local.set {order} {self.order_of(source)}) (local.set {at} (i32.const 0))"
            + loop(
                f"(i32.ge_s (local.get {at}) (i32.load (local.get {order})))",
                f"(local.set {card} (i32.load8_u offset=4 "
                f"(i32.add (local.get {order}) (local.get {at}))))",
                f"(if {inside} (then {self.shift(node, get, self.slot_of(source))} "
                f"{cards.set(sets.minus(cards.get(), sets.single(get)))} {self.moved(get)})"
                f" (else (local.set {at} {add(f'(local.get {at})', 1)})))",
            )
        )

    def gather(self, node: t.Gather) -> str:
        layout = self.module.layout
        if node.cards is not None:
            plain = t.MoveCards(node.span, node.cards, None, None, False, node.zone)
            return self.move_set(plain)
        target = node.zone
        sets = self.module.card_sets
        first = STATE + min(layout.bits.values())
        code = [
            f"(memory.fill {i32(first)} (i32.const 0) {i32(8 * layout.words * layout.slot_count)})"
        ]
        for zone in self.module.game.zones.values():
            if zone in self.module.ordered:
                for index in range(zone.size):
                    address = STATE + layout.orders[zone] + index * layout.order_stride
                    code.append(f"(i32.store {i32(address)} (i32.const 0))")
        place = self.place(target.index, target.zone.each, 8 * layout.words)
        code.append(sets.store(add(place, STATE + layout.bits[target.zone]), sets.full))
        if target.zone in self.module.ordered:
            deck = self.module.memory.constant(bytes(range(layout.deck)))
            order = self.order_of(target)
            code.append(f"(i32.store {order} {i32(layout.deck)})")
            code.append(f"(memory.copy {add(order, 4)} {i32(deck)} {i32(layout.deck)})")
        if self.module.remembers:
            code.append(
                f"(memory.fill {i32(STATE + layout.moved_by)} (i32.const 255) {i32(layout.deck)})"
            )
        if self.module.has_faces:
            down = sets.full if target.zone.faces == "down" else sets.empty
            code.append(sets.store(i32(STATE + layout.faces), down))
        if self.module.build.waiting:
            code.append(event("gathered", i32(EVERYONE), self.slot_of(target)))
        return " ".join(code)

    def deal(self, node: t.Deal) -> str:
        if node.each is None:
            return (
                f"(call $deal {self.value(node.count)} {self.slot_of(node.source)} "
                f"{self.slot_of(node.target)})"
            )
        keep, count = self.temporary(node.count.kind, self.value(node.count))
        player = self.module.game.enumerations["player"]
        everyone = t.Constant(node.span, SetOf(player), player.full)
        walk = t.For(node.span, node.each, everyone, node.start, ())
        sets = self.module.sets(player)
        rest = SetLocal(self.function, sets.words, "rest")
        keep2, start = self.temporary(node.each.kind, self.turn_start(walk))
        self.declare(node.each)
        source, target = self.slot_of(node.source), self.slot_of(node.target)
        return f"{keep} {keep2} {rest.set(sets.full)}" + loop(
            sets.is_empty(rest.get()),
            self.write(node.each, self.next_player(rest.get(), start)),
            rest.set(sets.minus(rest.get(), sets.single(self.read(node.each)))),
            f"(call $deal {count} {source} {target})",
        )

    def shuffle(self, node: t.Shuffle) -> str:
        code = f"(call $shuffle {self.order_of(node.zone)} {i32(node.chance.number)})"
        if self.module.build.waiting:
            code += event("shuffled", i32(EVERYONE), self.slot_of(node.zone))
        return code

    def turn(self, node: t.TurnCards) -> str:
        sets = self.module.card_sets
        faces = i32(STATE + self.module.layout.faces)
        if not self.module.has_faces:
            return ""
        kind = node.cards.kind
        keep, get = self.temporary(kind, self.value(node.cards))
        old = sets.load(faces)
        new = sets.union(old, get) if node.facing == "down" else sets.minus(old, get)
        code = f"{keep} {sets.store(faces, new)}"
        if not self.module.build.waiting:
            return code
        variable = t.Variable("card", Members(self.module.game.enumerations["card"]), node.span)
        up = i32(int(node.facing == "up"))
        # Who sees the zone sees the card when it is up; turned down, it is seen no more.
        seers = "(call $seers (local.get {slot}))"
        return code + self.tell_cards("turned", node.cards, variable, seers, up)

    def tell_cards(
        self, kind: str, cards: t.Term, variable: t.Variable, audience: str, *more: str
    ) -> str:
        """An event for each card that lies somewhere: card, slot, position and what else."""
        self.declare(variable)
        card = self.read(variable)
        slot = self.function.local("i32", "slot")
        order = f"(call $order_of (local.get {slot}))"
        place = (
            f"(if (result i32) {order} (then (call $place {order} {card})) (else (i32.const -1)))"
        )
        audience = audience.replace("{slot}", slot)
        told = event(kind, audience, card, f"(local.get {slot})", place, *more)
        lies = f"(i32.ge_s (local.get {slot}) (i32.const 0))"
        find = f"(local.set {slot} (call $slot_of {card}))"
        return walk(self, cards, variable, lambda: f"{find} (if {lies} (then {told}))")

    def show(self, node: t.Show) -> str:
        if not self.module.build.waiting:
            return ""
        keep, audience = "", i32(EVERYONE)
        if node.audience is not None:
            keep, audience = self.temporary(FLAG, f"(i32.wrap_i64 {self.value(node.audience)})")
        variable = t.Variable("card", Members(self.module.game.enumerations["card"]), node.span)
        return f"{keep} {self.tell_cards('shown', node.cards, variable, audience)}"

    # ---- words and ends ----

    def say(self, node: t.Say) -> str:
        if not self.module.build.waiting:
            return ""
        return self.said(node.text)

    def said(self, text: t.Text) -> str:
        """One event for the text and one for each value in it, all for those who may see every
        card that it mentions."""
        number = self.module.text(text)
        audience = self.function.local("i32")
        code = [f"(local.set {audience} {i32(EVERYONE)})"]
        written = []
        for piece in text.pieces:
            if isinstance(piece, str):
                continue
            keep, get = self.temporary(piece.kind, self.value(piece))
            code.append(keep)
            code.append(self.narrow(piece, get, audience))
            halves = self.halves(piece.kind, get)
            written.append(event("argument", f"(local.get {audience})", i32(-1), i32(-1), *halves))
        said = event("said", f"(local.get {audience})", i32(number))
        return " ".join([*code, *written, said])

    def narrow(self, term: t.Term, get: str, audience: str) -> str:
        """Take from the audience those who may not see what the term tells."""
        kind = term.kind
        code = ""
        if isinstance(kind, Members) and kind.enumeration.name == "card":
            seers = f"(call $card_seers {get})"
            code = f"(if (i32.ge_s {get} (i32.const 0)) (then {keep_common(audience, seers)}))"
        elif isinstance(kind, SetOf) and kind.enumeration.name == "card":
            variable = t.Variable("card", Members(kind.enumeration), term.span)
            with self.each(get, kind, variable) as walk:
                walk.append(keep_common(audience, f"(call $card_seers {self.read(variable)})"))
            code = " ".join(walk)
        if isinstance(term, t.StateOf):
            index = i32(0) if term.index is None else self.value(term.index)
            code += keep_common(audience, f"(call $sees.{term.state.name} {index})")
        return code

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


def how(node: t.MoveCards) -> int:
    """The last argument of `$shift`: 1 goes under the zone, 2 and 4 ask for a face, up or down."""
    face = {None: 0, "up": 2, "down": 4}[node.facing]
    return int(node.bottom) + face


def keep_common(audience: str, seers: str) -> str:
    return f"(local.set {audience} (i32.and (local.get {audience}) {seers}))"


def mask_of(audience: str, each: object, index: str, game: t.CheckedGame) -> str:
    """The seats that see a cell with this index, as bits. All bits are everyone."""
    if audience == "everyone":
        return i32(EVERYONE)
    if audience == "nobody":
        return i32(0)
    name = each.name if isinstance(each, Enumeration) else ""
    if name == "player" and audience == "owner":
        return f"(i32.shl (i32.const 1) {index})"
    teams = [sum(1 << seat for seat in seats) for _, seats in game.teams]
    if name == "player":
        teams = [
            next((mask for mask in teams if mask >> seat & 1), 1 << seat)
            for seat in range(game.players)
        ]
    code = i32(0)
    for position, mask in enumerate(teams):
        code = f"(select {i32(mask)} {code} (i32.eq {index} {i32(position)}))"
    return code


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
