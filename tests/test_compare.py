"""Variants: what differs in words, and in play over paired chance."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from rulebook.diagnostics import Problems
from rulebook.document import Mapping, read_document
from rulebook.engine.game import Game, load
from rulebook.pipeline import compile_source
from rulebook.render.report_compare import sentence
from rulebook.resolve import Setting
from rulebook.source import Source
from rulebook.tools.compare import (
    Change,
    Comparison,
    Difference,
    changes,
    compare,
    judged,
    settings_changed,
)
from rulebook.tools.measures import Estimate, Measure
from tests.test_play import Run, rulebook

__all__ = ["rulebook"]

ROOT = Path(__file__).resolve().parent.parent
COINS = (ROOT / "games/coins.yaml").read_text(encoding="utf-8")


def replaced(text: str, *pairs: tuple[str, str]) -> str:
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


DEALING = "    leader = left of dealer\n"
# The player who leads first gets a point for it.
FAVOURED = replaced(COINS, (DEALING, f"{DEALING}    score of leader += 1\n"))
# Another deck order, another way to deal and to keep score, the same game: the same chance numbers
# give other games.
REWRITTEN = replaced(
    COINS,
    ("suits: [cups, coins, swords, clubs]", "suits: [swords, cups, clubs, coins]"),
    (
        "    deal 16 from stock to each hand starting left of dealer\n",
        "    repeat 16 times: deal 1 from stock to each hand starting dealer\n",
    ),
    ("trick_points: count (trick where suit is coins)", "trick_points: sum worth in trick"),
    ("tables:\n", "tables:\n  worth: {of: suit, is: {coins: 1}, else: 0}\n"),
)


@cache
def game(text: str) -> Game:
    return compile_source(Source("game.yaml", text), Setting())


def sure(found: Comparison) -> dict[str, Difference]:
    return {one.measure.key: one for one in found.differences() if one.verdict == "sure"}


# ---- in words ----


def document(text: str) -> Mapping:
    found = read_document(Source("text.yaml", text), Problems())
    assert found is not None
    return found


def test_entries_added_changed_and_removed_are_told() -> None:
    before = document(
        "players: 2\nzones: {a: {ordered: yes}, b: {}}\nsteps:\n  match: |\n    do x\n    do y\n"
        "moves:\n  lay: {pick: c from a, do: stop}\n"
    )
    after = document(
        "players: 3\nzones: {a: {ordered: yes}, c: {}}\nsteps:\n  match: |\n    do x\n    do z\n"
        "moves:\n  lay: {pick: c from a, if: yes, do: stop}\nlimits: {plays: 9}\n"
    )
    found = list(changes(before, after))
    assert [(one.what, one.entry) for one in found] == [
        ("changed", "`players`"),
        ("removed", "zone `b`"),
        ("added", "zone `c`"),
        ("changed", "step `match`"),
        ("added", "move `lay`, `if`"),
        ("added", "`limits`"),
    ]
    assert list(found[3].lines()) == [("-", "do y"), ("+", "do z")]
    assert list(found[5].lines()) == [("+", "plays: 9")]


def test_spaces_comments_and_order_are_no_difference() -> None:
    before = document("zones: {a: {}, b: {}}\nsteps:\n  match: |\n    do x\n")
    after = document("steps:\n  match:   do   x  # again\nzones: {b: {}, a: {}}\n")
    assert list(changes(before, after)) == []


def test_other_values_of_options_are_told() -> None:
    found = list(settings_changed(load("coins"), load("coins", options={"target": 15})))
    assert found == [Change("changed", ("played", "target"), "10", "15")]


# ---- in play ----


def test_a_game_is_the_same_as_itself() -> None:
    found = compare(game(COINS), load("coins"), 500, seed=3, processes=1)
    assert {one.verdict for one in found.differences()} == {"same"}
    assert all(one.low == one.high == 0 for one in found.differences())


@pytest.mark.parametrize(("favoured", "sign"), [("after", 1), ("before", -1)])
def test_an_advantage_of_the_leader_is_found_in_both_directions(favoured: str, sign: int) -> None:
    pair = (game(COINS), game(FAVOURED))
    before, after = pair if favoured == "after" else pair[::-1]
    found = sure(compare(before, after, 3000, seed=1, processes=1))
    # Seat 0 deals first, so seat 1 leads first.
    assert sign * found["advantage.1"].value > 0.05
    assert sign * found["advantage.0"].value < 0
    assert sign * found["score.1"].value > 0
    words = sentence(found["advantage.1"])
    assert words.startswith("seat 1's advantage " + ("grows" if sign > 0 else "falls"))
    assert words.endswith("points of a hundred; sure")


def false_alarms(seeds: range, games: int) -> int:
    before, after = game(COINS), game(REWRITTEN)
    found = [compare(before, after, games, seed, processes=1) for seed in seeds]
    # The games themselves are not the same, or this would show nothing.
    assert all(any(d.value != 0 for d in one.differences()) for one in found)
    return sum(len(sure(one)) for one in found)


def test_a_rewritten_game_raises_no_alarm() -> None:
    assert false_alarms(range(8), 600) == 0


@pytest.mark.soak
def test_a_rewritten_game_seldom_raises_an_alarm() -> None:
    assert false_alarms(range(100), 5000) <= 5


@pytest.mark.soak
def test_an_advantage_is_found_with_every_seed() -> None:
    pair = game(COINS), game(FAVOURED)
    for seed in range(100):
        forth = sure(compare(*pair, 5000, seed, processes=1))
        back = sure(compare(*pair[::-1], 5000, seed, processes=1))
        assert forth["advantage.1"].value == -back["advantage.1"].value > 0


def test_pairs_make_the_interval_narrower() -> None:
    games = 3000
    found = compare(game(COINS), game(FAVOURED), games, seed=1, processes=1)
    one = next(d for d in found.differences() if d.measure.key == "score.1")
    assert one.before is not None
    assert one.after is not None
    widths = [side.high - side.low for side in (one.before, one.after)]
    apart = (widths[0] ** 2 + widths[1] ** 2) ** 0.5
    assert one.high - one.low < 0.6 * apart
    runs = [
        game(text).simulate(games, seed=1, processes=1).scores[:, 1] for text in (COINS, FAVOURED)
    ]
    gaps = runs[1].astype(int) - runs[0]
    assert one.value == pytest.approx(gaps.mean())
    half = 1.959963984540054 * gaps.std(ddof=1) / games**0.5
    assert one.high - one.low == pytest.approx(2 * half)


def test_the_numbers_do_not_depend_on_the_processes() -> None:
    pair = game(COINS), game(FAVOURED)
    one = compare(*pair, 4000, 9, processes=1).plain([])
    assert one == compare(*pair, 4000, 9, processes=2, alone=0.0).plain([])


def test_different_numbers_of_players_are_refused() -> None:
    with pytest.raises(ValueError, match="give both the same number"):
        compare(load("coins"), load("china_hand"), 10)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ("coins", "coinche"),
            "Coins is a game for 3 players, and Coinche for 4: there is no number that both can "
            "have, so they cannot be compared",
        ),
        (("coins", "coinche", "--players", "4"), "there is no number that both can have"),
        (
            ("coins", "three_kings"),
            "Coins has 3 players here, and Three Kings 2; both can have 3: give `--players 3`",
        ),
        (("china_hand", "coins", "--players", "4"), "Coins is a game for 3 players, not for 4"),
    ],
)
def test_a_number_of_players_that_both_have_is_named(
    rulebook: Run, arguments: tuple[str, ...], told: str
) -> None:
    code, out, err = rulebook("compare", *arguments, "--games", "10")
    assert (code, out) == (2, "")
    assert told in err


# ---- verdicts ----


def difference(chance: float, value: float = 1.0) -> Difference:
    side = Estimate(1.0, 0.0, 2.0)
    measure = Measure("plays", "length", "plays in a game", "plays")
    return Difference(measure, side, side, value, value - 0.5, value + 0.5, chance, "none")


def test_chances_are_corrected_for_the_number_of_measures() -> None:
    # By Holm: 0.001 x 4, 0.004 x 3, then never less than what came before.
    found = judged([difference(p) for p in (0.5, 0.001, 0.004, 0.006)], games=1000)
    assert [one.chance for one in found] == pytest.approx([0.5, 0.004, 0.012, 0.012])
    assert [one.verdict for one in found] == ["perhaps", "sure", "perhaps", "perhaps"]
    assert [one.verdict for one in judged([difference(0.0)], games=99)] == ["perhaps"]
    assert [one.verdict for one in judged([difference(0.9, 0.1)], games=1000)] == ["none"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (0.031, 0.004, "seat 1's advantage falls from 3.10 to 0.40 points of a hundred; sure"),
        (0.004, 0.031, "seat 1's advantage grows from 0.40 to 3.10 points of a hundred; sure"),
        (-0.01, -0.02, "seat 1's disadvantage grows from 1.00 to 2.00 points of a hundred; sure"),
        (
            -0.01,
            0.02,
            "seat 1 goes from a disadvantage of 1.00 to an advantage of 2.00 points of a hundred; "
            "sure",
        ),
    ],
)
def test_an_advantage_is_told_in_plain_words(old: float, new: float, said: str) -> None:
    measure = Measure("advantage.1", "advantage", "seat 1's advantage", "", share=True, signed=True)
    before, after = (Estimate(value, value - 0.01, value + 0.01) for value in (old, new))
    gap = new - old
    one = Difference(measure, before, after, gap, gap - 0.002, gap + 0.002, 0.0, "sure")
    assert sentence(one) == said


# ---- the command ----


def run_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from rulebook.cli import main; main()", "compare", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        env={**os.environ, "PYTHONUTF8": "1", "COLUMNS": "80"},
        check=False,
        timeout=120,
    )


def test_the_command_tells_words_and_play(tmp_path: Path) -> None:
    path = tmp_path / "favoured.yaml"
    path.write_text(FAVOURED, encoding="utf-8")
    done = run_command("coins", str(path), "--games", "2000")
    assert (done.returncode, done.stderr) == (0, "")
    assert "changed: step `deal_hands`\n  + score of leader += 1\n" in done.stdout
    assert "Seat 1's advantage grows from" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    found = json.loads(run_command("coins", str(path), "--games", "2000", "--json").stdout)
    assert found["measures"]["advantage.1"]["verdict"] == "sure"
    assert found["changes"][0]["entry"] == ["steps", "deal_hands"]


def test_an_option_can_be_what_varies() -> None:
    done = run_command("coins", "coins", "--games", "1500", "--vary", "target=15", "--json")
    found = json.loads(done.stdout)
    assert [change["entry"] for change in found["changes"]] == [["played", "target"]]
    assert found["measures"]["plays"]["verdict"] == "sure"
    assert found["options"][0]["target"] == "10"
    assert found["options"][1]["target"] == "15"


def test_what_cannot_be_compared_is_said() -> None:
    done = run_command("coins", "china_hand", "--games", "10")
    assert done.returncode == 2
    assert "both can have 3: give `--players 3`" in done.stderr
    assert "Traceback" not in done.stderr
