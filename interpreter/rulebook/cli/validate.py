"""`rulebook validate`: every mistake of rule files, each at its place."""

from functools import partial
from typing import Annotated, Literal

import typer

from .leave import usage
from .report import report


def run(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Rule files, or names of shipped games.")
    ],
    format: Annotated[
        Literal["full", "concise", "json"],
        typer.Option(help="With excerpts, one line each, or for programs."),
    ] = "full",
    fix: Annotated[
        bool, typer.Option("--fix", help="Write the certain fixes into the files first.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Check again at each save, until Ctrl-C.")
    ] = False,
) -> None:
    """Tell every mistake of rule files.

    Exits with 0 if the files can be used (there may be warnings), 1 if not, 2 if the command
    itself is not understood.
    """
    if watch:
        if fix:
            usage("`--fix` and `--watch` do not go together: an editor holds the file open")
        from .watch import watch as watch_files

        watch_files(files, partial(report, files, format))
        raise typer.Exit
    if fix:
        from .fix import fix_file

        for file in files:
            fix_file(file, out=format == "full")
    raise typer.Exit(report(files, format))
