"""Reading rule files as YAML: positions, faults, traps, and the structure of a file."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from rulebook import document as reading
from rulebook.bars import take_out
from rulebook.diagnostics import Problem, Problems
from rulebook.document import Mapping, Node, Scalar, Sequence, read_document
from rulebook.render.problems import render
from rulebook.schema import validate_structure
from rulebook.source import Source, Span, read_source

GAME = """\
rulebook: 1
game: Test
players: 3
cards: {suits: [red, blue], ranks: [1, 2]}
steps:
  match: leader wins
"""


def read(text: str) -> tuple[Mapping | None, list[Problem]]:
    problems = Problems()
    document = read_document(Source("f.yaml", text), problems)
    assert document is not None or problems.errors
    return document, list(problems)


def places(problems: list[Problem]) -> list[str]:
    """Each problem as `line:column slug`, with the text that is underlined."""
    return [
        f"{problem.span.line}:{problem.span.column} {problem.slug} {problem.span.text}"
        for problem in problems
        if problem.span
    ]


def structure(text: str) -> list[Problem]:
    problems = Problems()
    document = read_document(Source("f.yaml", text), problems)
    if document:
        validate_structure(document, problems)
    return list(problems)


def spans(node: Node) -> Iterator[Span]:
    yield node.span
    if isinstance(node, Scalar):
        yield node.body
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from spans(item)
    else:
        for entry in node.entries.values():
            yield from spans(entry.key)
            yield from spans(entry.value)


# -- scalars and their places


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_scalars_know_where_they_stand(end: str) -> None:
    text = end.join(
        [
            "plain: no  # comment",
            "single: 'it''s'",
            'double: "a: b"',
            "block: |  # comment",
            "  é one",
            "",
            "  two",
            "",
            "# comment",
            "empty:",
            "list: [10, 1:30]",
            "",
        ]
    )
    document, problems = read(text)
    assert document is not None
    assert problems == []
    found = {}
    for key, entry in document.entries.items():
        if isinstance(entry.value, Scalar):
            value = entry.value
            found[key] = (value.style, value.text, value.span.text, value.body.text)
    header = "|  # comment"
    body = end + "  é one" + end + end + "  two" + end
    assert found == {
        "plain": ("plain", "no", "no", "no"),
        "single": ("single", "it's", "'it''s'", "it''s"),
        "double": ("double", "a: b", '"a: b"', "a: b"),
        "block": ("block", "é one\n\ntwo\n", header + body, body),
        "empty": ("plain", "", "", ""),
    }
    empty = document.get("empty")
    assert empty is not None
    assert (empty.span.line, empty.span.column) == (10, 7)
    listed = document.get("list")
    assert isinstance(listed, Sequence)
    assert [item.span.text for item in listed.items] == ["10", "1:30"]


def test_a_block_without_a_final_newline_ends_with_the_file() -> None:
    document, _ = read("do: |\n  one\n  two")
    assert document is not None
    block = document.get("do")
    assert isinstance(block, Scalar)
    assert block.body.text == "\n  one\n  two"
    assert block.multiline


def test_both_loaders_of_pyyaml_give_the_same_document(monkeypatch: pytest.MonkeyPatch) -> None:
    text = GAME + "zones: {a: , b: {}}\ndefine:\n  f of (card a, card b): |\n    return a\n\n"
    fast, _ = read(text)
    monkeypatch.setattr(reading, "_FAST", yaml.SafeLoader)
    slow, _ = read(text)
    assert fast is not None
    assert slow is not None
    assert list(spans(fast)) == list(spans(slow))


# -- faults and traps

FAULTS = {
    "a: 1\nb: c: d\n": "2:5 colon-in-value :",
    "a: b\n  c: d\n": "2:3 bad-indent c: d",
    "a:\n    b: 1\n  c: 2\n": "3:3 bad-indent c: 2",
    "a: |\n    x\n  y\n": "3:3 bad-indent y",
    "moves:\n  play\n    pick: c\n": "2:3 missing-colon play",
    "a: 1\nfoo bar\nb: 2\n": "2:1 missing-colon foo bar",
    "a: 1\nb:2\n": "2:1 missing-colon b:2",
    "a: {x, y}\n": "1:5 missing-colon x",
    "a:\n  b: 1\n\tc: 2\n": "3:1 tab-indent \t",
    "a: |\n\tx\n": "2:1 tab-indent \t",
    'a: "x\nb: 1\n': '1:4 unclosed-quote "',
    "a: 'x\nb: 1\n": "1:4 unclosed-quote '",
    'a:\n  b: "x\n  c: 1\n': '2:6 unclosed-quote "',
    "a: [1, 2\nb: 3\n": "1:4 unclosed-bracket [",
    "a: {b: {c: 1}\nd: 3\n": "1:4 unclosed-bracket {",
    "a:\n  b: [\n  c: 1\n": "2:6 unclosed-bracket [",
    "a: [1, 2}\n": "1:9 unclosed-bracket }",
    "a: {b: 1}}\n": "1:10 unopened-bracket }",
    "a: [b: c: d]\n": "1:9 colon-in-value :",
    "a: {b: 'x' y}\n": "1:12 missing-comma y",
    "a: 'it's so'\n": "1:8 text-after-value s so'",
    "a: {x} takes\n": "1:8 text-after-value takes",
    "a: %x\n": "1:4 special-start %",
    "a: @x\n": "1:4 special-start @",
    "a: `x\n": "1:4 special-start `",
    "a: * x\n": "1:4 special-start *",
    "a:\n  b:\n    *x y\n": "3:5 special-start *",
    "a:\n  - \tb\n": "2:5 tab-indent \t",
    "a: & x\n": "1:4 special-start &",
    "a: ? x\n": "1:4 special-start ?",
    "a: > x\n": "1:4 special-start >",
    "a: ,x\n": "1:4 special-start ,",
    "%x\na: 1\n": "1:1 special-start %",
    "a: | x\n": "1:6 text-beside-bar x",
    "a: - x\n": "1:4 misplaced-item -",
    "a:\n  b: 1\n - c\n": "3:2 misplaced-item - c",
    "a:\n  - b\n  c: 1\n": "2:3 misplaced-item - b",
    'a: "\\d"\n': "1:5 bad-escape \\d",
    'a: "\\U0011FFFF"\n': "1:5 bad-escape \\U",
    'a: "\\0"\n': '1:4 bad-character "\\0"',
    "a: b\x07c\n": "1:5 bad-character \x07",
    "a: b\ud800\n": "1:5 bad-character \ud800",
    "a: b\rc: d\n": "1:5 bad-character \r",
    "a: 1\n---\nb: 2\n": "2:1 several-documents ---",
    "a: 1\nb: *x\n": "2:4 yaml-alias *x",
    "a: &x 1\nb: *x\n": "1:4 yaml-anchor &x",
    "a: !x 1\n": "1:4 yaml-tag !x",
    "<<: {a: 1}\n": "1:1 yaml-merge <<",
    "a: 1\na: 2\n": "2:1 duplicate-key a",
    "a: {b: 1, 'b': 2}\n": "1:11 duplicate-key 'b'",
    "? [a]\n: b\n": "1:3 bad-key [a]",
    ": x\n": "1:1 bad-key :",
    "a\u00a0: 1\n": "1:1 bad-key a\u00a0",
    "- a\n": "1:1 not-a-mapping - a",
    "words\n": "1:1 not-a-mapping words",
    "": "1:1 empty-file ",
    "# words\n": "1:1 empty-file ",
    "[" * 5000: "1:61 too-deep [",
    "a: {about: One, two, is: x}\n": "1:17 comma-cuts-value two",
    "a: {if: f of (x, y), do: z}\n": "1:18 comma-cuts-value y)",
    "a: [f of (x, y), z]\n": "1:14 comma-cuts-value y)",
    "a: count (b # c)\n": "1:13 comment-cuts-value # c)",
    "a: {colour: #ff0000\n  }\n": "1:13 comment-cuts-value #ff0000",
}


@pytest.mark.parametrize("text", FAULTS, ids=lambda text: repr(text[:40]))
def test_a_fault_is_one_problem_at_its_place(text: str) -> None:
    _, problems = read(text)
    assert places(problems) == [FAULTS[text]]
    full = render(problems).lower()
    for word in ("unexpected", "token", "scalar", "stream", "flow", "parsing"):
        assert word not in full


def test_harmless_text_is_left_alone() -> None:
    text = "---\na: one (two) # three\nb: say 'x' (y)\nc: [x, y]  # z\nd: # e\n  - f\n...\n"
    assert read(text)[1] == []


def test_five_faults_in_five_entries_are_five_problems() -> None:
    text = (
        "a: b: c\n"
        "moves:\n  play:\n    pick: [x\n  pass:\n    do: 'it's\n  lay:\n    do: x\n"
        "zones:\n  hand: {}\n  hand: {}\n"
        "steps:\n  match: |\n    do x\n  other: @y\n"
    )
    document, problems = read(text)
    assert places(problems) == [
        "1:5 colon-in-value :",
        "4:11 unclosed-bracket [",
        "6:13 text-after-value s",
        "11:3 duplicate-key hand",
        "15:10 special-start @",
    ]
    assert document is not None
    # What is sound is there; what is not is known to be there.
    assert document.broken == {"a"}
    moves, steps = document.get("moves"), document.get("steps")
    assert isinstance(moves, Mapping)
    assert isinstance(steps, Mapping)
    assert set(moves.entries) | moves.broken == {"play", "pass", "lay"}
    assert set(steps.entries) == {"match"}


@pytest.mark.parametrize(
    "line", ["a: b: c\n", "[\n", "- a: [\n", "k{0}: [\n", "k{0}: 1\n"], ids=repr
)
def test_a_heap_of_faults_ends_soon(line: str) -> None:
    text = "".join(line.format(number) for number in range(20_000))
    start = time.process_time()
    assert 0 < len(structure(text)) < 300
    assert time.process_time() - start < 3


def test_an_alias_bomb_is_refused_quickly() -> None:
    text = "a0: &a0 [x, x]\n" + "".join(
        f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 40)
    )
    start = time.process_time()
    _, problems = read(text)
    assert time.process_time() - start < 1
    assert {problem.slug for problem in problems} == {"yaml-anchor"}


# -- files


@pytest.mark.parametrize(
    ("data", "slug"),
    [
        (b"a: \xff\n", "not-utf-8"),
        (b"a: \xed\xa0\x80\n", "not-utf-8"),
        (b"a: 1" + b" " * 10_000_000, "file-too-big"),
        (b"\xff\xfea\x00:\x00", "not-utf-8"),
    ],
    ids=["latin", "surrogate", "big", "utf-16"],
)
def test_a_file_that_is_no_text_is_refused(tmp_path: Path, data: bytes, slug: str) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(data)
    problems = Problems()
    assert read_source(str(path), problems) is None
    assert [problem.slug for problem in problems] == [slug]


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    problems = Problems()
    assert read_source(str(tmp_path), problems) is None
    assert read_source(str(tmp_path / "none.yaml"), problems) is None
    assert read_source("a\0b", problems) is None
    assert sorted(problem.slug for problem in problems) == [
        "cannot-read",
        "no-such-file",
        "not-a-file",
    ]


def test_a_byte_order_mark_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: b: c\r\n")
    problems = Problems()
    source = read_source(str(path), problems)
    assert source is not None
    assert read_document(source, problems) is None
    assert places(list(problems)) == ["1:5 colon-in-value :"]


# -- structure


def test_a_whole_game_is_sound() -> None:
    text = GAME + (
        "turns: anticlockwise\n"
        "teams: {us: [0, 2], them: [1]}\n"
        "options: {target: {about: Points to win, choose: [10, 20], also: 1..500, default: 10}}\n"
        "kinds: {strain: [red, blue, 7]}\norders: {natural: [2, 1]}\n"
        "tables:\n  worth: {of: rank, is: {1: 5}, else: 0}\n"
        "  pair: {of: [suit, rank], is: {red: {1: 2}}}\n"
        "zones: {stock: {}, hand: {each: player, ordered: yes, faces: up, seen by: owner}}\n"
        "state: {dealer: player, score: {each: player, is: 0..9, starts: 0, outside: no}}\n"
        "define: {'f of (card a, card b)': a}\n"
        "moves:\n  play: {pick: [c from hand, d from hand], if: {You may: x}, do: y,\n"
        "    must: {Follow: x, Beat it: {for: x, keep: y, on: c}}, say: a, words: [a, b]}\n"
        "limits: {plays: a, repeats: b}\nnames: {red: Red, 1: {text: One, fr: Un}}\n"
        "examples: {any words: {given: {stock: [a]}, expect: {b: c}, illegal: [x]}}\n"
    )
    assert structure(text) == []


def test_a_variant_needs_no_whole_game() -> None:
    text = "rulebook: 1\ngame: B\nextends: other\noptions: {target: {default: 2}}\nremove: [x]\n"
    assert structure(text) == []


STRUCTURE = {
    GAME + "zonse: {}\n": "7:1 unknown-key zonse",
    GAME + "whatever: 1\n": "7:1 unknown-key whatever",
    GAME.replace("steps", "stpes"): "5:1 unknown-key stpes",
    GAME.replace("game: Test\n", ""): "1:1 missing-key rulebook",
    GAME.replace("1\n", "2\n", 1): "1:11 unknown-version 2",
    GAME.replace("3", "three", 1): "3:10 bad-value three",
    GAME + "turns: clokwise\n": "7:8 bad-value clokwise",
    GAME + "zones: [a]\n": "7:8 wrong-shape [a]",
    GAME + "zones: {a: {sen by: x}}\n": "7:13 unknown-key sen by",
    GAME + "zones: {Hand: {}}\n": "7:9 bad-name Hand",
    GAME + "zones:\nhand: {}\nstock: {}\n": "7:1 missing-value zones",
    GAME + "zones: {a: {ordered: maybe}}\n": "7:22 bad-value maybe",
    GAME + "state: {a: [b]}\n": "7:12 wrong-shape [b]",
    GAME + "state: {a: {each: player}}\n": "7:9 missing-key a",
    GAME + "state: {a: {is: x, strats: y}}\n": "7:20 unknown-key strats",
    GAME + "moves: {a: {do: x, must: {b: {for: c, kep: d}}}}\n": "7:39 unknown-key kep",
    GAME + "moves: {a: {do: {x: y}}}\n": "7:17 wrong-shape {x: y}",
    GAME + "tables: {a: {of: [b], is: {c: d}}}\n": "7:18 wrong-shape [b]",
    GAME + "options: {a: {choose: [1]}}\n": "7:11 missing-key a",
    GAME + "options: {a: {about: x, choose: []}}\n": "7:33 wrong-shape []",
    GAME + "remove: [x]\n": "7:1 missing-key remove",
    GAME + "about:\n": "7:1 missing-value about",
    GAME + "names: {red: {texxt: x}}\n": "7:15 unknown-key texxt",
    GAME.replace("suits: [red, blue], ", ""): "4:9 missing-key ranks",
    GAME.replace("suits: [red, blue], ranks: [1, 2]", "copies: 2"): "4:1 missing-key cards",
    # A part that could not be read is not missing too.
    GAME.replace("steps:\n", "steps\n"): "5:1 missing-colon steps",
    GAME.replace("players: 3", "players 3"): "3:1 missing-colon players 3",
    GAME.replace("{suits", "{suits: 'x' y"): "4:20 missing-comma y:",
}


@pytest.mark.parametrize("text", STRUCTURE, ids=lambda text: repr(text[-40:]))
def test_a_fault_of_structure_is_one_problem_at_its_place(text: str) -> None:
    problems = structure(text)
    assert places(problems) == [STRUCTURE[text]]
    full = render(problems).lower()
    for word in ("schema", "object", "array", "additional", "required", "pattern", "something"):
        assert word not in full


def test_a_certain_name_is_a_fix() -> None:
    (problem,) = structure(GAME + "zones: {a: {sen by: x}}\n")
    assert problem.fix is not None
    assert problem.fix.text == "seen by"
    assert problem.help == "write `seen by`"


def test_a_choice_of_shapes_is_worded_as_one() -> None:
    (problem,) = structure(GAME + "moves: {a: {do: x, pick: {b: c}}}\n")
    assert problem.message == "`pick` wants rule text, or a list of it, and this is a mapping"


# -- whatever the file holds

MARKS = st.sampled_from([*list(" \n\t:#{}[],-'\"|>*&!%@`?\\~a0é"), "\r\n", ": ", "- ", "---", "<<"])


@settings(max_examples=250, deadline=None)
@given(st.one_of(st.lists(MARKS, max_size=40).map("".join), st.text(max_size=40)))
def test_any_text_is_a_document_or_problems(text: str) -> None:
    problems = Problems()
    source = Source("f.yaml", text)
    document = read_document(source, problems)
    assert document is not None or problems.errors
    if document:
        for span in spans(document):
            assert 0 <= span.start <= span.end <= len(text)
        validate_structure(document, problems)
    for problem in problems:
        assert problem.span is not None
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
    assert render(problems) or not len(problems)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_changed_game_is_a_document_or_problems(data: st.DataObject) -> None:
    text = GAME + "moves:\n  play:\n    pick: c\n    do: |\n      move c\n      say x\n"
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 4))
        text = text[:at] + "".join(data.draw(st.lists(MARKS, max_size=3))) + text[at + cut :]
    problems = structure(text)
    render(problems)
    assert all(problem.span for problem in problems)


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=40))
def test_any_bytes_are_a_source_or_a_problem(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(data)
    problems = Problems()
    source = read_source(str(path), problems)
    assert (source is None) == problems.errors


@pytest.mark.parametrize(
    "text",
    [
        "define:\n  top:\n    highest rank in pile\n",
        "moves:\n  lay:\n    pick:\n      - c from hand of mover\n      - s in suits\n",
        "moves:\n  lay:\n    if:\n      Not now: pile is empty\n      Not ever: no\n",
        "steps:\n  match:\n    do: move c to pile\n    about: A step\n",
        "zones:\n  hand:\n    each: player\n    seen by: owner\n",
        "steps:\n  match: |\n    repeat:\n      do one\n",
    ],
)
def test_what_yaml_reads_as_it_is_meant_is_left_to_it(text: str) -> None:
    problems = Problems()
    assert take_out(Source("small.yaml", text), problems).text == text
    assert not list(problems)


def test_text_below_a_bare_name_is_kept_from_yaml_line_by_line() -> None:
    text = "steps:\n  match: # the game\n    let x = 1\n\n    stop\n  next_one: |\n    stop\n"
    problems = Problems()
    document = read_document(Source("small.yaml", text), problems)
    assert [problem.slug for problem in problems] == ["missing-bar"]
    assert document is not None
    steps = document.get("steps")
    assert isinstance(steps, Mapping)
    body = steps.get("match")
    assert isinstance(body, Scalar)
    assert body.body.text == "\n    let x = 1\n\n    stop\n"
    assert list(steps.entries) == ["match", "next_one"]
