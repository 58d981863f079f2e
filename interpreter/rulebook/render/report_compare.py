"""A comparison at the terminal: what differs in words, every measure side by side, and in plain
sentences what is sure."""

from __future__ import annotations

from dataclasses import replace
from textwrap import wrap
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from rulebook.render.report import Side, plain_table
from rulebook.render.report_numbers import figure, how_many, places, scale, unit, value_of
from rulebook.tools.compare import BESIDE, LEAST_GAMES

if TYPE_CHECKING:
    from rulebook.engine.game import Game
    from rulebook.render.screen import Screen
    from rulebook.tools.compare import Change, Comparison, Difference

MOST_LINES = 12
"""Lines shown of one entry that differs."""
GROUPS = {
    "advantage": "Advantage, in points of a hundred above an even share of the wins",
    "scores": "Scores at the end",
    "length": "Length",
    "choices": "Choices",
    "lead": "The lead",
    "ends": "Ends",
    "moves": "Times that a move is made in a game",
    "lines": "Plays in which a line takes a move away",
}
OF_SEATS = ("advantage", "scores")
HEADS = ("before", "after", "difference", "95 % interval", "verdict")
VERDICTS = {"sure": "sure", "perhaps": "perhaps", "none": "-", "same": "same", "alone": ""}
LEGEND = "sure: hardly ever by chance alone; perhaps: at times by chance; -: no sign"
ALONE = "Where the number before or after is `-`, that file has no such thing."
NARROW = 75
"""On a narrower screen the numbers stand below the names,"""
LEAST_NAME = 16
"""and where they leave less room than this beside them."""


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
            subject = f"times `{subject}` is made in a game"
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


def name_of(one: Difference) -> str:
    """A measure's name under the heading of its group."""
    title = one.measure.title
    return title.partition("'s ")[0] if one.measure.group in OF_SEATS else title


def never(one: Difference) -> bool:
    """Whether it happens in neither of two games that both have it."""
    return one.verdict == "same" and one.before is not None and one.before.value == 0


def once_a_team(found: list[Difference], game: Game) -> list[Difference]:
    """Partners who fare exactly alike are told once, as their team."""
    kept = list(found)
    for group in OF_SEATS:
        for team, seats in game.checked.teams:
            partners = [
                one
                for one in kept
                if one.measure.group == group and int(one.measure.key.partition(".")[2]) in seats
            ]
            fates = {(one.before, one.after, one.low, one.high) for one in partners}
            if len(partners) < 2 or len(fates) > 1:
                continue
            first = partners[0]
            title = first.measure.title.partition("'s ")[2]
            measure = replace(first.measure, title=f"team {game.words.shown(team)}'s {title}")
            kept[kept.index(first)] = replace(first, measure=measure)
            kept = [one for one in kept if one not in partners[1:]]
    return kept


def beside(words: list[Change]) -> str:
    """What differs beside the rules, in one sentence; empty if nothing does."""
    said = []
    for what in ("changed", "added", "removed"):
        found = [one for one in words if one.what == what and one.path[0] in BESIDE]
        named = [one.entry for one in found if one.path[0] != "examples"]
        # These may be many, with long names; where one file has none, no single one is told.
        some = {one.path[1:2] for one in found if one.path[0] == "examples"}
        if some:
            named.append(
                "the examples" if () in some else how_many(len(some), "example", "examples")
            )
        if named:
            said.append(f"{what} {', '.join(named)}")
    return f"Beside the rules: {'; '.join(said)}." if said else ""


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
        rules = [change for change in self.words if change.path[0] not in BESIDE]
        if not rules:
            self.screen.write("The rules are the same.")
        for change in rules:
            self.screen.write(f"{change.what}: {change.entry}")
            lines = list(change.lines())
            for sign, line in lines[:MOST_LINES]:
                style = "red" if sign == "-" else "green"
                shown = wrap(f"  {sign} {line}", self.screen.width, subsequent_indent="      ")
                for piece in shown:
                    self.screen.write(Text(piece, style))
            if len(lines) > MOST_LINES:
                self.screen.write(f"    and {len(lines) - MOST_LINES} lines more", "dim")
        rest = beside(self.words)
        if rest:
            self.screen.write(rest)

    # ---- play ----

    def in_play(self) -> None:
        comparison = self.comparison
        pairs = how_many(comparison.games, "pair", "pairs")
        self.title("In play")
        self.screen.write(f"{pairs} of random games, seed {comparison.seed}")
        if comparison.games < comparison.asked:
            self.screen.write(
                f"Stopped before the end of {comparison.asked:,}: these are the first "
                f"{comparison.games:,}, and asking for so many gives the same numbers."
            )
        if not comparison.games:
            return
        found = once_a_team(comparison.differences(), comparison.games_compared[0])
        shown = [one for one in found if not never(one)]
        self.screen.write()
        self.table(shown)
        self.screen.write()
        self.screen.write(LEGEND, "dim")
        if any(one.verdict == "alone" for one in shown):
            self.screen.write(ALONE, "dim")
        self.screen.write()
        self.closing(found)

    def closing(self, found: list[Difference]) -> None:
        """What is sure, or why nothing is."""
        sure = [one for one in found if one.verdict == "sure"]
        for one in sure:
            text = sentence(one)
            self.screen.write(f"{text[:1].upper()}{text[1:]}.", "bold")
        if sure:
            return
        perhaps = sum(one.verdict == "perhaps" for one in found)
        stand = how_many(perhaps, "stands", "stand")
        if all(one.verdict in ("same", "alone") for one in found):
            said = "Every game went the same way."
        elif self.comparison.games < LEAST_GAMES:
            said = f"With fewer than {LEAST_GAMES} pairs nothing is called sure"
            said += f"; {stand} out, and more games would tell." if perhaps else "."
        elif perhaps:
            said = (
                f"No difference is sure. Among so many measures, {stand} out, as may happen by "
                "chance; more games would tell."
            )
        else:
            said = "No difference is sure."
        self.screen.write(said, "bold")

    # ---- the table ----

    def table(self, found: list[Difference]) -> None:
        """Every measure, with its numbers beside its name or, where that is too narrow, below."""
        cells = {one.measure.key: self.cells(one) for one in found}
        widths = [max(map(len, column)) for column in zip(HEADS, *cells.values(), strict=True)]
        left = self.screen.width - sum(width + 2 for width in widths) - 2
        narrow = self.screen.width < NARROW or left < LEAST_NAME
        left = min(left, max(len(name_of(one)) for one in found))
        if narrow:
            self.screen.write("In brackets: the 95 % interval of the difference.", "dim")
        else:
            self.draw_rows([["", *HEADS]], [left, *widths], "dim")
        for group, heading in GROUPS.items():
            of_group = [one for one in found if one.measure.group == group]
            rows = [[name_of(one), *cells[one.measure.key]] for one in of_group]
            if not rows:
                continue
            self.screen.write(heading, "dim")
            if narrow:
                for row in rows:
                    self.below(*row)
            else:
                self.draw_rows(rows, [left, *widths])

    def draw_rows(self, rows: list[list[str]], widths: list[int], style: str = "") -> None:
        table = plain_table(heads=False)
        for at, width in enumerate(widths):
            side: Side = "right" if at in (1, 2, 3) else "left"
            table.add_column(width=width, justify=side, no_wrap=at > 0, overflow="fold")
        for row in rows:
            table.add_row(*row, style=style)
        self.screen.draw(Padding(table, (0, 0, 0, 2)))

    def below(self, name: str, before: str, after: str, by: str, ends: str, verdict: str) -> None:
        """A measure's name, and its numbers on lines of their own."""
        lines = [f"before {before}, after {after}"]
        if ends:
            lines.append(f"by {by} ({ends}): {verdict}")
        elif verdict:
            lines.append(verdict)
        for indent, text in ((2, name), *((4, line) for line in lines)):
            space = " " * indent
            for piece in wrap(
                text,
                self.screen.width,
                initial_indent=space,
                subsequent_indent=f"{space}  ",
                break_long_words=False,
                break_on_hyphens=False,
            ):
                self.screen.write(piece)

    def cells(self, one: Difference) -> list[str]:
        if one.before is None or one.after is None:
            sides = [value_of(one.measure, side) for side in (one.before, one.after)]
            return [*sides, "", "", VERDICTS[one.verdict]]
        by, show, signed = scale(one.measure), figures(one), one.measure.signed
        mark = unit(one.measure)
        sides = [figure(s.value * by, show, signed) + mark for s in (one.before, one.after)]
        if one.verdict == "same":
            return [*sides, "0", "", VERDICTS[one.verdict]]
        ends = [figure(end * by, show, signed=True) for end in (one.low, one.high)]
        gap = figure(one.value * by, show, signed=True)
        return [*sides, gap, " to ".join(ends), VERDICTS[one.verdict]]
