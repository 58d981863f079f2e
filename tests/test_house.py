"""The rules of the house: what may be named where, how long a file may be, what README promises."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
ENGINE = ("interpreter", "grammars")
TEXT = {".py", ".lark", ".json", ".yaml", ".md", ".wat", ".txt", ".toml", ".c", ".html", ".css"}

# Files over 500 lines, each with the reason why it is still one concept.
LONG: dict[str, str] = {
    "interpreter/rulebook/terms.py": "a list of small node classes that name each other",
}

# Words of rule files that are also words of the language or of plain English in code. Each has its
# reason: a word listed here is one that the engine could learn without this test seeing it.
ALLOWED: dict[str, str] = {}

# Beside what the rule files say, so that the test does not depend on which games are there.
KNOWN = {"ace", "king", "queen", "jack", "knave", "diamonds", "hearts", "spades", "clubs"}


def tracked() -> list[Path]:
    """The project's text files as git lists them, new ones too; without git, all that are there."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0 and listed.stdout:
        paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        top = [p for p in ROOT.iterdir() if not p.name.startswith(".") and p.name != "dist"]
        below = [p for folder in [*top, ROOT / ".ci"] for p in folder.rglob("*")]
        paths = [p for p in [*top, *below] if "__pycache__" not in p.parts]
    named = {"Makefile", "run", "LICENSE", ".gitignore"}
    return sorted(p for p in paths if p.is_file() and (p.suffix in TEXT or p.name in named))


def engine_files() -> list[Path]:
    files = [
        path
        for folder in ENGINE
        for path in sorted((ROOT / folder).rglob("*"))
        if path.is_file() and path.suffix in TEXT
    ]
    assert any(path.suffix == ".py" for path in files)
    assert any(path.suffix == ".lark" for path in files)
    return files


def rule_files() -> list[Path]:
    return sorted(
        [*(ROOT / "games").rglob("*.yaml"), *(ROOT / "tests/language/drafts").glob("*.yaml")]
    )


def words_of_games() -> set[str]:
    """Suits, ranks that are words, and games' names, in lower case, words apart by one space."""
    found = set(KNOWN)
    for path in rule_files():
        content: dict[str, Any] = yaml.load(
            path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader
        )
        cards = content.get("cards") or {}
        named = [str(word) for key in ("suits", "ranks") for word in cards.get(key, [])]
        named += [str(content.get("game", "")), path.stem] if "parts" not in path.parts else []
        found |= {" ".join(re.findall(r"[a-z]+", word.lower())) for word in named}
    return {word for word in found if len(word) > 1}


def spoken(text: str) -> str:
    """The text as words apart by one space: `dealKing_of` and `deal-king-of` are `deal king of`."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return " ".join(re.findall(r"[a-z]+", apart.lower()))


def naming(text: str, words: set[str]) -> Iterator[tuple[int, str]]:
    """Each line that says one of the words, or its plural, with the word."""
    either = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
    pattern = re.compile(rf"\b({either})(?:s|es)?\b")
    for number, line in enumerate(text.splitlines(), start=1):
        for match in pattern.finditer(spoken(line)):
            yield number, match[1]


def test_the_search_for_names_finds_them() -> None:
    text = 'x = 1\nif suit == "Hearts":\nthree_kings = firstKing\ndef marking(): ...\n'
    found = list(naming(text, {"hearts", "king", "three kings"}))
    assert found == [(2, "hearts"), (3, "three kings"), (3, "king")]


def test_the_words_come_from_the_shipped_games() -> None:
    assert list((ROOT / "games").glob("*.yaml"))
    assert {"cups", "swords", "coins"} <= words_of_games()


def test_no_game_suit_or_rank_is_named_in_the_engine() -> None:
    words = words_of_games() - set(ALLOWED)
    said = [
        f"{path.relative_to(ROOT)}:{line}: {word}"
        for path in engine_files()
        for line, word in [
            *naming(path.read_text(encoding="utf-8"), words),
            *((0, word) for _, word in naming(path.stem, words)),
        ]
    ]
    assert not said, "\n".join(said)


def test_every_allowed_word_is_needed() -> None:
    assert set(ALLOWED) <= words_of_games()
    text = "\n".join(path.read_text(encoding="utf-8") for path in engine_files())
    assert [word for word in ALLOWED if not list(naming(text, {word}))] == []


def test_files_are_short() -> None:
    long = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "interpreter").rglob("*.py")
        if len(path.read_text(encoding="utf-8").splitlines()) > 500
    }
    assert long == set(LONG)


def test_no_module_is_called_after_nothing() -> None:
    vague = {"utils", "util", "helpers", "helper", "manager", "misc", "common"}
    modules = (ROOT / "interpreter").rglob("*")
    assert not [path for path in modules if path.stem in vague]


def test_every_silenced_check_says_why() -> None:
    silenced = re.compile(r"#\s*(?:noqa|type:\s*ignore)")
    reasoned = re.compile(r"#\s*(?:noqa: [A-Z0-9, ]+|type: ignore\[[\w, -]+\])\s*[#:(-]+\s*\w+")
    bare = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in tracked()
        if path.suffix == ".py" and path != Path(__file__).resolve()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if silenced.search(line) and not reasoned.search(line)
    ]
    assert not bare


# This file spells the patterns out, so it is the one that is not searched.
MACHINE = re.compile(
    r"(?<![\w.])/(?:root|work|home|Users)/\w|[A-Z]:\\\\?Users|file:///|\b127\.0\.0\.1\b"
    r"|--(?:extra-)?index-url|--find-links|--trusted-host|/simple/"
)


def test_nothing_belongs_to_one_machine() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in tracked()
        if path != Path(__file__).resolve()
        for number, line in enumerate(
            path.read_text(encoding="utf-8", errors="replace").splitlines(), 1
        )
        if MACHINE.search(line)
    ]
    assert not found, "\n".join(found)


def test_pinned_versions_are_names_and_versions_only() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==\d[\w.]*", line) for line in pins)
    names = {re.sub(r"[-_.]+", "-", pin.split("==")[0]).lower() for pin in pins}
    assert len(names) == len(pins)
    assert "rulebook-games" not in names
    wanted = re.findall(
        r'^    "([A-Za-z0-9_-]+)', read("pyproject.toml").split("[project.scripts]")[0], re.M
    )
    asked = {re.sub(r"[-_.]+", "-", name).lower() for name in wanted} & names
    assert {"lark", "pyyaml", "jsonschema", "typer", "rich", "wasmtime", "numpy", "pytest"} <= asked


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def commands(name: str, word: str) -> list[list[str]]:
    """The shown command lines of a Markdown file that start with the word, split at spaces."""
    shown = re.findall(r"^```(?:sh|console)\n(.*?)^```", read(name), re.M | re.S)
    lines = [
        line.removeprefix("$ ").split("  #")[0] for block in shown for line in block.splitlines()
    ]
    found = [line.split() for line in lines if line.startswith(f"{word} ")]
    inline = re.findall(rf"`{word} ([a-z][^`]*)`", read(name))
    return found + [[word, *line.split()] for line in inline]


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_the_make_words_shown_exist(name: str) -> None:
    targets = set(re.findall(r"^([a-z]+):", read("Makefile"), re.M))
    shown = {line[1] for line in commands(name, "make")}
    assert shown
    assert shown <= targets


def test_every_make_word_is_described_and_phony() -> None:
    makefile = read("Makefile")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.M))
    assert targets == set(re.findall(r"^([a-z]+):.* ## \S", makefile, re.M))
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.M)
    assert phony
    assert targets == set(phony[1].split())


def help_of(command: str) -> str:
    """What `rulebook COMMAND --help` prints, wide enough that no option is cut."""
    run = subprocess.run(
        [sys.executable, "-c", "from rulebook.cli import main; main()", command, "--help"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "200", "TERM": "dumb", "PYTHONUTF8": "1"},
        check=False,
        timeout=60,
    )
    assert run.returncode == 0, f"rulebook {command}: {run.stdout}{run.stderr}"
    return run.stdout


def test_the_rulebook_commands_shown_exist() -> None:
    shown = [
        line for name in ("README.md", "CONTRIBUTING.md") for line in commands(name, "rulebook")
    ]
    named = {line[1] for line in shown if not line[1].startswith("-")}
    assert {"play", "validate", "games"} <= named
    for command in sorted(named):
        text = help_of(command)
        options = {word.split("=")[0] for line in shown if line[1] == command for word in line}
        missing = {option for option in options if option.startswith("--") and option not in text}
        assert not missing, f"rulebook {command} has no {missing}"


def test_the_rule_file_shown_is_the_shipped_one() -> None:
    shown = re.findall(r"^```yaml\n(.*?)^```", read("README.md"), re.M | re.S)
    assert shown
    shipped = {line.split("  #")[0].strip() for line in read("games/coins.yaml").splitlines()}
    lines = [line.split("  #")[0].strip() for block in shown for line in block.splitlines()]
    assert not [line for line in lines if line and line != "..." and line not in shipped]


def test_files_linked_exist() -> None:
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        for target in re.findall(r"\]\(([^)#]+)", read(name)):
            if "://" not in target:
                assert (ROOT / target).exists(), f"{name} links {target}"
