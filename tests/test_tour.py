"""docs/tour.md, done as a newcomer does it: every command and edit, in an empty folder."""

from __future__ import annotations

from pathlib import Path

import rulebook
from tests.walkthrough import ROOT, blocks_of, follow

TOUR = ROOT / "docs/tour.md"


def test_the_tour_works_as_it_is_written(tmp_path: Path) -> None:
    assert follow(TOUR, tmp_path, plain=("sh",)) >= 12
    assert {path.name for path in tmp_path.iterdir()} == {
        "heart_catch.yaml",
        "heart_catch.html",
        "spade_catch.yaml",
    }
    for name in ("heart_catch.yaml", "spade_catch.yaml"):
        assert rulebook.validate(str(tmp_path / name)) == []


def test_the_game_is_installed_as_the_readme_says() -> None:
    (install,) = (text for info, text in blocks_of(TOUR) if info == "sh")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(line in readme.splitlines() for line in install.splitlines())


def test_the_tour_shows_a_mistake_and_an_example_that_fails() -> None:
    shown = [text for info, text in blocks_of(TOUR) if info == "console"]
    assert sum("error[" in text for text in shown) == 1
    assert sum("does not hold" in text for text in shown) == 1
