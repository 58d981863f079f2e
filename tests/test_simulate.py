"""Many random games: what is counted in each, the sums and intervals, and how they are told."""

from __future__ import annotations

import csv
import json
import os
import pickle
import re
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pexpect
import pytest

from rulebook.engine.events import Shuffled
from rulebook.engine.game import Game, load
from rulebook.engine.match import Match, RuleError
from rulebook.pipeline import compile_source
from rulebook.render.report_numbers import interval_of, value_of
from rulebook.resolve import Setting
from rulebook.source import Source
from rulebook.tools import shards
from rulebook.tools.measures import Distribution, Ints, Measure, Moments, wilson
from rulebook.tools.shards import Crew, Lost
from rulebook.tools.simulate import Simulation, Survey, simulate, survey
from tests.chance import game_seed, random_players
from tests.test_play import Run, rulebook

__all__ = ["rulebook"]

ROOT = Path(__file__).resolve().parent.parent
SEED = 11

SMALL = """\
rulebook: 1
game: Small
players: 3
cards:
  suits: [red, blue]
  ranks: [1, 2, 3, 4, 5, 6]
tables:
  worth: {of: rank, is: {1: 4, 2: -3}, else: 1}
zones:
  stock: {ordered: yes, seen by: nobody}
  hand: {each: player, seen by: owner}
  pile: {ordered: yes, seen by: everyone}
state:
  score: {each: player, is: -200..200}
moves:
  lay:
    pick: c from hand of mover
    must:
      Follow suit if you can:
        for: pile is not empty
        keep: suit of c is suit of first of pile
      Go above if you can:
        for: pile is not empty
        keep: c is highest rank in (pile with c)
    do: move c to pile
  pass: {do: move first of hand of mover to bottom of stock}
steps:
  match: |
    repeat 3 times:
      gather all cards to stock
      shuffle stock
      deal 4 from stock to each hand starting 0
      repeat 4 times:
        for p in players: p chooses lay
        for p in players: score of p += sum worth in (pile where player is p)
        gather pile to stock
    players finish by RANKED
"""
SMALL = SMALL.replace("  pass: {do: move first of hand of mover to bottom of stock}\n", "")


def report_page(found: Survey) -> str:
    from rulebook.render.report_html import page

    return page(found)


def small(ranked: str = "score", text: str = SMALL) -> Game:
    return compile_source(Source("small.yaml", text.replace("RANKED", ranked)), Setting(3))


# ---- what is counted, against matches that are watched from outside ----


def watched(game: Game, seed: int, lowest: bool = False) -> Counter[str]:
    """One random game, counted by looking at the match before every choice."""
    match = game.start(seed)
    players = random_players(seed)
    found: Counter[str] = Counter()
    leader: int | None = None
    scored = "score" in game.checked.state

    def look() -> None:
        nonlocal leader
        if not scored:
            return
        scores = scores_of(match)
        best = min(scores) if lowest else max(scores)
        for entry, score in enumerate(scores):
            found[f"behind.{entry}"] = max(found[f"behind.{entry}"], abs(best - score))
        alone = [entry for entry, score in enumerate(scores) if score == best]
        if not match.over and (len(alone) == 1 or leader is not None):
            found["led"] = 1
        if len(alone) == 1:
            found["leads"] += leader is not None and leader != alone[0]
            leader = alone[0]

    while not match.over:
        look()
        found["offered"] += len(match.moves)
        found["forced"] += len(match.moves) == 1
        for name in dropping(match):
            found[name] += 1
        move = match.listed[players.below(len(match.listed))]
        found[f"move.{move.name}"] += 1
        match.play(move)
    look()
    found["shuffles"] = sum(isinstance(event, Shuffled) for event in match.events)
    found["choices"] = len(match.played)
    return +found


def scores_of(match: Match) -> list[int]:
    found = match.value("score")
    assert isinstance(found, dict)
    return list(found.values())


def dropping(match: Match) -> set[str]:
    """The `must` lines that take away a card the mover holds."""
    found = set()
    name = match.moves[0].name
    declared = match.game.checked.moves[name]
    if not declared.musts:
        return set()
    cards = match.value("hand")
    assert isinstance(cards, dict)
    legal = {str(move) for move in match.moves}
    for card in list(cards.values())[match.mover]:
        if f"{name} {card}" in legal:
            continue
        reason = match.why(f"{name} {card}")
        assert reason.rule is not None
        for line, must in enumerate(declared.musts):
            if reason.rule in (must.span, must.keep.span):
                found.add(f"must.{name}.{line}")
    return found


def counted(run: Simulation, number: int) -> Counter[str]:
    row = run.rows[number].tolist()
    found = dict(zip(run.table.counters, row[4 + run.game.players :], strict=True))
    return +Counter({**found, "choices": row[3]})


@pytest.mark.parametrize("lowest", [False, True])
def test_counters_are_what_a_watcher_counts(lowest: bool) -> None:
    game = small("lowest score" if lowest else "score")
    run = simulate(game, 40, SEED, 1)
    for number in range(40):
        assert counted(run, number) == watched(game, game_seed(SEED, number), lowest)
    assert all(run.columns[f"must.lay.{line}"].sum() > 0 for line in (0, 1))
    assert run.columns["leads"].sum() > 0


@pytest.mark.parametrize(("name", "games"), [("coins", 6), ("coinche", 6), ("three_kings", 6)])
def test_counters_of_shipped_games_are_what_a_watcher_counts(name: str, games: int) -> None:
    game = load(name)
    run = simulate(game, games, SEED, 1)
    for number in range(games):
        assert counted(run, number) == watched(game, game_seed(SEED, number))


@pytest.mark.parametrize("name", ["coins", "china_hand"])
def test_measured_games_are_the_plain_ones(name: str) -> None:
    game = load(name)
    run = game.simulate(300, seed=5, processes=1)
    plain = list(game.random_games(300, 5))
    winners = [mask for batch in plain for mask in batch.winners]
    assert [sum(1 << s for s in np.flatnonzero(row)) for row in run.winners] == winners
    assert run.scores.tolist() == [row for batch in plain for row in batch.scores]
    assert run.lengths.tolist() == [plays for batch in plain for plays in batch.plays]
    limited = [int(one) for batch in plain for one in batch.limited]
    assert run.columns["limited"].tolist() == limited


@pytest.mark.parametrize(("ranked", "leader"), [("score", "most"), ("lowest score", "fewest")])
def test_the_report_says_which_end_of_the_scores_leads(ranked: str, leader: str) -> None:
    found = survey(small(ranked), 50, SEED, 1)
    assert found.plain()["leader"] == leader
    assert "comebacks" in found.plain()["measures"]
    assert f"Whoever has the {leader} points leads." in report_page(found)


def test_nothing_is_said_of_the_lead_where_points_may_be_bad() -> None:
    text = SMALL.replace(
        "players finish by RANKED", "for p in players where score of p > 9: p loses"
    )
    run = simulate(small(text=text), 50, SEED, 1)
    assert {"led", "leads", "behind", "comeback"}.isdisjoint(run.columns)
    found = run.survey.plain()
    assert found["leader"] is None
    assert {"leads", "comebacks", "behind"}.isdisjoint(found["measures"])
    assert "behind" not in found["distributions"]
    assert "score.0" in found["measures"]


def test_nothing_is_said_of_the_lead_where_nobody_led_before_the_end() -> None:
    text = SMALL.replace(
        "        for p in players: score of p +=", "        for p in players: held of p +="
    )
    text = text.replace("state:\n", "state:\n  held: {each: player, is: -200..200}\n")
    text = text.replace(
        "    players finish", "    for p in players: score of p = held of p\n    players finish"
    )
    found = survey(small(text=text), 50, SEED, 1)
    assert found.moments.sum("led") == 0
    assert {"leads", "comebacks", "behind"}.isdisjoint(found.plain()["measures"])
    assert {"leads", "behind"}.isdisjoint(found.plain()["distributions"])
    assert "leads." not in report_page(found)
    assert "score.0" in found.plain()["measures"]


LIMITS = """\
rulebook: 1
game: Coming back
players: 2
cards: {suits: [red], ranks: [1, 2]}
zones: {hand: {each: player, seen by: everyone}}
moves:
  stay: {}
  pass: {pick: c from hand of mover, do: move c to hand of left of mover}
steps:
  match: |
    gather all cards to hand of 0
    repeat:
      for p in players: p chooses pass or stay
limits: {plays: 7, repeats: 4}
"""


def test_each_limit_is_told_apart() -> None:
    found = simulate(compile_source(Source("limits.yaml", LIMITS)), 300, SEED, 1)
    columns, plays = found.columns, found.lengths
    assert (columns["limited"] == 1).all()
    assert columns["limited.plays"].tolist() == (plays == 7).astype(int).tolist()
    assert columns["limited.repeats"].tolist() == (plays < 7).astype(int).tolist()
    assert 0 < columns["limited.repeats"].sum() < 300
    titles = {measure.key: measure.title for measure in found.survey.measures}
    assert titles["limited.plays"] == "games stopped at 7 plays"
    assert titles["limited.repeats"] == "games stopped since the same position came 4 times"
    assert "limited" not in titles
    assert not any(
        key.startswith("limited") for key in survey(small(), 5, 1, 1).plain()["measures"]
    )


def test_a_team_that_wins_does_not_share_its_win() -> None:
    run = load("coinche").simulate(200, processes=1)
    assert (run.winners.sum(axis=1) == 2).all()
    assert run.columns["shared"].sum() == 0
    assert run.columns["undecided"].sum() == 0


# ---- sums and intervals ----


@pytest.mark.parametrize(
    ("hits", "games", "low", "high"),
    # From Wilson's formula worked out by hand, and tables of it.
    [(0, 10, 0.0, 0.27753), (10, 10, 0.72247, 1.0), (50, 100, 0.40383, 0.59617)],
)
def test_wilson_intervals(hits: int, games: int, low: float, high: float) -> None:
    assert wilson(hits, games) == pytest.approx((low, high), abs=1e-5)


def test_means_and_ratios_have_the_spread_of_the_textbook() -> None:
    random = np.random.default_rng(3)
    per = random.integers(5, 40, 4000)
    over = random.binomial(per, 0.3)
    columns = {"over": over, "per": per, "games": np.ones(4000, np.int64)}
    moments = Moments(list(columns))
    for part in np.array_split(np.arange(4000), [100, 101, 3000]):
        moments.add({name: column[part] for name, column in columns.items()})
    mean = moments.spread(("per", "games"), ("per", "games"))
    assert mean == pytest.approx(statistics.variance(per.tolist()) / 4000, rel=1e-12)
    # Trials are alike and independent, so the ratio is a plain share of them.
    ratio = moments.spread(("over", "per"), ("over", "per"))
    assert ratio == pytest.approx(0.3 * 0.7 / per.sum(), rel=0.1)
    both = moments.spread(("over", "games"), ("per", "games"))
    assert both == pytest.approx(np.cov(over, per)[0, 1] / 4000, rel=1e-9)


@pytest.mark.parametrize("large", [2**28 + 1, 2**31 - 1])
def test_sums_are_exact_however_large(large: int) -> None:
    column = np.array([large, -large - 1, large - 2])
    moments = Moments(["x"])
    moments.add({"x": column})
    moments.add({"x": column})
    assert moments.sum("x") == 2 * sum(column.tolist())
    assert moments.product("x", "x") == 2 * sum(x * x for x in column.tolist())


@pytest.mark.skipif(not hasattr(time, "thread_time"), reason="time of one thread")
def test_sums_leave_the_other_cores_alone() -> None:
    columns: dict[str, Ints] = {str(at): np.arange(8192) % (at + 5) for at in range(30)}
    moments = Moments(list(columns))
    moments.add(columns)
    ours, whole = time.thread_time(), time.process_time()
    for _ in range(20):
        moments.add(columns)
    ours, whole = time.thread_time() - ours, time.process_time() - whole
    assert whole - ours < 0.2 * ours


HIT = Measure("move.x", "moves", "x", "move.x")
FLAG = Measure("shared", "ends", "games with several winners", "move.x", share=True, flag=True)
AMOUNT = Measure("behind", "lead", "the most a winner was behind", "move.x", amount=True)


@pytest.mark.parametrize(
    ("measure", "games", "value", "interval"),
    [
        # Once of one game says nothing of others; never in n games bounds how rare it is.
        (HIT, [90], "90", ""),
        (HIT, [90, 90, 90], "90", "in all of them"),
        (HIT, [0], "never", ""),
        (HIT, [0, 0], "never", "in at most 66 % of games"),
        (HIT, [0] * 100, "never", "in at most 3.7 % of games"),
        (HIT, [0, 3], "1.5", "0.0 to 4.4"),
        (FLAG, [1], "100 %", ""),
        (FLAG, [0, 0], "never", "at most 66 %"),
        (FLAG, [1, 1], "100 %", "34 to 100"),
        (AMOUNT, [0, 0], "0", "in all of them"),
        (AMOUNT, [-3, 3], "0.0", "-5.9 to 5.9"),
    ],
)
def test_few_games_are_told_as_few(
    measure: Measure, games: list[int], value: str, interval: str
) -> None:
    moments = Moments(["move.x", "games"])
    moments.add({"move.x": np.array(games), "games": np.ones(len(games), np.int64)})
    found = moments.estimate(measure)
    assert value_of(measure, found) == value
    assert interval_of(measure, found, len(games)) == interval


def test_one_game_has_no_intervals() -> None:
    found = survey(load("coins"), 1, 1, 1)
    assert all(one["low"] is one["high"] is None for one in found.plain()["measures"].values())
    assert "stroke-width" not in report_page(found)
    two = survey(load("coins"), 2, 1, 1)
    assert all(one["low"] <= one["value"] for one in two.plain()["measures"].values())
    assert "stroke-width" in report_page(two)


def test_distributions_count_and_share_out() -> None:
    found = Distribution()
    values = [0, 0, 3, 7, 7, 7, 25, -4, 10**9]
    found.add(np.array(values[:4]))
    found.add(np.array(values[4:]))
    assert found.counts == Counter(values)
    assert [found.quantile(share) for share in (0, 0.5, 1)] == [-4, 7, 10**9]
    near = Distribution()
    near.add(np.arange(27, 130))
    bins = near.bins(12)
    assert sum(count for _, _, count in bins) == 103
    assert len(bins) <= 12
    assert all(low % 10 == 0 and high == low + 9 for low, high, _ in bins)


def test_the_report_of_rows_is_the_report_of_the_run() -> None:
    game = small()
    run = simulate(game, 500, SEED, 1)
    assert run.survey.plain() == survey(game, 500, SEED, 1).plain()
    value = run.survey.plain()["measures"]["score.1"]["value"]
    assert value == pytest.approx(run.scores[:, 1].mean())


def test_moves_that_are_shown_alike_are_told_apart() -> None:
    found = survey(load("three_kings"), 10, 1, 1).measures
    titles = [measure.title for measure in found if measure.group == "moves"]
    assert len(set(titles)) == len(titles) >= 3


# ---- processes ----


def test_the_numbers_do_not_depend_on_the_processes() -> None:
    game = load("coins")
    one = game.simulate(20_000, seed=3, processes=1)
    two = simulate(game, 20_000, 3, 2, alone=0.0)
    assert np.array_equal(one.rows, two.rows)
    sums = survey(game, 20_000, 3, 3, alone=0.0).plain()
    assert sums == one.survey.plain()


def test_a_worker_that_is_lost_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    hired: list[subprocess.Popen[bytes]] = []
    hire = Crew.hire

    def noted(self: Crew, number: int) -> subprocess.Popen[bytes]:
        hired.append(hire(self, number))
        return hired[-1]

    monkeypatch.setattr(Crew, "hire", noted)
    killed: list[int] = []

    def kill_once(_: object, first: int, __: object) -> None:
        if first > 0 and not killed:
            killed.append(hired[0].pid)
            hired[0].kill()

    game = load("coins")
    found = survey(game, 30_000, 3, 2, kill_once, alone=0.0)
    assert killed
    assert len(hired) == 3
    assert found.plain() == survey(game, 30_000, 3, 1).plain()
    assert all(worker.poll() is not None for worker in hired)


def test_workers_that_are_lost_again_and_again_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "WORKER", "raise SystemExit(3)")
    with pytest.raises(Lost, match="again and again"):
        survey(load("coins"), 1000, 3, 2, alone=0.0)


def test_workers_end_with_their_parent() -> None:
    task = simulate_task()
    worker = subprocess.Popen(
        [sys.executable, "-c", shards.WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert worker.stdin is not None
    assert worker.stdout is not None
    pickle.dump(task, worker.stdin)
    pickle.dump((1, 0, 5), worker.stdin)
    worker.stdin.flush()
    rows = pickle.load(worker.stdout)
    assert rows == shards.Player(task).play(1, 0, 5)
    worker.send_signal(signal.SIGINT)  # Ctrl-C is the parent's to answer.
    worker.stdin.close()
    assert worker.wait(20) == 0
    worker.stdout.close()


def simulate_task() -> shards.Task:
    from rulebook.tools.simulate import module_of

    return module_of(load("coins"))[1]


@pytest.mark.parametrize(("processes", "alone"), [(1, 9.0), (2, 0.0)])
def test_rules_that_go_wrong_tell_the_game(processes: int, alone: float) -> None:
    text = SMALL.replace("is: -200..200", "is: -200..9")
    game = small(text=text)
    with pytest.raises(RuleError) as found:
        simulate(game, 5000, SEED, processes, alone=alone)
    problem = found.value.problem
    assert problem.slug == "number-out-of-range"
    assert "in random game " in (problem.label or "")
    number = int((problem.label or "").split("random game ")[1].split()[0])
    simulate(game, number, SEED, 1)
    with pytest.raises(RuleError):
        simulate(game, number + 1, SEED, 1)


@pytest.mark.parametrize(("games", "processes"), [(-1, 1), (5, 0)])
def test_numbers_that_cannot_be_are_refused(games: int, processes: int) -> None:
    with pytest.raises(ValueError, match="cannot"):
        load("coins").simulate(games, processes=processes)


def test_no_games_are_no_rows() -> None:
    assert load("coins").simulate(0).winners.shape == (0, 3)


# ---- the command ----


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "from rulebook.cli import main; main()", *arguments]


def environment() -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key not in ("COLUMNS",)}
    return {**kept, "PYTHONUTF8": "1", "COLUMNS": "80"}


def run_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command("simulate", *arguments),
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        env=environment(),
        check=False,
        timeout=120,
    )


def test_the_report_fits_a_terminal_and_tells_the_measures() -> None:
    done = run_command("coinche", "--games", "400", "--seed", "4")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "Coinche, 4 players: 400 random games, seed 4"
    assert max(map(len, lines)) <= 80
    for text in ("Wins", "Scores at the end", "plays in a game", "Follow suit if you can", "never"):
        assert text in done.stdout
    measures = survey(load("coinche"), 400, 4, 1).plain()["measures"]
    row = next(line for line in lines if line.split()[:1] == ["0"]).split()
    assert float(row[1]) == pytest.approx(100 * measures["wins.0"]["value"], abs=0.05)


def test_json_is_the_same_for_any_processes_and_in_two_runs() -> None:
    arguments = ("coins", "--games", "3,000", "--json")
    one = run_command(*arguments, "--processes", "1")
    assert one.returncode == 0
    assert one.stderr == ""
    assert one.stdout == run_command(*arguments, "--processes", "2").stdout
    found = json.loads(one.stdout)
    assert found["games"] == found["asked"] == 3000
    assert found["measures"]["wins.0"]["low"] < 1 / 3 < found["measures"]["wins.0"]["high"]
    assert sum(found["distributions"]["plays"]["counts"].values()) == 3000


class Page(HTMLParser):
    """Tags that are open, and everything that leads out of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: Counter[str] = Counter()
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] += 1
        self.outside += [f"{name}={value}" for name, value in attrs if name in ("src", "href")]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    done = run_command("coins", "--games", "500", "--html", str(path))
    assert done.returncode == 0
    text = path.read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    assert page.open == []
    assert page.outside == []
    assert "url(" not in text
    assert page.seen["svg"] >= 5
    assert page.seen["table"] >= 5
    assert "Coins, 3 players: 500 random games, seed 1" in text
    # The seats' scores have one scale, so that they can be compared.
    figures = re.findall(r"<figure>.*?</figure>", text)
    scales = [re.findall(r">(\d+)</text>", one) for one in figures if "score at the end" in one]
    assert len(scales) == 3
    assert scales[0] == scales[1] == scales[2]
    # The highest column tells how high it is.
    assert all(len(re.findall(r">\d+ %</text>", one)) == 1 for one in figures[1:])


def test_tables_hold_a_row_for_each_game(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    from pyarrow import ipc

    run = load("coins").simulate(700, seed=2, processes=1)
    tables: list[dict[str, list[Any]]] = []
    for kind in ("csv", "parquet", "arrow"):
        path = tmp_path / f"games.{kind}"
        done = run_command("coins", "--games", "700", "--seed", "2", "--table", str(path))
        assert done.returncode == 0, done.stderr
        if kind == "csv":
            with path.open(encoding="utf-8", newline="") as file:
                rows = [{k: int(v) for k, v in row.items()} for row in csv.DictReader(file)]
            tables.append({name: [row[name] for row in rows] for name in rows[0]})
        elif kind == "parquet":
            tables.append(parquet.read_table(path).to_pydict())
        else:
            with ipc.open_file(path) as file:
                tables.append(file.read_all().to_pydict())
    assert tables[0] == tables[1] == tables[2]
    assert tables[0]["game"] == list(range(700))
    assert tables[0]["plays"] == run.lengths.tolist()
    assert tables[0]["won.2"] == run.winners[:, 2].astype(int).tolist()
    assert tables[0]["score.0"] == run.scores[:, 0].tolist()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("coins", "--games", "0"), "is not a number from 1 to 1,000,000,000,000"),
        (("coins", "--games", "-5"), "is not a number from 1 to 1,000,000,000,000"),
        (("coins", "--games", "1e4"), "is not a number from 1 to 1,000,000,000,000"),
        (("coins", "--games", "many"), "is not a number from 1 to 1,000,000,000,000"),
        (("coins", "--processes", "0"), "is not a number from 1 to"),
        (("coins", "--players", "9"), "a game for 3 players"),
        (("coins", "--set", "target=none"), "target"),
        (("coins", "--bots", "wizard"), "with `random` bots alone, not with `wizard`: `--ladder`"),
        (("coins", "--table", "games.xls"), "must end in one of"),
        (("coins", "--html", "nowhere/at/all.html"), "no such folder"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: tuple[str, ...], said: str) -> None:
    done = run_command(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_ctrl_c_before_the_games_is_answered(
    monkeypatch: pytest.MonkeyPatch, rulebook: Run
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rulebook.cli.simulate.loaded_game", interrupted)
    told = (130, "", "Stopped before there was anything to tell.\n")
    assert rulebook("simulate", "coins") == told


def test_help_offers_only_what_can_be_chosen(rulebook: Run) -> None:
    _, out, _ = rulebook("simulate", "--help")
    assert "--table" in out
    assert "--bots" not in out


def test_options_that_are_not_as_usual_are_told(rulebook: Run) -> None:
    arguments = ("simulate", "coins", "--games", "20", "--processes", "1")
    _, out, _ = rulebook(*arguments, "--set", "target=20", "--set", "oldest=0")
    assert out.splitlines()[1] == "Options: target=20"
    assert "Options" not in rulebook(*arguments)[1]
    found = survey(load("coins", options={"target": 20, "oldest": 2}), 20, 1, 1)
    assert "<p>Options: target=20, oldest=2</p>" in report_page(found)


@pytest.mark.parametrize("game", ["coins", "coinche", "china_hand", "three_kings"])
def test_narrow_terminals_cut_nothing(
    game: str, monkeypatch: pytest.MonkeyPatch, rulebook: Run
) -> None:
    arguments = ("simulate", game, "--games", "2000", "--processes", "1")
    wide = rulebook(*arguments)[1]
    monkeypatch.setenv("COLUMNS", "40")
    narrow = rulebook(*arguments)[1]
    assert max(map(len, narrow.splitlines())) <= 40
    assert "…" not in narrow

    def numbers(text: str) -> Counter[str]:
        return Counter(re.findall(r"[-+]?\d[\d,.]*", text))

    # The seats stand twice where the scores are in two tables.
    assert not numbers(wide) - numbers(narrow)


def test_ctrl_c_gives_the_report_so_far() -> None:
    running = subprocess.Popen(
        command("simulate", "coins", "--games", "1000000000", "--json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env=environment(),
        start_new_session=True,
    )
    time.sleep(3)
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert err == b""
    found = json.loads(out)
    assert 0 < found["games"] < found["asked"] == 10**9
    # They are the first games: what a shorter run says is the same.
    again = survey(load("coins"), found["games"], 1).plain()
    assert again["measures"] == found["measures"]
    assert again["distributions"] == found["distributions"]


@pytest.mark.parametrize(("columns", "bar", "rate"), [(100, True, True), (40, False, False)])
def test_progress_is_drawn_on_a_terminal(columns: int, bar: bool, rate: bool) -> None:
    kept = {key: value for key, value in environment().items() if key != "COLUMNS"}
    child = pexpect.spawn(
        sys.executable,
        ["-c", "from rulebook.cli import main; main()", "simulate", "coins", "--games", "600000"],
        cwd=str(ROOT),
        env=kept,
        encoding="utf-8",
        dimensions=(40, columns),
        timeout=60,
    )
    child.expect("[1-9][0-9]{0,2},[0-9]{3}.*/600,000.* games.*[0-9]:[0-9]{2}:[0-9]{2}")
    child.expect("600,000 random games")
    drawn = child.before
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert ("━" in drawn) is bar
    assert ("a second" in drawn) is rate
    assert "…" not in drawn


# ---- long runs ----


@pytest.mark.soak
def test_a_million_games_are_the_same_for_one_and_two_processes() -> None:
    game = load("coins")
    assert survey(game, 10**6, 1, 1).plain() == survey(game, 10**6, 1, 2).plain()


@pytest.mark.soak
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_memory_stays_flat() -> None:
    sizes: list[int] = []

    def each(found: object, first: int, rows: object) -> None:
        if first // 100_000 == len(sizes):
            pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
            sizes.append(pages * os.sysconf("SC_PAGE_SIZE"))

    survey(load("coins"), 10**7, 1, None, each)
    assert len(sizes) >= 90
    assert max(sizes[20:]) - sizes[20] < 8 * 2**20
