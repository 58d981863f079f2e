"""Every game of the project, drafts too, is read, has the right structure and resolves without a
problem at every number of players; and the grammar of rule text has no collisions."""

from __future__ import annotations

from pathlib import Path

import pytest
from lark import Lark
from lark.exceptions import GrammarError, LexError

from rulebook import load
from rulebook.diagnostics import Problems
from rulebook.document import Mapping
from rulebook.parse import STARTS, Layout
from rulebook.pipeline import load_document
from rulebook.render.problems import render
from rulebook.resolve import Setting, resolve
from rulebook.resources import grammar
from rulebook.source import Source, read_source

ROOT = Path(__file__).resolve().parent.parent
DRAFTS = sorted((ROOT / "tests/language/drafts").glob("*.yaml"))
FILES = sorted([*(ROOT / "games").glob("*.yaml"), *DRAFTS])


def document_of(source: Source | None, problems: Problems) -> Mapping:
    document = None if source is None else load_document(source, problems)
    assert document is not None, render(problems, "full")
    return document


def players_of(path: Path) -> range:
    problems = Problems()
    document = document_of(read_source(str(path), problems), problems)
    low, high = resolve(document, Setting(), problems).player_range
    return range(low, high + 1)


EVERY_TABLE = [
    pytest.param(path, players, id=f"{path.stem}-{players}")
    for path in FILES
    for players in players_of(path)
]


def test_the_four_games_and_eight_drafts_are_here() -> None:
    games = {"coins", "china_hand", "coinche", "three_kings"}
    drafts = {"hearts", "gin_rummy", "scopa", "durak", "euchre", "cribbage", "klondike"}
    assert {path.stem for path in FILES} >= games | drafts | {"president"}


@pytest.mark.parametrize(("path", "players"), EVERY_TABLE)
def test_a_game_has_no_problems(path: Path, players: int) -> None:
    problems = Problems()
    document = document_of(read_source(str(path), problems), problems)
    game = resolve(document, Setting(players), problems)
    assert not len(problems), render(problems, "full")
    assert game.players == players
    assert "match" in game.steps


def test_a_draft_with_a_fault_has_a_problem() -> None:
    """What the test above would see: one word of one draft misspelt."""
    path = next(path for path in FILES if path.stem == "hearts")
    text = path.read_text(encoding="utf-8").replace("move c to trick", "move c to trik")
    problems = Problems()
    resolve(document_of(Source("draft.yaml", text), problems), Setting(), problems)
    assert [problem.slug for problem in problems] == ["unknown-zone"]


def strict(text: str) -> Lark:
    """The grammar, refused if two terminals or two rules can be mistaken for each other."""
    return Lark(text, parser="lalr", lexer="basic", postlex=Layout(), start=STARTS, strict=True)


def test_the_grammar_has_no_collisions() -> None:
    strict(grammar("rules.lark"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('if_else: implication "if"', 'if_else: choice "if"'),
        ("NUMBER: /[0-9]+/", "NUMBER: /[a-z0-9]+/"),
    ],
)
def test_a_collision_would_be_seen(before: str, after: str) -> None:
    text = grammar("rules.lark")
    assert before in text
    with pytest.raises((GrammarError, LexError)):
        strict(text.replace(before, after))


@pytest.mark.parametrize("path", DRAFTS, ids=lambda path: path.stem)
def test_a_draft_plays_to_its_end(path: Path) -> None:
    """Random games end by their rules or their limit, and no rule goes wrong on the way."""
    low, high = players_of(path).start, players_of(path).stop - 1
    for players in {low, high}:
        played = sum(
            len(batch.plays) for batch in load(str(path), players=players).random_games(20, seed=5)
        )
        assert played == 20
