"""`rulebook validate`: every mistake of rule files, each at its place."""

import os
import sys
from typing import Annotated, Literal

import typer

from ..pipeline import validate_file
from ..render.problems import render


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
    results = {file: validate_file(file) for file in files}
    if format == "full":
        text = "\n\n".join(
            render(problems, "full", _colour()) or f"{file}: no problems"
            for file, problems in results.items()
        )
    else:
        found = [problem for problems in results.values() for problem in problems]
        text = render(found, format)
    if text:
        sys.stdout.write(f"{text}\n")
    if any(problems.errors for problems in results.values()):
        raise typer.Exit(1)


def _colour() -> bool:
    """Whether to colour: on a terminal, unless the user asks for none (https://no-color.org)."""
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
