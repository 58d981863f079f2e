"""Damaged rule files: whatever stands in a file, it gives a game or messages, and soon.

The files are changed at random, by seeds: characters, lines, and whole nodes of YAML.
"""

from __future__ import annotations

import json
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

import rulebook
from rulebook.diagnostics import Problem, Problems
from rulebook.document import Mapping, Node, Scalar, Sequence, read_document
from rulebook.pipeline import check_text
from rulebook.render.problems import render
from rulebook.resources import folder
from rulebook.source import MAX_BYTES, Source, Span

HERE = Path(__file__).resolve().parent
FILES = [
    path.read_text(encoding="utf-8")
    for path in [
        *sorted(folder("games").glob("*.yaml")),
        *sorted((HERE / "language" / "drafts").glob("*.yaml")),
    ]
]
SIGNS = "():|>-'\"[]{},#=<>!&*%@`~^$;?.+/\\ \t\n\r\x00\u00a0\u2028é–牌🂡0123456789aZ_"
SECONDS = 10  # for one file, on a slow machine


@contextmanager
def in_time() -> Iterator[None]:
    """Fail rather than hang, where the system can interrupt."""
    if sys.platform == "win32":
        yield
        return

    def late(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"not done after {SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def check(text: str) -> list[Problem]:
    """Read a text to the end; whatever is said about it can be shown and lies inside it."""
    with in_time():
        game, problems = check_text(text, "fuzz.yaml")
    assert (game is None) == problems.errors
    assert "[" in render(problems) or not problems
    render(problems, "concise")
    for item in json.loads(render(problems, "json")):
        assert item["message"]
    for problem in problems:
        spans = [problem.span, *(other.span for other in problem.others)]
        spans += [problem.fix.span] if problem.fix else []
        for span in spans:
            assert span is None or 0 <= span.start <= span.end <= len(span.source.text)
    return list(problems)


# ---- changes ----


def characters(text: str, chance: random.Random) -> str:
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        at = chance.randrange(len(text))
        kind = chance.randrange(4)
        if kind == 0:
            text = text[:at] + text[at + chance.choice((1, 1, 2, 7)) :]
        elif kind == 1:
            text = text[:at] + chance.choice(SIGNS) + text[at:]
        elif kind == 2:
            text = text[:at] + chance.choice(SIGNS) + text[at + 1 :]
        else:
            text = text[:at] + text[at : at + 2][::-1] + text[at + 2 :]
    return text


def lines(text: str, chance: random.Random) -> str:
    rows = text.split("\n")
    for _ in range(chance.choice((1, 1, 2, 4))):
        at, other = chance.randrange(len(rows)), chance.randrange(len(rows))
        kind = chance.randrange(6)
        if kind == 0:
            del rows[at : at + chance.choice((1, 1, 3, 20))]
        elif kind == 1:
            rows.insert(at, rows[other])
        elif kind == 2:
            rows[at], rows[other] = rows[other], rows[at]
        elif kind == 3:
            rows[at] = " " * chance.choice((1, 2, 3, 9)) + rows[at]
        elif kind == 4:
            rows[at] = rows[at].lstrip(" ")
        else:
            rows[at] = rows[at][: chance.randrange(len(rows[at]) + 1)]
        rows = rows or [""]
    return "\n".join(rows)


def nodes(text: str, chance: random.Random) -> str:
    document = read_document(Source("fuzz.yaml", text), Problems())
    assert document is not None
    spans = list(spans_of(document))
    for _ in range(chance.choice((1, 1, 2))):
        span, other = chance.choice(spans), chance.choice(spans)
        new = chance.choice((other.text, other.text, "", "[]", "{}", "[a, b]", "{a: b}", "none"))
        if span.end <= len(text):
            text = text[: span.start] + new + text[span.end :]
    return text


def spans_of(node: Node) -> Iterator[Span]:
    """The places of all keys and values."""
    if isinstance(node, Scalar):
        yield node.span
    elif isinstance(node, Sequence):
        yield node.span
        for item in node.items:
            yield from spans_of(item)
    elif isinstance(node, Mapping):
        for entry in node.entries.values():
            yield entry.key.span
            yield entry.value.span
            yield from spans_of(entry.value)


CHANGES: tuple[Callable[[str, random.Random], str], ...] = (characters, lines, nodes)


def changed_files(seed: int, number: int) -> Iterator[str]:
    chance = random.Random(seed)
    for _ in range(number):
        yield chance.choice(CHANGES)(chance.choice(FILES), chance)


@pytest.mark.parametrize("seed", range(10))
def test_a_damaged_file_gives_a_game_or_messages(seed: int) -> None:
    found = [check(text) for text in changed_files(seed, 50)]
    # Most changes are mistakes; were none found, nothing would be tested.
    assert sum(map(bool, found)) > 15


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1000, 1200))
def test_twenty_thousand_damaged_files_give_games_or_messages(seed: int) -> None:
    for text in changed_files(seed, 100):
        check(text)


# ---- hostile files ----


def soon(problems: Callable[[], list[Problem]]) -> list[str]:
    begun = time.process_time()
    with in_time():
        found = problems()
    assert time.process_time() - begun < 3
    return [problem.slug for problem in found]


def test_a_file_of_ten_megabytes_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "big.yaml"
    path.write_bytes(b"a: b\n" * 2_000_000)
    assert soon(lambda: rulebook.validate(str(path))) == ["file-too-big"]


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "image.yaml"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\xff\xfe")
    assert soon(lambda: rulebook.validate(str(path))) == ["not-utf-8"]


def test_a_lone_surrogate_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "surrogate.yaml"
    path.write_bytes(b"game: \xed\xa0\x80\n")
    assert soon(lambda: rulebook.validate(str(path))) == ["not-utf-8"]
    assert soon(lambda: check("game: \ud800\n")) == ["bad-character"]
    assert "bad-character" in soon(lambda: check('game: "\\ud800"\n'))


@pytest.mark.parametrize("sign", ["[", "{a: ", "- ", "a:\n"])
def test_deep_nesting_is_refused(sign: str) -> None:
    deep = "".join(" " * n + "a:\n" for n in range(300)) if sign == "a:\n" else sign * 50_000
    assert "too-deep" in soon(lambda: check(deep if sign == "a:\n" else f"game:\n  {deep}"))


@pytest.mark.parametrize("sign", ["(", "not ", "count ", "left of ", "-", "hand of "])
def test_deep_rule_text_is_refused(sign: str) -> None:
    whole = (folder("games") / "coins.yaml").read_text(encoding="utf-8")
    text = whole.replace("leader = left of dealer", f"leader = {sign * 20_000}dealer")
    assert text != whole
    assert soon(lambda: check(text))


def test_an_alias_bomb_is_refused() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30)
    )
    assert {"yaml-anchor"} <= set(soon(lambda: check(bomb)))


def test_a_long_line_and_many_entries_are_read() -> None:
    assert soon(lambda: check("game: " + "x" * (MAX_BYTES - 10)))
    many = "".join(f"entry_{n}: x\n" for n in range(20_000))
    assert "unknown-key" in soon(lambda: check(many))
