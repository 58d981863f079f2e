"""What the code generator does to be quick changes no meaning."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from rulebook.engine.game import Game
from rulebook.pipeline import Setting, compile_source
from rulebook.program import HEADER
from rulebook.source import Source
from rulebook.wasm import Build, generate
from rulebook.wasm.machine import Machine, Trap
from rulebook.wasm.writer import export

GAME = """\
rulebook: 1
game: Small
players: 2
cards:
  suits: [red, blue]
  ranks: [1, 2, 3, 4]
zones:
  stock: {{ordered: yes, seen by: nobody}}
  hand: {{each: player, seen by: owner}}
  pile: {{ordered: yes, seen by: everyone}}
state:
  leader: player
  taker: player or none
  n: 0..9
  beside: {{is: 0..9, outside: yes}}
tables:
  cost: {{of: -2..1, is: {{-2: 5, -1: 6, 0: 7, 1: 8}}}}
  worth: {{of: rank, is: {{1: 5, 2: 0, 3: 12, 4: 7}}}}
define:
{define}
moves:
  lay:
    pick: c from hand of mover
    do: move c to pile
steps:
  match: |
    gather all cards to stock
    deal 3 from stock to each hand starting 0
    for p in players: p chooses lay
    n = {value}
    nobody wins
{limits}
"""


def small(define: str = "  some: 1", value: str = "0", limits: str = "") -> Game:
    text = GAME.format(define=define, value=value, limits=limits)
    return compile_source(Source("small.yaml", text), Setting())


def result(game: Game) -> int:
    """What a definition `answer` is before the first card is laid."""
    machine = game.machine
    machine.call("reset", 1)
    machine.run()
    return machine.call("def.answer")


# ---- where to ----

WHERE_TO = """\
rulebook: 1
game: Where To
players: 2
cards: {suits: [red, blue], ranks: [1, 2, 3, 4]}
zones:
  stock: {ordered: yes, seen by: nobody}
  hand: {each: player, seen by: owner}
  heap: {each: player, seen by: everyone}
  pile: {each: player, ordered: yes, seen by: everyone}
state:
  score: {each: player, is: 0..99}
moves:
  play:
    pick: c from hand of mover
    do: MOVE
steps:
  match: |
    gather all cards to stock
    deal 4 from stock to hand of 0
    0 chooses play
    for p in players:
      score of p = 10 * count (heap of p where rank >= 1) + count (pile of p where rank >= 1)
      if last of pile of p is not none: score of p += 50
    nobody wins
"""


@pytest.mark.parametrize(
    ("move", "scores"),
    [
        ("move c to pile of (1 if count hand of 0 < 4 else 0)", [51, 0]),
        ("move c to heap of (1 if count hand of 0 < 4 else 0)", [10, 0]),
        ("move hand of 0 to heap of (1 if count hand of 0 < 4 else 0)", [40, 0]),
        ("move hand of 0 to pile of (1 if count hand of 0 < 4 else 0)", [54, 0]),
        ("move (hand of 0 where rank >= 1) to pile of (1 if count hand of 0 < 4 else 0)", [54, 0]),
        ("move stock to heap of (1 if count stock < 4 else 0)", [40, 0]),
        ("move (stock where rank >= 1) to heap of (1 if count stock < 4 else 0)", [40, 0]),
    ],
)
def test_where_cards_go_is_asked_before_any_leaves(move: str, scores: list[int]) -> None:
    game = compile_source(Source("where.yaml", WHERE_TO.replace("MOVE", move)), Setting())
    match = game.start(3)
    match.play(match.moves[0])
    assert match.scores == scores
    (batch,) = game.random_games(1, seed=3)
    assert list(batch.scores[0]) == scores


# ---- the nth member of a set ----


def test_the_nth_member_is_found_in_every_set() -> None:
    wasm = generate(small().program, Build(waiting=False))
    text = wasm.text[: wasm.text.rindex(")")]
    machine = Machine(replace(wasm, text=text + export("nth1", ["i64", "i32"], ["i32"]) + ")"))
    dice = random.Random(5)
    sets = [dice.getrandbits(64) & dice.getrandbits(64) for _ in range(60)]
    sets += [1 << place for place in range(64)] + [2**64 - 1, 2**63 + 1, 0x80808080_80808080]
    for members in sets:
        places = [place for place in range(64) if members >> place & 1]
        assert [machine.call("nth1", members, n) for n in range(len(places))] == places


# ---- definitions that are written in ----


@pytest.mark.parametrize(
    ("define", "answer"),
    [
        ("less of (number a, number b): a - b\n  answer: less of (7, less of (5, 3))", 5),
        ("less of (number a, number b): a - b\n"
         "  answer: less of (count stock * 4, less of (count hand of 1 + 2, count hand of 0))", 6),
        ("less of (number a, number b): a - b\n  swap of (number a, number b): less of (b, a)\n"
         "  answer: swap of (2, 9) - swap of (1, swap of (1, 3))", 6),
        ("less of (number a, number b): a - b\n  answer: less of (7, less of (count stock, 3))", 8),
        ("less of (number a, number b): a - b\n  answer: less of (7, less of (3, count stock))", 6),
        ("less of (number a, number b): a - b\n  far of number x: less of (x, 2)\n"
         "  answer: less of (10, far of count stock)", 10),
        ("twice of card c: 2 * worth of c\n  answer: sum twice in hand of 0", 52),
        # Parameters that are known by the card in an unrolled or a folded search.
        ("dear of rank r: worth of r > 6\n  answer: count (hand of 0 where dear of rank)", 3),
    ],
)  # fmt: skip
def test_short_definitions_mean_what_calls_mean(define: str, answer: int) -> None:
    game = small("  " + define)
    assert game.wasm.text.count("(call $def.") < game.probed.wasm.text.count("(call $def.")
    assert result(game) == answer
    game.probed.call("reset", 1)
    game.probed.run()
    assert game.probed.call("def.answer") == answer


def test_a_table_of_numbers_below_zero_is_known_beforehand() -> None:
    assert result(small("  answer: cost of (-1) * 10 + cost of (-2)")) == 65


# ---- searches whose condition may fail ----

TOP = "worth is worth of first of pile"
"""There is no first card: the pile is empty."""


@pytest.mark.parametrize(
    ("members", "condition", "fails"),
    [
        ("hand of 0", TOP, True),
        ("pile", TOP, False),
        ("hand of 0", f"not ({TOP})", True),
        ("hand of 0", f"suit is red and {TOP}", True),
        ("(hand of 0 where suit is blue)", f"suit is red and {TOP}", False),
        ("hand of 0", f"suit is red or {TOP}", True),
        ("(hand of 0 where suit is red)", f"suit is red or {TOP}", False),
        ("(hand of 0 where suit is blue)", f"suit is red implies {TOP}", False),
        ("hand of 0", "worth is slow", True),
        ("pile", "worth is slow", False),
    ],
)
def test_a_condition_that_may_fail_is_asked_only_of_members(
    members: str, condition: str, fails: bool
) -> None:
    slow = "  slow: |\n    if any pile: return 3\n    return worth of first of pile\n"
    game = small(f"{slow}  answer: count ({members} where {condition})")
    if fails:
        with pytest.raises(Trap) as caught:
            result(game)
        assert game.wasm.sites[caught.value.site].slug == "none-used"
    else:
        assert result(game) == (0 if "pile" in members or "and" in condition else count(members))


def count(members: str) -> int:
    return result(small(f"  answer: count {members}"))


# ---- groups of cards ----

ORDERS = {
    # Neighbours stand at one distance in the deck, at several, at one that goes down.
    "as the deck": "123456",
    "mixed": "316245",
    "turned": "654321",
}
SUITS = 3


def groups(shape: str, ranks: str, hands: list[int]) -> list[int]:
    """How many groups of a shape each hand has."""
    text = GAME.format(
        define=f"  answer: count (g are {shape} from hand of 0)", value="0", limits=""
    )
    text = text.replace("[red, blue]", "[red, green, blue]")
    text = text.replace("[1, 2, 3, 4]", "[1, 2, 3, 4, 5, 6]").replace("4: 7}}", "4: 7}, else: 0}")
    text = text.replace("tables:", f"orders:\n  row: [{', '.join(ranks)}]\ntables:")
    game = compile_source(Source("small.yaml", text), Setting())
    state, at = begun(game), game.program.layout.bits[game.checked.zones["hand"]]
    found: list[int] = []
    for hand in hands:
        game.machine.state = state[:at] + hand.to_bytes(8, "little") + state[at + 8 :]
        found.append(game.machine.call("def.answer"))
    return found


def some_hands() -> list[int]:
    """Small ones, where a group may be the whole hand, and large ones."""
    dice = random.Random(7)
    sizes = [size for size in range(19) for _ in range(12)]
    return [sum(1 << card for card in dice.sample(range(18), size)) for size in sizes]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("low", "longest"), [(1, True), (2, False), (2, True), (3, False)])
def test_every_run_is_found(order: str, low: int, longest: bool) -> None:
    ranks, hands = ORDERS[order], some_hands()
    expected: list[int] = []
    for hand in hands:
        held = [
            "".join(" x"[hand >> SUITS * (int(rank) - 1) + suit & 1] for rank in ranks)
            for suit in range(SUITS)
        ]
        lengths = [len(row) for suit in held for row in suit.split()]
        more = [length - low + 1 for length in lengths if length >= low]
        expected.append(sum(1 if longest else count * (count + 1) // 2 for count in more))
    shape = f"{'longest ' * longest}run of {low} or more in row of one suit"
    assert groups(shape, ranks, hands) == expected


def test_every_group_of_one_rank_is_found() -> None:
    hands = some_hands()
    held = [[(hand >> SUITS * rank & 7).bit_count() for rank in range(6)] for hand in hands]
    pairs = [sum(count * (count - 1) // 2 for count in counts) for counts in held]
    assert groups("2 cards of one rank", "123456", hands) == pairs


# ---- positions ----


def numbers(game: Game, states: list[bytes]) -> list[int]:
    found: list[int] = []
    for state in states:
        game.machine.state = state
        game.machine.call("position", 0)
        found.append(game.machine.results()[0])
    return found


def begun(game: Game) -> bytes:
    game.machine.call("reset", 1)
    game.machine.run()
    return game.machine.state


def changed(state: bytes, at: int, value: int) -> bytes:
    return state[:at] + bytes([value]) + state[at + 1 :]


def moved(game: Game, state: bytes, card: int, here: int, there: int) -> bytes:
    """The state with a card in another slot, of zones without an order."""
    first = min(game.program.layout.bits.values())
    for at in (first + 8 * here + card // 8, first + 8 * there + card // 8):
        state = changed(state, at, state[at] ^ 1 << card % 8)
    return state


def test_a_position_is_all_that_rules_can_tell_apart() -> None:
    game = small(limits="limits: {plays: 50, repeats: 3}")
    layout = game.program.layout
    start = begun(game)
    values = {state.name: at for state, at in layout.state.items()}
    cells = [HEADER["mover"], HEADER["chooser"], *layout.frame.values(), *layout.returns.values()]
    cells += [at for at, _ in layout.hidden_cells]
    cells += [at for name, at in values.items() if name != "beside"]
    cells.append(layout.bits[game.checked.zones["hand"]])
    others = [changed(start, at, start[at] ^ 1) for at in cells]
    # The same cards of an ordered zone, the other way round.
    stock = layout.orders[game.checked.zones["stock"]] + 4
    others.append(start[:stock] + start[stock : stock + 2][::-1] + start[stock + 2 :])
    found = numbers(game, [start, *others])
    assert len(set(found)) == len(found)
    same = changed(start, values["beside"], 7)
    same = changed(same, HEADER["choices"], 9)
    assert numbers(game, [same]) == found[:1]


def test_cards_that_are_alike_make_no_other_position() -> None:
    game = small(limits="limits: {plays: 50, repeats: 3, alike: rank}")
    start = begun(game)
    slots = game.program.layout.slots[game.checked.zones["hand"]]
    # Seat 0 holds both fours and the blue three, seat 1 the red three and both twos.
    red_three, blue_three, red_four = 4, 5, 6
    swapped = moved(
        game, moved(game, start, red_three, slots + 1, slots), blue_three, slots, slots + 1
    )
    other = moved(game, moved(game, start, red_three, slots + 1, slots), red_four, slots, slots + 1)
    first, same, different = numbers(game, [start, swapped, other])
    assert first == same
    assert first != different


def test_a_card_without_a_rank_is_like_no_other() -> None:
    limits = "limits: {plays: 50, repeats: 3, alike: rank}"
    text = GAME.format(define="  some: 1", value="0", limits=limits)
    text = text.replace("ranks: [1, 2, 3, 4]", "ranks: [1, 2, 3, 4]\n  singles: [joker, fool]")
    game = compile_source(Source("small.yaml", text), Setting())
    start = begun(game)
    slots = game.program.layout.slots[game.checked.zones["hand"]]
    hands = [game.cards_in(start, slots + seat) for seat in (0, 1)]
    names = game.checked.enumerations["card"].members
    (joker,) = [card for card in hands[0] + hands[1] if names[card] == "joker"]
    seat = 0 if joker in hands[0] else 1
    other = moved(game, start, joker, slots + seat, slots + 1 - seat)
    assert len(set(numbers(game, [start, other]))) == 2


@pytest.mark.parametrize("plays", [1, 2, 3, 6, 7, 100])
def test_the_table_of_positions_has_room_for_all_choices(plays: int) -> None:
    """A game of nothing but new positions."""
    text = GAME.format(
        define="  some: 1", value="0", limits=f"limits: {{plays: {plays}, repeats: 3}}"
    )
    endless = "repeat:\n      for p in players: p chooses wait\n      n += 1\n"
    text = text.replace("for p in players: p chooses lay\n", endless).replace("0..9", "0..999")
    text = text.replace("steps:", "  wait: {about: Do nothing}\nsteps:")
    machine = compile_source(Source("small.yaml", text), Setting()).fast
    assert machine.call("games", 1, 0, 3) == 3 * plays
