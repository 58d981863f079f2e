"""Pages of `rulebook explain`: each mistake and each word has one, and what they show is tried.

A `yaml` sample is laid over tests/language/sample.yaml, entry by entry, unless it is a whole file.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import rulebook
from rulebook.cli.app import app
from rulebook.diagnostics import Problem, Problems, RuleFileError
from rulebook.engine.match import RuleError
from rulebook.explanations import Block, Page, pages_by_name, read_pages
from rulebook.pipeline import check_text, compile_source, validate_source
from rulebook.render.pages import page_list, page_text, page_values
from rulebook.resolve import namespace
from rulebook.source import MAX_BYTES, Source
from rulebook.tools.mutate import all_hold
from tests.test_language import slugs
from tests.test_language_docs import SAMPLE, indented, laid_over, of

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "interpreter" / "rulebook"
PAGES = read_pages()
MISTAKES = [page for page in PAGES if page.mistake]
WORDS = [page for page in PAGES if not page.mistake]
RUNNER = CliRunner()

# Mistakes that no sample can show, and the tests that do.
NO_SAMPLE = {"wrong-outcome": "test_play", "long-chain": "test_flatten"}
# Shown by code alone: no text is known that raises it.
NOT_RAISED = {"yaml-syntax"}


def ids(page: Page) -> str:
    return page.names[0]


def play_slugs() -> set[str]:
    """The slugs of what can go wrong in play: the first arguments of the code's own makers."""
    found: set[str] = set()
    for folder in ("wasm", "engine"):
        for path in (PACKAGE / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and node.args:
                    maker = ast.unparse(node.func).split(".")[-1]
                    first = node.args[0]
                    if maker in ("fail", "number", "Problem", "Site") and isinstance(
                        first, ast.Constant
                    ):
                        found.add(str(first.value))
    return {slug for slug in found if re.fullmatch("[a-z]+(-[a-z]+)+", slug)}


def whole(text: str) -> str:
    """The file that a sample shows: itself if it is whole or none, else over the sample game."""
    keys = {line.partition(":")[0] for line in text.splitlines()}
    if {"rulebook", "steps"} <= keys or not any(":" in line for line in text.splitlines()):
        return text
    if "extends" in keys:
        return text
    if text.startswith("- ") or "\n---" in text:
        return text if text.startswith("- ") else SAMPLE + text
    return laid_over(text)


@pytest.fixture(autouse=True)
def _beside_the_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The samples stand beside a file `base.yaml`, which they may extend."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.yaml").write_text(SAMPLE, encoding="utf-8")


def found_in(text: str, play: bool = False) -> list[Problem]:
    """What is wrong with a file; if `play` asks and nothing keeps it from it, in play too."""
    problems = Problems()
    Path("sample.yaml").write_text(text, encoding="utf-8")
    source = Source("sample.yaml", text)
    validate_source(source, problems)
    if play and not problems.errors:
        try:
            game = compile_source(source)
            match = game.start(0)
            while not match.over and len(match.played) < 60:
                match.play(match.moves[0])
            list(game.random_games(3))
            all_hold(source, problems)
        except RuleError as error:
            problems.add(error.problem.slug, error.problem.message, error.problem.span)
        except RuleFileError as error:
            return list(error.problems)
    return list(problems)


# ---- what there is a page for ----


def test_every_mistake_has_a_page() -> None:
    named = {page.names[0] for page in MISTAKES}
    assert {"none-used", "no-legal-move", "machine-stopped"} <= play_slugs()
    assert slugs() | play_slugs() == named
    assert all(len(page.names) == 1 for page in MISTAKES)


def test_every_word_of_the_language_has_a_page() -> None:
    named = {name for page in WORDS for name in page.names}
    schema = json.loads((ROOT / "grammars/rulefile.schema.json").read_text(encoding="utf-8"))
    keys = set(schema["properties"])
    for section in schema["properties"].values():
        inner = section.get("additionalProperties") or {}
        inner = next((s for s in inner.get("anyOf", []) if "properties" in s), inner)
        keys |= {*section.get("properties", {}), *inner.get("properties", {})}
    assert (namespace.KEYWORDS | set(namespace.BUILT_IN) | keys) - named == set()


def test_no_name_has_two_pages() -> None:
    names = [name for page in PAGES for name in page.names]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_a_page_is_in_order(page: Page) -> None:
    assert page.meaning.endswith(".") or page.meaning.endswith("`."), page.meaning
    assert page.why
    assert page.see
    assert set(page.see) <= set(pages_by_name()) - set(page.names)
    if page.mistake and page.names[0] not in NO_SAMPLE:
        assert [block.wrong for block in page.blocks] == [True, False]


# ---- what the pages show ----


def shown(kind: str) -> list[Any]:
    return [
        pytest.param(page, id=page.names[0])
        for page in MISTAKES
        if page.blocks and page.blocks[0].info.startswith(kind)
    ]


@pytest.mark.parametrize("page", shown("yaml"))
def test_the_first_sample_is_wrong_and_the_second_right(page: Page) -> None:
    (slug,) = page.names
    wrong, right = page.blocks
    play = page.family == "play" or slug == "not-supported-yet"
    # Most of the sample game's own entries are used by other samples only.
    usual = {(problem.slug, problem.message) for problem in found_in(SAMPLE)}
    raised = [
        problem
        for problem in found_in(whole(wrong.text), play)
        if (problem.slug, problem.message) not in usual
    ]
    if slug not in NOT_RAISED:
        assert slug in {problem.slug for problem in raised}, raised
        errors = {problem.slug for problem in raised if problem.severity == "error"}
        assert errors <= {slug}
    rest = found_in(whole(right.text), play)
    assert not [problem for problem in rest if problem.severity == "error"], rest
    own = {problem.message for problem in raised if problem.slug == slug}
    assert not own & {problem.message for problem in rest}


@pytest.mark.parametrize("page", shown("console"))
def test_the_first_command_is_refused_and_the_second_not(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (slug,) = page.names
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games").mkdir()
    for name in ("game.yaml", "games/game.yaml"):
        (tmp_path / name).write_text(SAMPLE, encoding="utf-8")
    (tmp_path / "big.yaml").write_bytes(b"#" * (MAX_BYTES + 1))
    (tmp_path / "latin.yaml").write_bytes("game: Königrufen".encode("latin-1"))
    (tmp_path / "locked.yaml").symlink_to("locked.yaml")
    for block in page.blocks:
        words = shlex.split(block.text)[1:]
        if words[0] == "validate":
            result = RUNNER.invoke(app, words)
            assert (f"[{slug}]" in result.output) is block.wrong, result.output
            assert result.exit_code == int(block.wrong)
            continue
        from rulebook.pipeline import Setting

        options = dict(word.split("=") for word in words if "=" in word)
        text = (rulebook.resources.folder("games") / f"{words[1]}.yaml").read_text(encoding="utf-8")
        _, problems = check_text(text, setting=Setting(options=options))
        assert [problem.slug for problem in problems] == ([slug] if block.wrong else [])


def word_blocks() -> list[Any]:
    return [
        pytest.param(block, id=f"{page.names[0]}-{number}")
        for page in WORDS
        for number, block in enumerate(page.blocks)
    ]


@pytest.mark.parametrize("block", word_blocks())
def test_samples_of_words_are_right(block: Block) -> None:
    if block.info == "yaml":
        texts = [whole(block.text)]
    elif block.info == "rules expressions":
        texts = [
            laid_over(f"define:\n  sample{of(line)}: |\n    {line}\n")
            for line in block.text.splitlines()
        ]
    else:
        assert block.info == "rules statements"
        texts = [laid_over(f"steps:\n  sample{of(block.text)}: |\n{indented(block.text, 4)}")]
    for text in texts:
        problems = found_in(text)
        assert not [problem for problem in problems if problem.severity == "error"], problems


# ---- the command ----


def test_a_page_is_shown() -> None:
    result = RUNNER.invoke(app, ["explain", "unknown-zone"])
    assert result.exit_code == 0
    parts = [
        "unknown-zone\n",
        "names a zone",
        "Why it matters at the table",
        "An example",
        "move c to trik",
        "Write",
        "move c to trick",
        "See also: zones, move",
    ]
    places = [result.output.index(part) for part in parts]
    assert places == sorted(places)


def test_a_word_of_two_words_is_found() -> None:
    for words in (["seen by"], ["seen", "by"]):
        assert RUNNER.invoke(app, ["explain", *words]).output.startswith("seen by\n")


def test_all_pages_are_listed() -> None:
    result = RUNNER.invoke(app, ["explain"])
    assert result.exit_code == 0
    for page in PAGES:
        assert re.search(rf"^  {re.escape(', '.join(page.names))}( |$)", result.output, re.M)
    assert result.output == page_list(PAGES) + "\n"


def test_an_unknown_name_is_met_with_the_nearest() -> None:
    result = RUNNER.invoke(app, ["explain", "unknown-zome"])
    assert result.exit_code == 2
    assert "there is no page called `unknown-zome`; did you mean `unknown-zone`?" in result.output
    assert "`rulebook explain` lists" in RUNNER.invoke(app, ["explain", "zzz"]).output


def test_pages_for_programs() -> None:
    one = json.loads(RUNNER.invoke(app, ["explain", "most", "--json"]).output)
    assert one == page_values(pages_by_name()["most"])
    assert one["names"] == ["most", "least"]
    assert one["kind"] == "word"
    everything = json.loads(RUNNER.invoke(app, ["explain", "--json"]).output)
    assert [page["names"] for page in everything] == [list(page.names) for page in PAGES]


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_prose_fits_a_terminal(page: Page) -> None:
    text = page_text(page)
    samples = "".join(block.text for block in page.blocks)
    for line in text.splitlines():
        assert len(line) <= 80 or line.strip() in samples, line
