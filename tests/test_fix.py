"""`rulebook validate --fix` and `--watch`."""

from __future__ import annotations

import os
import stat
import sys
import threading
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rulebook.cli.app import app
from rulebook.cli.watch import watch
from rulebook.diagnostics import Fix, Problem
from rulebook.pipeline import validate_file
from rulebook.source import Source, Span
from rulebook.tools import fix as fix_tool
from rulebook.tools.fix import fixed
from tests.test_language import ERRORS

RUNNER = CliRunner()
GOOD = (
    (Path(__file__).parent / "language/errors/names/unknown-zone.yaml")
    .read_text()
    .replace("to pil\n", "to pile\n")
)


def faulty(*changes: tuple[str, str]) -> str:
    text = GOOD
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


MANY = faulty(
    ("move c to pile", "mvoe c to pil"),
    ("    do:", "    if: suit of c == red && c.rank != 2\n    do:"),
    ("repeat 2 times:", "repeat 2 times"),
    ("player of highest", "player of higest"),
)
RIGHT = faulty(("    do:", "    if: suit of c is red and rank of c is not 2\n    do:"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "game.yaml"
    path.write_text(MANY, encoding="utf-8")
    return path


def test_mistakes_behind_one_another_are_fixed_in_one_run(file: Path) -> None:
    result = RUNNER.invoke(app, ["validate", "--fix", str(file)])
    assert file.read_text(encoding="utf-8") == RIGHT
    assert "`is` for `==`" in result.output
    assert f"{file}:14:19: fixed: `is` for `==`" in result.output
    assert "`move` for `mvoe`" in result.output


def test_a_sound_file_is_not_touched(file: Path) -> None:
    file.write_text(GOOD, encoding="utf-8")
    os.utime(file, ns=(1, 1))
    result = RUNNER.invoke(app, ["validate", "--fix", str(file)])
    assert result.output == f"{file}: no problems\n"
    assert file.stat().st_mtime_ns == 1


def test_line_ends_marks_and_rights_stay(file: Path) -> None:
    text = faulty(("to pile", "to pil")).replace("\n", "\r\n")
    file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    file.chmod(0o640)
    assert RUNNER.invoke(app, ["validate", "--fix", str(file)]).exit_code == 0
    assert file.read_bytes() == b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [path.name for path in file.parent.iterdir()] == ["game.yaml"]


def test_a_link_stays_a_link(file: Path) -> None:
    link = file.parent / "link.yaml"
    link.symlink_to(file)
    RUNNER.invoke(app, ["validate", "--fix", str(link)])
    assert link.is_symlink()
    assert "mvoe" not in file.read_text(encoding="utf-8")


def test_what_changed_is_told_apart_from_what_programs_read(file: Path) -> None:
    result = RUNNER.invoke(app, ["validate", "--fix", "--format", "json", str(file)])
    assert "fixed:" in result.stderr
    assert "fixed:" not in result.stdout


def test_a_file_that_changed_meanwhile_is_left_alone(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slowly(source: Source) -> tuple[str, list[fix_tool.Change]]:
        file.write_text("# saved by an editor\n", encoding="utf-8")
        return fixed(source)

    monkeypatch.setattr(fix_tool, "fixed", slowly)
    result = RUNNER.invoke(app, ["validate", "--fix", str(file)])
    assert "was changed meanwhile" in result.stderr
    assert file.read_text(encoding="utf-8") == "# saved by an editor\n"


def test_a_failed_write_leaves_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    result = RUNNER.invoke(app, ["validate", "--fix", str(file)])
    assert "cannot be written: no space left on device" in result.stderr
    assert file.read_text(encoding="utf-8") == MANY
    assert [path.name for path in file.parent.iterdir()] == ["game.yaml"]


@pytest.mark.parametrize("path", ERRORS, ids=lambda path: path.stem)
def test_no_file_gets_worse(path: Path) -> None:
    source = Source(path.name, path.read_bytes().decode())
    text, changes = fixed(source)
    before = len(fix_tool._problems(source))
    again = fix_tool._problems(Source(path.name, text))
    assert bool(changes) is (text != source.text)
    if changes:
        assert len(again) <= before
        assert fixed(Source(path.name, text))[0] == text


def test_a_fix_that_does_harm_is_not_applied(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source("game.yaml", faulty(("to pile", "to pil")))
    at = source.text.index("to pil") + 3
    span = Span(source, at, at + 3)
    real = fix_tool._problems

    def with_bad_fix(checked: Source) -> list[Problem]:
        found = real(checked)
        if checked != source:
            return found
        return [Problem(p.slug, p.message, p.span, fix=Fix(span, "(((")) for p in found]

    monkeypatch.setattr(fix_tool, "_problems", with_bad_fix)
    assert fixed(source) == (source.text, [])


def test_fixes_that_touch_one_another_are_not_made_together() -> None:
    source = Source("game.yaml", "abcdef")
    problem = Problem("slug", "", None)
    fixes = [Fix(Span(source, *place), "") for place in ((2, 4), (0, 2), (3, 5), (5, 6))]
    chosen = fix_tool._apart([(problem, one) for one in fixes])
    assert [(one.span.start, one.span.end) for _, one in chosen] == [(0, 2), (3, 5)]


# ---- watch ----


def test_a_save_is_checked_again(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rulebook.cli.watch.PAUSE", 0.01)
    found: list[int] = []

    def save() -> None:
        time.sleep(0.1)
        file.write_text(GOOD, encoding="utf-8")

    saving = threading.Thread(target=save)
    saving.start()
    watch([str(file)], lambda: found.append(len(validate_file(str(file)))), rounds=2)
    saving.join()
    assert found[0] > 0
    assert found[1] == 0
    assert capsys.readouterr().out.count("watching; Ctrl-C ends") == 2


def test_ctrl_c_ends_watching(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    watch([str(file)], interrupt)
    assert capsys.readouterr().out == "\n"


def test_the_screen_is_cleared_on_a_terminal_only(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    watch([str(file)], lambda: None, rounds=1)
    assert "\x1b" not in capsys.readouterr().out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    watch([str(file)], lambda: None, rounds=1)
    assert capsys.readouterr().out.startswith("\x1b[2J")


def test_fix_and_watch_do_not_go_together(file: Path) -> None:
    assert RUNNER.invoke(app, ["validate", "--fix", "--watch", str(file)]).exit_code == 2
