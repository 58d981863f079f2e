"""Statements that touch cards: moving, gathering, dealing, shuffling, turning, showing."""

from __future__ import annotations

from rulebook import terms as t
from rulebook.kinds import FLAG, Members, SetOf
from rulebook.wasm.runtime import event
from rulebook.wasm.telling import EVERYONE, Telling
from rulebook.wasm.values import Module
from rulebook.wasm.walks import loop, walk
from rulebook.wasm.writer import STATE, Function, SetLocal, add, i32


class Cards(Telling):
    """`acting` is a move's `do`, where cards remember who moved them."""

    def __init__(self, module: Module, function: Function, acting: bool = False) -> None:
        super().__init__(module, function)
        self.acting = acting
        self.sources: dict[t.Variable, t.ZoneOf] = {}
        """Zones that picked cards come from."""

    def moved(self, card: str) -> str:
        """Remember who moves the card."""
        if not self.acting or not self.module.remembers:
            return ""
        mover = self.mover_now or f"(i32.load {self.module.header('mover')})"
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

    def shift(
        self, node: t.MoveCards, card: str, source: str | None, target: str | None = None
    ) -> str:
        target = target or self.slot_of(node.zone)
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
            # Worked out before the card leaves, as `there` is: the index may ask where it lies.
            keep_order, order = self.temporary(FLAG, self.order_of(node.zone))
            keep_there += keep_order
            push = f"(call $push_bottom {order} {card})" if node.bottom else self.push(order, card)
        slow = self.shift(node, card, None)
        return (
            f"{keep} {keep_here} {keep_there} (if {lies} (then {take} {put} {push}) (else {slow}))"
        )

    def push(self, order: str, card: str) -> str:
        """A card on top of an ordered zone, in line."""
        keep, order = self.temporary(FLAG, order)
        keep_count, count = self.temporary(FLAG, f"(i32.load {order})")
        return (
            f"{keep} {keep_count} (i32.store8 offset=4 (i32.add {order} {count}) {card}) "
            f"(i32.store {order} {add(count, 1)})"
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
        keep_there, there = self.temporary(FLAG, there)
        keep, cards = self.temporary(kind, f"(i64.load {here})")
        keep += keep_there
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
        # Where to, before anything leaves: the index may ask where the cards lie.
        keep_target, target = self.temporary(FLAG, self.slot_of(node.zone))
        source = node.source
        if source is None or source.zone not in self.module.ordered:
            variable = t.Variable("card", Members(kind.enumeration), node.span)
            with self.each(cards.get(), kind, variable) as code:
                card = self.read(variable)
                code += [self.shift(node, card, None, target), self.moved(card)]
            return cards.set(self.value(node.cards)) + keep_target + " ".join(code)
        # The order array is walked by position; a moved card closes the gap behind it.
        order, at, card = (self.function.local("i32") for _ in range(3))
        get = f"(local.get {card})"
        inside = sets.contains(cards.get(), get)
        return (
            cards.set(self.value(node.cards))
            + keep_target
            + f"(local.set {order} {self.order_of(source)}) (local.set {at} (i32.const 0))"
            + loop(
                f"(i32.ge_s (local.get {at}) (i32.load (local.get {order})))",
                f"(local.set {card} (i32.load8_u offset=4 "
                f"(i32.add (local.get {order}) (local.get {at}))))",
                f"(if {inside} (then {self.shift(node, get, self.slot_of(source), target)} "
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
        first = STATE + layout.lies
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
        if self.module.tally is not None:
            code += self.module.tally.add("shuffles", i32(1))
        if self.module.build.waiting:
            site = i32(node.chance.number)
            code += event("shuffled", i32(EVERYONE), self.slot_of(node.zone), site)
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

    def turn_start(self, node: t.For) -> str:
        if node.start is not None:
            return self.value(node.start)
        return i32(0 if self.module.game.clockwise else self.module.game.players - 1)

    def next_player(self, rest: str, start: str) -> str:
        if not self.module.game.clockwise:
            return f"(call $turn_last {rest} {start})"
        # In line, since every choice in turn order asks it: see $turn_first.
        later = SetLocal(self.function, 1, "later")
        ahead = f"(i64.and {rest} (i64.shl (i64.const -1) (i64.extend_i32_u {start})))"
        some = f"(i64.ne {later.get()} (i64.const 0))"
        return f"{later.set(ahead)} (i32.wrap_i64 (i64.ctz (select {later.get()} {rest} {some})))"


def how(node: t.MoveCards) -> int:
    """The last argument of `$shift`: 1 goes under the zone, 2 and 4 ask for a face, up or down."""
    face = {None: 0, "up": 2, "down": 4}[node.facing]
    return int(node.bottom) + face
