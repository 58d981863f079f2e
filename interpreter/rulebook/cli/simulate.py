"""`rulebook simulate`: many random games, and what they say about the rules."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .leave import INTERRUPTED, problems, usage
from .play import number, options_of, refuse_options

if TYPE_CHECKING:
    from ..engine.game import Game
    from ..tools.measures import Rows
    from ..tools.simulate import Survey

GAMES = 100_000
LADDER_DEALS = 20
"""Deals on each rung of the ladder, unless told: thinking takes its time."""
MOST_GAMES = 10**12
MOST_PROCESSES = 1024
PACKAGE = "rulebook-games[tables]"

Done = Callable[[int], None]


def run(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="A rule file, or a shipped game's name.")
    ],
    games: Annotated[str, typer.Option(metavar="N", help="How many games.")] = str(GAMES),
    seed: Annotated[
        str, typer.Option(metavar="N", help="The same seed gives the same games.")
    ] = "1",
    players: Annotated[str | None, typer.Option(metavar="N", help="How many play.")] = None,
    set: Annotated[
        list[str] | None, typer.Option(metavar="OPTION=VALUE", help="Choose an option's value.")
    ] = None,
    bots: Annotated[str, typer.Option(metavar="random", help="Who plays.")] = "random",
    ladder: Annotated[
        bool,
        typer.Option("--ladder", help="Luck and skill: players that think, over so many deals."),
    ] = False,
    processes: Annotated[
        str | None, typer.Option(metavar="N", help="Processes at work; all cores unless told.")
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(metavar="dask://HOST:PORT", help="Play on a cluster of several machines."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
    html: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the report as a web page, too.")
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write a row for each game: .parquet, .arrow or .csv."),
    ] = None,
) -> None:
    """Play many random games, and tell what happened in them.

    The numbers depend on the seed and the number of games, and not on the processes. Ctrl-C ends
    early and tells of the games so far (exit code 130).
    """
    if bots != "random":
        usage(
            f"`simulate` plays with `random` bots alone, not with `{bots}`: `--ladder` measures "
            "players that think, and docs/bots.md has a loop in Python that measures any bot"
        )
    many = count_of("--games", games, MOST_GAMES)
    start = number("--seed", seed)
    hands = None if processes is None else count_of("--processes", processes, MOST_PROCESSES)
    for path in filter(None, (html, table)):
        refuse_place(path)
    refuse_kind(table)
    if on is not None:
        refuse_cluster(on, processes)
    loaded = loaded_game(game, players, set or [])
    if ladder:
        for name, given in (("--html", html), ("--table", table), ("--processes", processes)):
            if given is not None:
                usage(f"`--ladder` goes without `{name}`")
        climb(loaded, LADDER_DEALS if games == str(GAMES) else many, start, as_json)
        return

    survey = surveyed(loaded, many, start, hands, table, on)
    if html is not None:
        from ..render.report_html import page

        try:
            Path(html).write_text(page(survey), encoding="utf-8")
        except OSError as error:
            usage(f"`{html}` cannot be written: {reason(error)}")
    if as_json:
        sys.stdout.write(json.dumps(survey.plain(), indent=2) + "\n")
    else:
        from ..render.report import Report
        from ..render.screen import Screen

        Report(Screen(), survey).draw()
    if survey.games < survey.asked:
        raise typer.Exit(INTERRUPTED)


def climb(game: Game, deals: int, seed: int, as_json: bool) -> None:
    """Tell of the ladder; leaves with a sentence if the rules go wrong."""
    from ..engine.match import RuleError
    from ..tools.ladder import BUDGETS, ladder, lines

    sides = len(game.checked.teams) or game.players
    try:
        with progress(deals * sides * len(BUDGETS)) as done:
            rungs = ladder(game, deals, seed, each=done)
    except RuleError as error:
        problems([error.problem])
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        sys.stdout.write(json.dumps([rung.plain() for rung in rungs], indent=2) + "\n")
        return
    for line in lines(rungs):
        typer.echo(line)


def surveyed(
    game: Game, games: int, seed: int, processes: int | None, table: str | None, on: str | None
) -> Survey:
    """The survey of a run, with progress; leaves with a sentence if the rules go wrong."""
    from ..engine.match import RuleError
    from ..render.report_table import TableFile
    from ..tools.cluster import NoCluster
    from ..tools.shards import Lost
    from ..tools.simulate import survey

    try:
        with progress(games) as done:
            if table is None:
                return survey(game, games, seed, processes, lambda s, _, __: done(s.games), on=on)
            with TableFile(table) as file:

                def each(found: Survey, first: int, rows: Rows) -> None:
                    file.add(found, first, rows)
                    done(found.games)

                return survey(game, games, seed, processes, each, on=on)
    except RuleError as error:
        problems([error.problem])
    except NoCluster as error:
        usage(str(error))
    except ImportError:
        usage(f"`{table}` needs the pyarrow package: pip install '{PACKAGE}'; .csv needs nothing")
    except (OSError, Lost) as error:
        usage(f"the games could not be played to their end: {reason(error)}")


def reason(error: Exception) -> str:
    return (getattr(error, "strerror", "") or str(error)).lower()


@contextmanager
def progress(games: int, what: str = "games") -> Iterator[Done]:
    """Shows how far it is, how fast it goes and how long it takes: on a terminal, and only there.
    It is drawn on the error output, so that the report can be kept."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(what),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=games, rate="")

        def done(count: int) -> None:
            speed = bar.tasks[0].speed
            rate = "" if speed is None else f"{speed:,.0f} a second"
            bar.update(task, completed=count, rate=rate)

        yield done


# ---- what the command line says ----


def loaded_game(path: str, players: str | None, settings: list[str]) -> Game:
    from ..diagnostics import RuleFileError
    from ..engine.game import load

    many = None if players is None else number("--players", players)
    try:
        return load(path, many, options_of(settings))
    except RuleFileError as error:
        refuse_options(error)
        problems(error.problems)
    except ValueError as error:
        usage(str(error))


def count_of(option: str, text: str, most: int) -> int:
    """A number of things, at least one; commas and underscores may part its thousands."""
    found = number(option, text.replace(",", "").replace("_", ""))
    if not 1 <= found <= most:
        usage(f"`{option} {text}` is not a number from 1 to {most:,}")
    return found


def refuse_place(path: str) -> None:
    """Before the games are played, rather than after."""
    place = Path(path)
    if place.is_dir():
        usage(f"`{path}` is a folder")
    if not place.absolute().parent.is_dir():
        usage(f"`{path}` cannot be written: there is no such folder")
    if not os.access(place if place.exists() else place.absolute().parent, os.W_OK):
        usage(f"`{path}` cannot be written: permission denied")


def refuse_cluster(address: str, processes: str | None) -> None:
    from ..tools.cluster import NoCluster, scheduler_of

    if processes is not None:
        usage("`--processes` is for this machine, and cannot be told to a cluster with `--on`")
    try:
        scheduler_of(address)
    except NoCluster as error:
        usage(str(error))


def refuse_kind(table: str | None) -> None:
    kinds = (".parquet", ".arrow", ".csv")
    if table is None:
        return
    if Path(table).suffix.lower() not in kinds:
        usage(f"`{table}` must end in one of {', '.join(kinds)}")
    if Path(table).suffix.lower() != ".csv":
        from importlib.util import find_spec

        if find_spec("pyarrow") is None:
            usage(
                f"`{table}` needs the pyarrow package: pip install '{PACKAGE}'; "
                "a .csv file needs nothing"
            )
