"""The examples of rule files: they hold, and an example that does not hold says how."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulebook.diagnostics import Problems
from rulebook.resources import folder
from rulebook.source import Source
from rulebook.tools.examples import Result, run_file, run_source
from tests.test_conformance import GAMES, VARIANTS

TEXT = (folder("games") / "coins.yaml").read_text(encoding="utf-8")
RULES = TEXT[: TEXT.index("examples:")] + "examples:\n"


def run(example: str, rules: str = RULES) -> Result:
    problems = Problems()
    found = run_source(Source("a.yaml", f"{rules}  an example:\n{example}"), problems)
    assert not list(problems)
    (result,) = found
    return result


def refused(example: str, rules: str = RULES) -> tuple[str, str]:
    problems = Problems()
    assert not run_source(Source("a.yaml", f"{rules}  an example:\n{example}"), problems)
    (problem,) = problems
    assert problem.span is not None
    return problem.message, problem.span.text


@pytest.mark.parametrize("path", [*GAMES, *VARIANTS], ids=lambda path: path.stem)
def test_the_examples_of_a_game_hold(path: Path) -> None:
    problems = Problems()
    results = run_file(str(path), problems)
    assert not list(problems)
    assert results
    for result in results:
        assert result.checks, result.label
        assert result.passed, result


def test_an_example_that_does_not_hold_says_what_was_found() -> None:
    result = run(
        "    given:  {trick: [4 of cups, 8 of coins, knave of swords]}\n"
        "    expect: {winning_card: 8 of coins, trick_points: 1, count trick: 4}\n"
    )
    assert not result.passed
    assert result.label == "an example"
    assert result.given == {"trick": "[4 of cups, 8 of coins, knave of swords]"}
    assert [(c.what, c.expected, c.found, c.passed) for c in result.checks] == [
        ("winning_card", "8 of coins", "4 of cups", False),
        ("trick_points", "1", "1", True),
        ("count trick", "4", "3", False),
    ]


def test_what_is_expected_may_be_any_expression() -> None:
    result = run(
        "    options: {target: 20}\n"
        "    given: {hand of 1: [2 of cups, ace of coins], score: {2: 7}, leader: 1}\n"
        "    expect:\n"
        "      hand of leader where suit is coins: [ace of coins]\n"
        "      hand of 0: empty\n"
        "      score of left of leader: 7\n"
        "      any hand of 1 and no hand of 2: yes\n"
        "      first of trick: none\n"
        "      players where score >= 7: [2]\n"
        "      target: 20\n"
        "      cards of hand: [ace of coins, 2 of cups]\n"
        "      target + 1: 1000\n"
    )
    *rest, last = result.checks
    assert [check.found for check in rest if not check.passed] == []
    assert (last.expected, last.found, last.passed) == ("1000", "21", False)


def test_moves_are_played_from_a_step_on() -> None:
    given = (
        "    at: one_trick\n"
        "    given: {leader: 1, hand of 0: [2 of cups], hand of 1: [ace of coins, 3 of clubs],\n"
        "      hand of 2: [4 of coins]}\n"
    )
    result = run(
        given + "    play: [ace of coins, 4 of coins]\n"
        "    legal: [2 of cups]\n"
        "    illegal: {3 of clubs: is not in your hand, ace of cups: not in your hand}\n"
        "    expect: {trick: [ace of coins, 4 of coins]}\n"
    )
    assert [check.passed for check in result.checks] == [True, True, True, True]
    over = run(
        given + "    options: {target: 2}\n    play: [ace of coins, 4 of coins, 2 of cups]\n"
        "    expect: {score of 1: 2, won of 1: [2 of cups, 4 of coins, ace of coins]}\n"
    )
    assert over.passed
    refusal = run(given + "    play: [4 of coins]\n    expect: {trick_points: 0}\n")
    assert not refusal.passed
    assert "4 of coins" in refusal.stopped


MUST = RULES.replace(
    "    do: move c to trick\n",
    "    must:\n      Follow suit if you can: suit of c is suit of first of trick\n"
    "    do: move c to trick\n",
)


def test_legality_is_asked_of_a_move_without_a_step() -> None:
    result = run(
        "    given: {trick: [9 of cups], mover: 0, hand of 0: [2 of cups, 3 of coins]}\n"
        "    legal: [2 of cups]\n"
        "    illegal: {3 of coins: Follow suit if you can}\n",
        MUST,
    )
    assert [check.passed for check in result.checks] == [True, True]
    result = run(
        "    at: play\n"
        "    given: {trick: [9 of cups], hand of 0: [2 of cups, 3 of coins]}\n"
        "    legal: [3 of coins]\n"
        "    illegal: {2 of cups: Follow suit, 3 of coins: Play higher}\n",
        MUST,
    )
    assert [check.passed for check in result.checks] == [False, False, False]
    assert result.checks[2].found.startswith("not legal: Follow suit if you can: 2 of cups")


def test_a_value_that_is_none_where_one_is_needed_does_not_hold() -> None:
    result = run("    given: {leader: 1}\n    expect: {suit of first of trick: cups}\n")
    (check,) = result.checks
    assert not check.passed
    assert "none" in check.found


@pytest.mark.parametrize(
    ("example", "message", "place"),
    [
        ("    expect: {trik: empty}\n", "there is no", "trik"),
        ("    given: {trik: []}\n    expect: {trick_points: 0}\n", "there is no zone", "given"),
        ("    given: {trick: [5 of gold]}\n    expect: {trick_points: 0}\n", "no card", "given"),
        ("    expect: {trick_points: many}\n", "`many` is not a number", "many"),
        ("    expect: {winning_card: 11 of cups}\n", "`11 of cups` is not a card", "11 of cups"),
        ("    given: {leader: 1}\n", "nothing is expected here", "an example"),
        ("    deal: {trik: []}\n    expect: {trick_points: 0}\n", "there is no zone", "deal"),
        ("    at: somewhere\n    legal: [2 of cups]\n", "is not a step", "at"),
        ("    at: play\n    play: [2 of cups]\n", "from a step on", "at"),
        ("    legal: [of cups]\n", "is no one move of `play`", "of cups"),
        ("    players: 4\n    expect: {trick_points: 0}\n", "is not for 4 players", "players"),
    ],
)
def test_what_cannot_be_run_is_said_at_its_place(example: str, message: str, place: str) -> None:
    said, where = refused(example)
    assert message in said
    assert where == place


def test_a_move_that_no_step_offers_is_told() -> None:
    rules = RULES.replace("      p chooses play\n", "      do deal_hands\n")
    example = "    at: play\n    given: {hand of 0: [2 of cups]}\n    legal: [2 of cups]\n"
    assert refused(example, rules) == ("no step offers the move `play`", "2 of cups")
