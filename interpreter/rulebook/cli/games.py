"""`rulebook games`: the shipped games, with a line each."""

import json
import sys
from typing import Annotated

import typer

from ..diagnostics import Problems
from ..document import Mapping, Scalar, read_document
from ..resources import shipped_games
from ..source import read_source


def run(
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """List the games that are here: the name for `play`, how many play, what it is."""
    found = [summary(name, str(path)) for name, path in shipped_games().items()]
    if as_json:
        sys.stdout.write(json.dumps(found, indent=2) + "\n")
        return
    from ..render.screen import Screen

    screen = Screen()
    name = max((len(game["name"]) for game in found), default=0)
    players = max((len(game["players"]) for game in found), default=0)
    for game in found:
        head = f"{game['name']:<{name}}  {game['players']:>{players}} players  "
        screen.hang(head, game["about"])


def summary(name: str, path: str) -> dict[str, str]:
    """What a file says of itself at its top; "" for what it does not say."""
    source = read_source(path, Problems())
    document = None if source is None else read_document(source, Problems())

    def text(key: str) -> str:
        entry = document.get(key) if isinstance(document, Mapping) else None
        return entry.text if isinstance(entry, Scalar) else ""

    players = text("players").replace("..", " to ")
    return {"name": name, "game": text("game"), "players": players, "about": text("about")}
