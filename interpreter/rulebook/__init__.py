"""A declarative rules interpreter for card games."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .diagnostics import Problem

__all__ = ["validate"]


def validate(path: str) -> "list[Problem]":
    """What is wrong with a rule file (or a shipped game, by name), in the order of the file.

    Warnings too: the file can be used if no problem's `severity` is "error".
    """
    # Imported here, so that `import rulebook` costs nothing.
    from .pipeline import validate_file

    return list(validate_file(path))
