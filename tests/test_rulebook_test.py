"""`rulebook test`: reports, exit codes, and what examples can say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from rulebook.cli.app import app
from rulebook.diagnostics import Problems
from rulebook.engine.match import Match
from rulebook.engine.record import Record, RecordError
from rulebook.source import Source
from rulebook.tools.examples import Result, begin_at, run_source

RULES = """rulebook: 1
game: Small
players: 2..3
cards:
  suits: [red, blue]
  ranks: [1, 2, 3, 4]
tables:
  worth: {of: rank, is: {1: 5, 4: 2}, else: 0}
zones:
  stock: {ordered: yes, seen by: nobody}
  hand: {each: player, seen by: owner}
  pile: {ordered: yes, seen by: everyone}
state:
  dealer: player
  score: {each: player, is: 0..99}
define:
  value of card c: worth of c + 1 if suit of c is red else worth of c
  top_card: highest rank in pile
moves:
  lay:
    pick: c from hand of mover
    must:
      Follow suit if you can: suit of c is suit of last of pile
    do: move c to pile
steps:
  match: |
    dealer = random from players
    gather all cards to stock
    shuffle stock
    deal 2 from stock to each hand starting left of dealer
    do one_round
    do count_up
  one_round: |
    for p in players starting left of dealer: p chooses lay
  count_up: |
    for p in players: score of p = sum value in (pile where player is p)
    players finish by score
examples:
"""
HOLDS = """  the best card lies in the pile:
    given: {pile: [4 of red, 2 of blue]}
    expect: {top_card: 4 of red, value of 1 of red: 6}
"""
FAILS = """  a wrong one:
    given: {pile: [4 of red, 2 of blue]}
    expect: {top_card: 2 of blue}
"""


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["test", *arguments])
    return result.exit_code, result.output


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.chdir(tmp_path)

    def writer(examples: str, name: str = "small.yaml") -> str:
        (tmp_path / name).write_text(RULES + examples, encoding="utf-8")
        return name

    return writer


def test_a_line_for_each_file_whose_examples_hold(write) -> None:  # type: ignore[no-untyped-def]  # a fixture
    files = [write(HOLDS), write(HOLDS, "other.yaml")]
    assert run(*files) == (0, "small.yaml: 1 example holds\nother.yaml: 1 example holds\n")


def test_the_report_says_what_was_given_expected_and_found_and_why(write) -> None:  # type: ignore[no-untyped-def]  # a fixture
    code, text = run(write(HOLDS + FAILS))
    assert code == 1
    assert "small.yaml: 1 of 2 examples does not hold" in text
    for line in (
        "  a wrong one",
        "    --> small.yaml:42",
        "    given     pile: [4 of red, 2 of blue]",
        "    wrong     top_card   (line 44)",
        "    expected  2 of blue",
        "    found     4 of red",
        "      top card: 4 of red   (line 18)",
        "          pile: 4 of red, 2 of blue",
    ):
        assert line in text.splitlines()


def test_the_report_as_json(write) -> None:  # type: ignore[no-untyped-def]  # a fixture
    code, text = run(write(HOLDS + FAILS), "--json")
    (report,) = json.loads(text)
    assert (code, report["passed"]) == (1, False)
    good, bad = report["examples"]
    assert good["passed"]
    assert bad["checks"][0]["found"] == "4 of red"
    assert bad["checks"][0]["why"]["parts"][0]["text"] == "highest rank in pile"


def test_a_move_that_should_be_legal_has_its_rule_line(write) -> None:  # type: ignore[no-untyped-def]  # a fixture
    code, text = run(
        write(
            "  a suit is followed:\n"
            "    given: {pile: [1 of red], mover: 0, hand of 0: [2 of red, 3 of blue]}\n"
            "    legal: [3 of blue]\n"
        )
    )
    assert code == 1
    assert "not legal: Follow suit if you can: 2 of red" in " ".join(text.split())
    assert "the rule  small.yaml:23" in text


def test_what_cannot_be_is_told_at_its_place(write) -> None:  # type: ignore[no-untyped-def]  # a fixture
    code, text = run(write("  a:\n    given: {pile: [5 of red]}\n    expect: {top_card: none}\n"))
    assert code == 1
    assert "there is no card `5 of red`" in text
    assert "small.yaml:40:20" in text


@pytest.mark.parametrize(
    "arguments", [("--games", "5"), ("--players", "2"), ("--mutate", "--coverage")]
)
def test_options_that_do_not_fit_are_refused(write, arguments: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]  # a fixture
    code, _ = run(write(HOLDS), *arguments)
    assert code == 2


def result(example: str) -> Result:
    problems = Problems()
    (found,) = run_source(Source("a.yaml", f"{RULES}  one:\n{example}"), problems)
    assert not list(problems)
    return found


def test_chance_may_be_given() -> None:
    found = result(
        "    deal: {dealer: 0, hand of 0: [4 of red, 1 of blue], hand of 1: [1 of red, 2 of red]}\n"
        "    play: [1 of red, 4 of red]\n"
        "    expect: {dealer: 0, score of 0: 3, score of 1: 6}\n"
        "    winners: [1]\n"
    )
    assert [check.passed for check in found.checks] == [True] * 4, found


def test_a_step_without_choices_is_done() -> None:
    given = "    at: count_up\n    given: {pile: {0: 1 of red, 1: 4 of blue}}\n"
    assert result(f"{given}    expect: {{score of 0: 6, score of 1: 2}}\n    winners: [0]\n").passed
    assert not result(f"{given}    winners: [1]\n").passed
    assert not result(f"{given}    winners: not yet\n").passed


def test_play_begins_at_an_example() -> None:
    source = Source(
        "a.yaml",
        f"{RULES}  one card:\n    at: one_round\n    given: {{dealer: 1, hand of 0: [1 of red], "
        "hand of 1: [2 of blue, 3 of red]}\n    play: [1 of red]\n",
    )
    problems = Problems()
    match = begin_at(source, "one card", problems)
    assert match is not None
    assert not isinstance(match, str)
    assert [move.text for move in match.moves] == ["lay 3 of red"]
    said = begin_at(source, "one cart", problems)
    assert said == "there is no example `one cart`; did you mean `one card`?"


ROUND = """  a round:
    at: one_round
    given: {dealer: 1, hand of 0: [1 of red, 4 of blue], hand of 1: [2 of blue, 3 of red]}
    play: [1 of red]
  nobody chooses:
    given: {pile: [4 of red]}
"""


def standing(label: str) -> Match:
    match = begin_at(Source("a.yaml", RULES + ROUND), label, Problems())
    assert isinstance(match, Match)
    return match


def test_a_match_from_an_example_is_recorded_with_it() -> None:
    match = standing("a round")
    with pytest.raises(ValueError, match="no move to take back"):
        match.undo()
    assert match.copy().example == "a round"
    match.name_players(["Ann", "Ben"])
    match.play("lay 3 of red")
    kept = Record.read(yaml.safe_load(match.record().text()))
    assert kept.example == "a round"
    assert kept.moves == [(0, "lay 1 of red"), (1, "lay 3 of red")]
    again = kept.replay()
    assert again.state == match.state
    assert again.words.players == ["Ann", "Ben"]
    assert kept.replay(0).played == kept.moves[:1], "an example begins with its own moves"
    again.undo()
    with pytest.raises(ValueError, match="no move to take back"):
        again.undo()
    kept.moves[0] = (0, "lay 4 of blue")
    with pytest.raises(RecordError, match="move 1"):
        kept.replay()
    kept.example = "a rounds"
    with pytest.raises(RecordError, match="no example `a rounds`"):
        kept.replay()


def test_play_from_an_example_can_be_saved_and_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(RULES + ROUND, encoding="utf-8")
    runner = CliRunner()
    begin = ["play", "a.yaml", "--from", "a round", "--seat", "1"]
    played = runner.invoke(app, [*begin, "--record", "x.record"], input="quit\n")
    assert played.exit_code == 0, played.output
    assert 'from "a round"' in played.output
    played = runner.invoke(app, begin, input="save x.record\nquit\n")
    assert "rulebook play --resume x.record" in played.output
    resumed = runner.invoke(app, ["play", "--resume", "x.record"], input="undo\n1\n")
    assert "There is no choice of yours to take back." in resumed.output
    assert "--record" not in resumed.output
    assert "player 1: lay 1 of red" in runner.invoke(app, ["replay", "x.record"]).output
    played = runner.invoke(app, begin, input="1\n")
    assert 'For the same again: --from "a round"' in played.output
    refused = runner.invoke(app, [*begin, "--seed", "3"])
    assert refused.exit_code == 2
    assert "an example has its own players, options and chance" in refused.output
