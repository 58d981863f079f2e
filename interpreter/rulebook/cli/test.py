"""`rulebook test`: the examples of rule files, what they reach, and what they notice."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .leave import problems as leave_with
from .leave import usage

if TYPE_CHECKING:
    from ..diagnostics import Problems
    from ..source import Source
    from ..tools.mutate import Progress


def run(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Rule files, or names of shipped games.")
    ],
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Mark the rule lines that never took part.")
    ] = False,
    games: Annotated[
        int | None,
        typer.Option(metavar="N", help="With --coverage: add so many random games."),
    ] = None,
    players: Annotated[
        str | None,
        typer.Option(metavar="N[,N]", help="With --games: how many play; all that can, if unsaid."),
    ] = None,
    mutate: Annotated[
        bool, typer.Option("--mutate", help="Change the rules bit by bit: do examples notice?")
    ] = False,
    processes: Annotated[
        int | None, typer.Option(metavar="N", help="With --mutate: how many work at once.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Run the examples of rule files.

    Exits with 0 if all hold, 1 if one does not or a file cannot be used, 2 if the command itself
    is not understood.
    """
    if games is not None and not coverage:
        usage("`--games` adds random games to `--coverage`, so it goes with it")
    if players is not None and games is None:
        usage("`--players` says how many play the random games of `--games`")
    if games is not None and games < 1:
        usage(f"`--games {games}` is not a number from 1 up")
    if processes is not None and (processes < 1 or not mutate):
        usage("`--processes` is a number from 1 up, and goes with `--mutate`")
    if mutate and coverage:
        usage("`--coverage` and `--mutate` are asked one after the other")
    counts = numbers(players)
    reports: list[dict[str, Any]] = []
    good = True
    for name in files:
        if mutate:
            report, text = changes(name, processes)
        else:
            report, text = examples(name, coverage, games or 0, counts)
        reports.append(report)
        good = good and report.get("passed", True)
        if not as_json:
            sys.stdout.write(f"{text}\n")
            sys.stdout.flush()
    if as_json:
        sys.stdout.write(f"{json.dumps(reports, indent=2)}\n")
    raise typer.Exit(0 if good else 1)


def numbers(text: str | None) -> list[int]:
    found: list[int] = []
    for part in (text or "").split(",") if text is not None else []:
        if not part.strip().isascii() or not part.strip().isdigit() or len(part) > 4:
            usage(f"`--players {text}` is not a number of players, nor several with commas between")
        found.append(int(part))
    return found


def examples(
    name: str, coverage: bool, games: int, counts: list[int]
) -> tuple[dict[str, Any], str]:
    """What the examples of one file show, as values and as text."""
    from ..diagnostics import Problems
    from ..render.examples import results_text, results_values
    from ..tools.coverage import Coverage
    from ..tools.examples import run_source

    problems = Problems()
    source = loaded(name, problems)
    taken = Coverage() if coverage else None
    results = run_source(source, problems, watch=taken.watch if taken else None)
    if problems.errors:
        leave_with(problems)
    report, text = results_values(name, results), results_text(name, results)
    if taken is not None:
        from ..render.examples import coverage_text, coverage_values

        said = reach(source, taken, games, counts)
        report["coverage"] = coverage_values(taken)
        text += f"\n{coverage_text(taken, said)}"
    return report, text


def reach(source: Source, coverage: Any, games: int, counts: list[int]) -> str:
    """Fill in what took part, random games too; says how many those were."""
    from ..diagnostics import Problems
    from ..pipeline import compile_source, load_document
    from ..resolve import Setting

    game = compile_source(source)
    low, high = game.checked.player_range
    wrong = [count for count in counts if not low <= count <= high]
    if wrong:
        some = f"{low} players" if low == high else f"{low} to {high} players"
        usage(f"{game.name} is a game for {some}, not for {wrong[0]}")
    for count in counts or range(low, high + 1):
        if games:
            one = game if count == game.players else compile_source(source, Setting(count))
            stopped = coverage.play(one, games)
            if stopped:
                usage(f"random games with {count} players stop: {stopped}")
    document = load_document(source, Problems())
    assert document is not None
    coverage.fill(game.checked, document)
    return f" and {coverage.games:,} random games" if games else ""


def changes(name: str, processes: int | None) -> tuple[dict[str, Any], str]:
    """Which changes of one file its examples notice."""
    from ..diagnostics import Problems
    from ..render.examples import trial_text, trial_values
    from ..tools.mutate import try_changes

    problems = Problems()
    source = loaded(name, problems)
    with progress(name) as show:
        trial = try_changes(source, problems, processes, show)
    if trial is None:
        leave_with(problems)
    return trial_values(name, trial), trial_text(name, trial)


def loaded(name: str, problems: Problems) -> Source:
    from ..pipeline import load_source, validate_source

    source = load_source(name, problems)
    if source is not None:
        validate_source(source, problems)
    if source is None or problems.errors:
        leave_with(problems)
    return source


@contextmanager
def progress(name: str) -> Iterator[Progress | None]:
    """A bar on a terminal, nothing in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"changing {name}", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
