"""Where text for people goes: a terminal of some width and colours, or a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from textwrap import wrap
from typing import TYPE_CHECKING

from rich.color import Color, ColorParseError
from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from rulebook.engine.words import Words

MAX_TYPED = 400
"""Longer lines than anybody types are cut."""
MAX_WIDTH = 100
USUAL_HEIGHT = 24
MIN_COLUMN = 24


class Output(Console):
    def on_broken_pipe(self) -> None:
        """Nobody reads any more: the command line ends quietly."""
        raise BrokenPipeError


class Screen:
    """Standard output and input. Nothing is coloured in a pipe, nor where `NO_COLOR` is set; signs
    that the output's encoding lacks are replaced."""

    def __init__(self) -> None:
        for stream in (sys.stdout, sys.stdin):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure is not None:
                reconfigure(errors="replace")
        self.console = Output(markup=False, highlight=False, emoji=False)
        self.typing = sys.stdin is not None and sys.stdin.isatty()
        """Whether a person types the input as it is asked for."""
        if self.typing and self.console.is_terminal:
            # Line editing and history for `input`, where the platform has them.
            with suppress(ImportError):
                import readline  # noqa: F401 - importing it is what it is for

    @property
    def width(self) -> int:
        return min(self.console.width, MAX_WIDTH)

    @property
    def spare(self) -> int:
        """How many lines a terminal has above the usual number."""
        return max(self.console.height - USUAL_HEIGHT, 0) if self.console.is_terminal else 0

    def can(self, text: str) -> bool:
        """Whether the output's encoding has these signs."""
        try:
            text.encode(self.console.encoding)
        except (UnicodeEncodeError, LookupError):
            return False
        return True

    def sign(self, text: str, plain: str) -> str:
        return text if self.can(text) else plain

    # ---- writing ----

    def write(self, text: str | Text = "", style: str = "") -> None:
        """A paragraph, broken at the screen's width."""
        shown = Text(text, style) if isinstance(text, str) else text
        self.console.print(shown, width=self.width)

    def tell(self, text: str) -> None:
        """A line with a path or a command, which stays whole so that it can be copied."""
        self.console.print(Text(text), soft_wrap=True)

    def draw(self, renderable: object) -> None:
        self.console.print(renderable, width=self.width)

    def hang(self, head: str, text: str) -> None:
        """A paragraph behind its head; where there is room, its lines stand under each other."""
        left = len(head) if self.width - len(head) >= MIN_COLUMN else 4
        for line in wrap(text, self.width, initial_indent=head, subsequent_indent=" " * left):
            self.write(line)

    def rule(self, title: str = "") -> None:
        line = self.sign("─", "-")
        head = f"{line * 2} {title} " if title else ""
        self.write(Text((head + line * self.width)[: self.width], "dim"))

    def clear(self) -> None:
        """Nothing stays to be read, nor above the screen; only on a terminal."""
        if self.console.is_terminal:
            self.console.file.write("\x1b[2J\x1b[3J\x1b[H")
            self.console.file.flush()

    # ---- reading ----

    def ask(self, prompt: str) -> str:
        """A line, stripped. EOFError at the end of the input."""
        out = self.console.file
        out.flush()
        if self.typing and self.console.is_terminal:
            try:
                return printable(input(prompt))
            except EOFError:
                out.write("\n")
                raise
        out.write(prompt)
        out.flush()
        line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line:
            out.write("\n")
            raise EOFError
        # Nobody sees what comes from a pipe unless it is written down.
        out.write("\n" if self.typing else f"{printable(line)}\n")
        return printable(line)


def printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text[:MAX_TYPED]).strip()


class Cards:
    """The cards of a game as drawn on one screen."""

    def __init__(self, screen: Screen, words: Words) -> None:
        self.words = words
        self.game = words.game
        self.screen = screen

    def sign(self, name: str) -> str:
        """A suit or rank in few signs, those that the screen has."""
        return next((sign for sign in self.words.signs(name) if self.screen.can(sign)), name)

    def label(self, card: int) -> Text:
        """One card in few signs, in its colour."""
        game = self.game
        suit, rank = game.suit_of[card], game.rank_of[card]
        if suit < 0:
            name = self.words.cards[card].text
            shown = self.words.entry(name, "symbol")
            text = shown if shown and self.screen.can(shown) else self.words.cards[card].shown
        else:
            ranks, suits = game.enumerations["rank"].members, game.enumerations["suit"].members
            text = self.sign(ranks[rank]) + self.sign(suits[suit])
        return Text(text, self.style(self.words.cards[card].colour))

    def style(self, colour: str) -> str:
        """A colour of the file, if it is one that can be seen on any ground."""
        try:
            Color.parse(colour)
        except ColorParseError:
            return ""
        return "" if colour in ("black", "white") else colour

    def order(self, card: int) -> tuple[int, int, int]:
        """Sorting key: by suit, then rank, in the file's order; single cards last."""
        suit, rank = self.game.suit_of[card], self.game.rank_of[card]
        return (suit if suit >= 0 else self.game.enumerations["suit"].size, rank, card)

    def row(self, cards: Iterable[int | None]) -> Text:
        """Cards one after the other; those not known as a count."""
        found = list(cards)
        parts = [self.label(card) for card in found if card is not None]
        hidden = found.count(None)
        if hidden:
            parts.append(Text(f"{hidden} hidden", "dim"))
        return Text(" ").join(parts)
