"""A survey of random games as tables and small plots at the terminal."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Literal, TypeAlias

from rich.table import Table
from rich.text import Text

from rulebook.render.report_numbers import (
    figure,
    how_many,
    interval_of,
    value_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rulebook.engine.game import Game
    from rulebook.render.screen import Screen
    from rulebook.tools.measures import Distribution, Measure
    from rulebook.tools.simulate import Survey

BINS = 12
BAR = 28
"""Signs of the longest bar; fewer on a narrow screen."""
NARROW = 60
"""A screen with fewer columns has no bars beside intervals."""
GAP = 2
GROUPS = {
    "length": "Length",
    "choices": "Choices",
    "lead": "The lead",
    "ends": "Ends",
}
ADVANTAGE = "The advantage is in points of a hundred above an even share of the wins."
Side: TypeAlias = Literal["left", "right"]
SEAT_HEADS: list[tuple[str, Side]] = [
    ("seat", "right"),
    ("wins", "right"),
    ("95 % interval", "left"),
    ("advantage", "right"),
]
SCORE_HEADS: list[tuple[str, Side]] = [
    ("seat", "right"),
    ("mean", "right"),
    ("95 % interval", "left"),
    ("least", "right"),
    ("median", "right"),
    ("most", "right"),
]
LEAST_PLOT = 3
"""Different numbers that make a plot worth drawing."""


def chosen_options(game: Game) -> list[str]:
    """A line about the options that are not as usual, if any are."""
    others = [
        f"{name}={game.options[name]}"
        for name, option in game.checked.options.items()
        if option.value != option.default
    ]
    return [f"Options: {', '.join(others)}"] if others else []


def heading(survey: Survey) -> list[str]:
    """What was played, in a line or two."""
    game = survey.game
    players = how_many(game.players, "player", "players")
    games = how_many(survey.games, "random game", "random games")
    found = [f"{game.name}, {players}: {games}, seed {survey.seed}", *chosen_options(game)]
    if not survey.games:
        found.append(f"Stopped before the first of {survey.asked:,} was over.")
    elif survey.games < survey.asked:
        found.append(
            f"Stopped before the end of {survey.asked:,}: these are the first {survey.games:,}, "
            "and asking for so many gives the same numbers."
        )
    return found


def note_of(survey: Survey, group: str) -> str:
    """What must be known to read a group of measures."""
    if group != "lead" or survey.leader is None:
        return ""
    return f"Whoever has the {survey.leader} points leads."


class Report:
    """Draws one survey on one screen."""

    def __init__(self, screen: Screen, survey: Survey) -> None:
        self.screen = screen
        self.survey = survey

    def draw(self) -> None:
        first, *more = heading(self.survey)
        self.screen.write(first, "bold")
        for line in more:
            self.screen.write(line)
        if not self.survey.games:
            return
        self.wins()
        for group, title in GROUPS.items():
            found = [m for m in self.survey.measures if m.group == group]
            self.section(title, found, note_of(self.survey, group))
        self.frequencies("Moves in a game", "moves")
        self.frequencies("Lines that took a move away, in how many plays", "lines")

    def title(self, text: str) -> None:
        self.screen.write()
        first, *more = wrap(text, max(self.screen.width - 4, 1))
        self.screen.rule(first)
        for line in more:
            self.screen.write(f"   {line}", "dim")

    # ---- seats ----

    def wins(self) -> None:
        """Wins with intervals, and scores where the game keeps them."""
        seats = range(self.survey.game.players)
        by_key = {measure.key: measure for measure in self.survey.measures}
        self.title("Wins")
        rows = []
        for seat in seats:
            wins, advantage = by_key[f"wins.{seat}"], by_key[f"advantage.{seat}"]
            above = value_of(advantage, self.survey.estimate(advantage))
            rows.append([str(seat), *self.cells(wins), above])
        self.by_seat(SEAT_HEADS, rows)
        self.screen.write(ADVANTAGE, "dim")
        if "score.0" not in by_key:
            return
        self.title("Scores at the end")
        rows = []
        for seat in seats:
            counts = self.survey.distributions[f"score.{seat}"]
            ends = (f"{counts.quantile(share):,}" for share in (0, 0.5, 1))
            rows.append([str(seat), *self.cells(by_key[f"score.{seat}"]), *ends])
        self.by_seat(SCORE_HEADS, rows)

    def by_seat(self, heads: list[tuple[str, Side]], rows: Sequence[Sequence[str]]) -> None:
        """A row for each seat: one table, or two where the screen has no room for it."""
        columns = list(zip([head for head, _ in heads], *rows, strict=True))
        width = sum(max(map(len, column)) + GAP for column in columns) - GAP
        whole = list(range(len(heads)))
        parts = [whole] if width <= self.screen.width else [whole[:3], [0, *whole[3:]]]
        for part in parts:
            table = plain_table()
            for at in part:
                head, side = heads[at]
                table.add_column(head, justify=side, no_wrap=side == "right")
            for row in rows:
                table.add_row(*(row[at] for at in part))
            self.screen.draw(table)

    def cells(self, measure: Measure) -> list[str]:
        found = self.survey.estimate(measure)
        return [value_of(measure, found), interval_of(measure, found, self.survey.games)]

    # ---- other measures ----

    def section(self, title: str, measures: list[Measure], note: str) -> None:
        if not measures:
            return
        self.title(title)
        table = plain_table()
        table.add_column("")
        table.add_column("mean", justify="right", no_wrap=True)
        table.add_column("95 % interval")
        for measure in measures:
            table.add_row(measure.title, *self.cells(measure))
        self.screen.draw(table)
        if note:
            self.screen.write(note, "dim")
        for measure in measures:
            counts = self.survey.distributions.get(measure.key)
            if counts is not None and len(counts.counts) >= LEAST_PLOT:
                self.plot(measure.title, counts)

    def plot(self, title: str, counts: Distribution) -> None:
        """Bars lying down, a line for each range of numbers."""
        quarters = [f"{counts.quantile(share):,}" for share in (0, 0.25, 0.5, 0.75, 1)]
        self.screen.write()
        self.screen.write(
            f"{title}: from {quarters[0]} to {quarters[4]}, half of them from {quarters[1]} to "
            f"{quarters[3]}, median {quarters[2]}"
        )
        bins = counts.bins(BINS)
        labels = [f"{low:,}" if low == high else f"{low:,} to {high:,}" for low, high, _ in bins]
        self.bars(zip(labels, (count for _, _, count in bins), strict=True), self.survey.games)

    def bars(self, lines: Iterable[tuple[str, int]], whole: int) -> None:
        found = list(lines)
        most = max(count for _, count in found)
        shares = [f"{figure(100 * count / whole, 1)} %" for _, count in found]
        beside = max(map(len, shares)) + max(len(label) for label, _ in found) + 2 * GAP
        size = max(min(BAR, self.screen.width - beside), 0)
        table = plain_table(heads=False)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(no_wrap=True)
        table.add_column(justify="right", no_wrap=True)
        for (label, count), share in zip(found, shares, strict=True):
            table.add_row(label, self.bar(count / most if most else 0, size), share)
        self.screen.draw(table)

    def bar(self, share: float, size: int) -> Text:
        eighths = round(share * size * 8)
        if not self.screen.can("█▏"):
            return Text("#" * round(share * size))
        rest = " ▏▎▍▌▋▊▉"[eighths % 8].strip()
        return Text("█" * (eighths // 8) + rest, "cyan")

    def frequencies(self, title: str, group: str) -> None:
        measures = [measure for measure in self.survey.measures if measure.group == group]
        if not measures:
            return
        self.title(title)
        values = {m.key: self.survey.estimate(m) for m in measures}
        most = max((found.value for found in values.values() if found is not None), default=0.0)
        table = plain_table(heads=False)
        table.add_column()
        table.add_column(justify="right", no_wrap=True)
        table.add_column()
        table.add_column(no_wrap=True)
        for measure in measures:
            found = values[measure.key]
            share = found.value / most if found is not None and most else 0.0
            size = BAR // 3 if self.screen.width >= NARROW else 0
            table.add_row(measure.title, *self.cells(measure), self.bar(share, size))
        self.screen.draw(table)


def plain_table(heads: bool = True) -> Table:
    return Table(
        box=None, padding=(0, GAP, 0, 0), pad_edge=False, show_header=heads, header_style="dim"
    )
