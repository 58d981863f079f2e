"""The command line as typer knows it: options of `rulebook` itself, and its commands."""

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from . import COMMANDS


class Commands(TyperGroup):
    """Commands known by name and summary, and loaded when one of them is about to run."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, summary in COMMANDS.items():
            self.commands[name] = TyperCommand(name, help=summary)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] in COMMANDS:
            self.commands[args[0]] = _load(args[0])
        return super().resolve_command(ctx, args)


def _load(name: str) -> Any:
    alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    alone.command(name)(import_module(f"{__package__}.{name}").run)
    return typer.main.get_command(alone)


# Without markup: what draws it takes longer to import than a rule file to check.
app = typer.Typer(
    cls=Commands,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"rulebook {version('rulebook-games')}")
        except PackageNotFoundError:
            typer.echo("rulebook (not installed)")
        raise typer.Exit


@app.callback()
def rulebook(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Tell the version and leave."
    ),
) -> None:
    """Card games written as rule files: check them and play them."""
