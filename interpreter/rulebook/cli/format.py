"""`rulebook format`: rule files in their usual layout."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from ..diagnostics import Problems
from ..source import read_source
from ..tools.format import format_text


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
        elif _bytes(file) == text.encode():
            continue
        elif check:
            sys.stdout.write(f"{file} would change\n")
            failed = True
        else:
            try:
                _rewrite(file, text)
            except OSError as error:
                reason = (error.strerror or str(error)).lower()
                typer.echo(f"rulebook: `{file}` could not be written: {reason}", err=True)
                failed = True
            else:
                sys.stdout.write(f"{file} changed\n")
    raise typer.Exit(int(failed))


def _bytes(file: str) -> bytes:
    return Path(file).read_bytes()


def _rewrite(file: str, text: str) -> None:
    """Write a file anew: the old one stays whole until the new one is, and so do its rights."""
    target = Path(file).resolve()
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        draft.write_bytes(text.encode())
        draft.chmod(target.stat().st_mode & 0o7777)
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)
