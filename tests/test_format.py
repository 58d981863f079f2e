"""`rulebook format`: the layout changes, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from rulebook.cli.app import app
from rulebook.diagnostics import Problems
from rulebook.document import Mapping, Node, Scalar, Sequence, read_document
from rulebook.entries import ORDER
from rulebook.pipeline import check_text
from rulebook.resources import folder
from rulebook.source import Source
from rulebook.tools.format import format_text

ROOT = Path(__file__).resolve().parent.parent
RUNNER = CliRunner()
SHIPPED = sorted(folder("games").rglob("*.yaml"))
FILES = [
    *SHIPPED,
    *sorted((ROOT / "tests/language/drafts").glob("*.yaml")),
    *sorted((ROOT / "tests/language/valid").glob("*.yaml")),
]


def formatted(text: str) -> str:
    result, problems = format_text(text)
    assert result is not None, list(problems)
    return result


def content(text: str) -> Any:
    document = read_document(Source("f.yaml", text), Problems())
    assert document is not None, text
    return plain(document)


def plain(node: Node) -> Any:
    """What a node holds; of a block, without the blanks at the ends of its lines."""
    if isinstance(node, Scalar):
        if node.style in ("block", "folded"):
            return [line.rstrip() for line in node.text.rstrip().splitlines()]
        return node.text
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return {key: plain(entry.value) for key, entry in node.entries.items()}


def chances(node: Node) -> list[str]:
    """The texts with shuffles and draws, in the order of the file, by which they are numbered."""
    if isinstance(node, Scalar):
        return [node.text] if re.search(r"\b(shuffle|random)\b", node.text) else []
    if isinstance(node, Sequence):
        return [text for item in node.items for text in chances(item)]
    return [text for entry in node.entries.values() for text in chances(entry.value)]


def drawn(text: str) -> list[list[str]]:
    document = read_document(Source("f.yaml", text), Problems())
    assert isinstance(document, Mapping)
    rules = {key: document.entries[key] for key in document.entries if key in ("moves", "steps")}
    found = chances(Mapping(rules, document.span))
    return [[line.rstrip() for line in one.rstrip().splitlines()] for one in found]


def lines(text: str) -> list[str]:
    return sorted(line.strip() for line in text.splitlines() if line.strip())


def holds_the_same(before: str, after: str) -> None:
    assert content(after) == content(before)
    assert drawn(after) == drawn(before)
    # Lines are moved, and none is lost, comments included.
    assert lines(after) == lines(before)
    assert formatted(after) == after


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_keeps_its_meaning_and_its_lines(path: Path) -> None:
    text = path.read_bytes().decode()
    holds_the_same(text, formatted(text))
    order = [key for key in content(formatted(text)) if key not in ("moves", "steps")]
    assert order == sorted(order, key=ORDER.index)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_files_are_laid_out(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert formatted(text) == text


# ---- files laid out in other ways ----


@st.composite
def other_layouts(draw: st.DrawFn) -> str:
    """A sound file with its entries in another order, other indents, comments and empty lines."""
    text = draw(st.sampled_from(FILES)).read_bytes().decode().replace("\r\n", "\n")
    step = draw(st.integers(1, 4))
    blocks: list[list[str]] = []
    for line in text.splitlines():
        if not blocks or re.match(r"[a-z]", line):
            blocks.append([])
        indent = len(line) - len(line.lstrip(" "))
        blocks[-1].append(" " * (indent * step // 2 if step > 1 else indent) + line.lstrip(" "))
    blocks = draw(st.permutations(blocks))
    result: list[str] = []
    for block in blocks:
        result += [""] * draw(st.integers(0, 2))
        result += draw(
            st.lists(st.sampled_from(["# one", "#two", "# yes: no", "   # in"]), max_size=2)
        )
        result += [line + draw(st.sampled_from(["", "", "", " ", "   "])) for line in block]
    result += draw(st.sampled_from([[], [""], ["", "", "# the end"], ["# the end"]]))
    return draw(st.sampled_from(["\n", "\r\n"])).join(result) + draw(st.sampled_from(["\n", ""]))


@settings(max_examples=150, deadline=None)
@given(other_layouts())
def test_any_layout_becomes_the_usual_one(text: str) -> None:
    problems = Problems()
    document = read_document(Source("f.yaml", text), problems)
    after, found = format_text(text)
    if document is None or problems.errors:
        assert after is None
        assert list(found)
        return
    assert after is not None
    holds_the_same(text, after)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(FILES), st.data())
def test_a_changed_file_is_laid_out_or_refused(path: Path, data: st.DataObject) -> None:
    text = path.read_bytes().decode()
    at = data.draw(st.integers(0, len(text)))
    cut = data.draw(st.integers(0, 3))
    add = data.draw(st.text(alphabet=" \n#:|>-'\"{}[],ab1", max_size=4))
    text = text[:at] + add + text[at + cut :]
    after, problems = format_text(text)
    if after is None:
        assert problems.errors
    else:
        holds_the_same(text, after)


@pytest.mark.parametrize("name", ["coins", "three_kings"])
def test_a_game_laid_out_anew_is_the_same_game(name: str) -> None:
    text = (folder("games") / f"{name}.yaml").read_text(encoding="utf-8")
    mixed = re.split(r"^(?=[a-z])", text, flags=re.MULTILINE)
    turned = "".join(part.rstrip("\n") + "\n" for part in reversed(mixed))
    game, problems = check_text(formatted(turned))
    assert game is not None, list(problems)
    base, _ = check_text(text)
    assert base is not None
    assert (game.name, list(game.steps), list(game.moves)) == (
        base.name,
        list(base.steps),
        list(base.moves),
    )
    assert len(game.chances) == len(base.chances)


# ---- what it looks like ----


def test_the_usual_layout() -> None:
    before = """\
# yaml-language-server: $schema=x.json
# About this file.

steps:
    match: |
          nobody wins


    # The other one.
    other: |2
            stop
      # behind


game:   Small
# How many.
players: 2
rulebook: 1
cards: {suits: [red],
  ranks: [1, 2]}   # few
names:
   red: {text: red,
  short: r}
remove:
- a
-  b: 1
   c: 2
about: "one

  two"
"""
    after = """\
# yaml-language-server: $schema=x.json
# About this file.

rulebook: 1

game:   Small
about: "one

  two"

remove:
  - a
  -  b: 1
     c: 2

# How many.
players: 2

cards: {suits: [red],
  ranks: [1, 2]}   # few

steps:
  match: |
    nobody wins

  # The other one.
  other: |2
          stop
    # behind

names:
  red: {text: red,
   short: r}
"""
    found = formatted(before)
    assert content(found) == content(before)
    assert formatted(found) == found
    assert found == after


def test_moves_and_steps_with_chance_keep_their_order() -> None:
    text = "steps:\n  match: shuffle stock\nmoves:\n  go: {do: shuffle stock}\ngame: A\n"
    assert list(content(formatted(text))) == ["game", "steps", "moves"]
    text = text.replace("go: {do: shuffle stock}", "go: {do: stop}")
    assert list(content(formatted(text))) == ["game", "moves", "steps"]


def test_a_comment_behind_a_block_stays_a_comment() -> None:
    text = "steps:\n  match: |\n        nobody wins\n      # not a rule\n"
    holds_the_same(text, formatted(text))
    text += "game: A\nabout: |\n    B\n  # no\n"
    holds_the_same(text, formatted(text))


def test_a_file_in_braces_stays_as_it_is() -> None:
    text = "{game: A, rulebook: 1,\n   players: 2}\n"
    assert formatted(text) == text


def test_mistakes_in_the_rules_do_not_matter() -> None:
    assert formatted("steps: {match: mvoe c}\ngame: A\nhuh: 1\n") == (
        "game: A\nsteps: {match: mvoe c}\nhuh: 1\n"
    )


# ---- the command ----


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.yaml").write_text("rulebook: 1\ngame: A\n", encoding="utf-8")
    (tmp_path / "mixed.yaml").write_bytes(b"game: A\r\nrulebook: 1\r\n")
    (tmp_path / "bad.yaml").write_text("game: [A\n", encoding="utf-8")
    return tmp_path


def test_files_are_changed_in_place(here: Path) -> None:
    (here / "mixed.yaml").chmod(0o640)
    result = RUNNER.invoke(app, ["format", "good.yaml", "mixed.yaml"])
    assert (result.exit_code, result.output) == (0, "mixed.yaml changed\n")
    assert (here / "mixed.yaml").read_bytes() == b"rulebook: 1\ngame: A\n"
    assert (here / "mixed.yaml").stat().st_mode & 0o777 == 0o640
    assert RUNNER.invoke(app, ["format", "mixed.yaml"]).output == ""
    assert sorted(path.name for path in here.iterdir()) == ["bad.yaml", "good.yaml", "mixed.yaml"]


def test_check_names_files_and_changes_none(here: Path) -> None:
    before = (here / "mixed.yaml").read_bytes()
    result = RUNNER.invoke(app, ["format", "--check", "good.yaml", "mixed.yaml"])
    assert (result.exit_code, result.output) == (1, "mixed.yaml would change\n")
    assert (here / "mixed.yaml").read_bytes() == before
    assert RUNNER.invoke(app, ["format", "--check", "good.yaml"]).exit_code == 0


def test_a_file_that_cannot_be_read_is_told_and_the_others_done(here: Path) -> None:
    result = RUNNER.invoke(app, ["format", "bad.yaml", "none.yaml", "mixed.yaml"])
    assert result.exit_code == 1
    assert "unclosed-bracket" in result.output
    assert "there is no file `none.yaml`" in result.output
    assert "mixed.yaml changed" in result.output
    assert (here / "bad.yaml").read_text(encoding="utf-8") == "game: [A\n"
