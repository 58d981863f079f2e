"""`rulebook validate` as a command: what it prints, its exit codes, and that it takes no time."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import rulebook
from rulebook.cli import COMMANDS
from rulebook.resources import folder

HERE = Path(__file__).resolve().parent
ERRORS = HERE / "language" / "errors"
COINS = str(folder("games") / "coins.yaml")
WRONG = str(ERRORS / "names" / "unknown-zone.yaml")
WARNED = str(ERRORS / "game" / "unused.yaml")
CLEAN = {"NO_COLOR": "1", "PYTHONPATH": str(HERE.parent / "interpreter")}
COMMAND = [sys.executable, "-m", "rulebook"]


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        env={**os.environ, **CLEAN},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_a_sound_file_is_said_to_have_no_problems() -> None:
    done = run("validate", COINS)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{COINS}: no problems\n", "")


def test_a_shipped_game_is_known_by_its_name() -> None:
    assert run("validate", "coins").stdout == "coins: no problems\n"


def test_a_mistake_is_shown_and_the_exit_code_tells_of_it() -> None:
    done = run("validate", WRONG)
    golden = (ERRORS / "names" / "unknown-zone.expected").read_text(encoding="utf-8")
    assert done.returncode == 1
    assert done.stdout == golden.replace("unknown-zone.yaml", WRONG)


def test_a_warning_is_shown_and_is_no_failure() -> None:
    done = run("validate", WARNED)
    assert done.returncode == 0
    assert done.stdout.startswith("warning[unused]")


def test_all_files_are_told_in_their_order() -> None:
    done = run("validate", COINS, WRONG, WARNED)
    assert done.returncode == 1
    first, second, third = (
        done.stdout.index(text) for text in ("no problems", "unknown-zone", "warning")
    )
    assert first < second < third


def test_concise_is_one_line_a_problem() -> None:
    done = run("validate", "--format", "concise", COINS, WRONG)
    assert done.returncode == 1
    assert done.stdout == (f"{WRONG}:14:19: error[unknown-zone] there is no zone called `pil`\n")


def test_json_is_one_list_for_programs() -> None:
    assert json.loads(run("validate", "--format", "json", COINS).stdout) == []
    (problem,) = json.loads(run("validate", "--format", "json", WRONG).stdout)
    assert (problem["slug"], problem["line"], problem["column"]) == ("unknown-zone", 14, 19)
    assert problem["fix"]["text"] == "pile"


@pytest.mark.parametrize(
    ("name", "slug", "help"),
    [
        ("no_such.yaml", "no-such-file", ""),
        ("coin", "no-such-game", "write `coins`"),
        ("entirely_unlike", "no-such-game", "coins"),
        (".", "not-a-file", ""),
    ],
)
def test_a_file_that_is_not_there_is_told(name: str, slug: str, help: str) -> None:
    done = run("validate", name, cwd=ERRORS)
    assert done.returncode == 1
    assert f"error[{slug}]" in done.stdout
    assert help in done.stdout
    assert not done.stderr


@pytest.mark.parametrize(
    "arguments",
    [["validate"], ["validate", "--format", "xml", COINS], ["validate", "--loud"], ["valdate"]],
)
def test_a_command_that_is_not_understood_exits_with_2(arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "Usage: rulebook" in done.stderr


def test_help_lists_every_command() -> None:
    shown = run("--help").stdout
    assert all(
        f"  {name} " in shown and summary[:20] in shown for name, summary in COMMANDS.items()
    )
    assert "FILE..." in run("validate", "--help").stdout
    assert run("--version").stdout.startswith("rulebook ")


def on_a_terminal(**environment: str) -> bytes:
    """What the command writes where its output is a terminal."""
    ours, theirs = pty.openpty()
    variables = {key: text for key, text in os.environ.items() if key != "NO_COLOR"}
    variables |= {"TERM": "xterm", "PYTHONPATH": CLEAN["PYTHONPATH"]} | environment
    with subprocess.Popen([*COMMAND, "validate", WRONG], stdout=theirs, env=variables):
        os.close(theirs)
        shown = b"".join(iter(lambda: read(ours), b""))
    os.close(ours)
    return shown


def read(handle: int) -> bytes:
    try:
        return os.read(handle, 65536)
    except OSError:  # The other end is closed.
        return b""


def test_a_terminal_gets_colours_unless_it_asks_for_none() -> None:
    assert b"\x1b[1;31m" in on_a_terminal()
    assert b"\x1b" not in on_a_terminal(NO_COLOR="1")
    assert b"\x1b" not in on_a_terminal(TERM="dumb")


def test_a_reader_that_leaves_is_no_mistake() -> None:
    many = [WRONG] * 300
    with subprocess.Popen(
        [*COMMAND, "validate", *many],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **CLEAN},
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""


def test_ctrl_c_is_quiet() -> None:
    # A pipe that is never closed keeps the command waiting.
    waiting, open_end = os.pipe()
    with subprocess.Popen(
        [*COMMAND, "validate", "/dev/stdin"],
        stdin=waiting,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **CLEAN},
    ) as process:
        os.write(open_end, b"rulebook: 1\n")
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=30)
    os.close(open_end)
    os.close(waiting)
    assert (out, error) == (b"", b"")
    assert process.returncode == 130


# ---- from Python ----


def test_validate_lists_problems() -> None:
    assert rulebook.validate(COINS) == []
    assert [problem.slug for problem in rulebook.validate(WRONG)] == ["unknown-zone"]


def imported(code: str) -> set[str]:
    """The modules that a piece of Python imports."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"],
        env={**os.environ, **CLEAN},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_importing_rulebook_imports_nothing_else() -> None:
    ours = {name for name in imported("import rulebook") if name.startswith("rulebook")}
    assert ours == {"rulebook"}


def test_validating_imports_neither_engine_nor_what_draws() -> None:
    there = imported(f"import rulebook; rulebook.validate({COINS!r})")
    assert not there & {"wasmtime", "numpy", "rich", "typer", "rulebook.engine"}
    assert "rulebook.pipeline" in there


# ---- the parser kept between runs ----


def kept(tmp_path: Path) -> tuple[subprocess.CompletedProcess[str], list[Path]]:
    done = subprocess.run(
        [*COMMAND, "validate", COINS],
        env={**os.environ, **CLEAN, "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done, sorted((tmp_path / "rulebook").glob("*"))


@pytest.mark.skipif(sys.platform == "win32", reason="the folder is named otherwise there")
def test_the_parser_is_kept_and_made_again_if_damaged(tmp_path: Path) -> None:
    done, files = kept(tmp_path)
    assert done.returncode == 0
    (file,) = files
    sound = file.read_bytes()
    assert (tmp_path / "rulebook").stat().st_mode & 0o077 == 0
    for damage in (
        b"",
        sound[:200],
        sound[:-1000],
        b"junk" * 100,
        sound[:70] + b"\x80" + sound[80:],
    ):
        file.write_bytes(damage)
        done, files = kept(tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert files == [file]


@pytest.mark.skipif(sys.platform == "win32", reason="permissions work otherwise there")
def test_a_folder_that_others_may_write_to_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "rulebook").mkdir()
    (tmp_path / "rulebook").chmod(0o777)
    done, files = kept(tmp_path)
    assert (done.returncode, done.stderr, files) == (0, "", [])


def test_no_folder_at_all_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "rulebook").write_text("a file where the folder would be")
    done, _ = kept(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
