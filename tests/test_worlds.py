"""Worlds: each accepted one tells its seat just what the true match told it, and nothing but that
was used to make it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random

import pytest

from rulebook.engine.events import Changed, Event, Moved, Said, Seen, Shuffled
from rulebook.engine.game import Game, load
from rulebook.engine.match import Match
from rulebook.kinds import SetOf
from rulebook.pipeline import compile_source
from rulebook.players.fingerprint import Teller
from rulebook.players.random import RandomPlayer
from rulebook.players.script import ANY, EXACT, PLACE, exact
from rulebook.players.search import SearchPlayer
from rulebook.players.sight import Sight
from rulebook.players.tokens import Contradiction, Table
from rulebook.players.worlds import World, Worlds
from rulebook.program import ROW_HEAD
from rulebook.source import Source
from rulebook.wasm.machine import Machine, cell

GAMES = [("coins", 3, 70), ("china_hand", 3, 40), ("coinche", 4, 90), ("three_kings", 3, 60)]
each_game = pytest.mark.parametrize(("name", "players", "moves"), GAMES)


@cache
def game_of(name: str, players: int) -> Game:
    return load(name, players)


@cache
def machine_of(game: Game) -> Machine:
    return Machine(game.wasm)


def worlds_of(game: Game, seat: int, seed: int = 1) -> Worlds:
    return Worlds(game, seat, seed, machine_of(game))


def told(events: list[Event], seat: int) -> list[Event]:
    """What a seat is told by the module: the match itself adds who sees which zone."""
    found = [event.for_seat(seat) for event in events]
    return [event for event in found if event is not None and not isinstance(event, Seen)]


def retold(worlds: Worlds, world: World) -> list[Event]:
    """The events of a world since its base, run by the module as a match would run it, and put
    together by the match's own decoder."""
    machine, decoder = worlds.machine, worlds.game.decoder()
    machine.supply(world.outcomes)
    worlds.restore(world.begun, worlds.base.rows)
    events: list[Event] = []
    if worlds.base.step == 0:
        machine.run()
        events += decoder.decode(machine.events())
    for wanted in world.script:
        machine.run(listed(worlds, wanted))
        events += decoder.decode(machine.events())
    assert machine.state == world.state
    machine.supply({})
    return events


def listed(worlds: Worlds, wanted: bytes) -> int:
    """The number of the one listed move that a script asks for."""
    found = []
    for number, row in enumerate(worlds.machine.rows()):
        picks = worlds.moves[int.from_bytes(row[:4], "little")].picks
        same = row[:4] == wanted[:4]
        for i, pick in enumerate(picks):
            mode = wanted[4 + i]
            size = 16 if isinstance(pick.variable.kind, SetOf) else 4
            value = int.from_bytes(cell(row, i)[:size], "little")
            given = int.from_bytes(cell(wanted, i)[:size], "little")
            if mode == PLACE:
                place = worlds.game.place_of(worlds.machine.state, value)
                assert place is not None
                value = place[1]
            same = same and (mode == ANY or value == given)
        if same:
            found.append(number)
    assert len(found) == 1
    return found[0]


@each_game
@pytest.mark.parametrize("seed", [3, 8])
def test_an_accepted_world_tells_the_seat_its_own_stream(
    name: str, players: int, moves: int, seed: int
) -> None:
    game = game_of(name, players)
    match, player, random = game.start(seed), RandomPlayer(seed), Random(seed)
    every = [worlds_of(game, seat) for seat in range(players)]
    compared = 0
    while not match.over and len(match.played) < moves:
        worlds = every[match.chooser]
        if random.random() < 0.3:
            worlds.see(match.stream(match.chooser))
            world = worlds.draw()
            assert world is not None
            if not world.forced:
                since = [e for step in worlds.steps[worlds.base.step :] for e in step.events]
                assert told(retold(worlds, world), match.chooser) == told(since, match.chooser)
                compared += 1
        match.play(player.choose(match))
    assert compared >= len(match.played) // 8
    accepted, forced = (sum(getattr(w, n) for w in every) for n in ("accepted", "forced"))
    assert forced <= accepted / 6


def test_the_base_moves_on_with_every_deal() -> None:
    game = game_of("coins", 3)
    match, player, worlds = game.start(5), RandomPlayer(5), worlds_of(game_of("coins", 3), 0)
    while len(match.played) < 51 or match.chooser != 0:
        match.play(player.choose(match))
    worlds.see(match.stream(0))
    world = worlds.draw()
    assert world is not None
    assert worlds.base.step == 48
    assert len(world.script) == len(match.played) - 47


@each_game
def test_the_fingerprint_of_the_stream_is_the_one_of_the_module(
    name: str, players: int, moves: int
) -> None:
    game = game_of(name, players)
    match, player = game.start(4), RandomPlayer(4)
    script = b""
    while not match.over and len(match.played) < moves:
        move = player.choose(match)
        number = next(row for one, row in match._offered() if one.text == move.text)
        script += exact(match.rows[number], game)
        match.play(move)
    machine = machine_of(game)
    machine.call("reset", match.seed)
    start = machine.state
    prints = []
    for seat in range(players):
        done, seen = machine.replay(start, script, seat, True)
        assert done == len(match.played)
        assert Teller(game.checked).fingerprint(match.stream(seat)) == seen
        prints.append(seen)
    # Where all hands are hidden from everyone alike, all seats are told the same.
    assert len(set(prints)) == (1 if name == "three_kings" else players)


def test_a_world_hides_nothing_that_was_seen_and_shows_nothing_that_was_not() -> None:
    game = game_of("coins", 3)
    match, worlds = game.start(9), worlds_of(game, 0)
    player = RandomPlayer(9)
    while len(match.played) < 20 or match.chooser != 0:
        match.play(player.choose(match))
    worlds.see(match.stream(0))
    hand = [game.slot_names.index((zone, 0)) for zone, n in game.slot_names if zone.name == "hand"]
    true = [set(game.cards_in(match.state, hand[0] + seat)) for seat in range(3)]
    seen_with: dict[int, set[int]] = {}
    for _ in range(60):
        world = worlds.draw()
        assert world is not None
        cards = [set(game.cards_in(world.state, hand[0] + seat)) for seat in range(3)]
        assert cards[0] == true[0]
        assert cards[1] | cards[2] == true[1] | true[2]
        for seat in (1, 2):
            for card in cards[seat]:
                seen_with.setdefault(card, set()).add(seat)
    # Every unseen card is now with one, now with the other.
    assert set(seen_with) == true[1] | true[2]
    assert all(seats == {1, 2} for seats in seen_with.values())


def test_what_follows_from_play_is_respected() -> None:
    """A player who could not follow suit has no card of it in any accepted world."""
    game = game_of("coinche", 4)
    found = 0
    for seed in range(30):
        match, player = game.start(seed), RandomPlayer(seed)
        while not match.over and len(match.played) < 45:
            match.play(player.choose(match))
        if match.over or len(match.moves) < 2:
            continue
        seat = match.chooser
        worlds = worlds_of(game, seat)
        worlds.see(match.stream(seat))
        for _ in range(3):
            world = worlds.draw()
            if world is not None and not world.forced:
                since = [e for step in worlds.steps[worlds.base.step :] for e in step.events]
                assert told(retold(worlds, world), seat) == told(since, seat)
                found += 1
    assert found >= 30


# ---- nothing but the stream ----


def other_match(match: Match, seat: int, seed: int) -> Match:
    """A match with other hidden cards, and the same stream for the seat; still in its first
    deal."""
    worlds = worlds_of(match.game, seat, seed)
    worlds.see(match.stream(seat))
    world = worlds.draw()
    assert world is not None
    assert not world.forced
    chance = {key: tuple(cards) for key, cards in world.outcomes.items()}
    other = match.game.start(match.seed + 1, chance=chance)
    for _, text in match.played:
        other.play(text)
    return other


def test_hidden_cards_change_nothing() -> None:
    game = game_of("coins", 3)
    match, player = game.start(2), RandomPlayer(2)
    while len(match.played) < 12 or match.chooser != 0:
        match.play(player.choose(match))
    other = other_match(match, 0, 77)
    assert other.state != match.state
    assert other.stream(1) != match.stream(1)
    assert other.stream(0) == match.stream(0)
    drawn = []
    for one in (match, other):
        worlds = worlds_of(game, 0, seed=6)
        worlds.see(one.stream(0))
        drawn.append([worlds.draw() for _ in range(5)])
    assert drawn[0] == drawn[1]


def test_a_stream_that_no_match_can_give_is_met_by_force_and_counted() -> None:
    game = game_of("coins", 3)
    match, player = game.start(2), RandomPlayer(2)
    while len(match.played) < 12 or match.chooser != 0:
        match.play(player.choose(match))
    stream = match.stream(0)
    at = max(i for i, e in enumerate(stream) if isinstance(e, Changed) and e.state == "score")
    event = stream[at]
    assert isinstance(event, Changed)
    stream[at] = replace(event, value=event.value + 1)
    worlds = worlds_of(game, 0)
    worlds.see(stream)
    world = worlds.draw()
    assert world is not None
    assert world.forced
    assert (worlds.accepted, worlds.forced) == (0, 1)


def test_after_a_move_taken_back_the_new_stream_counts() -> None:
    game = game_of("coins", 3)
    match, player, worlds = game.start(2), RandomPlayer(2), worlds_of(game_of("coins", 3), 0)
    while len(match.played) < 9 or match.chooser != 0:
        match.play(player.choose(match))
    worlds.see(match.stream(0))
    first = worlds.draw()
    for _ in range(3):
        match.undo()
    while len(match.played) < 9 or match.chooser != 0:
        match.play(match.moves[-1])
    worlds.see(match.stream(0))
    second = worlds.draw()
    assert first is not None
    assert second is not None
    since = [e for step in worlds.steps for e in step.events]
    assert told(since, 0) == told(match.stream(0), 0)
    assert told(retold(worlds, second), 0) == told(since, 0)


# ---- tokens ----


def shuffled_table(seed: int = 1, bans: dict[int, dict[int, int]] | None = None) -> Table:
    """Six cards in slot 0, shuffled, then three dealt to slot 1 (a hand) and two to slot 2."""
    table = Table(6, [True, False, False], Random(seed), bans or {})
    events: list[Event] = [Moved(-1, card, -1, 0, -1, False) for card in range(6)]
    events.append(Shuffled(-1, 0, 4))
    for number in range(5):
        events.append(Moved(0, None, 0, 1 if number < 3 else 2, 5 - number, False))
    table.watch(0, events)
    return table


def test_a_card_seen_names_its_token_in_the_shuffle() -> None:
    table = shuffled_table()
    table.watch(1, [Moved(-1, 4, 1, 0, -1, False)])
    for seed in range(20):
        table = shuffled_table(seed)
        table.watch(1, [Moved(-1, 4, 1, 0, -1, False)])
        outcome = table.outcomes({4: 2})[4, 2]
        assert sorted(outcome) == list(range(6))
        assert outcome.index(4) >= 3, "it was dealt to the first hand, from the top"


def test_cards_keep_away_from_where_they_are_banned() -> None:
    bans = {1: {1: 0b000111}}
    for seed in range(20):
        table = shuffled_table(seed, bans)
        table.watch(1, [])
        outcome = table.outcomes({})[4, 0]
        assert set(outcome[3:]) == {3, 4, 5}


def test_a_card_cannot_come_out_of_two_hands() -> None:
    table = shuffled_table()
    table.watch(1, [Moved(-1, 4, 1, 0, -1, False)])
    with pytest.raises(Contradiction):
        table.watch(2, [Moved(-1, 4, 2, 0, -1, False)])


HIDDEN = """\
rulebook: 1
game: Hidden
players: 3
cards: {suits: [red, blue, green, black], ranks: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]}
zones:
  stock: {ordered: yes, seen by: nobody}
  hand: {each: player, seen by: owner}
  kitty: {seen by: nobody}
state:
  top: 0..9
moves:
  lay: {pick: cs are 2 cards from hand of mover, do: move cs to kitty}
  bid: {do: top += 1}
  pass: {}
steps:
  match: |
    gather all cards to stock
    shuffle stock
    deal 5 from stock to each hand
    for p in players: p chooses lay
    for p in players: p chooses bid or pass
    0 wins
"""


def test_a_script_with_moves_that_had_to_be_tried_gives_its_world() -> None:
    game = compile_source(Source("hidden.yaml", HIDDEN))
    match = game.start(3)
    while match.moves[0].name == "lay":
        match.play(match.moves[0])
    match.play("bid")
    worlds = worlds_of(game, match.chooser)
    worlds.see(match.stream(match.chooser))
    for _ in range(20):
        world = worlds.draw()
        assert world is not None
        assert not world.forced
        worlds.machine.supply(world.outcomes)
        done, _ = worlds.replay(worlds.base.state, worlds.base.rows, b"".join(world.script), True)
        assert done == len(world.script)
        assert worlds.machine.state == world.state
        worlds.machine.supply({})


def test_modes_of_a_script_are_those_of_the_module() -> None:
    game = game_of("three_kings", 3)
    match = game.start(1)
    worlds = worlds_of(game, match.chooser)
    match.play(match.moves[2])
    worlds.see(match.stream(worlds.seat))
    row = worlds.steps[-1].row
    assert row[4:ROW_HEAD] == bytes([PLACE, ANY, ANY, ANY])
    assert int.from_bytes(cell(row, 0)[:4], "little") == 2
    assert row[4] != EXACT
    assert any(isinstance(event, (Said, Moved)) for event in worlds.steps[-1].events)


# ---- positions that were set up ----

HANDS = {
    "hand of 0": ["2 of cups", "7 of cups", "4 of swords"],
    "hand of 1": ["5 of cups", "6 of swords", "ace of coins"],
    "hand of 2": ["3 of cups", "2 of swords", "king of coins"],
    "won of 0": ["ace of cups", "3 of coins"],
    "leader": 1,
}


def set_up(**changes: list[str]) -> Match:
    hands = HANDS | {name.replace("_", " "): cards for name, cards in changes.items()}
    match = game_of("coins", 3).start(1, given=hands, at="one_trick")
    match.play("play 5 of cups")
    match.play("play 3 of cups")
    return match


def test_worlds_of_a_position_set_up_agree_with_what_was_seen_of_it() -> None:
    match = set_up()
    game, seat = match.game, match.chooser
    worlds = worlds_of(game, seat)
    sight = Sight.of(match)
    worlds.see(sight.stream, sight.start)
    slots = game.slot_names
    hands = {position: slot for slot, (zone, position) in enumerate(slots) if zone.name == "hand"}
    others: set[tuple[int, ...]] = set()
    for _ in range(30):
        world = worlds.draw()
        assert world is not None
        assert not world.forced
        assert told(retold(worlds, world), seat) == told(list(sight.stream), seat)
        assert game.cards_in(world.state, hands[0]) == game.cards_in(match.state, hands[0])
        assert [len(game.cards_in(world.state, slot)) for slot in range(len(slots))] == [
            len(game.cards_in(match.state, slot)) for slot in range(len(slots))
        ]
        assert set(world.rows) == set(match.rows)
        others.add(tuple(game.cards_in(world.state, hands[1])))
    assert len(others) > 20, "cards that lie nowhere may have been dealt as well"


def test_what_a_seat_knows_of_a_position_holds_nothing_else() -> None:
    match, other = set_up(), set_up(hand_of_1=["5 of cups", "7 of swords", "6 of coins"])
    assert match.state != other.state
    one, two = Sight.of(match), Sight.of(other)
    assert one.stream == two.stream
    assert one.start == two.start != b""
    assert sum(len(match.game.cards_in(one.start, slot)) for slot in range(8)) == 0
    player = SearchPlayer(match.game, match.chooser, iterations=60)
    thought = player.think(one)
    assert len(thought.opinions) == len(match.moves)
    assert not thought.forced
    assert player.think(two) == thought


SECRETS = """\
rulebook: 1
game: Secrets
players: 2
cards: {suits: [red], ranks: [1, 2, 3, 4, 5, 6, 7, 8]}
zones:
  stock: {ordered: yes, seen by: nobody}
  hand: {each: player, seen by: owner}
  shown: {each: player, ordered: yes, faces: down, seen by: everyone}
state:
  open: 0..9
  own: {each: player, is: 0..9, seen by: owner}
  dark: {is: 0..9, seen by: nobody}
moves:
  lay: {pick: c from hand of mover, do: move c face up to shown of mover}
steps:
  match: |
    gather all cards to stock
    shuffle stock
    deal 3 from stock to each hand
    do round
    if open + own of 0 + own of 1 + dark > 20: 0 wins
    else: 1 wins
  round: |
    repeat 2 times:
      for p in players: p chooses lay
"""


def test_secret_entries_and_cards_face_down_are_not_known_of_a_position() -> None:
    game = compile_source(Source("secrets.yaml", SECRETS))
    given = {"hand of 0": ["1 of red", "2 of red"], "hand of 1": ["3 of red", "4 of red"]}
    numbers = {"open": 5, "own of 0": 6, "own of 1": 7, "dark": 8}
    lies = {"shown of 1": ["5 of red", "6 of red"]}
    match = game.start(1, given={**given, **numbers, **lies}, at="round")
    start = match.start_known_to(0)
    values = [game.value(start, name) for name in ("open", "own", "dark")]
    assert values == [5, {"0": 6, "1": 0}, 0]
    sight = Sight.of(match)
    down = [event for event in sight.stream if isinstance(event, Seen) and len(event.down) == 2]
    assert (True, True) in [event.down for event in down], "they were set up face down"
    worlds = worlds_of(game, 0)
    worlds.see(sight.stream, sight.start)
    found = set()
    for _ in range(20):
        world = worlds.draw()
        assert world is not None
        cards = game.cards_in(world.state, 4)
        assert all(game.face_down(world.state, card) for card in cards)
        found.add(tuple(cards))
    assert len(found) > 10


def test_play_that_begins_as_the_rules_say_was_not_set_up() -> None:
    match = game_of("coins", 3).start(3)
    assert Sight.of(match).start == b""
    assert match.copy().start_known_to(0) == b""
    assert set_up().copy().start_known_to(0) == set_up().start_known_to(0)


# ---- what is kept secret, and what is thrown unseen ----

PASSING = """\
rulebook: 1
game: Passing
players: 3
cards: {suits: [clubs, hearts, spades], ranks: [2, 3, 4, 5, 6, 7, 8]}
zones:
  stock: {ordered: yes, seen by: nobody}
  hand: {each: player, seen by: owner}
  trick: {ordered: yes, seen by: everyone}
  heap: {ordered: yes, seen by: nobody}
state:
  score: {each: player, is: 0..60}
moves:
  give: {pick: cs are 2 cards from hand of mover, do: move cs to hand of left of mover}
  play:
    pick: c from hand of mover
    must: {Follow suit if you can: suit of c is suit of first of trick}
    do: move c to trick
  throw: {pick: c from hand of mover, do: move c to heap}
steps:
  match: |
    gather all cards to stock
    shuffle stock
    deal 4 from stock to each hand
    FIRST
    repeat 4 times:
      for p in players: p chooses play
      score of player of highest rank in trick += 1
      move trick to heap
    players finish by score
"""
SECRETLY = "secretly, each player chooses give"
UNSEEN = """\
repeat 8 times:
      for p in players:
        deal 1 from stock to hand of p
        p chooses throw
        if no stock:
          move heap to stock
          shuffle stock"""


@pytest.mark.parametrize("first", [SECRETLY, UNSEEN], ids=["secretly", "unseen"])
def test_worlds_are_found_where_others_choose_unseen(first: str) -> None:
    game = compile_source(Source("passing.yaml", PASSING.replace("FIRST", first)))
    match, player = game.start(3), RandomPlayer(3)
    every = [Worlds(game, seat, 1) for seat in range(3)]
    found = forced = 0
    while not match.over:
        worlds = every[match.chooser]
        worlds.see(match.stream(match.chooser))
        rows = [step.row for step in worlds.steps]
        worlds.see(match.stream(match.chooser))
        assert rows == [step.row for step in worlds.steps], "the same again is nothing new"
        world = worlds.draw()
        assert world is not None
        found, forced = found + 1, forced + world.forced
        if not world.forced:
            since = [e for step in worlds.steps for e in step.events]
            assert told(retold(worlds, world), match.chooser) == told(since, match.chooser)
        match.play(player.choose(match))
    assert found == len(match.played)
    assert forced < found / 4
