"""`rulebook format`: rule files in their usual layout."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..diagnostics import Problems
from ..source import read_source
from ..tools.format import format_text
from .fix import replace_file


def run(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Rule files.")],
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; name the files that would change.")
    ] = False,
) -> None:
    """Give rule files their usual layout: the order of entries, indentation, empty lines.

    Comments and what the rules mean stay. Exits with 0 if all files could be read, 1 if not, or
    if `--check` finds one that would change.
    """
    failed = False
    for file in files:
        problems = Problems()
        source = read_source(file, problems)
        text = None
        if source is not None:
            text, problems = format_text(source.text, source.path)
        if source is None or text is None:
            from ..render.problems import render

            typer.echo(render(problems, "full"), err=True)
            failed = True
        elif source.text == text:
            continue
        elif check:
            sys.stdout.write(f"{file} would change\n")
            failed = True
        else:
            failed |= not _rewritten(file, source.text, text)
    raise typer.Exit(int(failed))


def _rewritten(file: str, old: str, new: str) -> bool:
    """Write a file anew and say so; False, with a sentence, if it could not be."""
    try:
        written = replace_file(Path(file).resolve(), old, new)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        typer.echo(f"rulebook: `{file}` cannot be written: {reason}", err=True)
        return False
    if written:
        sys.stdout.write(f"{file} changed\n")
    else:
        typer.echo(f"rulebook: `{file}` was changed meanwhile, and is left as it is", err=True)
    return written
