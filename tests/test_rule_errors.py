"""Rules that go wrong in play: each is told at its place, and the match stands where it was."""

from __future__ import annotations

import time

import pytest

from rulebook.diagnostics import Problem
from rulebook.engine.game import Game
from rulebook.engine.match import RuleError
from rulebook.pipeline import Setting, compile_source
from rulebook.source import Source
from tests.chance import play_on, random_players

HEAD = """\
rulebook: 1
game: Small
players: 2
cards:
  suits: [red, blue]
  ranks: [1, 2, 3, 4]
zones:
  stock: {ordered: yes, seen by: nobody}
  hand: {each: player, seen by: owner}
  pile: {ordered: yes, seen by: everyone}
  blind: {each: player, ordered: yes, seen by: nobody}
"""
STATE = """\
tables:
  rank_value: {of: rank, is: {1: 1, 2: 2, 3: 3, 4: 4}}
state:
  n: 0..9
  taker: player or none
  broken: flag
  score: {each: player, is: -9..9}
"""
LAY = "  lay:\n    pick: c from hand of mover\n    do: move c to pile\n"
STEPS = """\
steps:
  match: |
    gather all cards to stock
    shuffle stock
    deal 3 from stock to each hand starting 0
    repeat 3 times:
      for p in players: p chooses lay or wait
    players finish by score
"""


def small(move: str, define: str = "", steps: str = STEPS, head: str = HEAD) -> Game:
    """A small game with the moves `lay` and `wait`, which does what the text says."""
    lines = "".join(f"      {line}\n" for line in move.splitlines())
    wait = f"  wait:\n    do: |\n{lines}" if move else "  wait: {about: Do nothing}\n"
    text = head + STATE + define + "moves:\n" + LAY + wait + steps
    return compile_source(Source("small.yaml", text), Setting())


def stops(game: Game, typed: str = "wait") -> Problem:
    """The problem of a move after which rules go wrong; the match must stand as before."""
    match = game.start(1)
    match.play("lay " + match.moves[0].text.removeprefix("lay "))
    before = (match.state, [str(m) for m in match.moves], list(match.events), list(match.played))
    began = time.process_time()
    with pytest.raises(RuleError) as caught:
        match.play(typed)
    assert time.process_time() - began < 2
    now = (match.state, [str(m) for m in match.moves], list(match.events), list(match.played))
    assert now == before
    match.play(match.moves[0])  # Play goes on from there.
    return caught.value.problem


def place(problem: Problem) -> str:
    assert problem.span is not None
    return problem.span.text.split("\n")[0]


# ---- rules that go wrong ----

LOOPS = {
    "while": ("while any pile: n = 1", "while any pile: n = 1"),
    "silent while": ("let m = 0\nwhile any pile: m += 0\nn = m", "while any pile: m += 0"),
    "repeat": ("repeat:\n  n = 2\n  if no pile: mover wins", "repeat:"),
    "until": ("repeat:\n  n = 2\nuntil no pile", "repeat:"),
    "times": (
        "repeat 1000000 times:\n  repeat 1000000 times: broken = not broken",
        "repeat 1000000 times: broken = not broken",
    ),
    "numbers": ("for i in 1..1000000:\n  for j in 1..1000000:\n    n = 3", "1..1000000"),
    "cards": ("while any pile:\n  move last of pile to pile", "while any pile:"),
}


@pytest.mark.parametrize("name", LOOPS)
def test_an_endless_loop_is_stopped_at_its_line(name: str) -> None:
    text, line = LOOPS[name]
    game = small(text)
    problem = stops(game)
    assert problem.slug == "endless-loop"
    assert place(problem) == line
    assert "player 2 to move" in problem.label
    began = time.process_time()
    with pytest.raises(RuleError) as caught:
        list(game.random_games(50))
    assert time.process_time() - began < 2
    assert caught.value.problem.span == problem.span


def test_an_endless_loop_in_a_definition_is_stopped() -> None:
    define = "define:\n  deep: |\n    let m = 0\n    while m < 5: m += 0\n    return 1\n"
    problem = stops(small("n = deep", define))
    assert (problem.slug, place(problem)) == ("endless-loop", "while m < 5: m += 0")


def test_an_endless_loop_before_the_first_choice_is_stopped() -> None:
    steps = STEPS.replace("    shuffle stock\n", "    while any stock: n = 1\n")
    began = time.process_time()
    with pytest.raises(RuleError) as caught:
        small("", steps=steps).start(1)
    assert time.process_time() - began < 2
    assert place(caught.value.problem) == "while any stock: n = 1"


def test_an_endless_loop_between_choices_is_stopped() -> None:
    steps = STEPS.split("    repeat 3")[0] + (
        "    0 chooses lay\n    repeat:\n      if n is 1: 0 chooses wait\n      if n is 2: 0 wins\n"
    )
    match = small("n = 2", steps=steps).start(1)
    with pytest.raises(RuleError) as caught:
        match.play(match.moves[0])
    assert caught.value.problem.slug == "endless-loop"
    assert place(caught.value.problem) == "repeat:"
    assert match.played == []


def test_loops_that_end_may_be_long_and_many() -> None:
    steps = STEPS.replace("repeat 3 times", "repeat 60 times").replace("lay or wait", "wait")
    game = small("repeat 900 times: broken = not broken\nn = 4", steps=steps)
    match = game.start(1)
    play_on(match, random_players(1))  # 120 choices, over 100,000 turns of loops.
    assert match.over
    (batch,) = game.random_games(3)
    assert batch.plays == [120] * 3


def test_a_game_without_end_is_stopped() -> None:
    steps = STEPS.split("    repeat 3")[0] + (
        "    repeat:\n      0 chooses wait\n      if n is 9: 0 wins\n"
    )
    with pytest.raises(RuleError) as caught:
        list(small("n = 1", steps=steps).random_games(1))
    assert caught.value.problem.slug == "endless-game"
    assert place(caught.value.problem) == "0 chooses wait"


WRONG = {
    "none as an index": ("score of taker = 1", "none-used", "taker"),
    "none that is counted from": ("taker = left of taker", "none-used", "taker"),
    "an attribute of none": (
        "n = rank_value of first of blind of 0",
        "none-used",
        "first of blind of 0",
    ),
    "a number too high": (
        "n = n + 10 - count pile + 1",
        "number-out-of-range",
        "n + 10 - count pile + 1",
    ),
    "a number too low": ("n -= count pile", "number-out-of-range", "n -= count pile"),
    "another one's": (
        "score of 0 = 8 + 2 * count pile",
        "number-out-of-range",
        "8 + 2 * count pile",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_value_that_cannot_be_used_is_told_at_its_place(name: str) -> None:
    text, slug, where = WRONG[name]
    problem = stops(small(text))
    assert (problem.slug, place(problem)) == (slug, where)
    assert problem.span is not None
    assert problem.span.source.path == "small.yaml"
    assert problem.message


def test_the_number_that_left_its_range_is_told() -> None:
    assert stops(small("n = 8 + 2 * count pile")).message.endswith("it is 10")


def test_a_definition_without_a_value_is_told() -> None:
    define = "define:\n  found: |\n    for c in pile:\n      if rank of c is 9: return 1\n"
    define = define.replace("is 9", "is 4 and suit of c is red and broken")
    problem = stops(small("n = found", define))
    assert problem.slug == "no-value"
    assert problem.span is not None
    assert problem.span.text.startswith("found")


def test_nobody_may_be_without_a_move() -> None:
    steps = STEPS.replace("lay or wait", "lay").replace("repeat 3", "repeat 4")
    game = small("", steps=steps)
    match = game.start(1)
    with pytest.raises(RuleError) as caught:
        play_on(match, random_players(1))
    problem = caught.value.problem
    assert (problem.slug, place(problem)) == ("no-legal-move", "p chooses lay")
    assert len(match.played) == 5
    assert len(match.moves) == 1
    with pytest.raises(RuleError) as caught:
        list(game.random_games(1))
    assert caught.value.problem.span == problem.span


def test_more_moves_than_there_is_room_for_are_told() -> None:
    picks = "      a in 1..64\n      b in 1..64\n      k in 1..2\n"
    move = f"    pick: |\n{picks}    do: n = a - a + b - b + k\n"
    text = HEAD + STATE + "moves:\n" + LAY + "  wait:\n" + move + STEPS
    with pytest.raises(RuleError) as caught:
        compile_source(Source("small.yaml", text), Setting()).start(1)
    assert caught.value.problem.slug == "too-many-choices"


def test_more_events_than_there_is_room_for_are_told() -> None:
    problem = stops(small("repeat 9000 times: n = 1"))
    assert problem.slug == "machine-stopped"
    assert problem.message == "more happens between two choices than there is room to tell"
