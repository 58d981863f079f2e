"""`rulebook replay`: what happened in a recorded game, and the table where it ends."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from .leave import problems, usage

if TYPE_CHECKING:
    from ..engine.match import Match
    from ..engine.record import Record


def run(
    file: Annotated[str, typer.Argument(metavar="RECORD", help="A record kept by `play`.")],
    to: Annotated[int | None, typer.Option(min=0, help="Only the first so many moves.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Show a recorded game: what happened, and the table with all cards open."""
    record = read_record(file)
    if to is not None and to > len(record.moves):
        usage(f"`{file}` holds {len(record.moves)} moves, so there is no move {to}")
    match = replayed(record, file, to)
    if as_json:
        sys.stdout.write(json.dumps(plain(match), indent=2) + "\n")
        return
    show(match, record)


def read_record(path: str) -> Record:
    from ..engine.record import Record, RecordError

    try:
        return Record.load(path)
    except RecordError as error:
        usage(str(error))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", "") or str(error)
        usage(f"`{path}` cannot be read: {reason.lower()}")


def replayed(record: Record, path: str, to: int | None = None) -> Match:
    """The match of a record; leaves with a sentence if it does not fit its rules."""
    from ..diagnostics import RuleFileError
    from ..engine.match import RuleError
    from ..engine.record import RecordError

    try:
        return record.replay(to)
    except RecordError as error:
        usage(f"`{path}` does not fit its rules: {error}")
    except RuleFileError as error:
        problems(error.problems)
    except RuleError as error:
        problems([error.problem])
    except ValueError as error:
        usage(f"`{path}` does not fit its rules: {error}")


def plain(match: Match) -> dict[str, object]:
    from ..render.story import story

    return {
        "game": match.game.name,
        "players": match.words.players,
        "options": match.game.options,
        "seed": match.seed,
        "moves": [{"seat": seat, "move": move} for seat, move in match.played],
        "log": story(match, match.events),
        "over": match.over,
        "chooser": None if match.over else match.chooser,
        "legal": [str(move) for move in match.moves],
        "scores": match.scores,
        "winners": match.winners if match.over else None,
        "places": match.places if match.over else None,
    }


def show(match: Match, record: Record) -> None:
    from ..engine.events import SPECTATOR
    from ..engine.view import fold
    from ..players.sitting import heading, result
    from ..render.screen import Screen
    from ..render.story import story
    from ..render.table import TableView

    screen = Screen()
    screen.write(heading(screen, match), "bold")
    starts = [0, *(moment.events for moment in match.past), len(match.events)]
    for number in range(len(starts) - 1):
        for line in story(match, match.events[starts[number] : starts[number + 1]]):
            screen.write(line)
        for at, note in record.notes:
            if at == number:
                screen.write(f"({note})")
    screen.rule()
    view = fold(match.game.checked, SPECTATOR, match.events)
    TableView(screen, match).draw(view, open_hands=True)
    screen.write()
    if match.over:
        screen.write(result(match), "bold")
    else:
        screen.write(f"{match.words.players[match.chooser]} is to choose.")
