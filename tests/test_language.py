"""The language as rule files: `valid` ones pass, each of `errors` shows one mistake.

A file of `errors` is named for the slug that it raises, with a claim after a dot where one slug
has several; beside it stands what users are told. `make goldens` renews those.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import rulebook
from rulebook.diagnostics import Problem, Problems, RuleFileError
from rulebook.pipeline import check_text, compile_source, validate_source
from rulebook.render.problems import render
from rulebook.resources import folder
from rulebook.source import Source
from rulebook.yaml_faults import report_fault
from tests.conftest import Golden

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parent / "interpreter" / "rulebook"
VALID = sorted((HERE / "language" / "valid").rglob("*.yaml"))
DRAFTS = sorted((HERE / "language" / "drafts").glob("*.yaml"))
GAMES = sorted(folder("games").glob("*.yaml"))
ERRORS = sorted((HERE / "language" / "errors").rglob("*.yaml"))

# Slugs that no text of one rule file can raise, and the tests that show them.
ELSEWHERE = {
    "example-fails": "test_mutate",
    "no-such-file": "test_validate",
    "no-such-game": "test_validate",
    "not-a-file": "test_validate",
    "cannot-read": "test_document",
    "file-too-big": "test_fuzz",
    "not-utf-8": "test_fuzz",
    "unknown-option": "test_language",
    "bad-option": "test_language",
    "option-condition": "test_language",
    "yaml-syntax": "test_language",
    "not-supported-yet": "test_language",
    "extends-cycle": "test_flatten",
    "long-chain": "test_flatten",
}


def validate(text: str, name: str) -> Problems:
    problems = Problems()
    validate_source(Source(name, text), problems)
    return problems


@pytest.mark.parametrize("path", [*GAMES, *DRAFTS, *VALID], ids=lambda path: path.stem)
def test_a_sound_file_has_no_problems(path: Path) -> None:
    assert not list(rulebook.validate(str(path))), render(rulebook.validate(str(path)))


@pytest.mark.parametrize("path", ERRORS, ids=lambda path: path.stem)
def test_a_mistake_is_said_as_the_golden_says(path: Path, golden: Golden) -> None:
    problems = list(validate(path.read_bytes().decode(), path.name))
    golden(path.with_suffix(".expected"), render(problems) + "\n")
    slug = path.stem.partition(".")[0]
    assert [problem.slug for problem in problems] == [slug]


def test_every_slug_has_a_file_that_raises_it() -> None:
    shown = {path.stem.partition(".")[0] for path in ERRORS}
    assert slugs() - shown - set(ELSEWHERE) == set()
    assert shown - slugs() == set()


def test_slugs_shown_elsewhere_are_shown_there() -> None:
    for slug, module in ELSEWHERE.items():
        text = (HERE / f"{module}.py").read_text(encoding="utf-8")
        # In this file the table itself names the slug once.
        assert text.count(f'"{slug}"') > (module == "test_language"), slug


def slugs() -> set[str]:
    """Every slug in the code: the first argument where a problem is made."""
    found: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args:
                maker = ast.unparse(node.func)
                if maker.endswith("problems.add") or maker.split(".")[-1] in MAKERS:
                    found |= set(slugs_in(node.args[0]))
    return found


# What makes a problem, beside `problems.add`.
MAKERS = ("wrong", "warn", "unknown", "Slip")


def slugs_in(argument: ast.expr) -> Iterator[str]:
    for node in ast.walk(argument):
        if isinstance(node, ast.JoinedStr):
            # The one slug with a part that is computed.
            assert ast.unparse(node) == "f'yaml-{what.split()[-1]}'"
            yield from ("yaml-alias", "yaml-anchor", "yaml-tag")
            return
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", node.value), node.value
            yield node.value


def test_slugs_are_found_where_they_are_made() -> None:
    assert {"unknown-zone", "tab-indent", "double-equals", "unused", "yaml-tag"} <= slugs()


def test_a_fault_of_yaml_that_nothing_explains_is_told_all_the_same() -> None:
    problems = Problems()
    source = Source("small.yaml", "game: Small")
    report_fault(yaml.YAMLError(), source, 6, len(source.text), problems)
    assert [problem.slug for problem in problems] == ["yaml-syntax"]


def test_an_option_that_is_not_there_is_refused() -> None:
    from rulebook.pipeline import Setting

    text = (folder("games") / "coins.yaml").read_text(encoding="utf-8")
    for options, slug in (({"goal": "3"}, "unknown-option"), ({"target": "0"}, "bad-option")):
        game, problems = check_text(text, setting=Setting(options=options))
        assert game is None
        assert [problem.slug for problem in problems] == [slug]


DEPENDENT = (HERE / "language" / "valid" / "an_option_may_depend_on_others.yaml").read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "slug"),
    [
        ({}, ""),
        ({"bonus_cards": "1"}, ""),
        ({"bonus_cards": "1", "bonus": "nothing"}, ""),
        ({"bonus_cards": "2", "bonus": "some"}, ""),
        ({"bonus_cards": "9", "bonus": "some"}, ""),
        ({"bonus_cards": "2"}, "option-condition"),
        ({"bonus_cards": "2", "bonus": "nothing"}, "option-condition"),
        ({"bonus_cards": "10", "bonus": "some"}, "bad-option"),
    ],
)
def test_an_option_is_changed_only_where_its_condition_holds(
    options: dict[str, str], slug: str
) -> None:
    from rulebook.pipeline import Setting

    game, problems = check_text(DEPENDENT, setting=Setting(options=options))
    assert [problem.slug for problem in problems] == ([slug] if slug else [])
    assert (game is None) == bool(slug)


def test_a_refused_option_hears_what_it_could_be() -> None:
    from rulebook.pipeline import Setting

    told = {
        "bonus_cards=2": "`bonus_cards` is only for games with `bonus is some`; leave it at `1`",
        "bonus_cards=10": "`10` is not a value of the option `bonus_cards`; "
        "it is a number from 1 to 9, such as 1 or 2",
        "bonus=much": "`much` is not a value of the option `bonus`; it can be nothing or some",
    }
    for setting, text in told.items():
        name, _, value = setting.partition("=")
        _, problems = check_text(DEPENDENT, setting=Setting(options={name: value}))
        assert [f"{problem.message}; {problem.help}" for problem in problems] == [text]
    stepped = DEPENDENT.replace("also: 1..9", "also: 10..18")
    _, problems = check_text(stepped, setting=Setting(options={"bonus_cards": "9"}))
    (problem,) = problems
    assert problem.help == "it can be 1 or 2, or a number from 10 to 18"


def test_a_changed_default_is_no_choice_and_a_variant_may_lift_a_condition() -> None:
    from rulebook.pipeline import Setting

    changed = DEPENDENT.replace("also: 1..9,", "also: 1..9, default: 2,")
    for text, value, fine in (
        (changed, "2", True),
        (changed, "1", False),
        (DEPENDENT.replace("when: bonus is some", "when: yes"), "2", True),
    ):
        game, _ = check_text(text, setting=Setting(options={"bonus_cards": value}))
        assert (game is not None) is fine


def test_what_cannot_be_played_yet_is_said_where_it_stands() -> None:
    text = (HERE / "language" / "sample.yaml").read_text(encoding="utf-8")
    text = text.replace(
        "define:\n", "define:\n  finest: all highest worth in melds of cards of hand\n"
    )
    assert not validate(text, "sample.yaml").errors
    with pytest.raises(RuleFileError) as error:
        compile_source(Source("sample.yaml", text))
    errors = [problem for problem in error.value.problems if problem.severity == "error"]
    assert [problem.slug for problem in errors] == ["not-supported-yet"]


def coins_with(*changes: tuple[str, str]) -> list[Problem]:
    text = (folder("games") / "coins.yaml").read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return list(validate(text, "coins.yaml"))


def test_five_faults_in_five_entries_are_five_messages_each_at_its_place() -> None:
    problems = coins_with(
        ("turns: clockwise", "turns: clockwise\nplayers: 4"),
        ("  stock: {ordered: yes, seen by: nobody}", "  stock: {ordred: yes, seen by: nobody}"),
        ("    move trick to won", "    move trik to won"),
        ("    do: move c to trick", "    do: mvoe c to trick"),
        ("leader wins", "trick wins"),
    )
    assert [(p.slug, p.span and p.span.text) for p in problems] == [
        ("duplicate-key", "players"),
        ("unknown-key", "ordred"),
        ("misspelt-word", "mvoe"),
        ("unknown-zone", "trik"),
        ("wrong-kind", "trick"),
    ]
    assert [p.help for p in problems][1:4] == ["write `ordered`", "write `move`", "write `trick`"]


def test_a_warning_does_not_keep_a_game_from_being_used() -> None:
    text = (folder("games") / "coins.yaml").read_text(encoding="utf-8")
    text = text.replace("zones:\n", "zones:\n  spare: {seen by: everyone}\n")
    game, problems = check_text(text)
    assert game is not None
    assert [(p.slug, p.severity) for p in problems] == [("unused", "warning")]


def test_what_an_example_names_is_used() -> None:
    text = (folder("games") / "coins.yaml").read_text(encoding="utf-8")
    text = text.replace("define:\n", "define:\n  lead: first of trick\n")
    assert [p.slug for p in validate(text, "coins.yaml")] == ["unused"]
    text = text.replace("expect: {winning_card: 4 of cups", "expect: {lead: 4 of cups")
    assert not list(validate(text, "coins.yaml"))


def test_every_number_of_players_is_checked() -> None:
    path = HERE / "language" / "errors" / "game" / "too-many-dealt.yaml"
    text = path.read_text(encoding="utf-8").replace("players: 2", "players: 2..5")
    text = text.replace("deal 5 from", "deal 3 from")
    (problem,) = validate(text, path.name)
    assert problem.message == "3 cards for each of 3 players are 9, and the deck has 8"
