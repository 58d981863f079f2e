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
MOST_GAMES = 10**12
MOST_PROCESSES = 1024
SHORTEST_BAR, LONGEST_BAR = 10, 40
"""Columns of the bar of progress."""
PACKAGE = "rulebook-games[tables]"

Done = Callable[[int], None]


def run(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="A rule file, or a shipped game's name.")
    ],
    games: Annotated[
        str | None, typer.Option(metavar="N", help="How many games; 100,000 unless told.")
    ] = None,
    seed: Annotated[
        str, typer.Option(metavar="N", help="The same seed gives the same games.")
    ] = "1",
    players: Annotated[str | None, typer.Option(metavar="N", help="How many play.")] = None,
    set: Annotated[
        list[str] | None, typer.Option(metavar="OPTION=VALUE", help="Choose an option's value.")
    ] = None,
    # Hidden, as there is no choice: those who try another find out what does that.
    bots: Annotated[str | None, typer.Option(hidden=True)] = None,
    ladder: Annotated[
        bool,
        typer.Option(
            "--ladder",
            help="Luck and skill: players that think, over `--games` deals; 20 unless told.",
        ),
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
        str | None, typer.Option(metavar="FILE", help="Write the report as a web page, too: .html.")
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
    if ladder:
        alone = {"--bots": bots, "--processes": processes, "--on": on}
        refuse_beside_ladder(alone | {"--html": html, "--table": table})
    if bots not in (None, "random"):
        usage(
            f"`simulate` plays with `random` bots alone, not with `{bots}`: `--ladder` measures "
            "players that think, and docs/bots.md has a loop in Python that measures any bot"
        )
    many = None if games is None else count_of("--games", games, MOST_GAMES)
    start = number("--seed", seed)
    hands = None if processes is None else count_of("--processes", processes, MOST_PROCESSES)
    refuse_kinds(html, table)
    for path in (html, table):
        if path is not None:
            refuse_place(path, game)
    if on is not None:
        refuse_cluster(on, processes)
    try:
        loaded = loaded_game(game, players, set or [])
        survey, wrong = None, ""
        if not ladder:
            survey, wrong = surveyed(loaded, many or GAMES, start, hands, table, on)
    except KeyboardInterrupt:
        typer.echo("Stopped before there was anything to tell.", err=True)
        raise typer.Exit(INTERRUPTED) from None
    if survey is None:
        from .ladder import DEALS, climb

        climb(loaded, many or DEALS, start, as_json)
        return

    # The page first, as nobody may read the report to its end; what is wrong with files last.
    if html is not None:
        wrong = "; ".join(filter(None, (wrong, write_page(html, survey))))
    if as_json:
        sys.stdout.write(json.dumps(survey.plain(), indent=2) + "\n")
    else:
        from ..render.report import Report
        from ..render.screen import Screen

        Report(Screen(), survey).draw()
    if wrong:
        usage(wrong)
    if survey.games < survey.asked:
        raise typer.Exit(INTERRUPTED)


def write_page(path: str, survey: Survey) -> str:
    """Why it cannot be written, or ""."""
    from ..render.report_html import page
    from ..whole_file import whole_file

    try:
        with whole_file(path) as place:
            place.write_text(page(survey), encoding="utf-8")
    except OSError as error:
        return f"`{path}` cannot be written: {reason(error)}"
    return ""


def surveyed(
    game: Game, games: int, seed: int, processes: int | None, table: str | None, on: str | None
) -> tuple[Survey, str]:
    """The survey of a run, with progress, and why its table cannot be written, which ends the run,
    or "". Leaves with a sentence if the rules go wrong."""
    from ..engine.match import RuleError
    from ..render.report_table import NotWritten, TableFile
    from ..tools.cluster import NoCluster
    from ..tools.shards import Lost
    from ..tools.simulate import survey

    so_far: Survey | None = None

    def played(done: Done, file: TableFile | None = None) -> Survey:
        def each(found: Survey, first: int, rows: Rows) -> None:
            nonlocal so_far
            so_far = found
            if file is not None:
                file.add(found, first, rows)
            done(found.games)

        return survey(game, games, seed, processes, each, on=on)

    try:
        with progress(games) as done:
            if table is None:
                return played(done), ""
            with TableFile(table) as file:
                return played(done, file), ""
    except RuleError as error:
        problems([error.problem])
    except NoCluster as error:
        usage(str(error))
    except ImportError:
        usage(f"`{table}` needs the pyarrow package: pip install '{PACKAGE}'; .csv needs nothing")
    except NotWritten as error:
        wrong = f"`{table}` cannot be written: {reason(error)}"
        if so_far is None:
            usage(wrong)
        return so_far, wrong
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
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    # Where there is no room for all, the first to go is the bar, and the count is the last.
    room = console.width - len(f"{games:,}/{games:,} 1000:00:00")
    count = "{task.completed:,}/{task.total:,}" if room >= 0 else "{task.completed:,}"
    columns: list[ProgressColumn] = [TextColumn(count), TimeRemainingColumn()]
    rate = "{task.fields[rate]}"
    for text, width in ((what, len(what) + 1), (rate, len(" 1,000,000 a second"))):
        if room < width:
            break
        columns.insert(-1, TextColumn(text))
        room -= width
    else:
        if room > SHORTEST_BAR:
            columns.insert(0, BarColumn(min(room - 1, LONGEST_BAR)))
    with Progress(*columns, console=console, transient=True) as bar:
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
    digits = text.replace(",", "").replace("_", "")
    plain = digits.isascii() and digits.isdigit() and len(digits) <= len(str(most))
    found = int(digits) if plain else 0
    if not 1 <= found <= most:
        usage(f"`{option} {text}` is not a number from 1 to {most:,}")
    return found


def refuse_place(path: str, game: str) -> None:
    """Before the games are played, rather than after."""
    place = Path(path)
    if place.exists() and Path(game).exists() and place.samefile(game):
        usage(f"`{path}` is the game's own file")
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


def refuse_beside_ladder(options: dict[str, str | None]) -> None:
    for option, given in options.items():
        if given is not None:
            usage(f"`--ladder` goes without `{option}`")


def refuse_kinds(html: str | None, table: str | None) -> None:
    kinds = (".parquet", ".arrow", ".csv")
    if html is not None and Path(html).suffix.lower() not in (".html", ".htm"):
        usage(f"`{html}` must end in .html or .htm")
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
