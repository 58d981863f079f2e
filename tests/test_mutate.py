"""Small changes of rules, and whether examples notice them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from rulebook.cli.app import app
from rulebook.diagnostics import Problems
from rulebook.pipeline import load_document, load_source
from rulebook.source import Source
from rulebook.tools.mutate import Trial, try_changes
from rulebook.tools.mutations import OPERATORS, Mutation, mutations
from tests.test_rulebook_test import HOLDS, RULES

ROOT = Path(__file__).parents[1]
GAMES = ["coins", "china_hand", "three_kings", "coinche"]


def changes(text: str) -> list[Mutation]:
    source = Source("a.yaml", text)
    document = load_document(source, Problems())
    assert document is not None
    return mutations(document, source)


def told(operator: str) -> list[str]:
    return [one.told for one in changes(RULES + HOLDS) if one.operator == operator]


def test_operators_apply_wherever_they_fit() -> None:
    assert told("table-value-changed") == ["`5` becomes `6`", "`2` becomes `3`"]
    assert told("must-line-dropped") == ["`suit of c is suit of last of pile` becomes `yes`"]
    assert not told("rank-swapped"), "numbers say their order"
    assert told("sign-swapped") == ["`+` becomes `-`"]
    assert "`highest` becomes `lowest`" in told("extreme-swapped")
    assert "`shuffle stock` dropped" in told("statement-dropped")
    assert told("start-dropped") == ["`starting left of dealer` dropped"] * 2


@pytest.mark.parametrize("name", GAMES)
def test_changed_files_are_still_yaml(name: str) -> None:
    problems = Problems()
    source = load_source(name, problems)
    assert source is not None
    document = load_document(source, problems)
    assert document is not None
    found = mutations(document, source)
    assert len(found) > 40
    for one in found[:: max(len(found) // 40, 1)]:
        assert one.changed != source.text
        yaml.load(one.changed, yaml.CSafeLoader)


def test_the_operators_are_documented() -> None:
    text = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([a-z-]+)` \|", text, re.MULTILINE) == list(OPERATORS)


def tried(text: str, processes: int, games: int = 400) -> Trial:
    problems = Problems()
    trial = try_changes(Source("a.yaml", text), problems, processes, games=games)
    assert not problems.errors
    assert trial is not None
    return trial


def test_what_no_example_notices_is_told() -> None:
    trial = tried(RULES + HOLDS, 1)
    found = {f"{o.mutation.operator}: {o.mutation.told}": o.found for o in trial.outcomes}
    assert found["extreme-swapped: `highest` becomes `lowest`"] == "noticed"
    assert found["table-value-changed: `5` becomes `6`"] == "noticed"
    assert found["table-value-changed: `2` becomes `3`"] == "unnoticed"
    assert (
        found["must-line-dropped: `suit of c is suit of last of pile` becomes `yes`"] == "unnoticed"
    )
    assert trial.share is not None
    assert 0 < trial.share < 1


def test_what_changes_nothing_is_shown_apart() -> None:
    text = RULES.replace("define:\n", "define:\n  spare: 7\n") + HOLDS
    trial = tried(text, 1, 100)
    (one,) = [o for o in trial.outcomes if o.mutation.told == "`7` becomes `8`"]
    assert one.found == "no effect"


def test_ranks_that_change_places_count_though_random_games_go_alike() -> None:
    rules = RULES.replace("ranks: [1, 2, 3, 4]", "ranks: [fool, 1, 2, 3, 4, knave]")
    assert rules != RULES
    trial = tried(rules + HOLDS, 1, 100)
    swaps = {
        o.mutation.told: o.found for o in trial.outcomes if o.mutation.operator == "rank-swapped"
    }
    assert swaps == {
        "`fool, 1` becomes `1, fool`": "unnoticed",
        "`4, knave` becomes `knave, 4`": "unnoticed",
    }


def test_a_file_whose_examples_fail_is_not_changed() -> None:
    problems = Problems()
    text = RULES + HOLDS.replace("4 of red, value", "2 of blue, value")
    assert try_changes(Source("a.yaml", text), problems, 1) is None
    assert [problem.slug for problem in problems] == ["example-fails"]


@pytest.mark.soak
def test_the_result_does_not_depend_on_the_number_of_processes() -> None:
    one, two = tried(RULES + HOLDS, 1), tried(RULES + HOLDS, 2)
    assert [o.found for o in one.outcomes] == [o.found for o in two.outcomes]


@pytest.mark.soak
@pytest.mark.parametrize("name", GAMES)
def test_examples_of_the_games_notice_nine_changes_in_ten(name: str) -> None:
    problems = Problems()
    source = load_source(name, problems)
    assert source is not None
    trial = try_changes(source, problems)
    assert trial is not None
    assert trial.share is not None
    assert trial.share >= 0.9


@pytest.mark.soak
def test_the_report_of_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small.yaml").write_text(RULES + HOLDS, encoding="utf-8")
    result = CliRunner().invoke(app, ["test", "small.yaml", "--mutate", "--processes", "1"])
    assert "small.yaml: examples notice" in result.output
    assert "No example notices these changes:" in result.output
