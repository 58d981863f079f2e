"""A program of one's own as a decision maker: lines of JSON on its standard input and output (the
protocol is in docs/bots.md)."""

from __future__ import annotations

import json
import shlex
import subprocess
import weakref
from typing import Any

from rulebook.engine.events import Event
from rulebook.players.bots import BotFault, UnknownBot, ended, short
from rulebook.players.sight import Sight
from rulebook.players.told import Telling

PROTOCOL = 1
PATIENCE = 2.0
"""Seconds that a program has to end after the game."""


class OutsidePlayer:
    def __init__(self, command: str) -> None:
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise UnknownBot(f"`exec:{command}` is not a command: {error}") from None
        if not words:
            raise UnknownBot("`exec:` wants the path of a program")
        try:
            self.process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
            )
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UnknownBot(f"`{words[0]}` cannot be run: {reason}") from None
        self.command = command
        self.told: tuple[Event, ...] = ()
        self.telling: Telling | None = None
        self.stop = weakref.finalize(self, stop, self.process)

    def decide(self, sight: Sight) -> str:
        telling = self.telling
        if telling is None:
            telling = self.telling = Telling(sight.game)
            self.send(
                {
                    "type": "start",
                    "protocol": PROTOCOL,
                    "game": sight.game.name,
                    "players": sight.game.players,
                    "seat": sight.seat,
                    "options": sight.game.options,
                }
            )
        known = len(self.told)
        again = sight.stream[:known] != self.told
        self.told = sight.stream
        self.send(
            {
                "type": "choose",
                "seat": sight.seat,
                "again": again,
                "events": telling.events(sight.stream[0 if again else known :]),
                "view": telling.view(sight.view()),
                "moves": [move.text for move in sight.moves],
            }
        )
        return self.answer()

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(message, ensure_ascii=False) + "\n")
            self.process.stdin.flush()
        except OSError:
            raise self.gone() from None

    def gone(self) -> BotFault:
        try:
            code = f" with exit code {self.process.wait(PATIENCE)}"
        except subprocess.TimeoutExpired:
            code = ""
        return BotFault(f"The program `{self.command}` has ended{code}.")

    def answer(self) -> str:
        assert self.process.stdout is not None
        try:
            line = self.process.stdout.readline()
        except ValueError:
            raise BotFault(f"The program `{self.command}` wrote a line not in UTF-8.") from None
        if not line:
            raise self.gone()
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            raise BotFault(
                f"The program `{self.command}` wrote a line that is not JSON: {ended(short(line))}"
            ) from None
        if not isinstance(found, dict) or not isinstance(found.get("move"), str):
            raise BotFault(f"The program `{self.command}` answered without a `move`.")
        return str(found["move"])


def stop(process: subprocess.Popen[str]) -> None:
    """The end of its input tells the program to end; after a while it is made to."""
    for stream in (process.stdin, process.stdout):
        try:
            if stream is not None:
                stream.close()
        except OSError:
            pass
    try:
        process.wait(PATIENCE)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        process.kill()
        process.wait()
