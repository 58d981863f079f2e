"""What takes part in examples and in random games."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rulebook.cli.app import app
from rulebook.diagnostics import Problems
from rulebook.pipeline import compile_source, load_document, load_source
from rulebook.source import Source
from rulebook.tools.coverage import Coverage
from rulebook.tools.examples import run_source
from tests.test_rulebook_test import HOLDS, RULES


def covered(source: Source, games: int = 0) -> Coverage:
    problems = Problems()
    found = Coverage()
    run_source(source, problems, watch=found.watch)
    document = load_document(source, problems)
    assert document is not None
    assert not list(problems)
    game = compile_source(source)
    if games:
        assert found.play(game, games) == ""
    found.fill(game.checked, document)
    return found


def test_places_that_examples_do_not_reach_are_named() -> None:
    found = covered(Source("a.yaml", RULES + HOLDS))
    missing = [place.missing for place in found.missed]
    assert "never chosen: `lay`" in missing
    assert "never drops anything: `Follow suit if you can`" in missing
    assert "never false: `suit of c is red`" in missing
    assert "never done: `players finish by score`" in missing
    assert "never looked up: `worth of 4`" in missing
    assert "never looked up: `worth of 1`" not in missing
    assert "never done: `highest rank in pile`" not in missing


def test_random_games_add_what_they_reach() -> None:
    found = covered(Source("a.yaml", RULES + HOLDS), 200)
    assert [place.missing for place in found.missed] == []
    lay = next(place for place in found.places if place.what == "move")
    assert lay.count == 400
    assert found.games == 200


def test_a_must_line_takes_part_when_it_drops_something() -> None:
    example = (
        "  one:\n    at: one_round\n"
        "    given: {{dealer: 1, pile: [1 of red], hand of 0: [{}, 3 of blue]}}\n"
    )
    ends = "    legal: [3 of blue]\n"
    free = covered(Source("a.yaml", RULES + example.format("2 of blue") + ends))
    bound = covered(
        Source("a.yaml", RULES + example.format("2 of red") + "    illegal: [3 of blue]\n")
    )
    counts = [[p.count for p in c.places if p.what == "must"] for c in (free, bound)]
    assert counts[0] == [0]
    assert counts[1][0] > 0


def test_the_listing_marks_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small.yaml").write_text(RULES + HOLDS, encoding="utf-8")
    result = CliRunner().invoke(app, ["test", "small.yaml", "--coverage"])
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert "   18 +   top_card: highest rank in pile" in lines
    assert "   24 -     do: move c to pile" in lines
    assert any(line.startswith("   17 ~") for line in lines)
    assert any(line.endswith("^ never false: `suit of c is red`") for line in lines)
    result = CliRunner().invoke(
        app, ["test", "small.yaml", "--coverage", "--games", "50", "--players", "2,3", "--json"]
    )
    (report,) = json.loads(result.output)
    assert (report["coverage"]["games"], report["coverage"]["missed"]) == (100, 0)


@pytest.mark.soak
@pytest.mark.parametrize("name", ["coins", "china_hand", "three_kings", "coinche"])
def test_examples_of_the_games_reach_every_obligation_and_every_scoring_line(name: str) -> None:
    source = load_source(name, Problems())
    assert source is not None
    missed = covered(source).missed
    assert [place.missing for place in missed if place.what == "must"] == []
    scoring = [place for place in missed if place.entry.startswith("define ")]
    assert [place.missing for place in scoring] == []
