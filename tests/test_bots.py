"""Decision makers by name, and those of one's own: what they are given and how they fail."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from rulebook.engine.game import Game, load
from rulebook.players.advice import Adviser
from rulebook.players.bots import BotFault, UnknownBot, make, seat_bots
from rulebook.players.decision import Opinion, Thought
from rulebook.players.random import RandomPlayer
from rulebook.players.search import SearchPlayer
from rulebook.players.told import Telling
from tests.test_play import COINS, ROOT, Run, flat, rulebook

__all__ = ["rulebook"]

LAST = """\
import json, sys

with open(sys.argv[1], "a", encoding="utf-8") as log:
    for line in sys.stdin:
        log.write(line)
        log.flush()
        message = json.loads(line)
        if message["type"] == "choose":
            print(json.dumps({"move": message["moves"][-1]}), flush=True)
"""
OWN = """\
class Last:
    def __init__(self, game, seat):
        self.seat = seat

    def choose(self, sight):
        assert sight.seat == self.seat
        assert not hasattr(sight, "state")
        return sight.moves[-1]


class Wrong(Last):
    def choose(self, sight):
        return "resign"


class Broken(Last):
    def choose(self, sight):
        return 1 / 0


class Torn(Last):
    def choose(self, sight):
        return sight.mooves


class Strange(Last):
    def choose(self, sight):
        return self

    def __str__(self):
        raise ValueError("no words")


class Loud(Last):
    def choose(self, sight):
        return "play\\n\\x1b[31m" + 100 * "xy"


class Plain:
    def choose(self, sight):
        return sight.moves[0]


class Late(Last):
    def __init__(self, game, seat):
        self.seat = game.seats[seat]


class Mute:
    def __init__(self, game, seat):
        pass
"""


@pytest.fixture
def coins() -> Game:
    return load("coins", 3)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "own_bots.py").write_text(OWN, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "own_bots", raising=False)
    return "own_bots"


@pytest.fixture
def program(tmp_path: Path) -> tuple[str, Path]:
    """A program that lays its last card, and the file of all it was told."""
    script, log = tmp_path / "last.py", tmp_path / "told.jsonl"
    script.write_text(LAST, encoding="utf-8")
    return f"exec:{sys.executable} {script} {log}", log


def test_one_name_is_for_all_and_several_go_by_seat(coins: Game) -> None:
    one = seat_bots(coins, "random", [1, 2], seed=7)
    assert one == {1: RandomPlayer(7), 2: RandomPlayer(7)}
    two = seat_bots(coins, "search, random", [1, 2], seed=7)
    three = seat_bots(coins, "random,search,random", [1, 2], seed=7)
    assert [type(bot) for bot in two.values()] == [SearchPlayer, RandomPlayer]
    assert [type(bot) for bot in three.values()] == [SearchPlayer, RandomPlayer]
    with pytest.raises(UnknownBot, match="has 4 names"):
        seat_bots(coins, "random,random,random,random", [1, 2], seed=7)


def test_the_seed_of_a_player_that_thinks_is_not_that_of_the_match(coins: Game) -> None:
    bot = make(coins, "search", 1, seed=7)
    assert isinstance(bot, SearchPlayer)
    assert bot.seed != 7


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("clever", "there are no bots called `clever`"),
        ("no_such_module:Bot", "the module `no_such_module` cannot be imported"),
        ("own_bots:First", "the module `own_bots` has no `First`"),
        ("own_bots:Mute", "`own_bots:Mute` is not a class with a method `choose`"),
        (
            "own_bots:Plain",
            r"`own_bots:Plain` cannot be made with the game and the seat, as in "
            r"`__init__\(self, game, seat\)`: too many positional arguments$",
        ),
        ("own_bots:Late", "`own_bots:Late` stopped as it was made with AttributeError: 'Game'"),
        ("exec:", "`exec:` wants the path of a program"),
        ("exec:/no/such/program x", "`/no/such/program` cannot be run: no such file"),
        ("exec:'open", "is not a command"),
    ],
)
def test_a_name_that_is_nobody_is_one_clear_sentence(
    coins: Game, own: str, name: str, told: str
) -> None:
    with pytest.raises(UnknownBot, match=f"^.*{told}"):
        make(coins, name, 1, seed=1)


def test_a_class_of_ones_own_plays(coins: Game, own: str) -> None:
    match, bot = coins.start(3), make(coins, f"{own}:Last", 1, seed=1)
    assert match.chooser == 1
    last = match.moves[-1]
    match.play(bot.choose(match))
    assert match.played == [(1, last.text)]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Wrong", "chose `resign`, which is not legal now"),
        ("Broken", "stopped with ZeroDivision"),
        ("Strange", r"stopped with ValueError: no words\.$"),
        ("Loud", r"chose `play  \[31m(xy){35}\.\.\.`, which is not legal now\.$"),
        ("Torn", r"stopped with AttributeError: 'Sight' object has no attribute 'mooves'\.$"),
    ],
)
def test_a_bot_that_fails_is_named(coins: Game, own: str, name: str, told: str) -> None:
    match, bot = coins.start(3), make(coins, f"{own}:{name}", 1, seed=1)
    with pytest.raises(BotFault, match=told):
        bot.choose(match)
    assert not match.played


def test_a_program_plays_and_is_told_only_what_its_seat_knows(
    coins: Game, program: tuple[str, Path]
) -> None:
    name, log = program
    match, bot, others = coins.start(3), make(coins, name, 1, seed=1), RandomPlayer(3)
    while len(match.played) < 8:
        if match.chooser == 1:
            last = match.moves[-1].text
            match.play(bot.choose(match))
            assert match.played[-1] == (1, last)
        else:
            match.play(others.choose(match))
    told = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    start, *choices = told
    assert (start["type"], start["game"], start["players"], start["seat"]) == (
        "start",
        "Coins",
        3,
        1,
    )
    assert [choice["type"] for choice in choices] == ["choose"] * len(choices)
    assert not any(choice["again"] for choice in choices)
    # Events come once each, and together they are the seat's stream.
    events = [event for choice in choices for event in choice["events"]]
    stream = match.past[max(n for n, (seat, _) in enumerate(match.played) if seat == 1)].events
    kept = [event.for_seat(1) for event in match.events[:stream]]
    assert events == Telling(coins).events(event for event in kept if event is not None)
    # No card of another hand is in anything that was written.
    names = coins.checked.enumerations["card"].members
    view = match.view(1)
    known = {names[card] for slot in view.slots for card in slot.known}
    started = coins.start(3).view(1)
    known |= {names[card] for slot in started.slots for card in slot.known}
    text = log.read_text(encoding="utf-8")
    for card in names:
        assert (f'"{card}"' in text) <= (card in known), card
    hands = [zone for zone in choices[0]["view"]["zones"] if zone["zone"] == "hand"]
    assert [zone["of"] for zone in hands] == ["0", "1", "2"]
    assert set(hands[0]["cards"]) == {None}
    assert len(set(hands[1]["cards"])) == 16


def test_a_program_hears_of_a_move_taken_back(coins: Game, program: tuple[str, Path]) -> None:
    name, log = program
    match, bot = coins.start(3), make(coins, name, 1, seed=1)
    bot.choose(match)
    match.play(match.moves[0])
    match.undo()
    bot.choose(match)
    match.events = match.events[:-1]
    bot.choose(match)
    told = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()][1:]
    assert [one["again"] for one in told] == [False, False, True]
    assert [bool(one["events"]) for one in told] == [True, False, True]


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("pass", "has ended with exit code 0"),
        ("input(); input(); exit(3)", r"has ended with exit code 3\.$"),
        ("input(); input(); print('[' * 100_000)", r"not JSON: \[{80}\.\.\.$"),
        ("input(); input(); print('{\\x1b[31m}')", r"not JSON: { \[31m}\.$"),
        ("import sys; input(); input(); sys.stdout.buffer.write(b'\\xff\\n')", "not in UTF-8"),
        ("input(); input(); print('play 1')", "a line that is not JSON: play 1"),
        ("input(); input(); print('{}')", "answered without a `move`"),
    ],
)
def test_a_program_that_fails_is_named(coins: Game, code: str, told: str) -> None:
    bot = make(coins, f'exec:{sys.executable} -c "{code}"', 1, seed=1)
    with pytest.raises(BotFault, match=told):
        bot.choose(coins.start(3))


# ---- at the terminal ----


def test_bots_of_all_kinds_play_together(rulebook: Run, program: tuple[str, Path]) -> None:
    bots = f"search,{program[0]},random"
    arguments = (COINS, "--watch", "--seed", "5", "--bots", bots, "--set", "target=1")
    code, out, err = rulebook("play", *arguments)
    assert (code, err) == (0, "")
    assert " wins." in out
    assert rulebook("play", *arguments) == (code, out, err), "the same seed is the same game"


def test_a_bot_that_fails_ends_play_with_a_sentence(rulebook: Run, own: str) -> None:
    code, out, _ = rulebook("play", COINS, "--seed", "5", "--bots", f"{own}:Wrong")
    assert code == 1
    assert "The bot `own_bots:Wrong` chose `resign`, which is not legal now." in flat(out)
    assert "Traceback" not in out


def test_hint_says_what_to_expect_of_each_move(rulebook: Run) -> None:
    typed = "hint\nquit\n"
    code, out, _ = rulebook("play", COINS, "--seed", "5", "--set", "target=2", typed=typed)
    assert code == 0
    lines = [line for line in out.splitlines() if "wins about" in line]
    assert len(lines) == 6
    shares = [int(line.split("about ")[1].split()[0]) for line in lines]
    assert all(0 <= share <= 100 for share in shares)
    assert shares == sorted(shares, reverse=True)
    assert "ways in which the unseen cards may lie" in flat(out)


def test_hint_speaks_of_points_where_a_match_is_long(rulebook: Run) -> None:
    typed = "hint\nquit\n"
    arguments = ("--seed", "5", "--set", "target=100", "--think", "50")
    _, out, _ = rulebook("play", COINS, *arguments, typed=typed)
    assert "points over the best other side in this deal" in flat(out)


@pytest.mark.parametrize(
    ("margins", "told", "visits", "why"),
    [
        ((10.4, 31.6, -200.7), ("1: +32", "0: +10", "2: -201"), (9, 8, 9), "it has tried"),
        ((0.04, 1.26, -0.02), ("1: +1.3", "0: +0.0", "2: +0.0"), (9, 9, 9), "more of its games"),
    ],
)
def test_hint_lists_moves_by_the_numbers_that_it_shows(
    coins: Game,
    margins: tuple[float, ...],
    told: tuple[str, ...],
    visits: tuple[int, ...],
    why: str,
) -> None:
    match = coins.start(5)
    opinions = [
        Opinion(match.moves[at], visits[at], 0.5 - 0.1 * at, margin)
        for at, margin in enumerate(margins)
    ]
    adviser = Adviser(match.chooser, None)
    adviser.player = SearchPlayer(coins, match.chooser)
    thought = Thought(opinions[0].move, tuple(opinions), 9)
    adviser.player.think = lambda sight: thought  # type: ignore[method-assign]  # a fixed opinion
    first, second, third, choice, _ = adviser.lines(match)
    for line, wanted in zip((first, second, third), told, strict=True):
        number, points = wanted.split(": ")
        assert line.startswith(f"{match.moves[int(number)].shown}: {points} points")
    # What it would do is not the first of the list, and that is said.
    assert choice.startswith(f"It would choose {match.moves[0].shown}: {why}")


def test_hint_says_what_a_drawn_game_counts_and_how_a_long_one_is_judged() -> None:
    game = load("china_hand", 3)
    match = game.start(5)
    lines = Adviser(match.chooser, 20).lines(match)
    assert lines[-1] == "A drawn game counts as a third of a win."
    assert lines[-2].startswith("Judged by 24 choices at random and the table as it then lies")
    assert lines[-3].endswith(" more, none of them better")


# ---- what docs/bots.md shows ----

BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "docs/bots.md").read_text("utf-8"), re.S)


@pytest.fixture
def shown_bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module `mybots` with the classes of the page."""
    classes = "\n".join(block for block in BLOCKS if block.startswith("class "))
    (tmp_path / "mybots.py").write_text(classes, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "mybots", raising=False)


def test_the_classes_of_the_page_play_as_it_says(coins: Game, shown_bots: None) -> None:
    for name in ("Careful", "Wordy"):
        match = coins.start(5)
        bots = seat_bots(coins, f"mybots:{name}", range(3), seed=5)
        while len(match.played) < 9:
            trick = match.value("trick")
            values = [move.values for move in match.moves]
            ranks = [coins.checked.rank_of[value] for (value,) in values]
            match.play(bots[match.chooser].choose(match))
            chosen = match.played[-1][1]
            move = next(one for one in coins.words.cards if f"play {one.text}" == chosen)
            number = coins.words.cards.index(move)
            if name == "Careful":
                assert (number,) == min(values)
            else:
                wanted = min(ranks) if trick else max(ranks)
                assert coins.checked.rank_of[number] == wanted


def test_the_loop_of_the_page_measures_a_bot(
    shown_bots: None, capsys: pytest.CaptureFixture[str]
) -> None:
    (loop,) = [block for block in BLOCKS if "seat_bots" in block]
    few = loop.replace("games, wins = 200, 0", "games, wins = 12, 0")
    assert few != loop
    space: dict[str, Any] = {}
    exec(few, space)  # It is the page's own code
    assert capsys.readouterr().out == f"{space['wins']} of 12 games won\n"
    assert 0 <= space["wins"] < 12
    assert space["number"] == 11


def test_the_program_of_the_page_plays(coins: Game, tmp_path: Path) -> None:
    (text,) = [block for block in BLOCKS if "sys.stdin" in block]
    path = tmp_path / "program.py"
    path.write_text(text, encoding="utf-8")
    match = coins.start(3)
    move = make(coins, f"exec:{sys.executable} {path}", 1, seed=1).choose(match)
    assert move == match.moves[0]
