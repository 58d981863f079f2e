"""Random games that stop early, and what their tables are found to be worth."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from rulebook.engine.game import Game, load
from rulebook.pipeline import compile_source
from rulebook.players.outlook import Outlook, learned, outlook, read_results, shares
from rulebook.players.random import RandomPlayer
from rulebook.players.rewards import AHEAD, Judge
from rulebook.players.search import SearchPlayer, machines
from rulebook.players.sides import Sides
from rulebook.players.sight import Sight
from rulebook.program import ENDED, LIMITED, STOPPED
from rulebook.source import Source
from rulebook.wasm import Build, generate
from rulebook.wasm.machine import Machine, Trap

# Each step is one up or one down; a random game has some hundreds of them.
CLIMB = """\
rulebook: 1
game: Climb
players: 2
cards: {suits: [red], ranks: [1, 2, 3, 4]}
zones:
  stock: {ordered: yes, seen by: nobody}
state:
  height: {each: player, is: -1000..1000}
  wind: -1000..1000
moves:
  rise: {do: height of mover += 1}
  fall: {do: height of mover -= 1}
steps:
  match: |
    repeat:
      for p in players:
        p chooses rise or fall
        wind = wind + 1
        if wind > 20: wind = 0
        if height of p >= 15: END
"""


def climb(end: str = "p wins", *changes: tuple[str, str]) -> Game:
    text = CLIMB.replace("END", end)
    for old, new in changes:
        text = text.replace(old, new)
    return compile_source(Source("climb.yaml", text))


@pytest.fixture(scope="module")
def hand() -> Game:
    return load("china_hand", 3)


@pytest.fixture
def fast(hand: Game) -> Machine:
    return Machine(generate(hand.program, Build(waiting=False)))


def begun(game: Game, choices: int) -> tuple[bytes, bytes]:
    """A state at a choice, and one of its moves."""
    match, player = game.start(1), RandomPlayer(1)
    for _ in range(choices):
        match.play(player.choose(match))
    return match.state, match.moves[0].row


def rolled(machine: Machine, state: bytes, row: bytes, count: int) -> np.ndarray:
    memory = machine.memory
    machine.write(memory.origin, state + row.ljust(memory.row_size, b"\0"))
    machine.call("rollouts", 5, 0, count)
    return read_results(machine, count)


def notes(game: Game, machine: Machine, count: int) -> np.ndarray:
    size = game.program.layout.table_size
    data = machine.read(machine.memory.notes, count * size)
    return np.frombuffer(data, np.uint8).reshape(count, size)


def cards(game: Game, tables: np.ndarray) -> np.ndarray:
    """Tables x slots x cards: what lies where."""
    layout = game.program.layout
    start = layout.lies - layout.table
    words = tables[:, start : start + 8 * layout.slot_count].reshape(-1, layout.slot_count, 8)
    return np.unpackbits(words, axis=2, bitorder="little")[:, :, : layout.deck]


def test_random_games_stop_so_many_choices_ahead(hand: Game, fast: Machine) -> None:
    state, row = begun(hand, 40)
    whole = rolled(fast, state, row, 16).copy()
    assert (whole[:, 3] > 70).any()
    fast.look(ahead=25)
    stopped = rolled(fast, state, row, 16).copy()
    went_on = stopped[:, 0] == STOPPED
    assert went_on.sum() > 10
    # 41 choices were offered: the last of them is the one that the move answers.
    assert (stopped[went_on, 3] == 41 + 25).all()
    assert (stopped[~went_on] == whole[~went_on]).all()
    lie = cards(hand, notes(hand, fast, 16))
    assert (lie.sum(axis=1) == 1).all(), "every card lies in one zone"
    fast.look()
    assert (rolled(fast, state, row, 16) == whole).all()


def test_the_table_noted_is_the_one_where_the_game_stopped(hand: Game, fast: Machine) -> None:
    """One choice ahead after the last of a deal: the same as play itself finds."""
    state, row = begun(hand, 40)
    fast.look(ahead=1)
    rolled(fast, state, row, 8)
    found = {bytes(table) for table in notes(hand, fast, 8)}
    layout = hand.program.layout
    waiting = machines(hand)[0]
    waiting.state = state
    waiting.write_row(0, row)
    waiting.run(0)
    middle, next_rows = waiting.state, waiting.rows()
    reached = set()
    for one in next_rows:
        for seed in range(64):
            waiting.state = middle[:32] + Random(seed).randbytes(8) + middle[40:]
            waiting.write_row(0, one)
            waiting.run(0)
            reached.add(waiting.state[layout.table : layout.table + layout.table_size])
    assert found & reached


def test_tables_are_noted_on_the_way_without_changing_the_games(hand: Game, fast: Machine) -> None:
    fast.call("games", 3, 0, 8)
    plain = read_results(fast, 8).copy()
    fast.look(ahead=50, onward=True)
    fast.call("games", 3, 0, 8)
    assert (read_results(fast, 8) == plain).all()
    counts = (plain[:, 3] - 1) // 50 + 1
    tables = cards(hand, notes(hand, fast, int(counts.sum())))
    assert (tables.sum(axis=1) == 1).all()
    lasts = np.cumsum(counts) - 1
    in_hands = [zone.name in ("hand", "up_cards", "down_cards") for zone, _ in hand.slot_names]
    held = tables[:, in_hands].sum(axis=2).reshape(-1, 3, 3).sum(axis=1)
    for last, result in zip(lasts, plain, strict=True):
        losers = {seat for seat in range(3) if held[last][seat]}
        if result[0] == ENDED:
            assert losers == {seat for seat in range(3) if result[2] >> seat & 1}


def test_a_limit_comes_before_what_lies_ahead() -> None:
    limited = climb("p wins", ("steps:", "limits: {plays: 30}\nsteps:"))
    for one, over in ((climb(), STOPPED), (limited, LIMITED)):
        machine = Machine(generate(one.program, Build(waiting=False)))
        machine.look(ahead=40)
        result = rolled(machine, *begun(one, 5), 4)
        assert (result[:, 0] == over).all()
        assert (result[:, 3] == (30 if over == LIMITED else 46)).all()


@pytest.mark.parametrize(("end", "best"), [("p wins", "rise"), ("p loses", "fall")])
def test_what_wins_is_learned_from_random_games(end: str, best: str) -> None:
    game = climb(end)
    player = SearchPlayer(game, 0, iterations=60)
    assert player.judge.outlook is not None
    match = game.start(1)
    assert player.think(Sight.of(match)).move.text == best


def test_what_is_learned_is_the_same_every_time_and_fair(hand: Game, fast: Machine) -> None:
    one, two = learned(hand, fast), outlook(hand, machines(hand)[1])
    assert one is not None
    assert two is not None
    assert one.weights.tolist() == two.weights.tolist()
    assert one.base == two.base
    fast.look(ahead=100, onward=True)
    fast.call("games", 77, 0, 256)
    results = read_results(fast, 256).copy()
    counts = (results[:, 3] - 1) // 100 + 1
    guess = one.worth(notes(hand, fast, int(counts.sum())))
    assert guess.min() > 0
    assert guess.max() < 1
    of_game = np.repeat(np.arange(256), counts)
    use = np.full(len(of_game), True)
    use[np.cumsum(counts) - 1] = False
    found = shares(results, one.sides)[of_game[use]]
    wrong = ((guess[use] - found) ** 2).mean()
    assert wrong < 0.95 * found.var(), "it knows more than what is so in the mean"
    assert guess[use].mean() == pytest.approx(found.mean(), abs=0.03)


def test_short_games_and_those_with_a_score_are_played_on() -> None:
    for name in ("coins", "coinche", "three_kings"):
        game = load(name)
        assert Judge(game, machines(game)[1]).outlook is None
    short = climb("p wins", (">= 15", ">= 3"))
    assert learned(short, machines(short)[1]) is None


def test_nothing_is_learned_of_one_side_or_where_rules_go_wrong() -> None:
    alone = climb("p wins", ("players: 2", "players: 1"))
    assert learned(alone, machines(alone)[1]) is None
    wrong = climb("p wins", ("wind + 1", "wind + 7"), ("> 20", "> 999"))
    with pytest.raises(Trap):
        machines(wrong)[1].call("games", 0, 0, 16)
    assert learned(wrong, machines(wrong)[1]) is None


def test_partners_are_worth_the_same() -> None:
    teams = "players: 4\nteams: {ours: [0, 2], theirs: [1, 3]}"
    game = climb("team of p wins", ("players: 2", teams))
    found = outlook(game, machines(game)[1])
    assert found is not None
    layout = game.program.layout
    table = np.zeros((2, layout.table_size), np.uint8)
    heights = next(at for entry, at in layout.state.items() if entry.name == "height")
    table[0, heights - layout.table] = 9
    first, second = found.worth(table).tolist()
    assert first[0] == first[2] > 0.5 > first[1] == first[3]
    assert second[0] == pytest.approx(second[1])


def test_a_stopped_game_is_judged_by_its_table() -> None:
    game = climb()
    judge = Judge(game, machines(game)[1])
    state, row = begun(game, 3)
    judge.begin(state, row, 1)
    worth = judge.rollouts(state, row, 1)
    assert worth.games > 2
    assert 0 < worth.worth[0] < worth.games
    results = rolled(judge.machine, state, row, 4)
    assert (results[:, 3] == 4 + AHEAD).all()


def test_sides_are_teams_or_players() -> None:
    assert Sides.of(load("coinche")).seats == ((0, 2), (1, 3))
    alone = Sides.of(load("coins", 3))
    assert (len(alone), alone.of_seat, alone.firsts) == (3, (0, 1, 2), [0, 1, 2])
    assert isinstance(outlook(climb(), machines(climb())[1]), Outlook)
