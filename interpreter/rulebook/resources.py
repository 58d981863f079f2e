"""The files that ship with the package: grammars, games, lessons and the pages of `explain`.

In a checkout they stand in `grammars/`, `games/`, `pages/` and `docs/lessons/` beside
`interpreter/`; in a wheel, inside the package.
"""

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parent.parent
# A folder of the package wins only where it is there, so an editable install reads the checkout.
_SUFFIX = ".yaml"


def folder(name: str) -> Path:
    """The folder `grammars`, `games`, `pages` or `lessons`, wherever this installation keeps it."""
    inside = _PACKAGE / name
    if inside.is_dir():
        return inside
    return _CHECKOUT / "docs" / name if name == "lessons" else _CHECKOUT / name


@cache
def grammar(name: str) -> str:
    """The text of a file of the grammars folder."""
    return (folder("grammars") / name).read_text(encoding="utf-8")


def shipped_games() -> dict[str, Path]:
    """The games that ship with this installation, by name; variants and parts are left out."""
    return _rule_files("")


def shipped_variants() -> dict[str, Path]:
    """The shipped variants of the shipped games, by name."""
    return _rule_files("variants")


def shipped_parts() -> dict[str, Path]:
    """The parts that a game may name under `uses`, by name."""
    return _rule_files("parts")


def template() -> str:
    """The text of the small commented game that new authors begin with."""
    (path,) = _rule_files("templates").values()
    return path.read_text(encoding="utf-8")


def schema_path() -> Path:
    """The file that editors read for completion and hover texts."""
    return folder("grammars") / "rulefile.schema.json"


def _rule_files(below: str) -> dict[str, Path]:
    return {path.stem: path for path in sorted((folder("games") / below).glob(f"*{_SUFFIX}"))}


def find_game(name_or_path: str) -> Path:
    """The file that a user means: a file of that path, else a shipped game or variant of that name.

    The path comes back unchanged, and need not exist, where nothing shipped has the name.
    """
    path = Path(name_or_path)
    if path.suffix or path.is_file():
        return path
    return {**shipped_variants(), **shipped_games()}.get(name_or_path, path)
