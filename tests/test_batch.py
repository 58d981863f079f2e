"""Many states stepped by arrays: the same games as matches, and no more in them than seats know."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rulebook.engine.events import Shuffled, joined
from rulebook.engine.game import Game, load
from rulebook.engine.match import Match, RuleError
from rulebook.learning.actions import CAP, Actions
from rulebook.learning.batch import Batch
from rulebook.learning.groups import groups_of
from rulebook.pipeline import compile_source
from rulebook.resolve import Setting
from rulebook.source import Source
from tests.chance import game_seed

ROOT = Path(__file__).resolve().parent.parent
SEED = 5
GAMES = [("coins", 3), ("china_hand", 3), ("three_kings", 4), ("coinche", 4)]

SMALL = """\
rulebook: 1
game: Small
players: 2
cards:
  suits: [red, blue]
  ranks: [1, 2, 3, 4, 5]
  copies: COPIES
zones:
  stock: {ordered: yes, seen by: nobody}
  hand: {each: player, seen by: owner}
  pile: {ordered: yes, seen by: everyone}
state:
  secret: {is: 0..9, each: player, seen by: owner}
  total: {is: 0..LIMIT}
moves:
  lay:
    pick: c from hand of mover
    do: |
      move c to pile
      total += 2
      secret of mover += 1
  pair:
    pick: cs are 2 cards of one rank from hand of mover
    do: move cs to pile
steps:
  match: |
    gather all cards to stock
    shuffle stock
    deal 3 from stock to each hand starting 0
    repeat 2 times:
      for p in players: p chooses lay or pair
    if any (pile where rank is 3): 0 wins
    nobody wins
"""


@pytest.fixture(scope="module", params=GAMES, ids=[name for name, _ in GAMES])
def game(request: pytest.FixtureRequest) -> Game:
    return load(*request.param)


def small(limit: int = 9, copies: int = 1) -> Game:
    text = SMALL.replace("LIMIT", str(limit)).replace("COPIES", str(copies))
    return compile_source(Source("small.yaml", text), Setting(2))


def texts_of(batch: Batch, place: int, match: Match) -> dict[str, int]:
    """The legal actions of a state by the texts of their moves."""
    found: dict[str, int] = {}
    numbered: dict[str, int] = {}
    for action in np.flatnonzero(batch.legal[place]).tolist():
        text = batch.texts[action]
        numbers = re.fullmatch(r"(\w+) number (\d+)", text)
        if numbers is not None:
            mine = [move.text for move in match.listed if move.name == numbers[1]]
            text = mine[int(numbers[2]) - 1]
            numbered[text] = action
        found[text] = action
    return found


# ---- the same games ----


def test_a_batch_plays_the_games_that_matches_play(game: Game) -> None:
    count = 3
    batch = game.batch(count, SEED)
    matches = [game.start(game_seed(SEED, place)) for place in range(count)]
    generator = np.random.default_rng(1)
    ended = 0
    for _ in range(150):
        actions = batch.random_actions(generator)
        for place, match in enumerate(matches):
            assert batch.over[place] == match.over
            if match.over:
                assert not batch.legal[place].any()
                continue
            assert batch.seats[place] == match.chooser
            texts = texts_of(batch, place, match)
            assert set(texts) == {move.text for move in match.moves}
            match.play({action: text for text, action in texts.items()}[int(actions[place])])
        rewards, done = batch.step(actions)
        for place, match in enumerate(matches):
            wanted = match.returns if done[place] else [0.0] * game.players
            assert rewards[place].tolist() == pytest.approx(wanted)
            ended += bool(done[place])
        if batch.over.all():
            break
    size = game.program.layout.size
    assert [bytes(row[:size]) for row in batch.states] == [match.state for match in matches]
    assert ended == batch.over.sum()
    assert ended or game.name != "Coins"


def test_places_beyond_one_window_are_games_of_their_own() -> None:
    game = load("coins")
    batch = game.batch(600, SEED)
    generator = np.random.default_rng(2)
    steps = [batch.random_actions(generator)]
    batch.step(steps[0])
    for place in (0, 255, 256, 599):
        match = game.start(game_seed(SEED, place))
        match.play(batch.texts[int(steps[0][place])])
        assert bytes(batch.states[place, : game.program.layout.size]) == match.state


def test_the_next_game_begins_where_one_ends() -> None:
    game = small()
    batch = game.batch(3, SEED, auto_reset=True)
    generator = np.random.default_rng(3)
    ends = 0
    while ends < 6:
        _, done = batch.step(batch.random_actions(generator))
        for place in np.flatnonzero(done).tolist():
            ends += 1
            number = place + (int(batch.begun[place]) - 1) * batch.n
            match = game.start(game_seed(SEED, number))
            assert bytes(batch.states[place, : game.program.layout.size]) == match.state
            assert batch.legal[place].any()
    batch.reset(SEED)
    assert (batch.states == game.batch(3, SEED).states).all()
    batch.reset()
    assert (batch.begun == 2).all()


def test_a_game_that_is_over_stays_and_a_copy_goes_its_own_way() -> None:
    batch = small().batch(2, SEED)
    generator = np.random.default_rng(4)
    other = batch.copy()
    rewarded = []
    while not batch.over.all():
        rewarded.append(batch.step(batch.random_actions(generator))[0])
    assert len(rewarded) == 4
    assert all(rewards.sum() == 0 for rewards in rewarded)
    before = batch.states.copy()
    rewards, done = batch.step(np.zeros(2, int))
    assert (batch.states == before).all()
    assert not rewards.any()
    assert not done.any()
    assert not other.over.any()
    assert (other.states == small().batch(2, SEED).states).all()


# ---- what cannot be ----


def test_an_action_that_is_not_legal_changes_nothing() -> None:
    batch = load("coins").batch(2, SEED)
    before = batch.states.copy()
    legal = batch.random_actions(np.random.default_rng(1))
    wrong = int(np.flatnonzero(~batch.legal[1])[0])
    with pytest.raises(ValueError, match=rf"action {wrong} \(`play .*`\) is not legal in state 1"):
        batch.step(np.array([legal[0], wrong]))
    with pytest.raises(ValueError, match="no action 48; they are numbered from 0 to 47"):
        batch.step(np.array([48, legal[1]]))
    with pytest.raises(ValueError, match="2 whole numbers"):
        batch.step(np.array([0.5, 1.0]))
    with pytest.raises(ValueError, match="no such seat"):
        batch.observe(3)
    assert (batch.states == before).all()
    with pytest.raises(ValueError, match="cannot have 0 states"):
        load("coins").batch(0)


def test_a_mistake_of_the_rules_is_told_and_changes_nothing() -> None:
    batch = small(limit=3).batch(300, SEED)
    lay = np.array([np.flatnonzero(mask)[0] for mask in batch.legal])
    batch.step(lay)
    before = batch.states.copy()
    with pytest.raises(RuleError) as raised:
        batch.step(np.array([np.flatnonzero(mask)[0] for mask in batch.legal]))
    assert raised.value.problem.slug == "number-out-of-range"
    assert raised.value.problem.span is not None
    assert raised.value.problem.span.text.startswith("total")
    assert (batch.states == before).all()


# ---- the list of actions ----


def test_actions_are_listed_once(game: Game) -> None:
    assert len(set(game.actions)) == len(game.actions) == game.batch(1).actions <= CAP


def test_a_move_with_too_many_combinations_has_numbered_places() -> None:
    game = load("three_kings", 3, {"set_size": "any_sum"})
    assert "take_more number 512" in game.actions
    assert not [text for text in load("three_kings", 3).actions if text.startswith("take_more")]
    few = game.batch(40, 2, places=1)
    assert few.actions == game.batch(1).actions - 511
    generator = np.random.default_rng(6)
    beyond = 0
    while not few.over.all():
        assert few.legal.any(axis=1).tolist() == (~few.over).tolist()
        beyond += int((few.row_action < 0).sum())
        few.step(few.random_actions(generator))
    assert beyond
    with pytest.raises(ValueError, match="0 is not a number of places"):
        Actions(game, 0)


UNSEEN = """\
rulebook: 1
game: Unseen
players: 2
cards:
  suits: [red, blue]
  ranks: [1, 2, 3]
zones:
  stock: {ordered: yes, seen by: nobody}
  row: {ordered: yes, seen by: nobody}
  pile: {ordered: yes, seen by: everyone}
moves:
  lay:
    pick: |
      c from row
      n in 1..2
    do: move c to pile
steps:
  match: |
    gather all cards to stock
    shuffle stock
    deal 4 from stock to row
    0 chooses lay
    if any (pile where rank is 3): 0 wins
    nobody wins
"""


def test_numbered_places_of_unseen_cards_follow_where_they_lie() -> None:
    """Not the order of the cards themselves, which would tell which is higher."""
    game = compile_source(Source("unseen.yaml", UNSEEN), Setting(2))
    assert game.actions[:3] == ["lay #1 1", "lay #1 2", "lay #2 1"]
    batch = game.batch(30, SEED)
    part = batch.learner.actions.parts[0]
    part.axes, part.count = None, 20
    numbered = part.numbers(batch.rows, batch.row_state)
    for place in range(30):
        listed = game.start(game_seed(SEED, place)).moves
        mine = batch.row_state == place
        cells = batch.rows[mine][np.argsort(numbered[mine])]
        said = [f"lay #{row[3]} {row[6]}" for row in cells.tolist()]
        assert said == [move.text for move in listed]


def test_a_game_with_too_many_moves_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulebook.learning.actions.CAP", 40)
    with pytest.raises(ValueError, match="`Coinche` has more than 40 moves"):
        Actions(load("coinche"), 40)


@pytest.mark.parametrize("copies", [2, 8])
def test_copies_of_a_card_are_one_action(copies: int) -> None:
    """Eight make a deck that is wider than one word of bits."""
    game = small(copies=copies)
    laying = [text for text in game.actions if text.startswith("lay")]
    assert len(laying) == len(set(laying)) == 10
    batch = game.batch(50, SEED)
    matches = [game.start(game_seed(SEED, place)) for place in range(50)]
    generator = np.random.default_rng(1)
    while not batch.over.all():
        actions = batch.random_actions(generator)
        for place, match in enumerate(matches):
            legal = {batch.texts[action] for action in np.flatnonzero(batch.legal[place])}
            assert legal == {move.text for move in match.moves}
            match.play(next(m for m in match.moves if m.text == batch.texts[actions[place]]))
        hand = [set(np.flatnonzero(row == 1).tolist()) for row in known_slots(batch, 0)]
        batch.step(actions)
        after = [set(np.flatnonzero(row == 1).tolist()) for row in known_slots(batch, 0)]
        assert all(now <= before for now, before in zip(after, hand, strict=True))
    assert batch.returns.tolist() == [match.returns for match in matches]


def test_groups_are_all_that_the_shapes_allow() -> None:
    game = load("coinche", 4).checked
    ranks, suits = 8, 4
    runs = suits * sum(ranks - size + 1 for size in range(3, ranks + 1))
    found = groups_of(game, game.moves["meld"].picks[0].source, CAP)
    assert found is not None
    assert len(found) == ranks + runs
    hand = load("china_hand", 2).checked
    of_one_rank = groups_of(hand, hand.moves["lay"].picks[0].source, CAP)
    wanted = {
        sum(1 << card for card in cards)
        for rank in range(13)
        for size in range(1, 5)
        for cards in combinations(range(4 * rank, 4 * rank + 4), size)
    }
    assert of_one_rank == sorted(wanted)
    assert groups_of(hand, hand.moves["keep_three"].picks[0].source, CAP) is None
    assert len(groups_of(hand, hand.moves["keep_three"].picks[0].source, 22_100) or []) == 22_100


# ---- observations ----


def known_slots(batch: Batch, seat: int) -> Any:
    seats = np.full(batch.n, seat)
    return batch.learner.observer.known(batch.states, seats)


def test_what_a_seat_knows_is_true_and_all_that_its_view_holds(game: Game) -> None:
    batch = game.batch(1, 8)
    match = game.start(game_seed(8, 0))
    generator = np.random.default_rng(8)
    room = batch.learner.room
    for _ in range(60):
        if match.over:
            break
        for seat in range(game.players):
            known = known_slots(batch, seat)[0]
            view = match.view(seat)
            for slot, content in enumerate(view.slots):
                lying = game.cards_in(match.state, slot)
                assert set(np.flatnonzero(known == slot).tolist()) <= set(lying)
                assert {card for card in content.known if card in lying} <= set(
                    np.flatnonzero(known == slot).tolist()
                )
            start = room.first_told + seat * room.told_size
            for entry, at in room.told.items():
                width = game.program.layout.width(entry.kind)
                low = getattr(entry.each, "low", 0)
                for cell in range(entry.size):
                    if (entry.name, cell + low) not in view.state:
                        continue
                    place = start + at + cell * width
                    words = batch.states[0, place : place + width].copy().view("<i4").tolist()
                    told = joined(entry.kind, [*words, 0, 0, 0])
                    assert told == view.state[entry.name, cell + low], entry.name
        action = int(batch.random_actions(generator)[0])
        text = {a: text for text, a in texts_of(batch, 0, match).items()}[action]
        match.play(text)
        batch.step(np.array([action]))


def with_order(game: Game, seed: int, site: int, order: list[int]) -> tuple[Match, Batch]:
    """A match, and a batch of one, of which the first shuffle is given."""
    chance = {(site, 0): order}
    match = game.start(game_seed(seed, 0), chance=chance)
    machine = game.batched
    machine.supply({key: bytes(cards) for key, cards in chance.items()})
    batch = game.batch(1, seed)
    machine.supply({})
    assert bytes(batch.states[0, : game.program.layout.size]) == match.state
    return match, batch


def test_changing_hidden_cards_changes_no_observation(game: Game) -> None:
    """Two tables that differ in cards which one seat has not seen: as long as it is told the same
    of both, it observes the same."""
    compared = differing = 0
    generator = np.random.default_rng(9)
    deck = game.program.layout.deck
    site = next(e.site for e in game.start(1).events if isinstance(e, Shuffled))
    for number in range(8):
        seat = number % game.players
        order = generator.permutation(deck).tolist()
        match, batch = with_order(game, number, site, order)
        hidden = np.flatnonzero(known_slots(batch, seat)[0] < 0).tolist()
        slot_of = {card: (game.place_of(match.state, card) or (-1,))[0] for card in range(deck)}
        one = int(generator.choice(hidden))
        other = int(generator.choice([card for card in hidden if slot_of[card] != slot_of[one]]))
        turned = {one: other, other: one}
        twins = with_order(game, number, site, [turned.get(card, card) for card in order])
        pairs = [(match, batch), twins]
        owners = {
            who
            for card in turned
            for who in range(game.players)
            if slot_of[card] >= 0 and match.sees(who, card, slot_of[card])
        }
        for who in owners:
            assert (batch.observe(who) != twins[1].observe(who)).any()
            differing += 1
        for _ in range(25):
            streams = [played.stream(seat) for played, _ in pairs]
            if streams[0] != streams[1]:
                break
            assert (batch.observe(seat) == twins[1].observe(seat)).all()
            compared += 1
            both = np.flatnonzero(batch.legal[0] & twins[1].legal[0])
            if match.over or not len(both):
                break
            action = int(generator.choice(both))
            for played, stepped in pairs:
                texts = {a: text for text, a in texts_of(stepped, 0, played).items()}
                played.play(texts[action])
                stepped.step(np.array([action]))
    assert compared > 40
    assert differing or game.name == "Three Kings"  # Nobody sees their own cards there.


def test_seats_are_counted_from_the_one_who_looks() -> None:
    game = load("coins")
    batch = game.batch(20, 3)
    generator = np.random.default_rng(3)
    for _ in range(30):
        batch.step(batch.random_actions(generator))
    at = game.program.layout.state[game.checked.state["score"]]
    scores = batch.states[:, at : at + 12].copy().view("<i4")
    assert scores.any()
    first = batch.features.index("score of me")
    assert batch.features[first + 1] == "score of seat +1"
    hand = batch.features.index("2 of cups in hand of me")
    for seat in range(3):
        seen = batch.observe(seat)
        turned = np.roll(scores, -seat, axis=1) / 511
        assert seen[:, first : first + 3] == pytest.approx(turned)
        slot = next(s for s, (zone, at) in enumerate(game.slot_names) if zone.name == "hand") + seat
        for place in range(batch.n):
            cards = game.cards_in(bytes(batch.states[place]), slot)
            assert np.flatnonzero(seen[place, hand : hand + 48]).tolist() == cards


def test_observations_lie_between_0_and_1_and_have_names(game: Game) -> None:
    batch = game.batch(30, SEED, auto_reset=True)
    generator = np.random.default_rng(1)
    assert len(set(batch.features)) == len(batch.features)
    for _ in range(40):
        seen = batch.observations
        assert seen.shape == (30, len(batch.features))
        assert seen.dtype == np.float32
        assert seen.min() >= 0
        assert seen.max() <= 1
        assert (seen[:, batch.features.index("chooser is me")] == 1).all()
        batch.step(batch.random_actions(generator))


def test_state_of_one_seat_is_not_seen_by_others() -> None:
    batch = small().batch(4, SEED)
    lay = np.array([np.flatnonzero(mask)[0] for mask in batch.legal])
    batch.step(lay)
    own = batch.features.index("secret of me")
    other = batch.features.index("secret of seat +1")
    assert batch.observe(0)[:, own] == pytest.approx(1 / 9)
    assert batch.observe(1)[:, other] == pytest.approx(0)
    total = batch.features.index("total")
    assert batch.observe(1)[:, total] == pytest.approx(2 / 9)


# ---- the document ----


def test_the_samples_of_the_document_run(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs/learning.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 5
    space: dict[str, Any] = {}
    for block in blocks:
        exec(block, space)
    assert space["batch"].n == 64
    assert not space["env"].agents
