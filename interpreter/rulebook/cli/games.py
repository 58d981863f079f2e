"""`rulebook games`: the shipped games, with a line each."""

import json
import sys
from typing import Annotated

import typer

from ..diagnostics import Problems
from ..document import Mapping, Scalar, read_document
from ..pipeline import read_whole
from ..resources import shipped_games, shipped_variants
from ..source import read_source


def run(
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """List the games that are here: the name for `play`, how many play, what it is; then variants,
    under the game that each one changes."""
    shipped = [*shipped_games().items(), *shipped_variants().items()]
    found = [summary(name, str(path)) for name, path in shipped]
    if as_json:
        sys.stdout.write(json.dumps(found, indent=2) + "\n")
        return
    from ..render.screen import Screen

    screen = Screen()
    name = max((len(game["name"]) for game in found), default=0)
    players = max((len(game["players"]) for game in found), default=0)
    for base in ["", *shipped_games()]:
        some = [game for game in found if game["extends"] == base]
        if base and some:
            screen.tell("")
            screen.tell(f"Variants of {base}:")
        for game in some:
            head = f"{game['name']:<{name}}  {game['players']:>{players}} players  "
            screen.hang(head, game["about"])


def summary(name: str, path: str) -> dict[str, str]:
    """What a file says of itself at its top; "" for what it does not say."""
    source = read_source(path, Problems())
    alone = None if source is None else read_document(source, Problems())
    whole = None if source is None else read_whole(source, Problems())

    def text(document: Mapping | None, key: str) -> str:
        entry = document.get(key) if document is not None else None
        return entry.text if isinstance(entry, Scalar) else ""

    return {
        "name": name,
        "game": text(whole, "game"),
        "players": text(whole, "players").replace("..", " to "),
        "about": text(whole, "about"),
        "extends": text(alone, "extends"),
    }
