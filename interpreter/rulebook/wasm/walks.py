"""Walks over everything that has members: sets, ranges of numbers, groups of cards.

Groups are searched, never listed: each shape is a few nested loops, and the body stands inside
them. A definition that returns groups is unfolded where it is used; each unfolding has locals of
its own, so walks can stand inside each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING

from rulebook import terms as t
from rulebook.kinds import GroupsOf, Members, NumberRange, Numbers, SetOf
from rulebook.wasm.runtime import SEARCH_LIMIT
from rulebook.wasm.writer import SetLocal, add, i32, i64

if TYPE_CHECKING:
    from rulebook.wasm.expressions import Expressions

SPLIT_ROW = 24
"""Bytes of a listed group: its cards (two words) and its worth."""
SPLIT_MARGIN = 2048
"""Room above the list for the search: two rows of addresses, one for each card at most."""


def loop(done: str, *body: str) -> str:
    """Repeat the body until the condition `done`, tested first, holds. Labels nest, so the same
    names serve everywhere."""
    return f"(block $done (loop $again (br_if $done {done}) {' '.join(body)} (br $again)))"


@contextmanager
def own_local(code: Expressions, variable: t.Variable) -> Iterator[None]:
    """A local for the variable while this piece of code is made, whatever it had outside."""
    before = code.variables.pop(variable, None)
    code.declare(variable)
    yield
    if before is None:
        code.variables.pop(variable, None)
    else:
        code.variables[variable] = before


def walk(code: Expressions, subject: t.Term, variable: t.Variable, body: Callable[[], str]) -> str:
    """Code that runs the body for each member, with the variable bound to it."""
    kind = subject.kind
    if isinstance(kind, SetOf):
        with code.each(code.value(subject), kind, variable) as lines:
            lines.append(body())
        return " ".join(lines)
    if isinstance(subject, t.Filter):
        inner = subject.variable
        with own_local(code, inner):

            def narrowed() -> str:
                take = code.write(variable, code.read(inner))
                return f"(if {code.flag(subject.condition)} (then {take} {body()}))"

            return walk(code, subject.subject, inner, narrowed)
    if isinstance(kind, NumberRange):
        return numbers(code, subject, variable, body)
    assert isinstance(kind, GroupsOf)
    if isinstance(subject, t.Call):
        return unfolded(code, subject, variable, body)
    if isinstance(subject, t.Split):
        return split(code, subject, variable, body)
    assert isinstance(subject, t.Groups)
    return groups(code, subject, variable, body)


def numbers(
    code: Expressions, subject: t.Term, variable: t.Variable, body: Callable[[], str]
) -> str:
    assert isinstance(subject, t.RangeOf)
    counter, end = code.function.local("i32"), code.function.local("i32")
    now = f"(local.get {counter})"
    code.declare(variable)
    return (
        f"(local.set {counter} {code.value(subject.low)}) "
        f"(local.set {end} {code.value(subject.high)}) "
    ) + loop(
        f"(i32.gt_s {now} (local.get {end}))",
        code.write(variable, now),
        f"(local.set {counter} {add(now, subject.step)})",
        code.tick(subject.span),
        body(),
    )


def unfolded(code: Expressions, call: t.Call, variable: t.Variable, body: Callable[[], str]) -> str:
    """A definition of groups, with its parameters as locals."""
    definition = call.definition
    (statement,) = definition.body
    assert isinstance(statement, t.Return)
    kept = [code.temporary(one.kind, code.value(one)) for one in call.arguments]
    lines = [keep for keep, _ in kept]

    def bind(position: int) -> str:
        if position == len(definition.parameters):
            return walk(code, statement.value, variable, body)
        parameter = definition.parameters[position]
        with own_local(code, parameter):
            return code.write(parameter, kept[position][1]) + bind(position + 1)

    return " ".join(lines) + bind(0)


def groups(code: Expressions, term: t.Groups, variable: t.Variable, body: Callable[[], str]) -> str:
    sets = code.module.card_sets
    all_ = SetLocal(code.function, sets.words, "all")
    lines = [all_.set(code.value(term.subject))]
    found = SetLocal(code.function, sets.words, "group")
    for shape in term.shapes:
        with own_local(code, term.variable):

            def take() -> str:
                inner = code.write(variable, found.get()) + body()
                own = code.write(term.variable, found.get())
                if term.condition is None:
                    return own + inner
                return f"{own} (if {code.flag(term.condition)} (then {inner}))"

            make = subsets
            if shape.order is not None:
                single = shape.one == "suit" and not copies(code)
                make = runs if single else mixed_runs
            lines.append(make(code, shape, all_, found, take))
    return " ".join(lines)


def work(code: Expressions, span: object) -> str:
    """One more step of a search, counted by the guard against searches without end."""
    number = code.module.sites.number(
        "endless-search",
        "this search goes on and on: there are too many groups of cards to look at",
        span,  # type: ignore[arg-type]  # a span
    )
    searched = "(global.get $searched)"
    return (
        f"(global.set $searched {add(searched, 1)}) (if (i32.gt_s {searched} {i32(SEARCH_LIMIT)}) "
        f"(then (call $fail {i32(number)} (i32.const 0))))"
    )


def subsets(
    code: Expressions, shape: t.Shape, all_: SetLocal, found: SetLocal, take: Callable[[], str]
) -> str:
    """Every set of `low` to `high` cards, small ones first, from each suit or rank, or from all."""
    sets = code.module.card_sets
    part = SetLocal(code.function, sets.words, "part")
    size, count, most = (code.function.local("i32") for _ in range(3))
    index = code.function.local("i64", "index")
    get_size, get_count = f"(local.get {size})", f"(local.get {count})"
    high = get_count
    if shape.high is not None:
        high = f"(select {i32(shape.high)} {get_count} (i32.lt_s {i32(shape.high)} {get_count}))"
    # A set of `size` cards is a number of that many bits among the `count` lowest; the next one
    # in order comes from the carry of the lowest run of bits.
    deposit = "deposit" if sets.words == 1 else "deposit2"
    now = f"(local.get {index})"
    combinations = (
        f"(local.set {index} (i64.sub (i64.shl (i64.const 1) (i64.extend_i32_u {get_size})) "
        "(i64.const 1)))"
        + loop(
            f"(i64.ne (i64.shr_u {now} (i64.extend_i32_u {get_count})) (i64.const 0))",
            work(code, shape.span),
            found.set(f"(call ${deposit} {part.get()} {now})"),
            f"(local.set {index} (call $next_subset {now}))",
            take(),
        )
    )
    sizes = (
        f"(local.set {count} {sets.count(part.get())}) (local.set {most} {high}) "
        f"(local.set {size} {i32(max(shape.low, 1))})"
        + loop(
            f"(i32.gt_s {get_size} (local.get {most}))",
            combinations,
            f"(local.set {size} {add(get_size, 1)})",
        )
    )
    if shape.one is None:
        return part.set(all_.get()) + sizes
    attribute = code.module.game.rank_of if shape.one == "rank" else code.module.game.suit_of
    kind = code.module.game.enumerations[shape.one]
    masks = [
        sum(1 << card for card, value in enumerate(attribute) if value == member)
        for member in range(kind.size)
    ]
    table = code.module.memory.masks(masks, sets.words)
    member = code.function.local("i32")
    row = f"(i32.mul (local.get {member}) {i32(8 * sets.words)})"
    each = f"(local.set {member} (i32.const 0))" + loop(
        f"(i32.ge_u (local.get {member}) {i32(kind.size)})",
        part.set(sets.common(all_.get(), sets.load(row, table))),
        sizes,
        f"(local.set {member} {add(f'(local.get {member})', 1)})",
    )
    enough = f"(i32.ge_s {sets.count(all_.get())} {i32(shape.low)})"
    return f"(if {enough} (then {each}))"


def runs(
    code: Expressions, shape: t.Shape, all_: SetLocal, found: SetLocal, take: Callable[[], str]
) -> str:
    """Every row of neighbours in the order, suit by suit, from each beginning, short ones first."""
    module, sets = code.module, code.module.card_sets
    assert shape.order is not None
    places = shape.order.values
    suits, length = module.game.enumerations["suit"].size, len(places)
    # One row a suit: the card at each place, 255 where there is none; a 255 also ends each row.
    table = bytearray([255] * suits * (length + 1))
    for index, (suit, rank) in enumerate(
        zip(module.game.suit_of, module.game.rank_of, strict=True)
    ):
        if suit >= 0:
            table[suit * (length + 1) + places[rank]] = index
    first = module.memory.constant(bytes(table))
    begin, at, card, count = (code.function.local("i32") for _ in range(4))

    def card_at(place: str, offset: int = 0) -> str:
        return f"(i32.load8_u offset={first + offset} {place})"

    def held(which: str) -> str:
        inside = sets.contains(all_.get(), which)
        there = f"(i32.lt_u {which} (i32.const 255))"
        return f"(if (result i32) {there} (then {inside}) (else (i32.const 0)))"

    now, get_card = f"(local.get {at})", f"(local.get {card})"
    so_far = f"(local.get {count})"
    good = f"(i32.ge_s {so_far} {i32(shape.low)})"
    if shape.high is not None:
        good = f"(i32.and {good} (i32.le_s {so_far} {i32(shape.high)}))"
    if shape.longest:
        beyond = code.function.local("i32")
        follows = f"(local.set {beyond} {card_at(now, 1)}) {held(f'(local.get {beyond})')}"
        last = f"(i32.eqz (block (result i32) {follows}))"
        good = f"(if (result i32) {good} (then {last}) (else (i32.const 0)))"
    row = (
        f"(local.set {at} (local.get {begin})) (local.set {count} (i32.const 0)) "
        + found.set(sets.empty)
        + "(block $ended (loop $longer "
        f"(local.set {card} {card_at(now)}) (br_if $ended (i32.eqz {held(get_card)})) "
        + work(code, shape.span)
        + found.set(sets.union(found.get(), sets.single(get_card)))
        + f"(local.set {count} {add(so_far, 1)}) "
        f"(if {good} (then {take()})) "
        f"(local.set {at} {add(now, 1)}) (br $longer)))"
    )
    if shape.longest:
        before = code.function.local("i32")
        place = f"(local.get {begin})"
        here = f"(i32.rem_u {place} {i32(length + 1)})"
        preceded = (
            f"(if (result i32) {here} (then (local.set {before} "
            f"(i32.load8_u (i32.add {place} {i32(first - 1)}))) {held(f'(local.get {before})')}) "
            f"(else (i32.const 0)))"
        )
        row = f"(if (i32.eqz {preceded}) (then {row}))"
    search = f"(local.set {begin} (i32.const 0))" + loop(
        f"(i32.ge_u (local.get {begin}) {i32(len(table))})",
        row,
        f"(local.set {begin} {add(f'(local.get {begin})', 1)})",
    )
    return some_run(code, shape, all_, bytes(table), search)


def some_run(code: Expressions, shape: t.Shape, all_: SetLocal, table: bytes, search: str) -> str:
    """The search for runs, if there is any: where neighbours stand at the same distance everywhere
    in the deck, the set of cards that begin a row of `low` is a few shifts."""
    sets = code.module.card_sets
    pairs = [(one, two) for one, two in pairwise(table) if 255 not in (one, two)]
    distances = {two - one for one, two in pairs}
    if sets.words != 1 or len(distances) != 1 or min(distances) < 0:
        enough = f"(i32.ge_s {sets.count(all_.get())} {i32(shape.low)})"
        return f"(if {enough} (then {search}))"
    by = i64(*distances)
    row = SetLocal(code.function, 1, "row")
    followed = i64(sum(1 << one for one, _ in pairs))
    lines = [row.set(all_.get())]
    for _ in range(shape.low - 1):
        # What begins a row of n, and is followed by what begins such a row, begins one of n + 1.
        lines.append(
            row.set(f"(i64.and {all_.get()} (i64.and {followed} (i64.shr_u {row.get()} {by})))")
        )
    return f"{' '.join(lines)} (if (i64.ne {row.get()} (i64.const 0)) (then {search}))"


def copies(code: Expressions) -> bool:
    """Whether the deck has a card twice."""
    members = code.module.game.enumerations["card"].members
    return len(set(members)) < len(members)


def mixed_runs(
    code: Expressions, shape: t.Shape, all_: SetLocal, found: SetLocal, take: Callable[[], str]
) -> str:
    """Every row of neighbours in the order where more than one card can stand at a place: of any
    suits, or of one suit in a deck with copies. For each stretch of the order, a counter goes
    through all ways to take one card from each of its places."""
    module, sets = code.module, code.module.card_sets
    game = module.game
    assert shape.order is not None
    places = shape.order.values
    suits = range(game.enumerations["suit"].size) if shape.one == "suit" else [None]
    masks: list[int] = []
    for suit in suits:
        row = [0] * (len(places) + 1)
        for index, (own, rank) in enumerate(zip(game.suit_of, game.rank_of, strict=True)):
            if rank >= 0 and suit in (None, own):
                row[places[rank]] |= 1 << index
        masks += row
    table = module.memory.masks([0, *masks], sets.words) + 8 * sets.words
    begin, at, count, ways, way, left, back = (code.function.local("i32") for _ in range(7))
    here = SetLocal(code.function, sets.words, "here")

    def held(place: str) -> str:
        return sets.common(all_.get(), sets.load(f"(i32.mul {place} {i32(8 * sets.words)})", table))

    def get(name: str) -> str:
        return f"(local.get {name})"

    number = get(count)
    good = f"(i32.ge_s {number} {i32(shape.low)})"
    if shape.high is not None:
        good = f"(i32.and {good} (i32.le_s {number} {i32(shape.high)}))"
    first = i32(1)
    if shape.longest:
        good = f"(i32.and {good} {sets.is_empty(held(add(get(at), 1)))})"
        first = sets.is_empty(
            sets.common(
                all_.get(),
                sets.load(
                    f"(i32.add (i32.mul {get(begin)} {i32(8 * sets.words)}) "
                    f"{i32(table - 8 * sets.words)})"
                ),
            )
        )
    digit = f"(i32.rem_u {get(left)} {sets.count(here.get())})"
    one_way = (
        f"(local.set {left} {get(way)}) (local.set {back} {get(begin)}) {found.set(sets.empty)} "
        + loop(
            f"(i32.gt_u {get(back)} {get(at)})",
            here.set(held(get(back))),
            found.set(sets.union(found.get(), sets.single(sets.nth(here.get(), digit)))),
            f"(local.set {left} (i32.div_u {get(left)} {sets.count(here.get())}))",
            f"(local.set {back} {add(get(back), 1)})",
        )
        + take()
    )
    all_ways = f"(local.set {way} (i32.const 0)) " + loop(
        f"(i32.ge_u {get(way)} {get(ways)})",
        work(code, shape.span),
        one_way,
        f"(local.set {way} {add(get(way), 1)})",
    )
    stretch = (
        f"(local.set {at} {get(begin)}) (local.set {count} (i32.const 0)) "
        f"(local.set {ways} (i32.const 1)) (block $ended (loop $longer "
        + here.set(held(get(at)))
        + f"(br_if $ended {sets.is_empty(here.get())}) "
        f"(local.set {ways} (i32.mul {get(ways)} {sets.count(here.get())})) "
        f"(local.set {count} {add(number, 1)}) (if {good} (then {all_ways})) "
        f"(local.set {at} {add(get(at), 1)}) (br $longer)))"
    )
    return f"(local.set {begin} (i32.const 0))" + loop(
        f"(i32.ge_u {get(begin)} {i32(len(masks))})",
        f"(if {first} (then {stretch}))",
        f"(local.set {begin} {add(get(begin), 1)})",
    )


def split(code: Expressions, term: t.Split, variable: t.Variable, body: Callable[[], str]) -> str:
    """The groups of the best split. All groups are listed with their worth on a stack beside the
    state; a search over the list leaves the chosen ones at its beginning."""
    sets = code.module.card_sets
    start, top, chosen, worth = (code.function.local("i32") for _ in range(4))
    number = code.module.sites.number(
        "endless-search", "there are too many groups of cards to split into", term.span
    )
    get_top = f"(local.get {top})"

    def row() -> str:
        room = f"(i32.gt_u {get_top} {i32(code.module.memory.splits_end - SPLIT_MARGIN)})"
        return (
            f"(local.set {worth} {code.value(term.key)}) "
            f"(if {room} (then (call $fail {i32(number)} (i32.const 0)))) "
            f"(i64.store offset=8 {get_top} (i64.const 0)) "
            f"{sets.store(get_top, code.read(term.variable))} "
            f"(i32.store offset=16 {get_top} (local.get {worth})) "
            f"(local.set {top} {add(get_top, SPLIT_ROW)}) (global.set $stack {get_top})"
        )

    with own_local(code, term.variable):
        # Conditions and keys may split too: they list above what is listed so far.
        listing = walk(code, term.groups, term.variable, row)
    code.declare(variable)
    take = code.write(variable, sets.load(f"(local.get {chosen})"))
    return (
        f"(local.set {start} (global.get $stack)) (local.set {top} (local.get {start})) {listing} "
        f"(local.set {top} (call $best_split (local.get {start}) {get_top} {i32(number)})) "
        f"(local.set {chosen} (local.get {start})) (global.set $stack {get_top}) "
        + loop(
            f"(i32.ge_u (local.get {chosen}) {get_top})",
            take,
            f"(local.set {chosen} {add(f'(local.get {chosen})', SPLIT_ROW)})",
            body(),
        )
        + f"(global.set $stack (local.get {start}))"
    )


# ---- questions about what is walked ----


def exists(code: Expressions, subject: t.Term, holds: Callable[[t.Variable], str]) -> str:
    """Whether the walk meets a member for which the code holds; it ends there."""
    found = code.function.local("i32")
    label = f"$found.{found[1:]}"
    variable = member_of(subject)
    stack = code.function.local("i32")
    with own_local(code, variable):
        search = walk(
            code,
            subject,
            variable,
            lambda: f"(if {holds(variable)} (then (local.set {found} (i32.const 1)) (br {label})))",
        )
    # A split that is left early gives its room back here.
    return (
        f"(local.set {found} (i32.const 0)) (local.set {stack} (global.get $stack)) "
        f"(block {label} {search}) (global.set $stack (local.get {stack})) (local.get {found})"
    )


def member_of(subject: t.Term) -> t.Variable:
    """A variable that can hold a member of the subject."""
    kind = subject.kind
    if isinstance(kind, SetOf):
        return t.Variable("member", Members(kind.enumeration), subject.span)
    if isinstance(kind, NumberRange):
        return t.Variable("number", Numbers(kind.low, kind.high), subject.span)
    assert isinstance(kind, GroupsOf)
    return t.Variable("group", SetOf(kind.enumeration), subject.span)
