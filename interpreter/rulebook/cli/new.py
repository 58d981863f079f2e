"""`rulebook new`: a small game to begin with, or a variant of another."""

import os
import re
import shlex
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from ..engine.words import Words
from ..pipeline import check_file
from ..resources import find_game, schema_path, template
from ..terms import CheckedGame
from .leave import problems, usage

WIDTH = 98
# More steps up than this, and the schema is written with its whole path.
MAX_UP = 3
_STEM = re.compile(r"[^\W_][\w -]*")


def run(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the game or its file.")],
    base: Annotated[
        str | None,
        typer.Option("--from", metavar="GAME", help="Begin with a variant of this game."),
    ] = None,
) -> None:
    """Write a small commented game that can be played at once; with --from, a variant.

    The file is called NAME.yaml. What is there already is never overwritten.
    """
    path = Path(name if name.endswith((".yaml", ".yml")) else f"{name}.yaml")
    if not _STEM.fullmatch(path.stem):
        usage(f"`{path.stem}` is no name for a game; it wants letters, digits, `_` and `-`")
    title = re.sub(r"[_-]+", " ", path.stem).strip().title()
    text = _game(title) if base is None else _variant(title, base, path)
    lines = [f"# yaml-language-server: $schema={_schema(path.parent)}", *text.splitlines()[1:]]
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    except FileExistsError:
        usage(f"`{path}` is there already, and is left as it is")
    except OSError as error:
        usage(f"`{path}` cannot be written: {(error.strerror or str(error)).lower()}")
    sys.stdout.write(f"{path} is written. Play it: rulebook play {shlex.quote(str(path))}\n")


def _schema(folder: Path) -> str:
    """The place of the schema as a file in the folder names it."""
    try:
        near = Path(os.path.relpath(schema_path(), folder))
    except ValueError:  # On another drive.
        return schema_path().as_uri()
    return near.as_posix() if near.parts.count("..") <= MAX_UP else schema_path().as_uri()


def _game(title: str) -> str:
    return re.sub(r"^game: .*$", f"game: {title}", template(), count=1, flags=re.MULTILINE)


def _variant(title: str, base: str, path: Path) -> str:
    found = find_game(base)
    extends = base
    if found.suffix and str(found) == base:
        extends = found.name
        if found.parent.resolve() != path.parent.resolve():
            usage(f"`{base}` is in another folder; a variant stands beside the game it extends")
    game, wrong = check_file(base)
    if game is None:
        problems(wrong)
    return "\n".join(
        [
            "",
            "rulebook: 1",
            f"game: {title}",
            f"about: A variant of {game.name}.",
            f"extends: {extends}",
            "",
            f"# All that is not said here is as in {game.name}. Take away the `#` in front of what",
            "# you want to change.",
            *_options(game),
            *_entries(game, extends),
        ]
    )


def _options(game: CheckedGame) -> list[str]:
    """Every option with its default, as comments."""
    if not game.options:
        return []
    words = Words(game)
    lines = ["", "# options:"]
    for option in game.options.values():
        value = words.value(option.kind, option.value, canonical=True)
        lines += _comment(option.about, "   # ")
        lines.append(f"#   {option.name}: {{default: {value}}}")
    return lines


def _entries(game: CheckedGame, extends: str) -> list[str]:
    """What else can be replaced or removed, by name."""
    lines = [
        "",
        "# These can be replaced by entries of the same names, and others added:",
        "#",
    ]
    parts: dict[str, Iterable[str]] = {
        "orders and tables": game.tables,
        "zones": game.zones,
        "state": game.state,
        "define": game.definitions,
        "moves": game.moves,
        "steps": game.steps,
    }
    for section, names in parts.items():
        own = [name for name in names if "." not in name]
        if own:
            lines += _comment(f"{section}: {', '.join(own)}", " ", "     ")
    lines += ["#", f"# How they are written there: rulebook rules {extends} --flat"]
    musts = [(move, must.label) for move, one in game.moves.items() for must in one.musts]
    if musts:
        lines += ["", "# A line of a move alone, by its label; with another label, one more line:"]
        lines += ["#", "# moves:"]
        for move in dict.fromkeys(move for move, _ in musts):
            lines += [f"#   {move}:", "#     must:"]
            lines += [f"#       {label}: ..." for one, label in musts if one == move]
    entry = f"must {musts[0][1]} of {musts[0][0]}" if musts else f"move {next(iter(game.moves))}"
    lines += ["", "# What is not wanted:", "#", "# remove:", f"#   - {entry}"]
    return lines


def _comment(text: str, first: str, later: str = "") -> list[str]:
    wrapped = textwrap.wrap(text, WIDTH - len(later or first), break_long_words=False)
    return [
        f"#{first if not number else later or first}{line}" for number, line in enumerate(wrapped)
    ]
