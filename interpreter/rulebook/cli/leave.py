"""How commands end early: with a sentence, or with the problems of a rule file."""

from collections.abc import Iterable
from typing import NoReturn

import typer

from ..diagnostics import Problem

INTERRUPTED = 130


def usage(sentence: str) -> NoReturn:
    """The command cannot be done as it was asked for."""
    typer.echo(f"rulebook: {sentence}", err=True)
    raise typer.Exit(2)


def problems(found: Iterable[Problem]) -> NoReturn:
    """The rules cannot be used, or went wrong."""
    from ..render.problems import render

    typer.echo(render(found, "full"), err=True)
    raise typer.Exit(1)
