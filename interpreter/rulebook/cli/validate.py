"""`rulebook validate`: every mistake of rule files, each at its place."""

from typing import Annotated, Literal

import typer

from .report import report


def run(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Rule files, or names of shipped games.")
    ],
    format: Annotated[
        Literal["full", "concise", "json"],
        typer.Option(help="With excerpts, one line each, or for programs."),
    ] = "full",
) -> None:
    """Tell every mistake of rule files.

    Exits with 0 if the files can be used (there may be warnings), 1 if not, 2 if the command
    itself is not understood.
    """
    raise typer.Exit(report(files, format))
