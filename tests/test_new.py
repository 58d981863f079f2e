"""`rulebook new`: files to begin with."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import rulebook
from rulebook.cli.app import app
from rulebook.diagnostics import Problems
from rulebook.engine.game import load
from rulebook.render.problems import render
from rulebook.resources import shipped_games, shipped_variants
from rulebook.tools.examples import run_file
from rulebook.tools.format import format_text
from tests.chance import play_on, random_players

RUNNER = CliRunner()


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def new(*words: str, code: int = 0) -> str:
    result = RUNNER.invoke(app, ["new", *words])
    assert result.exit_code == code, result.output
    return result.output


def schema_of(path: Path) -> Path:
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# yaml-language-server: $schema=")
    place = first.partition("$schema=")[2]
    if place.startswith("file:"):
        return Path(place.removeprefix("file://"))
    return path.parent / place


def test_a_new_game_can_be_played_at_once() -> None:
    assert new("river_cards") == (
        "river_cards.yaml is written. Play it: rulebook play river_cards.yaml\n"
    )
    path = Path("river_cards.yaml")
    assert rulebook.validate(str(path)) == []
    assert schema_of(path).is_file()
    game = load(str(path), players=3)
    assert game.name == "River Cards"
    match = game.start(seed=2)
    play_on(match, random_players(2))
    assert match.over
    assert match.scores is not None
    assert sum(match.scores) == 8
    problems = Problems()
    results = run_file(str(path), problems)
    assert not list(problems)
    assert len(results) == 2
    assert all(result.passed for result in results)


def test_a_new_game_is_small_commented_and_in_the_usual_layout() -> None:
    new("tiny")
    text = Path("tiny.yaml").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 80
    assert len(re.findall(r"^# ", text, re.MULTILINE)) >= 5
    assert format_text(text)[0] == text


@pytest.mark.parametrize("base", [*shipped_games(), *shipped_variants()])
def test_a_new_variant_is_sound_and_so_is_what_it_proposes(base: str) -> None:
    new("mine", "--from", base)
    path = Path("mine.yaml")
    assert rulebook.validate("mine.yaml") == [], render(rulebook.validate("mine.yaml"))
    text = path.read_text(encoding="utf-8")
    assert all(len(line) <= 100 for line in text.splitlines())
    assert load("mine.yaml").name == "Mine"
    assert load("mine.yaml").options == load(base).options
    assert format_text(text)[0] == text
    # With the `#` taken away in front of the options they are what they were.
    part = text.partition("\n# options:\n")[2].partition("\n\n")[0]
    options = "".join(line.removeprefix("# ") + "\n" for line in part.splitlines())
    path.write_text(f"{text}\noptions:\n{options}", encoding="utf-8")
    assert rulebook.validate("mine.yaml") == [], render(rulebook.validate("mine.yaml"))
    assert load("mine.yaml").options == load(base).options


def test_what_a_variant_may_change_is_named() -> None:
    new("mine", "--from", "coins")
    text = Path("mine.yaml").read_text(encoding="utf-8")
    assert "extends: coins\n" in text
    assert "\n#   target: {default: 10}\n" in text
    assert "# define: winning_suit, winning_card, trick_points\n" in text
    assert "#   - move play" in text
    # What it says can be removed can be, by its words.
    removed = text.replace("# remove:\n#   -", "remove:\n  -")
    Path("mine.yaml").write_text(removed, encoding="utf-8")
    assert "nothing-to-remove" not in {p.slug for p in rulebook.validate("mine.yaml")}


def test_a_variant_of_a_file_stands_beside_it(here: Path) -> None:
    new("first")
    new("second", "--from", "first.yaml")
    assert "extends: first.yaml\n" in Path("second.yaml").read_text(encoding="utf-8")
    assert rulebook.validate("second.yaml") == []
    (here / "below").mkdir()
    output = new("below/third", "--from", "first.yaml", code=2)
    assert "`first.yaml` is in another folder" in output
    assert not (here / "below" / "third.yaml").exists()
    new("below/first")
    new("below/third", "--from", "below/first.yaml")
    assert rulebook.validate("below/third.yaml") == []
    assert schema_of(Path("below/third.yaml")).is_file()


def test_nothing_is_overwritten() -> None:
    Path("kept.yaml").write_text("mine\n", encoding="utf-8")
    assert "`kept.yaml` is there already, and is left as it is" in new("kept.yaml", code=2)
    assert Path("kept.yaml").read_text(encoding="utf-8") == "mine\n"


@pytest.mark.parametrize("name", ["a:b", "-", "", ".hidden", "_x", "what?", "a#b", "x\ny"])
def test_a_name_must_be_one(name: str) -> None:
    result = RUNNER.invoke(app, ["new", "--", name])
    assert result.exit_code == 2
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    ("name", "title"),
    [("old maid", "Old Maid"), ("old-maid.yaml", "Old Maid"), ("Ässä", "Ässä"), ("7_up", "7 Up")],
)
def test_names_become_titles(name: str, title: str) -> None:
    new(name)
    (path,) = Path().iterdir()
    assert path.suffix == ".yaml"
    assert load(str(path)).name == title


def test_what_cannot_be_done_is_one_message() -> None:
    assert "no-such-game" in new("mine", "--from", "coin", code=1)
    assert "cannot be written" in new("nowhere/mine", code=2)
    Path("bad.yaml").write_text("rulebook: 1\ngame: Bad\n", encoding="utf-8")
    assert "missing-key" in new("mine", "--from", "bad.yaml", code=1)
    assert not Path("mine.yaml").exists()
