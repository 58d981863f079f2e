"""The worked cases of Coinche, each set up and played in the real engine."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, groupby
from pathlib import Path
from typing import Any

import pytest
import yaml

from rulebook.engine.events import Moved
from rulebook.engine.game import Game, load
from rulebook.engine.match import IllegalMove, Match
from rulebook.engine.record import Record
from rulebook.engine.setup import build_state
from rulebook.pipeline import Setting, compile_source
from rulebook.resources import shipped_games
from rulebook.source import Source

CASES: dict[str, dict[str, dict[str, Any]]] = yaml.safe_load(
    (Path(__file__).parent / "cases" / "coinche.yaml").read_text(encoding="utf-8")
)
TURN = (0, 3, 2, 1)
"""The seats from the first speaker on, where seat 1 deals."""
SIDES = {"ns": (0, 2), "ew": (1, 3)}

# Asked of a position from outside; the rule file has them with something to be asked of.
PROBES = """
  deal_score_of_ns: deal_score of ns
  deal_score_of_ew: deal_score of ew
  trick_points: sum value in trick
  declarable_points: meld_points of 0
"""


@cache
def game(*options: tuple[str, str]) -> Game:
    text = shipped_games()["coinche"].read_text(encoding="utf-8")
    text = text.replace("\ndefine:\n", f"\ndefine:{PROBES}", 1)
    return compile_source(Source("coinche.yaml", text), Setting(None, dict(options)))


def with_options(options: dict[str, object] | None = None) -> Game:
    words = {True: "yes", False: "no"}
    return game(
        *sorted(
            (name, words[value] if isinstance(value, bool) else str(value))
            for name, value in (options or {}).items()
        )
    )


def cases(kind: str) -> pytest.MarkDecorator:
    """Each case under the default options, and under others where it says what holds then."""
    found = []
    for name, case in CASES[kind].items():
        found.append(pytest.param(case, {}, case["then"], id=name))
        for other in case.get("then_if", ()):
            options = other["options"]
            label = "-".join([name, *(f"{key}-{value}" for key, value in options.items())])
            found.append(pytest.param(case, options, other["then"], id=label))
    return pytest.mark.parametrize(("case", "options", "then"), found)


def test_every_kind_of_case_has_a_runner() -> None:
    runners = {name.removeprefix("test_case_") for name in globals()}
    assert set(CASES) <= runners


def deck() -> list[str]:
    return list(game().checked.enumerations["card"].members)


def in_full(short: str) -> str:
    """`td` is `10 of diamonds`."""
    found = [card.text for card in game().words.cards if card.symbol.lower() == short]
    letters = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}
    ranks = {"t": "10", "j": "jack", "q": "queen", "k": "king", "a": "ace"}
    return found[0] if found else f"{ranks.get(short[0], short[0])} of {letters[short[1]]}"


def plays(match: Match) -> list[str]:
    return [move.text.removeprefix("play ") for move in match.moves if move.name == "play"]


def groups(match: Match) -> list[frozenset[str]]:
    """The combinations that may be declared now."""
    found = [move.text.removeprefix("meld ") for move in match.moves if move.name == "meld"]
    return [frozenset(text.split(", ")) for text in found]


def declare(match: Match, cards: list[str]) -> None:
    wanted = frozenset(cards)
    match.play(
        next(
            move
            for move in match.moves
            if move.name == "meld"
            and frozenset(move.text.removeprefix("meld ").split(", ")) == wanted
        )
    )


def position(some: Game, given: dict[str, object]) -> bytes:
    """A state block with these values, in which nothing has happened yet."""
    some.machine.call("reset", 1)
    return build_state(some, some.machine.state, given, "match")


def begin_deal(some: Game, hands: dict[int, list[str]], **given: object) -> Match:
    """A match at the first card of a deal whose contract stands; seat 0 leads."""
    usual: dict[str, object] = {"dealer": 1, "contract": 80, "declarer": 0, "factor": 1}
    held = {str(seat): cards for seat, cards in hands.items()}
    return some.start(1, given={"hand": held, **usual, **given}, at="play_deal")


# ---- scoring ----


@cases("scores")
def test_case_scores(case: dict[str, Any], options: dict[str, object], then: Any) -> None:
    some = with_options(options)
    state = position(some, case["given"])
    found = {name: some.value(state, f"deal_score_of_{name}") for name in SIDES}
    found["made"] = some.value(state, "made")
    assert {key: found[key] for key in then} == then


# ---- cards and tricks ----


@cases("legality")
def test_case_legality(case: dict[str, Any], options: dict[str, object], then: Any) -> None:
    given = case["given"]
    order = [*TURN, *TURN]
    for first in range(4):
        trick = {str(order[first + n]): card for n, card in enumerate(given["trick"])}
        mover = order[first + len(trick)]
        setting = {"trump": given["trump"], "trick": trick, f"hand of {mover}": given["hand"]}
        match = with_options(options).start(1, given={**setting, "leader": mover}, at="one_trick")
        assert match.chooser == mover
        assert sorted(plays(match)) == sorted(then)
        for card in set(given["hand"]) - set(then):
            before = match.state
            with pytest.raises(IllegalMove) as caught:
                match.play(f"play {card}")
            assert caught.value.reason is not None
            labels = [must.label for must in match.game.checked.moves["play"].musts]
            assert caught.value.reason.sentence.split(":")[0] in labels
            assert match.state == before


@cases("tricks")
def test_case_tricks(case: dict[str, Any], options: dict[str, object], then: Any) -> None:
    trump, trick = case["given"]["trump"], case["given"]["trick"]
    some = with_options(options)
    busy = {trump, trick[0].split(" of ")[1]}
    spare = [card for card in deck() if card not in trick and card.split(" of ")[1] not in busy]
    hands = {str(seat): [trick[n], spare[n]] for n, seat in enumerate(TURN)}
    match = some.start(1, given={"hand": hands, "trump": trump, "leader": 0}, at="one_trick")
    for card in trick:
        match.play(f"play {card}")
    winner = TURN[then["winner"]]
    assert match.value("leader") == str(winner)
    assert match.chooser == winner
    taken = next(line for line in match.log(2) if " takes the trick " in line)
    assert taken.endswith(f"with {trick[then['winner']]}, {then['points']} points")
    state = position(some, {"trump": trump, "trick": trick})
    assert some.value(state, "winning_card") == trick[then["winner"]]
    assert some.value(state, "trick_points") == then["points"]


# ---- combinations ----


@cases("melds")
def test_case_melds(case: dict[str, Any], options: dict[str, object], then: Any) -> None:
    hand, trump = case["given"]["hand"], case["given"]["trump"]
    others = [card for card in deck() if card not in hand]
    hands = {0: hand, **{seat: others[8 * n : 8 * n + 8] for n, seat in enumerate((1, 2, 3))}}
    automatic = with_options({**options, "declare": "automatic"})
    match = begin_deal(automatic, hands, trump=trump)
    assert match.value("declarable_points") == then
    assert not groups(match)
    chosen = begin_deal(with_options(options), hands, trump=trump)
    assert max(declared_points(chosen)) == then


def declared_points(match: Match) -> Iterator[int]:
    """What the hand of seat 0 is worth after every row of declarations that it may make."""
    points = match.value("declarable_points")
    assert isinstance(points, int)
    yield points
    for group in groups(match):
        other = match.copy()
        declare(other, sorted(group))
        yield from declared_points(other)


@cases("comparisons")
def test_case_comparisons(case: dict[str, Any], options: dict[str, object], then: Any) -> None:
    given = case["given"]
    together = {0: given["ns"], 3: given["ew"]}
    apart = {0: given["ns"][:1], 2: given["ns"][1:], 3: given["ew"][:1], 1: given["ew"][1:]}
    for held in (together, apart):
        match = dealt_around(with_options(options), held, given["trump"])
        for seat in TURN:
            assert match.chooser == seat
            for cards in held.get(seat, []):
                declare(match, cards)
            match.play(f"play {plays(match)[0]}")
        assert match.value("melds") == then
        shown = [line for line in match.log(1) if " shows " in line]
        assert len(shown) == sum(map(len, held.values()))


def dealt_around(some: Game, held: dict[int, list[list[str]]], trump: str) -> Match:
    """A deal in which seats hold these combinations whole, and the rest of the pack by chance."""
    fixed = {seat: [c for cards in held.get(seat, []) for c in cards] for seat in range(4)}
    rest = [c for c in deck() if not any(c in cards for cards in fixed.values())]
    dice = random.Random(1)
    for _ in range(1000):
        dice.shuffle(rest)
        left, hands = iter(rest), {}
        for seat, cards in fixed.items():
            hands[seat] = [*cards, *(next(left) for _ in range(8 - len(cards)))]
        match = begin_deal(some, hands, trump=trump)
        if all(whole(match, seat, hands[seat], held.get(seat, [])) for seat in range(4)):
            return match
    raise AssertionError("no such deal was found")


def whole(match: Match, seat: int, hand: list[str], held: list[list[str]]) -> bool:
    """Whether the combinations are not parts of longer ones in that hand."""
    other = match.game.start(
        1,
        given={f"hand of {seat}": hand, "trump": match.value("trump"), "leader": seat},
        at="one_trick",
    )
    for cards in held:
        if frozenset(cards) not in groups(other):
            return False
        declare(other, cards)
    return True


# ---- the auction ----


def begin_auction(some: Game) -> Match:
    hands = {str(seat): deck()[8 * seat : 8 * seat + 8] for seat in range(4)}
    return some.start(1, given={"dealer": 1, "hand": hands}, at="auction")


@cases("auctions")
def test_case_auctions(case: dict[str, Any], options: dict[str, object], then: Any) -> None:
    some = with_options(options)
    match = begin_auction(some)
    wrong = then.get("illegal_call_index", -1)
    for number, call in enumerate(case["given"]):
        if number == wrong:
            before = match.state
            with pytest.raises(IllegalMove):
                match.play(call)
            assert match.state == before
            return
        match.play(call)
    assert wrong < 0
    bidding = {"bid", "capot", "coinche", "surcoinche", "pass"}
    ended = not bidding & {move.name for move in match.moves}
    if then.get("thrown_in"):
        assert match.value("dealer") == str(TURN[0])
        assert match.chooser == TURN[1]
        assert match.value("score") == {"ns": 0, "ew": 0}
        assert any("thrown in" in line for line in match.log(0))
        assert len(match.moves) == 61
        return
    assert ended is then.get("ended", False)
    if ended:
        contract = then["contract"]
        assert match.value("contract") == contract["points"]
        assert match.value("trump") == contract["trump"]
        assert match.value("declarer") == str(TURN[contract["by"]])
        assert match.value("factor") == contract["factor"]
        assert match.chooser == 0
        return
    names = [move.name for move in match.moves]
    numbers = [move.values[0] for move in match.moves if move.name == "bid"]
    lowest: object = min(numbers, default="capot" if "capot" in names else "none")
    assert {
        "next": TURN.index(match.chooser),
        "bids_from": lowest,
        "coinche": "coinche" in names,
        "surcoinche": "surcoinche" in names,
        "calls": len(names),
    } == then


def test_an_unknown_call_is_refused_with_what_can_be_said() -> None:
    """A report of kwai/DouZero#24, in which a move that nobody knew crashed the program."""
    match = with_options().start(1)
    before = match.state
    with pytest.raises(IllegalMove) as caught:
        match.play("contre")
    assert "`pass`" in str(caught.value)
    assert "`coinche`" in str(caught.value)
    assert match.state == before


# ---- the course of a deal ----


@cases("flow")
def test_case_flow(case: dict[str, Any], options: dict[str, object], then: Any) -> None:
    some = with_options(options)
    if "packets" in then:
        match = some.start(3)
        slots = [zone.name for zone, _ in some.slot_names]
        moved = [e for e in match.events if isinstance(e, Moved) and slots[e.source] == "stock"]
        rows = [(some.slot_names[seat][1], len(list(one))) for seat, one in by_target(moved)]
        first = int(str(match.value("dealer")))
        order = [TURN[(TURN.index(first) + 1 + n) % 4] for n in range(4)]
        assert rows == [(seat, size) for size in then["packets"] for seat in order]
        assert match.value("stock") == []
    elif "leader" in then:
        match = begin_auction(some)
        assert match.chooser == then["first"]
        for call in ("pass", "pass", "80 hearts", "pass", "pass", "pass"):
            match.play(call)
        assert match.value("declarer") == str(then["declarer"])
        assert match.chooser == then["leader"] == int(str(match.value("leader")))
    else:
        king_and_queen = {0: ["king of hearts", "7 of clubs"], 2: ["queen of hearts"]}
        tierce = {0: ["queen of spades", "king of spades", "ace of spades"]}
        some_cards = king_and_queen if case is CASES["flow"]["flow-004"] else tierce
        left = iter([c for c in deck() if not any(c in held for held in some_cards.values())])
        hands = {s: [*some_cards.get(s, [])] for s in range(4)}
        for cards in hands.values():
            cards += [next(left) for _ in range(8 - len(cards))]
        match = begin_deal(some, hands, trump="hearts")
        if some_cards is tierce:
            assert frozenset(tierce[0]) in groups(match)
        for _ in range(32):
            match.play(f"play {plays(match)[0]}")
        assert match.value("melds" if some_cards is tierce else "belote") == then


def by_target(events: list[Moved]) -> Iterator[tuple[int, Iterator[Moved]]]:
    return groupby(events, key=lambda event: event.target)


def play_out(match: Match, given: dict[str, Any]) -> list[int]:
    """Play a deal to its end; the seats that took the tricks."""
    winners: list[int] = []
    declares = {
        seat: list(map(in_full, cards)) for seat, cards in given.get("declares", {}).items()
    }
    for number, trick in enumerate(given["tricks"]):
        for card in trick:
            if number == 0 and match.chooser in declares:
                declare(match, declares[match.chooser])
            assert not match.over
            match.play(card)
        taken = [line for line in match.log(0) if " takes the trick " in line][number]
        winners.append(int(taken.removeprefix("Player ").split()[0]) - 1)
    return winners


def deal_of(case: dict[str, Any], options: dict[str, object]) -> Match:
    given = case["given"]
    hands = {seat: list(map(in_full, cards)) for seat, cards in given["hands"].items()}
    rest = {key: given[key] for key in ("contract", "trump", "declarer", "factor")}
    score = given.get("score", {"ns": 0, "ew": 0})
    return begin_deal(with_options(options), hands, **rest, score=score)


@cases("deals")
def test_case_deals(case: dict[str, Any], options: dict[str, object], then: Any) -> None:
    match = deal_of(case, {"declare": "automatic", **options})
    assert play_out(match, case["given"]) == then["winners"]
    taken = [line for line in match.log(1) if " takes the trick " in line]
    points = [int(line.split()[-2]) for line in taken]
    points[-1] += 10
    assert points == then["points"]
    for name in ("card_points", "tricks", "melds", "belote"):
        assert match.value(name) == then[name]
    assert match.value("score") == then["scores"]
    bidders = match.words.shown("ns" if case["given"]["declarer"] in (0, 2) else "ew")
    wins = next(line for line in match.log(0) if line.endswith("win the deal"))
    assert wins.endswith(f"so {bidders} win the deal") is then["made"]


@cases("ends")
def test_case_ends(case: dict[str, Any], options: dict[str, object], then: Any) -> None:
    match = deal_of(case, options)
    play_out(match, case["given"])
    assert match.value("score") == then["scores"]
    assert match.over is then["over"]
    assert match.winners == (list(SIDES[then["winner"]]) if then["over"] else [])


# ---- faults that were reported of programs at large, tried here ----


def test_nobody_sees_the_cards_of_others_when_a_match_begins() -> None:
    """boardgame.io#1159, where every client was sent the whole state."""
    match = with_options().start(4)
    for seat in range(4):
        view = match.view(seat)
        for other in range(4):
            known = view.zone("hand", other).known
            assert len(known) == (8 if other == seat else 0)
            assert view.zone("hand", other).count == 8


def test_a_match_that_is_reloaded_on_the_way_is_the_same() -> None:
    """magefree/mage#8058 and terraforming-mars#2132 and #3739, where chance was lost or reused."""
    straight = load("coinche").start(11)
    reloaded = load("coinche").start(11)
    dice = random.Random(11)
    while not straight.over and len(straight.played) < 60:
        move = dice.choice(straight.moves).text
        straight.play(move)
        reloaded.play(move)
        if len(straight.played) % 9 == 0:
            reloaded = Record.read(yaml.safe_load(reloaded.record().text())).replay()
        assert reloaded.state == straight.state
    assert [reloaded.log(seat) for seat in range(4)] == [straight.log(seat) for seat in range(4)]


# ---- the best declaration ----


def best_points(hand: list[str], trump: str) -> int:
    """By trying every choice of fours; runs are made of what is left."""
    fours = {"jack": 200, "9": 150, "ace": 100, "10": 100, "king": 100, "queen": 100}
    if trump == "no_trumps":
        fours = {"ace": 200, "10": 150, "king": 100, "queen": 100, "jack": 100}
    held = Counter(card.split(" of ")[0] for card in hand)
    complete = [rank for rank, count in held.items() if count == 4 and rank in fours]
    best = 0
    for size in range(len(complete) + 1):
        for chosen in combinations(complete, size):
            left = [card for card in hand if card.split(" of ")[0] not in chosen]
            best = max(best, sum(fours[rank] for rank in chosen) + run_points(left))
    return best


def run_points(cards: list[str]) -> int:
    ranks = ["7", "8", "9", "10", "jack", "queen", "king", "ace"]
    points = length = 0
    for suit in ("clubs", "diamonds", "hearts", "spades"):
        for rank in [*ranks, "none"]:
            if f"{rank} of {suit}" in cards:
                length += 1
                continue
            points += 0 if length < 3 else {3: 20, 4: 50}.get(length, 100)
            length = 0
    return points


@pytest.mark.parametrize("trump", ["hearts", "no_trumps", "all_trumps"])
def test_what_declares_itself_is_worth_the_most(trump: str) -> None:
    dice = random.Random(7)
    some = with_options({"declare": "automatic"})
    for _ in range(60):
        rank = dice.choice(["9", "10", "jack", "queen", "king", "ace"])
        hand = [f"{rank} of {suit}" for suit in ("clubs", "diamonds", "hearts", "spades")]
        # Many of the others in one suit, so that runs and the four want the same card.
        near = [card for card in deck() if card.endswith("spades") and card not in hand]
        rest = [card for card in deck() if card not in hand]
        hand += dice.sample(near, 4) if dice.random() < 0.7 else dice.sample(rest, 4)
        others = [card for card in deck() if card not in hand]
        hands = {0: hand, **{seat: others[8 * n : 8 * n + 8] for n, seat in enumerate((1, 2, 3))}}
        match = begin_deal(some, hands, trump=trump)
        assert match.value("declarable_points") == best_points(hand, trump)
