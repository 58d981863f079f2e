"""A declarative rules interpreter for card games."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .diagnostics import Problem, RuleFileError
    from .engine.game import Game, load
    from .engine.match import IllegalMove, Match, RuleError
    from .engine.moves import Move
    from .engine.record import Record, RecordError, replay

__all__ = [
    "Game",
    "IllegalMove",
    "Match",
    "Move",
    "Record",
    "RecordError",
    "RuleError",
    "RuleFileError",
    "load",
    "replay",
    "validate",
]

# Imported when they are first asked for, so that `import rulebook` costs nothing.
_PLACES = {
    "Game": "engine.game",
    "IllegalMove": "engine.match",
    "Match": "engine.match",
    "Move": "engine.moves",
    "Record": "engine.record",
    "RecordError": "engine.record",
    "RuleError": "engine.match",
    "RuleFileError": "diagnostics",
    "load": "engine.game",
    "replay": "engine.record",
}


def __getattr__(name: str) -> object:
    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module `rulebook` has no `{name}`")
    found: object = getattr(import_module(f".{place}", __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def validate(path: str) -> "list[Problem]":
    """What is wrong with a rule file (or a shipped game, by name), in the order of the file.

    Warnings too: the file can be used if no problem's `severity` is "error".
    """
    from .pipeline import validate_file

    return list(validate_file(path))
