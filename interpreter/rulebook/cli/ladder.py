"""`rulebook simulate --ladder`: players that think longer and longer against each other."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import typer

from .leave import INTERRUPTED, problems, usage
from .simulate import progress

if TYPE_CHECKING:
    from ..engine.game import Game

DEALS = 20
"""Deals on each rung, unless told: thinking takes its time."""


def climb(game: Game, deals: int, seed: int, as_json: bool) -> None:
    """Tell of the ladder; leaves with a sentence if the rules go wrong."""
    from ..engine.match import RuleError
    from ..tools.ladder import games_of, ladder

    try:
        with progress(games_of(game, deals)) as done:
            found = ladder(game, deals, seed, each=done)
    except RuleError as error:
        problems([error.problem])
    except ValueError as error:
        usage(str(error))
    if as_json:
        sys.stdout.write(json.dumps(found.plain(), indent=2) + "\n")
    else:
        from ..render.report_ladder import LadderReport
        from ..render.screen import Screen

        LadderReport(Screen(), found).draw()
    if not found.whole:
        raise typer.Exit(INTERRUPTED)
