"""docs/language.md: every sample is checked, and what it lists is what there is.

A `yaml` block is a whole file. A `yaml fragment` is laid over tests/language/sample.yaml, entry by
entry; so are the lines of a `rules` block: each expression as a definition, the statements as a
step, of whatever they mention. A `yaml wrong SLUG` fragment raises that slug and no other.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from rulebook import kinds, parse, source
from rulebook.diagnostics import Problems
from rulebook.pipeline import load_document
from rulebook.render.problems import render
from rulebook.resolve import Setting, declare, namespace, resolve

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = (ROOT / "docs/language.md").read_text(encoding="utf-8")
SAMPLE = (ROOT / "tests/language/sample.yaml").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```([^\n]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [
    (f"line {DOCUMENT[: found.start()].count(chr(10)) + 1}", found[1], found[2])
    for found in BLOCK.finditer(DOCUMENT)
]
PARAMETERS = {"c": "card c", "cs": "cards cs", "n": "number n", "p": "player p"}


def blocks(info: str) -> list[Any]:
    chosen = [pytest.param(text, id=where) for where, own, text in BLOCKS if own == info]
    assert chosen, f"no block is marked `{info}`"
    return chosen


def wrong_blocks() -> list[Any]:
    """Slugs and texts of the samples that are wrong on purpose."""
    wrong = "yaml wrong "
    return [
        pytest.param(info.removeprefix(wrong), text, id=where)
        for where, info, text in BLOCKS
        if info.startswith(wrong)
    ]


def problems_of(text: str) -> Problems:
    problems = Problems()
    document = load_document(source.Source("sample.yaml", text), problems)
    if document is not None:
        resolve(document, Setting(), problems)
    return problems


def sections(text: str) -> dict[str, dict[str, str]]:
    """The lines of each entry of each section; the section's own line is the entry of no name."""
    found: dict[str, dict[str, str]] = {}
    section = entry = ""
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line[0] != " ":
            section, entry = line.partition(":")[0], ""
        elif re.match(r"  [^ #]", line):
            label = line.strip().partition(":")[0]
            entry = label.split()[0] if section in ("define", "steps") else label
        lines = found.setdefault(section, {})
        lines[entry] = lines.get(entry, "") + line + "\n"
    return found


def laid_over(fragment: str) -> str:
    """The sample with the fragment's entries in the place of its own."""
    result = sections(SAMPLE)
    for name, entries in sections(fragment).items():
        in_one_line = list(entries) == [""]
        result[name] = entries if in_one_line else {**result.get(name, {}), **entries}
    return "".join(text for entries in result.values() for text in entries.values())


def of(text: str) -> str:
    """` of (card c, player p)`: parameters for the names that a sample uses and does not bind."""
    text = re.sub(r"#.*", "", text)
    words = set(re.findall(r"[a-z_]+", re.sub(r'"[^"{]*', "", text)))
    bound = set(re.findall(r"(?:let|for) ([a-z_]+)", text))
    needed = [kind for name, kind in PARAMETERS.items() if name in words - bound]
    if len(needed) > 1:
        return f" of ({', '.join(needed)})"
    return f" of {needed[0]}" if needed else ""


def indented(text: str, spaces: int) -> str:
    return "".join(" " * spaces + line for line in text.splitlines(keepends=True))


def shown(problems: Problems) -> str:
    return render(problems, "full")


def test_every_block_is_run_or_said_to_be_plain_text() -> None:
    known = r"text|yaml( fragment| wrong [a-z-]+)?|rules (expressions|statements)"
    assert not [(where, info) for where, info, _ in BLOCKS if not re.fullmatch(known, info)]
    assert len(BLOCKS) == DOCUMENT.count("\n```") / 2


def test_the_sample_game_is_in_order() -> None:
    assert not len(problems_of(SAMPLE))
    assert problems_of(laid_over("")).errors is False
    assert [p.slug for p in problems_of(laid_over("define:\n  led: hnad\n"))] == ["unknown-name"]


@pytest.mark.parametrize("text", blocks("yaml"))
def test_whole_files(text: str) -> None:
    problems = problems_of(text)
    assert not len(problems), shown(problems)


@pytest.mark.parametrize("text", blocks("yaml fragment"))
def test_fragments(text: str) -> None:
    problems = problems_of(laid_over(text))
    assert not len(problems), shown(problems)


@pytest.mark.parametrize(("slug", "text"), wrong_blocks())
def test_wrong_samples(slug: str, text: str) -> None:
    problems = problems_of(laid_over(text))
    assert {problem.slug for problem in problems} == {slug}, shown(problems)


@pytest.mark.parametrize("text", blocks("rules expressions"))
def test_expressions(text: str) -> None:
    for line in text.splitlines():
        problems = problems_of(laid_over(f"define:\n  sample{of(line)}: |\n    {line}\n"))
        assert not len(problems), shown(problems)


@pytest.mark.parametrize("text", blocks("rules statements"))
def test_statements(text: str) -> None:
    problems = problems_of(laid_over(f"steps:\n  sample{of(text)}: |\n{indented(text, 4)}"))
    assert not len(problems), shown(problems)


# ---- what the document lists ----


def part(title: str) -> str:
    return DOCUMENT.split(f"\n## {title}\n")[1].split("\n## ")[0]


def test_every_entry_of_a_file_is_told() -> None:
    schema = json.loads((ROOT / "grammars/rulefile.schema.json").read_text(encoding="utf-8"))
    table = "\n".join(line for line in part("The file").splitlines() if line.startswith("|"))
    assert set(schema["properties"]) == set(re.findall(r"`([a-z]+)`", table.replace("`1`", "")))
    for name, section in schema["properties"].items():
        inner = section.get("additionalProperties") or {}
        inner = next((s for s in inner.get("anyOf", []) if "properties" in s), inner)
        for key in {**section.get("properties", {}), **inner.get("properties", {})}:
            assert re.search(rf"`{key}\b|\b{key}:", DOCUMENT), f"{name}: {key}"


def test_the_words_that_are_not_free_are_listed() -> None:
    quoted = " ".join(
        line.removeprefix(">") for line in DOCUMENT.splitlines() if line.startswith(">")
    )
    assert set(quoted.split()) == namespace.KEYWORDS
    own = part("Words and signs").split("meaning of their own: ")[1].split(", and player")[0]
    assert own.split() == namespace.BUILT_IN


def test_every_word_of_the_grammar_is_kept_from_names() -> None:
    grammar = (ROOT / "grammars/rules.lark").read_text(encoding="utf-8")
    rules = "\n".join(line.split("//")[0] for line in grammar.splitlines())
    words = set(re.findall(r'"([a-z]+)"', rules)) | set(re.findall(r": /([a-z]+)\\b/", rules))
    assert "deal" in words
    assert "highest" in words
    assert words <= namespace.KEYWORDS


def test_limits_are_those_of_the_code() -> None:
    told = part("Limits")
    for limit in (
        declare.MAX_CARDS,
        declare.MAX_PLAYERS,
        declare.MAX_MEMBERS,
        declare.MAX_EACH,
        declare.PLAYS_LIMIT,
        kinds.NUMBER_LIMIT,
        kinds.WORD_MAX,
        parse.MAX_NESTING,
    ):
        assert re.search(rf"\| {limit:,}\b", told), limit


def test_what_is_not_supported_yet_is_listed() -> None:
    told = part("Not supported yet")
    code = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "interpreter").rglob("*.py")
    )
    later = re.findall(r't\.Later\([^"()]*(?:\([^"()]*\))?[^"()]*"([^"]+)"\)', code)
    later += re.findall(r'refuse\("([^"]+)"', code)
    assert "`all` of groups or numbers" in later
    assert [line for line in told.splitlines() if line.startswith("*")]
    for what in later:
        assert what in told, what
