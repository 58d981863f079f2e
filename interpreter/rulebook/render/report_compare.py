"""A comparison at the terminal: what differs in words, every measure side by side, and in plain
sentences what is sure."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from rich.text import Text

from rulebook.render.report import plain_table
from rulebook.render.report_numbers import figure, how_many, places, scale, unit

if TYPE_CHECKING:
    from rulebook.render.screen import Screen
    from rulebook.tools.compare import Change, Comparison, Difference

NAMED = ("examples",)
"""Sections whose entries are only named, as they change nothing in play."""
MOST_LINES = 12
"""Lines shown of one entry that differs."""
VERDICTS = {"sure": "sure", "perhaps": "perhaps", "none": "-", "same": "the same"}


def sentence(one: Difference) -> str:
    """What happens to a measure, and how sure that is."""
    assert one.before is not None
    assert one.after is not None
    by = scale(one.measure)
    show = figures(one)
    old, new = (figure(side.value * by, show) for side in (one.before, one.after))
    if one.measure.signed:
        said = advantage(one, show)
    else:
        way = "up" if one.value > 0 else "down"
        subject = one.measure.title
        if one.measure.group == "moves":
            subject = f"`{subject}` in a game"
        elif one.measure.group == "lines":
            subject = f"plays in which `{subject}` takes a move away"
        said = f"{subject}: from {old} {way} to {new}{unit(one.measure)}"
    return f"{said}; {VERDICTS[one.verdict]}"


def advantage(one: Difference, show: int) -> str:
    """A seat's advantage, or its disadvantage, in points of a hundred."""
    assert one.before is not None
    assert one.after is not None
    old, new = 100 * one.before.value, 100 * one.after.value
    seat = one.measure.title.removesuffix(" advantage")
    ends = f"from {figure(abs(old), show)} to {figure(abs(new), show)} points of a hundred"
    if old >= 0 and new >= 0:
        return f"{seat} advantage {'grows' if new > old else 'falls'} {ends}"
    if old <= 0 and new <= 0:
        return f"{seat} disadvantage {'grows' if new < old else 'falls'} {ends}"
    names = ("an advantage", "a disadvantage") if old > 0 else ("a disadvantage", "an advantage")
    return (
        f"{seat.removesuffix(chr(39) + 's')} goes from {names[0]} of {figure(abs(old), show)} "
        f"to {names[1]} of {figure(abs(new), show)} points of a hundred"
    )


def figures(one: Difference) -> int:
    """Decimal places, by the interval of the difference."""
    return places((one.high - one.low) / 2 * scale(one.measure))


class CompareReport:
    """Draws one comparison on one screen."""

    def __init__(self, screen: Screen, comparison: Comparison, words: list[Change]) -> None:
        self.screen = screen
        self.comparison = comparison
        self.words = words

    def draw(self) -> None:
        before, after = self.comparison.games_compared
        players = how_many(before.players, "player", "players")
        self.screen.write(f"{before.name} and {after.name}, {players}", "bold")
        self.in_words()
        self.in_play()

    def title(self, text: str) -> None:
        self.screen.write()
        self.screen.rule(text)

    # ---- words ----

    def in_words(self) -> None:
        self.title("In words")
        if not self.words:
            self.screen.write("The rules are the same.")
        for change in self.words:
            self.screen.write(f"{change.what}: {change.entry}")
            if change.path[0] in NAMED:
                continue
            lines = list(change.lines())
            for sign, line in lines[:MOST_LINES]:
                style = "red" if sign == "-" else "green"
                shown = wrap(f"  {sign} {line}", self.screen.width, subsequent_indent="      ")
                for piece in shown:
                    self.screen.write(Text(piece, style))
            if len(lines) > MOST_LINES:
                self.screen.write(f"    and {len(lines) - MOST_LINES} lines more", "dim")

    # ---- play ----

    def in_play(self) -> None:
        comparison = self.comparison
        pairs = how_many(comparison.games, "pair", "pairs")
        self.title(f"In play: {pairs} of random games, seed {comparison.seed}")
        if comparison.games < comparison.asked:
            self.screen.write(
                f"Stopped before the end of {comparison.asked:,}: these are the first "
                f"{comparison.games:,}, and asking for so many gives the same numbers."
            )
        if not comparison.games:
            return
        found = comparison.differences()
        table = plain_table()
        table.add_column("", overflow="fold")
        for head in ("before", "after", "difference"):
            table.add_column(head, justify="right", no_wrap=True)
        table.add_column("95 % interval", no_wrap=True)
        table.add_column("", no_wrap=True)
        for one in found:
            if one.verdict == "same" and one.before is not None and one.before.value == 0:
                continue  # Never happens in either.
            table.add_row(one.measure.title, *self.cells(one), VERDICTS[one.verdict])
        self.screen.draw(table)
        self.screen.write()
        sure = [one for one in found if one.verdict == "sure"]
        for one in sure:
            text = sentence(one)
            self.screen.write(f"{text[:1].upper()}{text[1:]}.", "bold")
        if sure:
            return
        perhaps = sum(one.verdict == "perhaps" for one in found)
        if all(one.verdict == "same" for one in found):
            self.screen.write("Every game went the same way.", "bold")
        elif perhaps:
            self.screen.write(
                "No difference is sure. Among so many measures, "
                f"{how_many(perhaps, 'stands', 'stand')} out, as may happen by chance; "
                "more games would tell.",
                "bold",
            )
        else:
            self.screen.write("No difference is sure.", "bold")

    def cells(self, one: Difference) -> list[str]:
        if one.before is None or one.after is None:
            return ["-", "-", "", ""]
        by, show, signed = scale(one.measure), figures(one), one.measure.signed
        mark = unit(one.measure)
        sides = [figure(s.value * by, show, signed) + mark for s in (one.before, one.after)]
        if one.verdict == "same":
            return [*sides, "0", ""]
        ends = [figure(end * by, show, signed=True) for end in (one.low, one.high)]
        return [*sides, figure(one.value * by, show, signed=True), " to ".join(ends)]
