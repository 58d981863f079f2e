"""Luck and skill: the ladder of players that think."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from rulebook.engine.game import Game, load
from rulebook.pipeline import compile_source
from rulebook.render.report_ladder import cells, skill, stopped
from rulebook.source import Source
from rulebook.tools.ladder import Ladder, Rung, interval, ladder, seed_of
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
# The second player chooses who wins.
NO_CHANCE = """\
rulebook: 1
game: Choice
players: 2
cards: {suits: [red], ranks: [1, 2]}
zones: {stock: {ordered: yes, seen by: nobody}}
moves:
  near: {do: 0 wins}
  far: {do: 1 wins}
steps:
  match: |
    gather all cards to stock
    1 chooses near or far
"""


def small(text: str) -> Game:
    return compile_source(Source("small.yaml", text))


def of_one_rung(won: float, low: float, high: float, deals: int = 20) -> Ladder:
    rung = Rung(100, 0, deals, 2 * deals, won, low, high, 0.5)
    return Ladder(small(LUCK), 1, 20, [(100, 0)], [rung])


def test_where_only_luck_decides_nothing_is_sure() -> None:
    (rung,) = ladder(small(LUCK), 30, budgets=(0, 8)).rungs
    assert (rung.games, rung.even) == (60, 0.5)
    # The same chance at both seats: each deal is won once and lost once.
    assert rung.won == 0.5
    assert rung.verdict == "none"
    assert rung.skill[1] <= 0 <= rung.skill[2]


def test_skill_is_found_and_the_same_seed_finds_the_same() -> None:
    game = load("coins", 3, {"target": 3})
    found = ladder(game, 6, budgets=(0, 12))
    assert found.plain() == ladder(game, 6, budgets=(0, 12)).plain()
    assert found.plain() != ladder(game, 6, 2, budgets=(0, 12)).plain()
    assert found.rungs[0].won > 0.5
    assert found.rungs[0].verdict == "stronger"


def test_without_chance_the_players_still_differ_from_deal_to_deal() -> None:
    (rung,) = ladder(small(NO_CHANCE), 40, budgets=(0, 8)).rungs
    # As the second player it wins always, as the first where the random player lets it. Players
    # that do the same in every deal would make just 0.5 or 1 of this.
    assert 0.65 < rung.won < 0.85
    assert rung.low < 0.75 < rung.high


def test_neighbouring_seeds_share_no_deals() -> None:
    assert len({seed_of(seed, deal) for seed in range(1, 5) for deal in range(20)}) == 80


def test_every_budget_meets_the_one_before_and_the_last_the_first() -> None:
    heard: list[int] = []
    found = ladder(small(LUCK), 2, budgets=(0, 2, 4), each=heard.append)
    assert [(one.better, one.other) for one in found.rungs] == [(2, 0), (4, 2), (4, 0)]
    assert found.whole
    assert found.last == found.rungs[-1]
    assert heard == list(range(1, 13))


def test_values_that_are_all_alike_are_not_sure() -> None:
    low, high = interval([1.0] * 4)
    assert high == 1
    assert low < 0.8
    assert interval([1.0] * 400)[0] > 0.99
    low, high = interval([0.0, 1.0] * 200)
    assert low == pytest.approx(0.451, abs=0.002)
    assert high == pytest.approx(0.549, abs=0.002)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.51, 0.9, "stronger"), (0.5, 0.9, "none"), (0.1, 0.5, "none"), (0.1, 0.49, "weaker")],
)
def test_the_verdict_is_what_the_interval_says(low: float, high: float, verdict: str) -> None:
    rung = Rung(100, 0, 50, 150, (low + high) / 2, low, high, 0.5)
    assert rung.verdict == verdict
    assert rung.plain()["verdict"] == verdict
    assert cells(rung)[-1] == ("not sure" if verdict == "none" else f"surely {verdict}")


def test_a_game_for_one_side_is_no_ladder(rulebook: Run, tmp_path: Path) -> None:
    alone = LUCK.replace("players: 2", "players: 1")
    with pytest.raises(ValueError, match="Coin has one side alone"):
        ladder(small(alone), 1)
    with pytest.raises(ValueError, match="0 deals cannot be played"):
        ladder(small(LUCK), 0)
    path = tmp_path / "alone.yaml"
    path.write_text(alone, encoding="utf-8")
    code, out, err = rulebook("simulate", str(path), "--ladder")
    assert (code, out) == (2, "")
    assert flat(err).startswith("rulebook: Coin has one side alone")


# ---- ended early ----


def interrupting(at: int) -> Callable[[int], None]:
    """Ctrl-C after so many games."""

    def heard(played: int) -> None:
        if played == at:
            signal.raise_signal(signal.SIGINT)

    return heard


def test_ctrl_c_keeps_the_deals_that_are_over() -> None:
    game = load("coins", 3, {"target": 2})
    # 5 deals of 3 games on the first rung; on the second 2, and a game of the third.
    found = ladder(game, 5, budgets=(0, 2, 4), each=interrupting(22))
    assert [one.deals for one in found.rungs] == [5, 2]
    assert not found.whole
    assert found.last is None
    assert found.rungs[0] == ladder(game, 5, budgets=(0, 2)).rungs[0]
    assert found.rungs[1] == ladder(game, 2, budgets=(2, 4)).rungs[0]
    assert stopped(found) == "Stopped after deal 2 of 5 on rung 2 of 3."
    assert "the last rung would tell" in skill(found)
    nothing = ladder(game, 5, budgets=(0, 2), each=interrupting(2))
    assert nothing.rungs == []
    assert stopped(nothing) == "Stopped before the first deal was over."


def test_the_command_tells_what_it_has_after_ctrl_c(
    rulebook: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def progress(games: int) -> Iterator[Callable[[int], None]]:
        assert games == 2 * 3 * 4
        yield interrupting(4)

    monkeypatch.setattr("rulebook.cli.ladder.progress", progress)
    arguments = ("simulate", COINS, "--ladder", "--games", "2", "--set", "target=1")
    code, out, err = rulebook(*arguments, "--json")
    assert (code, err) == (130, "")
    found = json.loads(out)
    assert [(one["better"], one["deals"]) for one in found["rungs"]] == [("search 25", 1)]
    code, out, err = rulebook(*arguments)
    assert (code, err) == (130, "")
    assert "Stopped after deal 1 of 2 on rung 1 of 4. " in flat(out)
    assert "search 25 against random" in out


# ---- what is said ----


def test_skill_is_told_in_a_sentence() -> None:
    assert skill(of_one_rung(0.9, 0.75, 0.95)).startswith("Skill: 80 parts of 100 (50 to 90) of")
    assert skill(of_one_rung(0.45, 0.3, 0.6)).startswith("Skill: 0 parts of 100 (0 to 20) of")
    assert skill(of_one_rung(0.1, 0.0, 0.3)).startswith(
        "Skill: none is found. The player that thinks longest surely wins less than its share"
    )


def test_the_command_climbs_it(rulebook: Run) -> None:
    arguments = ("simulate", COINS, "--ladder", "--games", "1", "--set", "target=1", "--seed", "4")
    code, out, err = rulebook(*arguments, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    rungs = found.pop("rungs")
    assert found == {
        "game": "Coins",
        "players": 3,
        "options": {"target": "1", "oldest": "0"},
        "chance": True,
        "seed": 4,
        "asked": 1,
    }
    assert [(one["better"], one["other"]) for one in rungs] == [
        ("search 25", "random"),
        ("search 100", "search 25"),
        ("search 400", "search 100"),
        ("search 400", "random"),
    ]
    assert rungs[0]["won"]["low"] <= rungs[0]["won"]["value"] <= rungs[0]["won"]["high"]
    code, out, err = rulebook(*arguments)
    assert (code, err) == (0, "")
    assert out.startswith("Coins, 3 players: 1 deal a rung, seed 4\nOptions: target=1\n")
    assert "`search 25` makes 25 trials at each choice" in flat(out)
    shown = f"search 25 against random {100 * rungs[0]['won']['value']:.1f} % "
    assert shown in flat(out)
    assert "search 400 against search 100 " in out  # in a line of 80
    assert "no chance" not in out


def test_a_game_without_chance_is_said_to_have_none(rulebook: Run, tmp_path: Path) -> None:
    path = tmp_path / "choice.yaml"
    path.write_text(NO_CHANCE, encoding="utf-8")
    code, out, _ = rulebook("simulate", str(path), "--ladder", "--games", "2")
    assert code == 0
    assert "The rules have no chance, so every deal is the same: deals differ only in" in flat(out)
    assert json.loads(rulebook("simulate", str(path), "--ladder", "--json")[1])["chance"] is False


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--bots", "random"),
        ("--html", "x.html"),
        ("--on", "dask://localhost:1"),
        ("--processes", "2"),
        ("--table", "x.csv"),
    ],
)
def test_options_that_do_not_go_with_it_are_refused(rulebook: Run, option: str, value: str) -> None:
    code, out, err = rulebook("simulate", COINS, "--ladder", option, value)
    assert (code, out) == (2, "")
    assert flat(err) == f"rulebook: `--ladder` goes without `{option}`"


def test_the_number_of_deals_is_what_is_told(
    rulebook: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def instead(game: Game, deals: int, seed: int, each: Any) -> Ladder:
        asked.append(deals)
        return of_one_rung(0.9, 0.8, 1.0)

    monkeypatch.setattr("rulebook.tools.ladder.ladder", instead)
    for games in ((), ("--games", "100000"), ("--games", "100,000")):
        assert rulebook("simulate", COINS, "--ladder", *games)[0] == 0
    assert asked == [20, 100_000, 100_000]
