"""The rule sheet: every game written out in sentences, as text, Markdown and one HTML page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, get_args

import pytest

from rulebook import nodes as n
from rulebook import parse
from rulebook.diagnostics import Problems
from rulebook.document import Mapping, Scalar, read_document
from rulebook.pipeline import check_text, load_document, load_source
from rulebook.render.problems import render
from rulebook.render.sheet_html import sheet_html
from rulebook.render.sheet_markdown import sheet_markdown
from rulebook.render.sheet_text import sheet_text
from rulebook.resolve import Setting, resolve
from rulebook.sheet.book import Book, inside
from rulebook.sheet.conditions import CONDITIONS
from rulebook.sheet.illustrations import Wanted
from rulebook.sheet.model import Illustration, Sheet, bare
from rulebook.sheet.phrases import contrary, holds
from rulebook.sheet.short import moves_in_short
from rulebook.sheet.statements import STATEMENTS, Told, block, spoken
from rulebook.sheet.values import PHRASES
from rulebook.sheet.write import write_sheet
from rulebook.source import Source
from tests.conftest import Golden

ROOT = Path(__file__).resolve().parent.parent
SMALL = ROOT / "tests/sheets/small.yaml"
FILES = sorted(
    [
        *(ROOT / "games").glob("*.yaml"),
        *(ROOT / "games/variants").glob("*.yaml"),
        *(ROOT / "tests/language/drafts").glob("*.yaml"),
    ]
)
EVERY_FILE = [pytest.param(path, id=path.stem) for path in FILES]


def opened(path: Path, **options: str) -> Book:
    problems = Problems()
    source = load_source(str(path), problems)
    document = None if source is None else load_document(source, problems)
    assert document is not None, render(problems, "full")
    game = resolve(document, Setting(None, options), problems)
    assert not problems.errors, render(problems, "full")
    return Book(game, document)


def sheet_of(path: Path, language: str = "", **options: str) -> Sheet:
    book = opened(path, **options)
    return write_sheet(book.game, book.document, language)


# ---- all games ----


@pytest.mark.parametrize("path", EVERY_FILE)
def test_every_game_has_a_sheet_in_every_form(path: Path) -> None:
    sheet = sheet_of(path)
    titles = [section.title for section in sheet.sections]
    assert titles[:3] == ["Players", "The cards", "Where the cards lie"]
    assert {"The course of play", "What you can do", "The end of the game"} <= set(titles)
    for written in (sheet_text(sheet), sheet_markdown(sheet), sheet_html(sheet)):
        assert not re.search("[\x00-\x09\x0b-\x1f]", written)
        assert "None" not in written
        assert "Traceback" not in written
        assert sheet.sections[-1].title in written or sheet.sections[-1].title.upper() in written
    assert max(map(len, sheet_text(sheet).splitlines())) <= 80


@pytest.mark.parametrize("path", EVERY_FILE)
def test_every_piece_of_rule_text_can_be_said(path: Path) -> None:
    """As the file has it, whatever the options say: each statement, and each expression in it."""
    book = opened(path)
    said = [
        text for head, body in book.read_steps() for text in told(block(book.named(head), body))
    ]
    for entry in book.section("moves"):
        move = book.moves[entry.key.text]
        assert isinstance(entry.value, Mapping)
        speech = book.choosing(move)
        done = entry.value.get("do")
        if isinstance(done, Scalar):
            said += told(block(speech, parse.read_statements(done, Problems()) or ()))
        say = entry.value.get("say")
        if isinstance(say, Scalar):
            said.append(spoken(speech, parse.read_text(say.body, Problems())))
    for entry in book.section("define"):
        head = parse.read_head(entry.key, Problems())
        assert head is not None
        assert isinstance(entry.value, Scalar)
        definition = parse.read_definition(entry.value, Problems())
        speech = book.named(head)
        if isinstance(definition, tuple):
            said += told(block(speech, definition))
        elif definition is not None and book.lexicon.is_flag(definition):
            condition = speech.condition(definition)
            said += [holds(condition), holds(contrary(condition))]
        elif definition is not None:
            said.append(speech.phrase(definition).text)
    assert said
    for text in said:
        assert re.fullmatch(r"[^_\x00-\x1f]*[\w.:!?)”’\]}]", bare(text)), text
        assert "  " not in text


def told(lines: tuple[Told, ...]) -> list[str]:
    return [text for line in lines for text in [line.text, *told(line.under)]]


def test_every_kind_of_node_has_its_words() -> None:
    assert set(PHRASES) == set(get_args(n.Expr))
    assert set(STATEMENTS) == set(get_args(n.Statement))
    assert set(CONDITIONS) <= set(PHRASES)
    met: set[type] = set()
    for path in FILES:
        book = opened(path)
        for _, body in book.read_steps():
            met |= {type(node) for node in inside(body)}
        for move in book.moves.values():
            met |= {type(node) for node in inside([move.picks, move.body, move.conditions])}
        for definition in book.definitions.values():
            met |= {type(node) for node in inside(definition.body)}
    assert met & set(PHRASES) >= set(PHRASES) - {n.Negate, n.StepsOf, n.Range}
    assert met & set(STATEMENTS) >= set(STATEMENTS) - {n.Secretly}


@pytest.mark.parametrize(
    "path", [one for one in EVERY_FILE if "variants" not in str(one.values[0])]
)
def test_every_option_at_every_value_has_a_sheet(path: Path) -> None:
    book = opened(path)
    usual = sheet_text(sheet_of(path))
    for option in book.game.options.values():
        entry = book.document.get("options")
        assert isinstance(entry, Mapping)
        written = entry.get(option.name)
        assert isinstance(written, Mapping)
        choices = written.get("choose")
        values = ["yes", "no"] if str(option.kind) == "a yes or no" else []
        values += [item.text for item in getattr(choices, "items", [])]
        texts = {sheet_text(sheet_of(path, **{option.name: value})) for value in values}
        assert len(texts) == len(set(values))
        usually = "yes" if option.default == 1 else "no"
        if str(option.kind) != "a yes or no":
            usually = str(option.default)
        assert usually not in values or usual in texts


# ---- what is said ----

SENTENCES = {
    "deal 16 from stock to each hand starting left of dealer": (
        "Deal 16 cards from the stock to each player’s hand, starting with the player on the "
        "dealer’s left."
    ),
    "deal 1 from stock to hand of dealer": "Deal one card from the stock to the dealer’s hand.",
    "move last of stock face down to trick": (
        "Move the top card of the stock to the trick, face down."
    ),
    "leader = player of highest rank in (trick where suit is moons)": (
        "The leader is now the player who played the card with the highest rank among the moons "
        "in the trick."
    ),
    "score of leader -= count (hand of leader where rank is 7)": (
        "Take the number of 7s in the leader’s hand from the leader’s score."
    ),
    "dealer = next of dealer among (players where any hand)": (
        "The dealer is now the next player after the dealer among the players whose hand is not "
        "empty."
    ),
    "if count trick is 2 and not tired of dealer: dealer loses": (
        "If there are exactly two cards in the trick and the dealer is not marked tired, the "
        "dealer loses the game, which is over."
    ),
    "if every trick satisfies (suit is suns or rank is 7): nobody wins": (
        "If for every card in the trick, its suit is suns or its rank is 7, the game ends in a "
        "draw: nobody wins."
    ),
    "players finish by lowest score": (
        "The game is over, and the player with the lowest score wins (players who are equal share "
        "the win)."
    ),
    "leader chooses lay for 2 left of leader": (
        "The leader makes the move Lay in place of the player two seats to the leader’s left."
    ),
    "secretly, each player chooses lay": (
        "In secret and all at once, each player makes the move Lay; nothing is done before all "
        "have chosen."
    ),
    "score of leader = smaller of (-3 + 2 * 4, 9 mod 4)": (
        "The leader’s score is now the smaller of (minus 3 plus (2 times 4)) and (the remainder "
        "of 9 divided by 4)."
    ),
    "repeat 1 times: shuffle stock": "Once, shuffle the stock.",
    "for i in 1..3: shuffle stock": "For each number i from 1 to 3, shuffle the stock.",
}

TABLE = """\
rulebook: 1
game: A Table
players: 3
cards: {suits: [moons, suns], ranks: [7, 8, 9, lord]}
zones:
  stock: {ordered: yes, faces: up}
  hand: {each: player, seen by: owner}
  trick: {ordered: yes, faces: up}
state:
  dealer: player
  leader: player
  tired: {each: player, is: flag}
  score: {each: player, is: -99..99}
moves:
  lay: {pick: c from hand of mover, do: move c to trick}
steps:
  match: |
    shuffle stock
"""


@pytest.mark.parametrize("rule", SENTENCES, ids=lambda rule: rule[:30])
def test_a_rule_line_is_said(rule: str) -> None:
    book = table(TABLE + f"    {rule}\n")
    _, body = next(book.read_steps())
    found = told(block(book.speech, body))[-1]
    assert f"{bare(found)[:1].upper()}{bare(found)[1:]}." == SENTENCES[rule]


def table(text: str) -> Book:
    problems = Problems()
    document = read_document(Source("table", text), problems)
    assert document is not None
    game = resolve(document, Setting(), problems)
    assert not problems.errors, render(problems, "full")
    return Book(game, document)


def test_what_the_options_decide_is_decided() -> None:
    usual, other = sheet_text(sheet_of(SMALL)), sheet_text(sheet_of(SMALL, stakes="yes"))
    assert "- Reward: the total worth of the cards in the trick." in usual
    assert "- Reward: 2 times the total worth of the cards in the trick." in other
    assert "score is at least 8" in usual
    assert "score is at least 12" in sheet_text(sheet_of(SMALL, goal="12"))


def test_the_condition_of_an_option_is_told() -> None:
    path = ROOT / "tests/language/valid/an_option_may_depend_on_others.yaml"
    for options in ({}, {"bonus": "some", "bonus_cards": "2"}):
        text = " ".join(sheet_markdown(sheet_of(path, **options)).replace("*", "").split())
        assert "What they count. To be changed only if the agreed bonus is some." in text


def test_names_come_in_another_language() -> None:
    written = sheet_text(sheet_of(SMALL, "fi"))
    assert "kuut" in written
    assert "herra" in written
    assert "moons" not in written.split("EXAMPLES")[0]
    with pytest.raises(ValueError, match="no names in `xx`; it has fi"):
        sheet_of(SMALL, "xx")


# ---- at the table ----


def in_short(path: Path, **options: str) -> str:
    return "\n".join(moves_in_short(path.read_text(encoding="utf-8"), Setting(None, options)))


def test_what_is_heard_otherwise_does_not_stand_as_a_condition() -> None:
    wanted = "Only if the stock is not empty. Otherwise you hear: “The stock is empty”."
    path = ROOT / "games/china_hand.yaml"
    assert f"  - {wanted}\n" in in_short(path)
    assert wanted in " ".join(sheet_text(sheet_of(path)).split())


def test_what_the_options_allow_is_not_refused_at_the_table() -> None:
    refusal = "A bid of capot cannot be doubled"
    assert refusal not in in_short(ROOT / "games/coinche.yaml", coinche_on_capot="yes")
    assert refusal in in_short(ROOT / "games/coinche.yaml", coinche_on_capot="no")


def test_a_move_without_a_text_tells_what_it_does() -> None:
    assert in_short(ROOT / "tests/language/valid/a_condition_has_a_reason.yaml").splitlines() == [
        "Lay",
        "  - Choose a card from your hand.",
        "  - Only if the suit of the card is red. "
        "Otherwise you hear: “Only red cards may be laid”.",
        "  - Then: move the card to the pile.",
    ]


# ---- the three forms ----


@pytest.mark.parametrize("form", ["txt", "md", "html"])
def test_a_small_game_as_it_is_handed_out(form: str, golden: Golden) -> None:
    forms: dict[str, Any] = {"txt": sheet_text, "md": sheet_markdown, "html": sheet_html}
    book = opened(SMALL)
    sheet = write_sheet(book.game, book.document, examples="all")
    golden(SMALL.with_suffix(f".{form}"), forms[form](sheet))


def titles_of(path: Path, examples: Wanted) -> list[str]:
    book = opened(path)
    sheet = write_sheet(book.game, book.document, examples=examples)
    blocks = [block for one in sheet.sections if one.title == "Examples" for block in one.blocks]
    return [
        "".join(run.text for run in block.title)
        for block in blocks
        if isinstance(block, Illustration)
    ]


def test_a_sheet_shows_one_example_of_each_matter() -> None:
    path = ROOT / "games/coinche.yaml"
    some, every = titles_of(path, "some"), titles_of(path, "all")
    assert [title for title in every if title in some] == some
    assert len(some) < 30 < 90 < len(every)
    assert titles_of(path, "none") == []
    # The first that is refused for a reason, and not the next that is refused for the same.
    assert "A suit that was led is followed, whatever it costs" in some
    assert "No trump is high enough, so any lower one will do" not in some
    # What other options change, and whole deals, are left to the tests.
    assert "Some tables ask for the lowest trump there" not in some
    assert not any(title.startswith("A whole deal") for title in some)


def test_of_few_examples_all_that_can_be_followed_are_shown() -> None:
    path = ROOT / "games/coins.yaml"
    every = titles_of(path, "all")
    long = "Each rank stands above the one before it"
    with_options = "Sixteen cards each are dealt, and the dealer's left leads"
    assert {long, with_options} <= {*every}
    left = [title for title in every if title not in (long, with_options)]
    assert titles_of(path, "some") == left


def test_an_example_says_who_wins_and_where_all_other_cards_lie() -> None:
    text = " ".join(sheet_text(sheet_of(ROOT / "games/coinche.yaml")).split())
    assert "Winners: player 2 and player 4" in text
    assert "all other cards: the won cards of East and West" in text


class Page(HTMLParser):
    """Tags that are opened and closed in order, and everything that would be fetched."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.styles: list[str] = []
        self.addresses: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)
        for name, value in attrs:
            assert not name.startswith("on")
            if name in ("src", "href", "data", "srcset"):
                self.addresses.append(value or "")
            if name == "style":
                self.styles.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("path", [*EVERY_FILE, SMALL])
def test_the_page_stands_alone(path: Path) -> None:
    text = sheet_html(sheet_of(path))
    page = Page(text)
    assert not page.open
    assert not page.tags & {"script", "link", "img", "iframe", "object", "base", "form"}
    assert "@import" not in text
    assert "url(" not in text
    assert "@page { size: A4;" in text
    assert all(re.fullmatch(r"color: #[0-9a-f]{3,6}", style) for style in page.styles)
    assert all(address.startswith("https://") for address in page.addresses)


HOSTILE = '<script>alert(1)</script> & "*_`[x](javascript:y)|'


def hostile() -> Sheet:
    text = SMALL.read_text(encoding="utf-8")
    for old in (
        "Made for a test",
        "Lay a card to the trick",
        "One for each card taken",
        "Cards that win",
    ):
        assert old in text
        text = text.replace(old, "'" + HOSTILE + "'")
    text = text.replace("https://example.org/low?a=1&b=2", "javascript:alert(1)")
    text = text.replace("text: lord,", "text: '" + HOSTILE + "',")
    text = text.replace("  or twice as much:", "  '" + HOSTILE + "':")
    game, problems = check_text(text)
    assert game is not None, render(problems, "full")
    document = read_document(Source("text", text), Problems())
    assert document is not None
    return write_sheet(game, document, examples="all")


def test_nothing_of_the_file_is_markup_in_html() -> None:
    text = sheet_html(hostile())
    page = Page(text)
    assert not page.open
    assert "script" not in page.tags
    assert text.count("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;") >= 6
    assert not page.addresses


def test_nothing_of_the_file_is_markup_in_markdown() -> None:
    text = sheet_markdown(hostile())
    assert "<script>" not in text
    assert r"\<script\>alert(1)\</script\> \& " in text
    assert r"\*\_\`\[x\](javascript:y)\|" in text
    rows = [line for line in text.splitlines() if line.startswith("| Goal")]
    assert rows
    assert len(re.findall(r"(?<!\\)\|", rows[0])) == 4


# ---- the command ----


def command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from rulebook.cli import main; main()", "rules", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "NO_COLOR": "1", **environment},
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_the_same_sheet_each_time(form: str) -> None:
    first, second = (
        command("coinche", "--format", form, PYTHONHASHSEED=seed) for seed in ("1", "2")
    )
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    assert first.stdout


WRONG_USES = [
    pytest.param(["nowhere.yaml"], 1, "nowhere.yaml", id="no-file"),
    pytest.param([str(SMALL), "--players", "9"], 2, "2 to 4 players, not for 9", id="players"),
    pytest.param([str(SMALL), "--players", "x"], 2, "is not a number", id="no-number"),
    pytest.param([str(SMALL), "--set", "goal=99"], 2, "`99` is not a value", id="value"),
    pytest.param([str(SMALL), "--set", "aim=9"], 2, "no option `aim`", id="option"),
    pytest.param([str(SMALL), "--language", "xx"], 2, "no names in `xx`", id="language"),
    pytest.param([str(SMALL), "--flat", "--examples", "all"], 2, "`--examples`", id="flat-all"),
    pytest.param([str(SMALL), "--flat", "--format", "html"], 2, "without `--format`", id="flat"),
]


@pytest.mark.parametrize(("arguments", "code", "message"), WRONG_USES)
def test_a_wrong_use_is_told(arguments: list[str], code: int, message: str) -> None:
    run = command(*arguments)
    assert run.returncode == code, run.stdout + run.stderr
    assert message in run.stderr
    assert not run.stdout


def test_the_flat_file_is_a_rule_file() -> None:
    variant = next(iter(sorted((ROOT / "games/variants").glob("*.yaml"))))
    run = command(str(variant), "--flat")
    assert run.returncode == 0, run.stderr
    game, problems = check_text(run.stdout)
    assert game is not None, render(problems, "full")
    assert "extends" not in run.stdout
