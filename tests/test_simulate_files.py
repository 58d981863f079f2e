"""The files that `rulebook simulate` writes: all or nothing, and never in place of the game."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest

from rulebook.whole_file import whole_file
from tests.test_play import Run, rulebook

__all__ = ["rulebook"]

ROOT = Path(__file__).resolve().parent.parent
COINS = (ROOT / "games/coins.yaml").read_text(encoding="utf-8")
FULL = Path("/dev/full")
FEW = ("--games", "300", "--processes", "1")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="a full disk is played by /dev/full")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--html", ""), "`` must end in .html or .htm"),
        (("--html", "-"), "`-` must end in .html or .htm"),
        (("--html", "games.csv", "--table", "games.csv"), "`games.csv` must end in .html or .htm"),
        (("--table", ""), "`` must end in one of .parquet, .arrow, .csv"),
        (("--table", "games.html"), "must end in one of"),
    ],
)
def test_names_that_cannot_be_meant_are_refused(
    arguments: tuple[str, ...], said: str, rulebook: Run
) -> None:
    code, out, err = rulebook("simulate", "coins", *FEW, *arguments)
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize(("option", "name"), [("--html", "mine.html"), ("--table", "mine.csv")])
def test_the_game_is_never_written_over(
    option: str, name: str, tmp_path: Path, rulebook: Run
) -> None:
    game, link = tmp_path / name, tmp_path / f"link{Path(name).suffix}"
    game.write_text(COINS, encoding="utf-8")
    link.symlink_to(game)
    for place in (game, link):
        code, out, err = rulebook("simulate", str(game), *FEW, option, str(place))
        assert (code, out) == (2, "")
        assert f"`{place}` is the game's own file" in err
    assert game.read_text(encoding="utf-8") == COINS


@needs_full
def test_the_report_is_told_though_the_page_cannot_be_written(
    tmp_path: Path, rulebook: Run
) -> None:
    path = tmp_path / "full.html"
    path.symlink_to(FULL)
    code, out, err = rulebook("simulate", "coins", *FEW, "--html", str(path))
    assert code == 2
    assert "Coins, 3 players: 300 random games" in out
    assert err == f"rulebook: `{path}` cannot be written: no space left on device\n"
    code, out, err = rulebook("simulate", "coins", *FEW, "--html", str(path), "--json")
    assert (code, json.loads(out)["games"]) == (2, 300)
    assert path.is_symlink()


@needs_full
@pytest.mark.parametrize("kind", [".csv", ".parquet", ".arrow"])
def test_a_table_that_cannot_be_written_ends_the_run_with_a_report(
    kind: str, tmp_path: Path, rulebook: Run
) -> None:
    if kind != ".csv":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"full{kind}"
    path.symlink_to(FULL)
    many = ("--games", "1000000", "--processes", "1", "--json")
    code, out, err = rulebook("simulate", "coins", *many, "--table", str(path))
    assert code == 2
    assert err == f"rulebook: `{path}` cannot be written: no space left on device\n"
    # Written a hundred thousand games at a time.
    assert 100_000 <= json.loads(out)["games"] < 200_000


def test_a_run_that_fails_leaves_the_file_that_was_there(tmp_path: Path, rulebook: Run) -> None:
    game, table = tmp_path / "bad.yaml", tmp_path / "games.csv"
    game.write_text(COINS.replace("is: 0..511", "is: 0..9"), encoding="utf-8")
    table.write_text("old\n", encoding="utf-8")
    table.chmod(0o640)
    code, _, err = rulebook("simulate", str(game), *FEW, "--table", str(table))
    assert code == 1
    assert "number-out-of-range" in err
    assert table.read_text(encoding="utf-8") == "old\n"
    code, _, err = rulebook("simulate", "coins", *FEW, "--table", str(table))
    assert (code, err) == (0, "")
    assert len(table.read_text(encoding="utf-8").splitlines()) == 301
    assert table.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.yaml", "games.csv"]


def test_a_file_is_there_when_it_is_complete(tmp_path: Path) -> None:
    path, link = tmp_path / "page.html", tmp_path / "link.html"
    link.symlink_to(path)
    with whole_file(str(link)) as place:
        place.write_text("new", encoding="utf-8")
        assert not path.exists()
    assert path.read_text(encoding="utf-8") == "new"
    with suppress(KeyboardInterrupt), whole_file(str(path)) as place:
        place.write_text("half", encoding="utf-8")
        raise KeyboardInterrupt
    assert path.read_text(encoding="utf-8") == "new"
    assert link.is_symlink()
    assert len(list(tmp_path.iterdir())) == 2
