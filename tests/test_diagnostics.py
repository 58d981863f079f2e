"""Problems as values, how they are shown, and what is suggested."""

from __future__ import annotations

import json

import pytest

from rulebook.diagnostics import Fix, Label, Problems, RuleFileError
from rulebook.render.problems import MAX_WIDTH, render
from rulebook.resources import find_game, grammar, shipped_games
from rulebook.source import Source, Span
from rulebook.suggest import closest

TEXT = (
    "".join(f"line {number}\n" for number in range(1, 10)) + "zones:\n  trick: {}\n\tdo: 漢 trik\n"
)
SOURCE = Source("games/test.yaml", TEXT)


def span(text: str, source: Source = SOURCE) -> Span:
    start = source.text.index(text)
    return Span(source, start, start + len(text))


def test_full_shows_the_line_and_what_explains_it() -> None:
    problems = Problems()
    problems.add(
        "unknown-zone",
        "there is no zone called `trik`",
        span("trik"),
        label="not a zone",
        help="write `trick`",
    )
    assert render(problems) == (
        "error[unknown-zone]: there is no zone called `trik`\n"
        "  --> games/test.yaml:12:8\n"
        "   |\n"
        "12 |     do: 漢 trik\n"
        "   |            ^^^^ not a zone\n"
        "   |\n"
        "   = help: write `trick`\n"
        "   = more: rulebook explain unknown-zone"
    )


def test_full_skips_the_lines_between_two_labels() -> None:
    problems = Problems()
    problems.add(
        "duplicate-key",
        "`a` is given twice",
        span("line 9"),
        label="again here",
        others=(Label(span("line 2"), "first here"), Label(span("line 3"), "and here")),
        severity="warning",
    )
    assert render(problems) == (
        "warning[duplicate-key]: `a` is given twice\n"
        " --> games/test.yaml:9:1\n"
        "  |\n"
        "2 | line 2\n"
        "  | ------ first here\n"
        "3 | line 3\n"
        "  | ------ and here\n"
        "  :\n"
        "9 | line 9\n"
        "  | ^^^^^^ again here\n"
        "  |\n"
        "  = more: rulebook explain duplicate-key"
    )


def test_full_shows_several_files() -> None:
    other = Source("parts/other.yaml", "a: 1\nb: 2\n")
    problems = Problems()
    problems.add(
        "name-taken", "`b` is taken", span("line 1"), others=(Label(span("b", other), "by this"),)
    )
    assert render(problems) == (
        "error[name-taken]: `b` is taken\n"
        " --> games/test.yaml:1:1\n"
        "  |\n"
        "1 | line 1\n"
        "  | ^^^^^^\n"
        " ::: parts/other.yaml:2:1\n"
        "  |\n"
        "2 | b: 2\n"
        "  | - by this\n"
        "  |\n"
        "  = more: rulebook explain name-taken"
    )


def test_full_cuts_long_lines_around_the_carets() -> None:
    source = Source("f.yaml", "x" * 500 + "HERE" + "y" * 500)
    problems = Problems()
    problems.add("some-slug", "it is long", span("HERE", source))
    line, carets = render(problems).split("\n")[3:5]
    assert len(line) <= MAX_WIDTH + 10
    assert line[carets.index("^") : carets.rindex("^") + 1] == "HERE"


def test_full_shows_only_the_first_line_of_a_long_place() -> None:
    source = Source("f.yaml", "a: |\n  b\n  c\n")
    problems = Problems()
    problems.add("some-slug", "it is", Span(source, 3, len(source.text)))
    assert render(problems).split("\n")[3:5] == ["1 | a: |", "  |    ^"]


def test_colour_changes_no_text() -> None:
    problems = Problems()
    problems.add("some-slug", "it is", span("line 1"), label="this", help="that")
    plain, coloured = render(problems), render(problems, colour=True)
    assert coloured != plain
    for code in ("\x1b[0m", "\x1b[1m", "\x1b[34m", "\x1b[1;31m"):
        coloured = coloured.replace(code, "")
    assert coloured == plain


def test_nothing_of_the_file_can_steer_the_terminal() -> None:
    source = Source("f\x1b.yaml", "a\x1b[31m\u202e\ud800")
    problems = Problems()
    problems.add("some-slug", "it is \x1b", Span(source, 0, 1))
    for shown in (render(problems), render(problems, "concise"), render(problems, "json")):
        assert "\x1b" not in shown
        shown.encode()


def test_concise_is_one_line_each() -> None:
    problems = Problems()
    problems.add("some-slug", "it is", span("line 2"))
    problems.add("no-place", "it is nowhere", None)
    assert render(problems, "concise") == (
        "error[no-place] it is nowhere\ngames/test.yaml:2:1: error[some-slug] it is"
    )
    assert str(RuleFileError(problems)) == render(problems, "concise")


def test_json_holds_everything() -> None:
    where = span("line 2")
    problems = Problems()
    problems.add(
        "some-slug",
        "it is",
        where,
        label="this",
        help="that",
        fix=Fix(where, "new"),
        others=(Label(span("line 1"), "there"),),
    )
    place = {"path": "games/test.yaml", "line": 2, "column": 1, "end_line": 2, "end_column": 7}
    assert json.loads(render(problems, "json")) == [
        {
            **place,
            "slug": "some-slug",
            "severity": "error",
            "message": "it is",
            "label": "this",
            "help": "that",
            "fix": {**place, "text": "new"},
            "others": [{**place, "line": 1, "end_line": 1, "text": "there"}],
        }
    ]
    assert render(Problems(), "json") == "[]"


def test_problems_stand_in_order_and_once() -> None:
    problems = Problems()
    problems.add("b", "later", span("line 3"))
    problems.add("a", "sooner", span("line 1"))
    problems.add("b", "later again", span("line 3"))
    assert [problem.message for problem in problems] == ["sooner", "later"]
    assert len(problems) == 2


def test_warnings_are_no_errors() -> None:
    problems = Problems()
    problems.add("a", "it may be", span("line 1"), severity="warning")
    assert not problems.errors
    problems.add("b", "it is", span("line 1"))
    assert problems.errors


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_positions_count_lines_and_characters(end: str) -> None:
    source = Source("f", f"é漢a{end}{end}b")
    assert source.position(2) == (1, 3)
    assert source.position(len(source.text) - 1) == (3, 1)
    assert source.position(len(source.text)) == (3, 2)
    assert [source.line_text(line) for line in (0, 1, 2, 3, 4)] == ["", "é漢a", "", "b", ""]


def test_spans_join() -> None:
    joined = span("line 1").to(span("line 2"))
    assert joined.text == "line 1\nline 2"


@pytest.mark.parametrize(
    ("name", "names", "found"),
    [
        ("trik", ["stock", "trick"], ["trick"]),
        ("hnad", ["won", "hand"], ["hand"]),
        ("zone", ["moves", "zones"], ["zones"]),
        ("Hand", ["hand"], ["hand"]),
        ("winning-card", ["winning_suit", "winning_card"], ["winning_card"]),
        ("on", ["of", "no", "or"], []),
        ("say", ["lay", "pay"], ["lay"]),
        ("hand", ["hand"], []),
        ("leader", ["dealer", "score"], []),
        ("x" * 1000, ["x" * 1000 + "y"], []),
    ],
)
def test_only_a_likely_slip_is_suggested(name: str, names: list[str], found: list[str]) -> None:
    assert closest(name, names) == found


def test_several_names_are_suggested_nearest_first() -> None:
    assert closest("scores", ["stores", "score", "spores"], 2) == ["stores", "score"]


def test_resources_are_found() -> None:
    assert "rulebook" in grammar("rulefile.schema.json")
    assert str(find_game("no_such_game")) == "no_such_game"
    assert str(find_game("some/file.yaml")) == "some/file.yaml"
    for name, path in shipped_games().items():
        assert find_game(name) == path
        assert path.is_file()
