"""Whether play can come to an end: loops without a way out, and games that nobody can win."""

from __future__ import annotations

from rulebook import terms as t
from rulebook.diagnostics import Problems
from rulebook.source import Span
from rulebook.walks import inside, may_end, parts


def no_winner(game: t.CheckedGame, problems: Problems) -> None:
    """A game in which no statement ends the game, and no limit either."""
    if _limited(game) or may_end(game) or "match" not in game.steps:
        return
    problems.add(
        "no-winner",
        "no step and no move says who wins",
        game.steps["match"].span,
        help="end the game with `p wins`, `p loses`, `players finish by ...` or `nobody wins`",
    )


def endless_loops(game: t.CheckedGame, problems: Problems) -> None:
    """Loops whose condition never changes and whose body never leaves them."""
    ends = may_end(game)
    if not ends:
        return  # One cause: nothing ends the game at all.
    for node in parts(game):
        if isinstance(node, t.Repeat | t.While) and _forever(node):
            _endless(node, game, ends, problems)


def _endless(
    loop: t.Repeat | t.While, game: t.CheckedGame, ends: set[str], problems: Problems
) -> None:
    choices = False
    for node in inside(loop.body):
        if isinstance(node, t.Outcome | t.Finish | t.Stop | t.Return):
            return
        if isinstance(node, t.Do):
            if f"step:{node.step}" in ends:
                return
            choices = choices or game.steps[node.step].waits
        if isinstance(node, t.Choose):
            choices = True
    if choices and (_limited(game) or any(name.startswith("move:") for name in ends)):
        return
    span = loop.span
    word = span.text.split(maxsplit=1)[0].rstrip(":")
    problems.add(
        "endless-loop",
        "this loop has no way out: nothing in it stops it or ends the game",
        Span(span.source, span.start, span.start + len(word)),
        help="give it `until` and a condition that comes true, or `stop` inside it",
    )


def _forever(loop: t.Repeat | t.While) -> bool:
    if isinstance(loop, t.While):
        return _written(loop.condition, "yes")
    return loop.times is None and (loop.until is None or _written(loop.until, "no"))


def _written(condition: t.Term, word: str) -> bool:
    """Whether the condition is this very word: an option may have another value another day."""
    return isinstance(condition, t.Constant) and condition.span.text == word


def _limited(game: t.CheckedGame) -> bool:
    return game.plays_limit is not None or game.repeats_limit is not None
