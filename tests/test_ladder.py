"""Luck and skill: the ladder of players that think."""

from __future__ import annotations

import json

import pytest

from rulebook.engine.game import load
from rulebook.pipeline import compile_source
from rulebook.source import Source
from rulebook.tools.ladder import Rung, interval, ladder, lines
from tests.test_play import COINS, Run, flat, rulebook

__all__ = ["rulebook"]

# A coin decides, whatever is chosen.
LUCK = """\
rulebook: 1
game: Coin
players: 2
cards: {suits: [red], ranks: [1, 2]}
zones: {stock: {ordered: yes, seen by: nobody}}
state: {lucky: player}
moves:
  near: {}
  far: {}
steps:
  match: |
    gather all cards to stock
    for p in players: p chooses near or far
    lucky = random from players
    lucky wins
"""


def test_where_only_luck_decides_nothing_is_sure() -> None:
    game = compile_source(Source("luck.yaml", LUCK))
    (rung,) = ladder(game, 30, budgets=(0, 8))
    assert (rung.games, rung.fair) == (60, 0.5)
    # The same chance at both seats: each deal is won once and lost once.
    assert rung.won == 0.5
    assert not rung.sure
    assert rung.skill[1] <= 0 <= rung.skill[2]


def test_skill_is_found_and_the_same_seed_finds_the_same() -> None:
    game = load("coins", 3, {"target": 3})
    found = ladder(game, 6, budgets=(0, 12))
    assert found == ladder(game, 6, budgets=(0, 12))
    assert found[0].won > 0.5
    assert found[0].sure


def test_every_budget_meets_the_one_before_and_the_last_the_first() -> None:
    game = compile_source(Source("luck.yaml", LUCK))
    heard: list[int] = []
    rungs = ladder(game, 2, budgets=(0, 2, 4), each=heard.append)
    assert [(rung.better, rung.other) for rung in rungs] == [(2, 0), (4, 2), (4, 0)]
    assert heard == list(range(1, 13))


def test_values_that_are_all_alike_are_not_sure() -> None:
    low, high = interval([1.0] * 4)
    assert high == 1
    assert low < 0.8
    assert interval([1.0] * 400)[0] > 0.99
    low, high = interval([0.0, 1.0] * 200)
    assert low == pytest.approx(0.451, abs=0.002)
    assert high == pytest.approx(0.549, abs=0.002)


def test_it_is_told_in_sentences() -> None:
    rung = Rung(100, 0, 50, 150, 0.9, 0.8, 0.96, 1 / 3)
    told = lines([rung])
    assert told[0].startswith("search 100 against random: wins 90.0 of 100 games (80.0 to 96.0;")
    assert told[0].endswith("stronger, surely")
    assert told[1].startswith("Skill: 85 parts of 100 (70 to 94)")


def test_the_command_climbs_it(rulebook: Run) -> None:
    arguments = ("simulate", COINS, "--ladder", "--games", "1", "--set", "target=1")
    code, out, err = rulebook(*arguments, "--json")
    assert (code, err) == (0, "")
    assert [(one["better"], one["other"]) for one in json.loads(out)] == [
        ("search 25", "random"),
        ("search 100", "search 25"),
        ("search 400", "search 100"),
        ("search 400", "random"),
    ]
    code, _, err = rulebook(*arguments, "--table", "x.csv")
    assert code == 2
    assert "`--ladder` goes without `--table`" in flat(err)
