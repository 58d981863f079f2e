"""Checks that need the whole game: what nobody uses, sees, reaches or can win.

They read a game without errors, and report only what is certain. Each check is one function that
adds its problems; most look at one number of players and one set of option values.
"""

from __future__ import annotations

from rulebook.check.choices import empty_choices
from rulebook.check.deals import too_many_dealt
from rulebook.check.ends import endless_loops, no_winner
from rulebook.check.hidden import hidden_cards
from rulebook.check.unused import unused_entries
from rulebook.diagnostics import Problems
from rulebook.terms import CheckedGame


def check(game: CheckedGame, problems: Problems) -> None:
    """Add what is wrong with a game whose names and kinds are in order."""
    unused_entries(game, problems)
    hidden_cards(game, problems)
    endless_loops(game, problems)
    no_winner(game, problems)
    too_many_dealt(game, problems)
    empty_choices(game, problems)
