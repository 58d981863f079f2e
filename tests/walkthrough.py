"""Documents that are followed as a reader follows them: in order, in an empty folder.

A `yaml FILE` block is written to the file. A `diff FILE` block is an edit: its lines that begin
with `-` or a space must stand in the file, once and together, and those with `+` or a space take
their place. A `console` block holds commands behind `$ `, each with what it prints; a line `...`
stands for any lines. What follows a prompt for a move is typed there.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMPT = re.compile(r"^(.*\bmove \([^)]*\)> )(.*)$", re.MULTILINE)


def blocks_of(document: Path) -> list[tuple[str, str]]:
    """The info string and the text of every block."""
    text = document.read_text(encoding="utf-8")
    found = BLOCK.findall(text)
    assert len(found) == text.count("\n```") / 2, document
    return found


def follow(document: Path, folder: Path, plain: tuple[str, ...] = ()) -> int:
    """Do all that a document says; the number of commands that were run. Blocks whose info is in
    `plain` are not for this."""
    commands = 0
    for info, text in blocks_of(document):
        kind, _, name = info.partition(" ")
        if info in plain:
            continue
        if kind == "yaml":
            (folder / name).write_text(text, encoding="utf-8")
        elif kind == "diff":
            edit(folder / name, text)
        elif kind == "console":
            for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                check(command, output, folder)
                commands += 1
        else:
            pytest.fail(f"a block is marked `{info}`, which says not what to do with it")
    return commands


def edit(path: Path, lines: str) -> None:
    whole = path.read_text(encoding="utf-8")
    old = "".join(line[1:] + "\n" for line in lines.splitlines() if line[:1] != "+")
    new = "".join(line[1:] + "\n" for line in lines.splitlines() if line[:1] != "-")
    assert f"\n{whole}".count(f"\n{old}") == 1, f"not once in {path.name}:\n{old}"
    path.write_text(f"\n{whole}".replace(f"\n{old}", f"\n{new}")[1:], encoding="utf-8")


def check(command: str, output: str, folder: Path) -> None:
    typed = [answer for _, answer in PROMPT.findall(output)]
    code, found = run(command, folder, "".join(f"{answer}\n" for answer in typed))
    if not output:
        assert code == 0, f"$ {command}\n{found}"
    wanted = re.escape(output.rstrip()).replace(r"\.\.\." + "\\\n", r"(?:.*\n)*?")
    wanted = re.sub(r"\\\.\\\.\\\.$", r"(?:.*\n?)*", wanted) if output else r"(?:.*\n?)*"
    tidy = "\n".join(line.rstrip() for line in found.splitlines())
    assert re.fullmatch(wanted, tidy), f"$ {command}\n{found}\n--- is not\n{output}"


def run(command: str, folder: Path, typed: str = "") -> tuple[int, str]:
    """The exit code, and all that stands on the screen of 80 columns."""
    assert command.startswith("rulebook "), command
    done = subprocess.run(
        ["bash", "-c", f'rulebook() {{ "$PYTHON" -m rulebook "$@"; }}\n{command} 2>&1'],
        input=typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=folder,
        env={
            **os.environ,
            "PYTHON": sys.executable,
            "PYTHONUTF8": "1",
            "NO_COLOR": "1",
            "COLUMNS": "80",
            "TERM": "dumb",
        },
        check=False,
        timeout=120,
    )
    return done.returncode, done.stdout + done.stderr
