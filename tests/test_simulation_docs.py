"""docs/simulation.md: its commands and its Python run, and its lists are of what there is."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from rulebook.engine.game import Game, load
from rulebook.render.report_table import TableFile
from rulebook.tools.compare import compare
from rulebook.tools.ladder import ladder
from rulebook.tools.simulate import simulate, survey
from tests.test_play import Run, rulebook

__all__ = ["rulebook"]
ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs/simulation.md").read_text(encoding="utf-8")
COMMANDS = [
    line.split("#")[0].split()[1:]
    for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.M | re.S)
    for line in block.splitlines()
]


def games() -> list[Game]:
    """Between them they have everything that is measured."""
    return [load(name) for name in ("coins", "coinche", "china_hand")]


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}")[1].split("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """The cells of all table rows below heads."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in found if not set(row[0]) <= {"-"} or not row[0]]


def named(cells: list[str]) -> set[str]:
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def general(name: str) -> str:
    """`must.play.0` as the page writes it."""
    first = name.partition(".")[0]
    if first in ("won", "score", "edge", "wins", "advantage"):
        return f"{first}.SEAT"
    if first == "must":
        return "must.NAME.LINE"
    return "move.NAME" if first == "move" else name


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_the_commands_run(
    rulebook: Run, arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if any(word.endswith(".parquet") for word in arguments) and not find_spec("pyarrow"):
        pytest.skip("the extra `tables` is not installed")
    monkeypatch.chdir(tmp_path)
    fewer = "1" if "--ladder" in arguments else "200"
    given = [fewer if arguments[at - 1] == "--games" else one for at, one in enumerate(arguments)]
    assert given != arguments
    if "--ladder" in given:
        given += ["--set", "target=1"]
    code, out, err = rulebook(*given)
    assert (code, err) == (0, "")
    assert "Coins" in out
    for path in (one for one in given if one.startswith("games.")):
        assert (tmp_path / path).stat().st_size > 0


def test_the_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)
    few = block.replace("20_000", "500")
    assert few != block
    exec(few, {})  # It is the page's own code.
    assert "'title': 'plays in a game'" in capsys.readouterr().out


def test_the_columns_are_those_of_the_table(tmp_path: Path) -> None:
    listed = named([row[0] for row in rows(section("`--table`"))])
    found: set[str] = set()
    more: set[str] = set()
    for at, game in enumerate(games()):
        path = tmp_path / f"{at}.csv"
        with TableFile(str(path)) as file:
            survey(game, 4, processes=1, each=file.add)
        heads = path.read_text(encoding="utf-8").splitlines()[0].split(",")
        found |= set(map(general, heads))
        more |= set(map(general, simulate(game, 1, processes=1).columns))
    assert listed == found
    beside = section("From Python").split("and these:")[1]
    assert more - found <= named([beside])
    assert named([beside]) <= more


def test_the_json_keys_are_those_there_are() -> None:
    coins = load("coins", None, {"target": 1})
    said: dict[str, dict[str, Any]] = {
        "`simulate`": survey(coins, 4, processes=1).plain(),
        "`compare`": compare(coins, coins, 4, processes=1).plain([]),
        "`--ladder`": ladder(coins, 1, budgets=(0, 1)).plain(),
    }
    json.dumps(said)
    head, *lines = [row for row in rows(section("The JSON")) if len(row) == 4]
    for column, command in enumerate(head[1:], 1):
        listed = {row[0].strip("`") for row in lines if row[column]}
        assert listed == set(said[command]), command
    text = section("The JSON")
    below = text.split("A measure of `simulate`")[1]
    parts = {
        "A measure of": (below.split("One of")[0], said["`simulate`"]["measures"]["plays"]),
        "One of": (
            below.split("One of")[1].split("\n\n")[0],
            said["`compare`"]["measures"]["plays"],
        ),
        "A rung": (below.split("A rung")[1], said["`--ladder`"]["rungs"][0]),
    }
    for part, (words, found) in parts.items():
        assert set(found) <= named([words]), part


def test_the_measures_are_those_there_are() -> None:
    listed = named([row[0] for row in rows(section("The JSON").split("| measure | |")[1])])
    found = {
        general(measure.key)
        for game in games()
        for measure in survey(game, 0, processes=1).all_measures
    }
    assert listed == found
