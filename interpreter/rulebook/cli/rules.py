"""`rulebook rules`: the rule sheet of a game, written from its file."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .leave import problems, usage

if TYPE_CHECKING:
    from ..sheet.illustrations import Wanted

MAX_WIDTH = 100
PIPED = 80


def run(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="A rule file, or a shipped game's name.")
    ],
    format: Annotated[
        Literal["text", "markdown", "html"],
        typer.Option(help="For the terminal, for a wiki, or one page that prints well."),
    ] = "text",
    players: Annotated[str | None, typer.Option(metavar="N", help="How many play.")] = None,
    set: Annotated[
        list[str] | None, typer.Option(metavar="OPTION=VALUE", help="Choose an option's value.")
    ] = None,
    language: Annotated[
        str, typer.Option(metavar="XX", help="Names in this language, by its two-letter code.")
    ] = "",
    examples: Annotated[
        Literal["some", "all", "none"],
        typer.Option(help="One example of each matter, all of the file's, or none."),
    ] = "some",
    flat: Annotated[
        bool, typer.Option("--flat", help="The rule file itself, with all that it takes in.")
    ] = False,
) -> None:
    """Write the rule sheet of a game: what is needed to learn and play it.

    Exits with 0, 1 if the file cannot be used, 2 if the command itself is not understood.
    """
    if flat:
        others = {"--players": players, "--set": set, "--language": language}
        told = [name for name, value in others.items() if value]
        told += ["--format"] if format != "text" else []
        told += ["--examples"] if examples != "some" else []
        if told:
            usage(f"`--flat` writes the file as it is, so it goes without `{told[0]}`")
        write(flattened(game))
        return
    write(sheet(game, format, players, set or [], language, examples))


def sheet(
    path: str,
    format: str,
    players: str | None,
    settings: list[str],
    language: str,
    examples: Wanted,
) -> str:
    from ..diagnostics import Problems, RuleFileError
    from ..pipeline import Setting, load_document, load_source, refuse_players
    from ..resolve import resolve
    from ..sheet.write import write_sheet
    from .play import number, options_of, refuse_options

    many = None if players is None else number("--players", players)
    options = options_of(settings)
    found = Problems()
    source = load_source(path, found)
    document = None if source is None else load_document(source, found)
    if document is None or found.errors:
        problems(found)
    wrong = Problems()
    checked = resolve(document, Setting(many, options), wrong)
    if many is not None:
        try:
            refuse_players(checked, many)
        except ValueError as error:
            usage(str(error))
    if wrong.errors:
        refuse_options(RuleFileError(wrong))
        problems(wrong)
    try:
        written = write_sheet(checked, document, language, examples)
    except ValueError as error:
        usage(str(error))
    if format == "html":
        from ..render.sheet_html import sheet_html

        return sheet_html(written)
    if format == "markdown":
        from ..render.sheet_markdown import sheet_markdown

        return sheet_markdown(written)
    from ..render.sheet_text import sheet_text

    width = shutil.get_terminal_size((PIPED, 24)).columns if sys.stdout.isatty() else PIPED
    return sheet_text(written, min(max(width, 30), MAX_WIDTH))


def flattened(path: str) -> str:
    from ..diagnostics import RuleFileError
    from ..flatten import flat_text

    try:
        return flat_text(path)
    except RuleFileError as error:
        problems(error.problems)


def write(text: str) -> None:
    """To standard output as UTF-8 in a pipe, for files are made so; signs that a terminal lacks are
    replaced."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        if not sys.stdout.isatty():
            reconfigure(encoding="utf-8")
        reconfigure(errors="replace")
    sys.stdout.write(text)
