"""A person at the terminal: sees the table of their seat, and chooses by number or in words."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rulebook.engine.events import Chose
from rulebook.engine.match import IllegalMove, Match
from rulebook.engine.moves import Move
from rulebook.engine.reasons import offered_names
from rulebook.players.advice import Adviser
from rulebook.render.screen import Cards, Screen
from rulebook.render.story import story
from rulebook.render.table import Listing, TableView, list_moves
from rulebook.suggest import closest

if TYPE_CHECKING:
    from rulebook.source import Span

MAX_HAPPENED = 12
"""Sentences of what happened since the last choice that a screen of usual height shows."""
MAX_FIRST = 5
"""Of more, so many at the beginning: what became of the own choice."""

COMMANDS = {
    "hint": "hint: what a player that thinks would do, and what it expects of each move",
    "why": "why MOVE: why a card, a move or its number may be played now or not; why NAME: how a "
    "value came about",
    "table": "table: draw the table again",
    "undo": "undo: take back your last choice",
    "log": "log: what has happened so far",
    "rules": "rules: the rules in short",
    "save": "save FILE: write the game down, to go on with it later",
    "help": "help: these lines (or ?)",
    "quit": "quit: stop playing",
}


@dataclass(frozen=True, slots=True)
class Wish:
    """A command that is for the whole table: `undo`, `save` (with a file, or "") or `quit`."""

    what: str
    rest: str = ""


class Person:
    """One seat. `choose` asks until there is an answer; EOFError at the end of the input."""

    def __init__(self, screen: Screen, seat: int, think: float | None = None) -> None:
        self.screen = screen
        self.seat = seat
        self.adviser = Adviser(seat, think)
        self.against = ""
        """What `help` says of the others at the table."""

    # ---- what is shown ----

    def happened(self, match: Match) -> None:
        """What happened since the person's last choice, their own choice first."""
        since = last_choice(match, self.seat)
        events = [event.for_seat(self.seat) for event in match.events[since:]]
        lines = story(match, [event for event in events if event is not None])
        self.screen.rule()
        most = MAX_HAPPENED + self.screen.spare
        left_out = range(MAX_FIRST, len(lines) - most + MAX_FIRST)
        for number, line in enumerate(lines):
            if number not in left_out:
                self.screen.hang("  ", line)
            elif number == MAX_FIRST:
                self.screen.write("  ... (`log` tells all)", "dim")
        if lines:
            self.screen.write()

    def draw(self, match: Match, listing: Listing | None) -> None:
        table = TableView(self.screen, match)
        table.draw(match.view(self.seat), listing)

    # ---- asking ----

    def choose(self, match: Match, again: bool = False) -> Move | Wish:
        """The person's move, or a wish that is not about moves. `again` after a wish that changed
        nothing: the table is still to be seen."""
        listing = list_moves(match, self.seat, Cards(self.screen, match.words))
        if not again:
            self.happened(match)
            self.draw(match, listing)
        while True:
            answer = self.command(match, self.screen.ask(self.prompt(match, listing)))
            if isinstance(answer, Wish):
                return answer
            if answer is None:
                continue
            if answer == "table":
                self.draw(match, listing)
                continue
            move = self.move(match, listing, answer)
            if move is not None:
                return move

    def stuck(self, match: Match) -> Wish:
        """What to do when play cannot go on."""
        while True:
            answer = self.command(match, self.screen.ask("undo, save or quit> "))
            if isinstance(answer, Wish):
                return answer
            if answer == "table":
                self.draw(match, None)
            elif answer is not None:
                self.screen.write("Play cannot go on from here.")

    def prompt(self, match: Match, listing: Listing) -> str:
        count = len(listing.moves)
        numbers = "1" if count == 1 else f"1-{count}"
        only = count == 1 and not listing.families
        short = f"{numbers}, or Enter" if only else numbers
        if not count:
            short = "in words"
        words = ", or in words" if count else ""
        name = match.words.players[self.seat]
        whose = "" if match.mover == self.seat else f" for {match.words.players[match.mover]}"
        if self.screen.width < 60:
            return f"{name}{whose}, {short} or ?> "
        return f"{name}{whose}, your move ({short}{words}; ? for help)> "

    def move(self, match: Match, listing: Listing, typed: str) -> Move | None:
        """The move that was typed; None after saying what is wrong."""
        moves = listing.moves
        if not typed:
            if len(moves) == 1 and not listing.families:
                return moves[0]
            self.screen.write(
                f"There are {len(moves)} moves: write a number, or the move in words."
            )
            return None
        number = typed.rstrip(".")
        if number.isascii() and number.isdigit() and len(number) < 6:
            if 1 <= int(number) <= len(moves):
                return moves[int(number) - 1]
            if not match.reader.find(typed, match.moves):
                top = len(moves)
                some = "1, the only move" if top == 1 else f"1 to {top}"
                self.screen.write(f"There is no move {number}: the numbers are {some}.")
                return None
        try:
            return match.read(typed)
        except IllegalMove as error:
            self.say(str(error), error.reason.rule if error.reason else None)
            return None

    # ---- commands ----

    def command(self, match: Match, typed: str) -> Wish | str | None:
        """What was typed if it is no command, or `table`; None if it was one and is done."""
        if typed == "?":
            typed = "help"
        slashed = typed.startswith("/")
        word, _, rest = typed.removeprefix("/").partition(" ")
        word, rest = word.lower(), rest.strip()
        if not slashed and (word not in COMMANDS or self.is_move(match, word)):
            return typed
        if word not in COMMANDS:
            near = closest(word, COMMANDS)
            hint = f"did you mean `/{near[0]}`?" if near else "`?` lists the commands."
            self.screen.write(f"There is no command `/{word}`: {hint}")
            return None
        if word in ("undo", "save", "quit"):
            return Wish(word, rest)
        if word == "table":
            return "table"
        run: dict[str, Callable[[Match, str], None]] = {
            "hint": self.hint,
            "why": self.why,
            "log": self.log,
            "rules": self.rules,
            "help": self.help,
        }
        run[word](match, rest)
        return None

    def is_move(self, match: Match, word: str) -> bool:
        """Whether a move on offer has the command's name."""
        names = offered_names(match)
        words = match.words
        return any(word in (name, words.shown(name), words.entry(name, "short")) for name in names)

    def why(self, match: Match, rest: str) -> None:
        if not rest:
            self.screen.write("Write a move, its number or the name of a value after `why`.")
            return
        name = "_".join(rest.lower().split())
        asked: Move | str = self.numbered(match, rest) or rest
        if isinstance(asked, str) and name not in match.game.checked.moves:
            try:
                lines = match.why_value(name, self.seat).lines()
            except KeyError:
                pass  # It is no value, so it is a move.
            except ValueError as error:
                self.say(str(error), getattr(error, "rule", None))
                return
            else:
                for line in lines:
                    text = line.lstrip()
                    self.screen.hang("  " + " " * (len(line) - len(text)), text)
                return
        reason = match.why(asked)
        self.say(reason.sentence, reason.rule)

    def numbered(self, match: Match, typed: str) -> Move | None:
        """The move with a number of the list, as where the number alone is typed."""
        number = typed.rstrip(".")
        if match.over or match.chooser != self.seat or not number.isdecimal():
            return None
        moves = list_moves(match, self.seat, Cards(self.screen, match.words)).moves
        at = int(number) - 1 if len(number) < 6 else -1
        return moves[at] if 0 <= at < len(moves) else None

    def hint(self, match: Match, rest: str) -> None:
        if match.over or match.chooser != self.seat:
            self.screen.write("There is nothing to choose now.")
            return
        for line in self.adviser.lines(match):
            self.screen.hang("  ", line)

    def say(self, sentence: str, rule: Span | None) -> None:
        end = "" if sentence.endswith((".", "?", "!")) else "."
        self.screen.write(f"{sentence[:1].upper()}{sentence[1:]}{end}")
        if rule is not None:
            path = rule.source.path
            near = os.path.relpath(path)
            shown = path if near.startswith("..") else near
            self.screen.tell(f"  the rule: {shown}:{rule.line}")

    def log(self, match: Match, rest: str) -> None:
        lines = story(match, match.stream(self.seat))
        for line in lines or ["Nothing has happened yet."]:
            self.screen.hang("  ", line)

    def rules(self, match: Match, rest: str) -> None:
        from rulebook.render.summary import summary

        for line in summary(match.game.checked, match.words, match.game.text):
            text = line.lstrip()
            self.screen.hang(" " * (len(line) - len(text)), text)

    def help(self, match: Match, rest: str) -> None:
        example = match.moves[0] if match.moves else None
        if example is not None:
            forms = (
                " ".join(
                    match.words.value(k, v)
                    for k, v in zip(example.kinds, example.values, strict=True)
                )
                if not any(example.hidden)
                else ""
            )
            some = f", such as `{forms or example.shown}`" if example else ""
            self.screen.write(
                f"Choose a move by its number, or in words{some}. The beginnings of "
                "words and the short forms are enough."
            )
        for line in COMMANDS.values():
            self.screen.hang("  ", line)
        self.screen.write("A command may be written with a `/` before it.")
        if self.against:
            self.screen.write(self.against)


def last_choice(match: Match, seat: int) -> int:
    """The number of the event that is the seat's last choice; 0 if there is none."""
    for number in range(len(match.events) - 1, -1, -1):
        event = match.events[number]
        if isinstance(event, Chose) and event.chooser == seat:
            return number
    return 0
