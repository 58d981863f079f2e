"""`rulebook play` on a terminal, played by somebody who sees nothing but the screen."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pexpect
import pyte
import pytest

from rulebook import cli

ROOT = Path(__file__).resolve().parent.parent
COINS = "games/coins.yaml"
PROMPT = re.compile(r"(?:your move \(1.*\?|or \?)(?: for help\))?>\s*$")
PASS = re.compile(r"Pass the screen to (\w+), and press Enter>\s*$")
CARD = r"(\d+) ([\dJNKA][∪●†♣])"


class Sitting:
    """A process on a pseudo-terminal, and the screen that its output makes."""

    def __init__(self, columns: int, *arguments: str, game: str = COINS, **settings: str) -> None:
        left_out = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")
        kept = {key: value for key, value in os.environ.items() if key not in left_out}
        self.screen = pyte.Screen(columns, 24)
        self.stream = pyte.Stream(self.screen)
        self.raw = ""
        code = "from rulebook.cli import main; main()"
        self.child = pexpect.spawn(
            sys.executable,
            ["-c", code, "play", game, *arguments],
            cwd=str(ROOT),
            env={**kept, "TERM": "xterm-256color", "PYTHONUTF8": "1", **settings},
            encoding="utf-8",
            dimensions=(24, columns),
            timeout=20,
        )

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines).rstrip()

    def read(self, *ends: re.Pattern[str]) -> str:
        """Wait until the screen ends with one of these, or the process does."""
        for _ in range(400):
            try:
                data = self.child.read_nonblocking(4096, timeout=0.05)
            except pexpect.TIMEOUT:
                if any(end.search(self.text) for end in ends):
                    return self.text
                continue
            except pexpect.EOF:
                self.child.close()
                return self.text
            self.raw += data
            self.stream.feed(data)
        raise AssertionError(f"nothing more came:\n{self.text}")

    def type(self, text: str) -> None:
        self.child.sendline(text)


@contextmanager
def sitting(columns: int, *arguments: str, game: str = COINS, **settings: str) -> Iterator[Sitting]:
    found = Sitting(columns, *arguments, game=game, **settings)
    try:
        yield found
    finally:
        found.child.close(force=True)


def last_table(text: str) -> str:
    """What stands below the last line across the screen."""
    return re.split(r"─{20,}", text)[-1]


@pytest.mark.parametrize("columns", [80, 60])
def test_a_game_is_played_by_reading_the_screen_alone(columns: int) -> None:
    choices = 0
    with sitting(columns, "--seed", "11", "--names", "Ann,Bo,Cy") as play:
        text = play.read(PROMPT)
        while PROMPT.search(text):
            table = last_table(text)
            assert re.search(r"▸ +Ann \(you\)", table)
            hand = re.findall(CARD, table)
            assert [int(number) for number, _ in hand] == list(range(1, len(hand) + 1))
            number, card = hand[choices % len(hand)]
            # By turns by number and by the sign that is shown.
            play.type(number if choices % 2 else card)
            choices += 1
            text = play.read(PROMPT)
        assert choices > 10
        won = re.search(r"^(\w+) wins\.$", text, re.M)
        assert won, text
        scores = dict(re.findall(r"^ +(Ann|Bo|Cy)(?: \(you\))? +(\d+) ", text, re.M))
        assert max(scores, key=lambda name: int(scores[name])) == won[1]
        assert play.child.exitstatus == 0


@pytest.mark.parametrize(
    ("game", "arguments"),
    [
        ("three_kings", ()),
        ("china_hand", ("--players", "3", "--set", "max_plays=500")),
        ("coinche", ("--set", "target=100")),
    ],
)
def test_the_other_games_are_played_to_their_end(game: str, arguments: tuple[str, ...]) -> None:
    """By numbers alone, as the prompt names them: each is on the screen or above it."""
    choices = 0
    with sitting(80, "--seed", "5", *arguments, game=game) as play:
        text = play.read(PROMPT)
        while PROMPT.search(text):
            top = int(re.findall(r"your move \(1(?:-(\d+))?", text)[-1] or 1)
            play.type(str(choices * 5 % top + 1))
            choices += 1
            assert choices < 1_000
            text = play.read(PROMPT)
        assert choices > 5
        assert re.search(r"^(?:.* wins?\.|The game is drawn.*|.*drawn.*)$", text, re.M), text
        assert play.child.exitstatus == 0


def test_the_first_screen_fits_into_eighty_by_twenty_four() -> None:
    with sitting(80, "--seed", "7") as play:
        text = play.read(PROMPT)
        assert text.startswith("Coins · seed 7")
        assert "\x1b[3" in play.raw, "suits are in colour"


def test_no_colour_where_it_is_not_wanted() -> None:
    with sitting(80, "--seed", "7", NO_COLOR="1") as play:
        assert "K●" in play.read(PROMPT)
        assert not re.search(r"\x1b\[[\d;]*(?:3[0-7]|9[0-7])m", play.raw)


def test_ctrl_c_stops_with_a_line_and_a_record(tmp_path: Path) -> None:
    path = tmp_path / "game.yaml"
    with sitting(80, "--seed", "7", "--record", str(path)) as play:
        play.read(PROMPT)
        play.type("3")
        play.read(PROMPT)
        before = path.read_text(encoding="utf-8")
        play.child.sendintr()
        text = play.read()
        assert "Stopped after 3 moves. Go on with: rulebook play --resume" in " ".join(text.split())
        assert "Traceback" not in play.raw
        assert play.child.exitstatus == 130
        assert path.read_text(encoding="utf-8") == before


def test_the_end_of_input_stops_with_a_line() -> None:
    with sitting(80, "--seed", "7") as play:
        play.read(PROMPT)
        play.child.sendeof()
        text = play.read()
        assert text.endswith("\nStopped after 2 moves.")
        assert play.child.exitstatus == 0


def test_between_people_the_hands_are_hidden() -> None:
    with sitting(80, "--seed", "7", "--seat", "0,1", "--names", "Ann,Bo,Cy") as play:
        text = play.read(PASS)
        assert text == "Pass the screen to Bo, and press Enter>"
        play.type("")
        text = play.read(PROMPT)
        bo = {card for _, card in re.findall(CARD, text)}
        assert len(bo) == 16
        play.type("1")
        text = play.read(PASS)
        assert text == "Pass the screen to Ann, and press Enter>"
        play.type("")
        text = play.read(PROMPT)
        ann = {card for _, card in re.findall(CARD, text)}
        assert len(ann) == 16
        assert not ann & bo
        play.type("1")


def test_others_are_asked_before_a_move_is_taken_back_without_seeing_the_hand() -> None:
    asked = re.compile(r"may Ann take back `play king of coins`\? \(yes or no\)>\s*$")
    with sitting(80, "--seed", "7", "--seat", "0,1", "--names", "Ann,Bo,Cy") as play:
        play.read(PASS)
        play.type("")
        play.read(PROMPT)
        play.type("3 of cups")
        play.read(PASS)
        play.type("")
        play.read(PROMPT)
        play.type("king of coins")
        play.read(PROMPT)
        play.type("undo")
        text = play.read(asked)
        assert not re.findall(CARD, text)
        play.type("yes")
        play.read(PASS)
        play.type("")
        text = play.read(PROMPT)
        assert "4 K●" in text
        assert "trick  Bo: 3∪" in text


def test_ctrl_c_that_is_lost_in_a_finalizer_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    class Taken:
        def __del__(self) -> None:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "unraisablehook", cli._interrupt_again)
    Taken()
    with pytest.raises(KeyboardInterrupt):
        time.sleep(5)
