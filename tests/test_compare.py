"""Variants: what differs in words, and in play over paired chance."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from rulebook.cli.compare import changed
from rulebook.diagnostics import Problems
from rulebook.document import Mapping, read_document
from rulebook.engine.game import Game, load
from rulebook.pipeline import compile_source
from rulebook.render.report_compare import (
    GROUPS,
    beside,
    figures,
    name_of,
    once_a_team,
    sentence,
)
from rulebook.resolve import Setting
from rulebook.source import Source
from rulebook.tools.compare import (
    Change,
    Comparison,
    Difference,
    changes,
    compare,
    judged,
    paired,
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


def step(text: str) -> Mapping:
    return document(f"steps:\n  match: |\n{text}")


IF_AND_MORE = "    if a:\n      do x\n      do y\n    do z\n"


def test_what_stands_under_a_condition_is_a_difference() -> None:
    before, after = step(IF_AND_MORE), step("    if a:\n      do x\n    do y\n    do z\n")
    (found,) = changes(before, after)
    assert (found.what, found.path) == ("changed", ("steps", "match"))
    assert list(found.lines()) == [("-", "  do y"), ("+", "do y")]


@pytest.mark.parametrize(
    "after",
    [
        "        if a:\n            do x\n            do y\n        do z\n",
        "    # 1\n    if a:   # a comment\n\n      do  x\n    # 2\n      do y\n    do z\n",
        "    if (a):\n      do x\n      do y\n    do z\n\n",
    ],
)
def test_another_layout_of_rule_text_is_no_difference(after: str) -> None:
    assert list(changes(step(IF_AND_MORE), step(after))) == []


def test_rule_text_on_one_line_or_several_is_no_difference() -> None:
    before = document("steps: {one: 'x'}\ndefine:\n  a: b or c\n  d: |\n    if e: return f\n")
    after = document(
        "steps: {one: 'x'}\ndefine:\n  a: |\n    b\n    or c\n  d: |\n    if e:\n      return f\n"
    )
    assert list(changes(before, after)) == []


def test_what_is_said_differs_by_its_words_and_not_by_its_lines() -> None:
    before = document('about: |\n  No. # 1\n  of us\nsteps:\n  match: |\n    say "a # b"\n')
    after = document('about: |\n  No. # 1 of us\nsteps:\n  match: |\n    say "a # c"\n')
    assert [one.path for one in changes(before, after)] == [("steps", "match")]
    assert list(changes(document("about: 'No. # 1'"), document("about: 'No. # 2'")))


def test_the_items_of_lists_are_held_against_each_other() -> None:
    assert list(changes(document("words: [a b, c]"), document("words: [a, b c]")))
    assert list(changes(document("words: [a, b]"), document("words: [b, a]")))
    assert not list(changes(document("words: [a, b]"), document("words:\n- a\n- b\n")))


def test_lines_of_must_in_another_order_are_a_difference() -> None:
    before = document("moves:\n  lay:\n    must:\n      A: a\n      B: b\n      C: c\n")
    after = document("moves:\n  lay:\n    must:\n      B: b\n      A: a\n      D: d\n")
    found = list(changes(before, after))
    must = ("moves", "lay", "must")
    assert [(one.what, one.path) for one in found] == [
        ("changed", must),
        ("removed", (*must, "C")),
        ("added", (*must, "D")),
    ]
    assert (found[0].before, found[0].after) == ("A\nB", "B\nA")


def test_what_is_no_rule_comes_last_in_one_sentence() -> None:
    words = changed(load("coins"), load("suit_ring"))
    assert [one.path for one in words] == [
        ("define", "winning_card"),
        ("define", "strong"),
        ("game",),
        ("credits",),
        ("link",),
        ("about",),
    ]
    said = beside(words)
    assert said == "Beside the rules: changed `game`, `credits`, `about`; removed `link`."


def test_examples_are_told_between_files_that_stand_alone(tmp_path: Path) -> None:
    path = tmp_path / "copy.yaml"
    path.write_text(replaced(COINS, ("  the circle closes, for", "  so")), encoding="utf-8")
    words = changed(load("coins"), load(str(path)))
    assert [(one.what, one.path[0]) for one in words] == [
        ("removed", "examples"),
        ("added", "examples"),
    ]
    assert beside(words) == "Beside the rules: added 1 example; removed 1 example."
    # In both directions, a variant does not hold the examples of its base.
    assert all(one.path[0] != "examples" for one in changed(load("suit_ring"), load("coins")))


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


def test_what_only_one_game_has_is_measured_without_a_verdict() -> None:
    pair = load("coinche"), load("silent_lead")
    found = compare(*pair, 400, seed=1, processes=1)
    line = "must.play.Lead no trump to the first trick, if you hold another card"
    one = next(one for one in found.differences() if one.measure.key == line)
    assert (one.before, one.verdict) == (None, "alone")
    assert one.after is not None
    assert 0.01 < one.after.value < 0.03
    plain = found.plain([])["measures"]
    assert plain[line]["before"] is None
    assert plain[line]["after"]["value"] == one.after.value
    assert [plain[line][key] for key in ("difference", "chance", "verdict")] == [None] * 3
    assert plain["plays"]["verdict"] is not None
    back = compare(*pair[::-1], 400, seed=1, processes=1).plain([])["measures"]
    assert (back[line]["before"], back[line]["after"]) == (plain[line]["after"], None)


def test_a_name_that_differs_is_told_for_both() -> None:
    ours, theirs = (Measure("limited", "ends", f"stopped at {n}", "limited") for n in (5, 9))
    ((one, other),) = paired([ours], [theirs])
    assert (one, other) == (replace(ours, title="stopped at 5 / stopped at 9"), theirs)


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
    # What only one game has takes no part.
    found = judged([replace(difference(1.0), verdict="alone"), difference(0.009)], games=1000)
    assert [(one.chance, one.verdict) for one in found] == [(1.0, "alone"), (0.009, "sure")]


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


def run_command(*arguments: str, columns: int = 80) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from rulebook.cli import main; main()", "compare", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        env={**os.environ, "PYTHONUTF8": "1", "COLUMNS": str(columns)},
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


def test_measures_stand_under_headings() -> None:
    out = run_command("coinche", "silent_lead", "--games", "200", columns=100).stdout
    lines = out.splitlines()
    heads = next(line for line in lines if "before" in line)
    assert heads.split("  ")[-1].strip() == "verdict"
    headings = [line for line in lines if line.strip() in GROUPS.values()]
    assert headings == [text for group, text in GROUPS.items() if group != "ends"]
    moves = lines.index(GROUPS["moves"])
    assert lines[moves + 1].split()[0] == "bid"
    assert "perhaps: at times by chance; -: no sign" in out
    # Partners fare alike, and are told once.
    assert [line.split("  ")[1] for line in lines if line.startswith("  team ")] == [
        "team North and South",
        "team East and West",
    ] * 2
    assert "seat 2" not in out
    alone = lines[lines.index(heads) :].index(
        next(line for line in lines if line.startswith("  play: Lead no trump"))
    )
    assert re.search(r" -   +\d\.\d+ %\s*$", lines[lines.index(heads) + alone])
    assert "that file has no such thing" in out


def test_partners_who_fare_unlike_are_told_apart() -> None:
    def seat(number: int, after: float) -> Difference:
        measure = Measure(f"score.{number}", "scores", f"seat {number}'s score", "")
        sides = Estimate(1.0, 1.0, 1.0), Estimate(after, after, after)
        return Difference(measure, *sides, after - 1, after - 1, after - 1, 0.0, "sure")

    found = [seat(0, 2.0), seat(1, 3.0), seat(2, 2.0), seat(3, 4.0)]
    told = once_a_team(found, load("coinche"))
    assert [name_of(one) for one in told] == ["team North and South", "seat 1", "seat 3"]
    assert sentence(told[0]).startswith("team North and South's score: from 1.00 up to 2.00")
    assert once_a_team(found[:3], load("coins")) == found[:3]


@cache
def silent_leads() -> Comparison:
    return compare(load("coinche"), load("silent_lead"), 200, seed=1, processes=1)


@pytest.mark.parametrize("columns", [30, 40, 60, 74, 75, 80, 120])
def test_no_number_is_cut_on_a_narrow_screen(columns: int) -> None:
    done = run_command("coinche", "silent_lead", "--games", "200", columns=columns)
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= columns
    out = " ".join(done.stdout.split())
    for one in silent_leads().differences():
        if one.verdict in ("same", "alone") or one.measure.group == "ends":
            continue
        assert one.before is not None
        assert one.after is not None
        by, show = (100 if one.measure.share else 1), figures(one)
        for value in (one.before.value, one.after.value, one.low, one.high):
            assert f"{abs(value * by):,.{show}f}" in out
    assert ("changes of the lead in a game" in out) == (columns < 75 or columns == 120)
    if 40 <= columns < 75:
        at = lines.index("  plays in a game")
        assert re.fullmatch(r"    before \d+\.\d+, after \d+\.\d+", lines[at + 1])
        assert re.match(r"    by [-+]?[\d.]+ \([-+][\d.]+ to", lines[at + 2])


@pytest.mark.parametrize(
    ("games", "variant", "said"),
    [
        (
            50,
            "target=20",
            "With fewer than 100 pairs nothing is called sure; 11 stand out, and more games would "
            "tell.",
        ),
        (50, "target=10", "Every game went the same way."),
    ],
)
def test_few_games_make_nothing_sure(rulebook: Run, games: int, variant: str, said: str) -> None:
    arguments = ("--games", str(games), "--vary", variant, "--processes", "1")
    code, out, _ = rulebook("compare", "coins", "coins", *arguments)
    assert code == 0
    assert " ".join(out.split()).endswith(said)


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
