"""A ladder at the terminal: who won how often, and how much of it is skill."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulebook.render.report import chosen_options, plain_table
from rulebook.render.report_numbers import how_many
from rulebook.tools.ladder import name_of

if TYPE_CHECKING:
    from rulebook.render.screen import Screen
    from rulebook.tools.ladder import Ladder, Rung

VERDICTS = {"stronger": "surely stronger", "weaker": "surely weaker", "none": "not sure"}
ROUND = (
    "In each deal the first player of a line sits on every side in turn, with the same chance, and "
    "the second everywhere else."
)
COUNTED = (
    "`search 25` makes 25 trials at each choice, four times as many where it chooses between kinds "
    "of moves and a score is kept; `random` takes any move. Even is what a side wins where all "
    "play alike."
)
NO_CHANCE = (
    "The rules have no chance, so every deal is the same: deals differ only in what the players "
    "happen to try."
)


class LadderReport:
    """Draws one ladder on one screen."""

    def __init__(self, screen: Screen, ladder: Ladder) -> None:
        self.screen = screen
        self.ladder = ladder

    def draw(self) -> None:
        game, ladder = self.ladder.game, self.ladder
        players = how_many(game.players, "player", "players")
        deals = how_many(ladder.asked, "deal", "deals")
        self.screen.write(f"{game.name}, {players}: {deals} a rung, seed {ladder.seed}", "bold")
        for line in chosen_options(game):
            self.screen.write(line)
        if not ladder.whole:
            self.screen.write(stopped(ladder))
        self.screen.write(f"{ROUND} {COUNTED}", "dim")
        if not game.checked.chances:
            self.screen.write(NO_CHANCE)
        if not ladder.rungs:
            return
        self.screen.write()
        table = plain_table()
        table.add_column("")
        for head in ("wins", "95 % interval", "even"):
            table.add_column(head, justify="right", no_wrap=True)
        table.add_column("")
        for rung in ladder.rungs:
            table.add_row(*cells(rung))
        self.screen.draw(table)
        self.screen.write()
        self.screen.write(skill(ladder), "bold")


def stopped(ladder: Ladder) -> str:
    """How far it was played."""
    if not ladder.rungs:
        return "Stopped before the first deal was over."
    return (
        f"Stopped after deal {ladder.rungs[-1].deals:,} of {ladder.asked:,} on rung "
        f"{len(ladder.rungs)} of {len(ladder.pairs)}."
    )


def cells(rung: Rung) -> list[str]:
    return [
        f"{name_of(rung.better)} against {name_of(rung.other)}",
        f"{100 * rung.won:.1f} %",
        f"{100 * rung.low:.1f} to {100 * rung.high:.1f}",
        f"{100 * rung.even:.1f} %",
        VERDICTS[rung.verdict],
    ]


def skill(ladder: Ladder) -> str:
    """How much of the result is skill, in a sentence."""
    last = ladder.last
    if last is None:
        return "Skill: the last rung would tell, where the longest thinker meets the first player."
    if last.verdict == "weaker":
        return (
            "Skill: none is found. The player that thinks longest surely wins less than its share "
            "against the first, so its thinking misleads it here."
        )
    value, low, high = (max(100 * one, 0) for one in last.skill)
    return (
        f"Skill: {value:.0f} parts of 100 ({low:.0f} to {high:.0f}) of what lies above an even "
        "share go to the player that thinks longest when it meets the first; the rest is luck, or "
        "what thinking so long does not find."
    )
