"""`rulebook compare`: what a variant changes, in words and in play."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from .leave import INTERRUPTED, problems, usage
from .play import number
from .simulate import (
    GAMES,
    MOST_GAMES,
    MOST_PROCESSES,
    count_of,
    loaded_game,
    progress,
    reason,
)

if TYPE_CHECKING:
    from ..engine.game import Game
    from ..tools.compare import Change, Comparison


def run(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="A rule file, or a shipped game's name.")
    ],
    variant: Annotated[str, typer.Argument(metavar="VARIANT", help="The other one.")],
    games: Annotated[str, typer.Option(metavar="N", help="How many pairs of games.")] = str(GAMES),
    seed: Annotated[
        str, typer.Option(metavar="N", help="The same seed gives the same games.")
    ] = "1",
    players: Annotated[str | None, typer.Option(metavar="N", help="How many play.")] = None,
    set: Annotated[
        list[str] | None, typer.Option(metavar="OPTION=VALUE", help="An option's value, for both.")
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(metavar="OPTION=VALUE", help="An option's value, for the variant alone."),
    ] = None,
    processes: Annotated[
        str | None, typer.Option(metavar="N", help="Processes for each of the two.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Tell what differs between two rule files, and play both with the same chance.

    A difference is called sure if games without any would show one so large, in any of the
    measures, in less than one run of a hundred. Ctrl-C ends early and tells of the games so far
    (exit code 130).
    """
    many = count_of("--games", games, MOST_GAMES)
    start = number("--seed", seed)
    hands = None if processes is None else count_of("--processes", processes, MOST_PROCESSES)
    varied = {one.partition("=")[0].strip() for one in vary or []}
    kept = [one for one in set or [] if one.partition("=")[0].strip() not in varied]
    sides = ((game, set or []), (variant, [*kept, *(vary or [])]))
    before, after = (loaded_game(path, None, settings) for path, settings in sides)
    refuse_numbers(before, after, players)
    if players is not None:
        before, after = (loaded_game(path, players, settings) for path, settings in sides)
    words = changed(before, after)
    found = compared(before, after, many, start, hands)
    if as_json:
        sys.stdout.write(json.dumps(found.plain(words), indent=2) + "\n")
    else:
        from ..render.report_compare import CompareReport
        from ..render.screen import Screen

        CompareReport(Screen(), found, words).draw()
    if found.games < found.asked:
        raise typer.Exit(INTERRUPTED)


def refuse_numbers(before: Game, after: Game, players: str | None) -> None:
    """Leave if the two cannot have the same number of players, or do not without `--players`."""
    ranges = [game.checked.player_range for game in (before, after)]
    low, high = max(low for low, _ in ranges), min(high for _, high in ranges)
    sizes = [f"{a}" if a == b else f"{a} to {b}" for a, b in ranges]
    first, second = before.name, after.name
    if low > high:
        usage(
            f"{first} is a game for {sizes[0]} players, and {second} for {sizes[1]}: there is no "
            "number that both can have, so they cannot be compared"
        )
    if players is None and before.players != after.players:
        both = f"{low}" if low == high else f"{low} to {high}"
        usage(
            f"{first} has {before.players} players here, and {second} {after.players}; both can "
            f"have {both}: give `--players {low}`"
        )


def changed(before: Game, after: Game) -> list[Change]:
    """What differs in words: rules, then options' values, then what is no rule."""
    from ..diagnostics import Problems
    from ..pipeline import load_document
    from ..source import Source
    from ..tools.compare import BESIDE, changes, settings_changed

    documents = [load_document(Source(g.path, g.text), Problems()) for g in (before, after)]
    assert documents[0] is not None
    assert documents[1] is not None
    found = [*changes(documents[0], documents[1]), *settings_changed(before, after)]
    if extends(before) or extends(after):
        # Examples are not handed down, so nobody took them out.
        found = [change for change in found if change.path[0] != "examples"]
    return sorted(found, key=lambda change: change.path[0] in BESIDE)


def extends(game: Game) -> bool:
    """Whether the file of a game extends another, which its flattened text no longer says."""
    from ..diagnostics import Problems
    from ..document import read_document
    from ..pipeline import load_source

    source = load_source(game.path, Problems())
    document = None if source is None else read_document(source, Problems())
    return document is not None and "extends" in document.entries


def compared(before: Game, after: Game, games: int, seed: int, processes: int | None) -> Comparison:
    from ..engine.match import RuleError
    from ..tools.compare import compare
    from ..tools.shards import Lost

    try:
        with progress(games, "pairs") as done:
            return compare(before, after, games, seed, processes, done)
    except RuleError as error:
        problems([error.problem])
    except ValueError as error:
        usage(str(error))
    except (OSError, Lost) as error:
        usage(f"the games could not be played to their end: {reason(error)}")
