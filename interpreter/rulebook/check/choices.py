"""Choices that leave their mover without a move: all on offer take cards from where none lie.

A walk from the step `match`, on the road that is surely taken, keeps the zones where cards may lie
by then. It tells a choice only where all of its moves pick from zones that are empty for certain.
"""

from __future__ import annotations

from collections.abc import Iterable

from rulebook import terms as t
from rulebook.diagnostics import Label, Problems
from rulebook.kinds import SetOf
from rulebook.walks import inside

Zones = frozenset[t.Zone]


def empty_choices(game: t.CheckedGame, problems: Problems) -> None:
    match = game.steps.get("match")
    if match is not None:
        Walk(game, problems).body(match.body, frozenset(), sure=True)


class Walk:
    def __init__(self, game: t.CheckedGame, problems: Problems) -> None:
        self.game = game
        self.problems = problems
        self.done: set[str] = set()

    def body(self, body: Iterable[t.Statement], filled: Zones, sure: bool) -> Zones:
        """Zones where cards may lie behind the statements, from those where they may before."""
        for statement in body:
            filled = self.statement(statement, filled, sure)
            if isinstance(statement, t.If | t.While | t.For | t.Repeat) and _leaves(statement):
                sure = False  # What follows is perhaps not reached.
        return filled

    def statement(self, node: t.Statement, filled: Zones, sure: bool) -> Zones:
        if isinstance(node, t.Choose):
            return self.choose(node, filled, sure)
        if isinstance(node, t.Secretly):
            return self.choose(node.choice, filled, sure and self.runs(node.loop))
        if isinstance(node, t.Gather) and node.cards is None:
            return frozenset({node.zone.zone})
        if isinstance(node, t.Do):
            step = self.game.steps[node.step]
            if sure and node.step not in self.done:
                self.done.add(node.step)
                return self.body(step.body, filled, sure)
            return filled | self.fills(step.body)
        if isinstance(node, t.For | t.Repeat):
            # The first round: cards that come later are there for the others.
            once = self.body(node.body, filled, sure and self.runs(node))
            return filled | once | self.fills(node.body)
        return filled | self.fills((node,))

    def runs(self, loop: t.For | t.Repeat) -> bool:
        """Whether a loop has a first round for certain."""
        count: t.Term | None = loop.subject if isinstance(loop, t.For) else loop.times
        if isinstance(loop, t.For) and not isinstance(loop.subject.kind, SetOf):
            return False
        return count is None or (isinstance(count, t.Constant) and count.value > 0)

    def fills(self, body: Iterable[t.Statement]) -> Zones:
        """Every zone to which the statements may bring cards, through steps and moves too."""
        found: set[t.Zone] = set()
        steps: set[str] = set()
        todo: list[object] = [tuple(body)]
        while todo:
            for node in inside(todo.pop()):
                if isinstance(node, t.MoveCards | t.Gather):
                    found.add(node.zone.zone)
                elif isinstance(node, t.Deal):
                    found.add(node.target.zone)
                elif isinstance(node, t.Choose):
                    names = (*node.moves, *node.fallback)
                    todo += [self.game.moves[name].body for name in names if name not in steps]
                    steps.update(names)
                elif isinstance(node, t.Do) and node.step not in steps:
                    steps.add(node.step)
                    todo.append(self.game.steps[node.step].body)
        return frozenset(found)

    def choose(self, node: t.Choose, filled: Zones, sure: bool) -> Zones:
        moves = [self.game.moves[name] for name in (*node.moves, *node.fallback)]
        empty = [self.empty_pick(move, filled) for move in moves]
        if sure and moves and all(pick is not None for pick in empty):
            self.report(node, moves, [pick for pick in empty if pick is not None])
        return filled | self.fills((node,))

    def empty_pick(self, move: t.Move, filled: Zones) -> t.Pick | None:
        """A pick of the move for which there is no card."""
        for pick in move.picks:
            zones = _sources(pick.source)
            if zones and not zones & filled:
                return pick
        return None

    def report(self, node: t.Choose, moves: list[t.Move], picks: list[t.Pick]) -> None:
        names = sorted({zone.name for pick in picks for zone in _sources(pick.source)})
        zones = " and ".join(f"`{name}`" for name in names)
        offered = " and ".join(f"`{move.name}`" for move in moves)
        take = "take" if len(moves) > 1 else "takes"
        self.problems.add(
            "empty-choice",
            f"nobody can move here: {offered} {take} a card from {zones}, where none lies yet",
            node.span,
            others=tuple(Label(pick.source.span, "picked here") for pick in picks),
            help=f"deal or move cards to {zones} before",
            severity="warning",
        )


def _leaves(node: t.Node) -> bool:
    return any(isinstance(one, t.Outcome | t.Finish | t.Stop | t.Do) for one in inside(node))


def _sources(term: t.Base) -> Zones:
    """The zones from which the cards of a term come, if that is sure; empty if it is not."""
    if isinstance(term, t.ZoneOf):
        return frozenset({term.zone})
    if isinstance(term, t.Filter):
        return _sources(term.subject)
    if isinstance(term, t.EndCard | t.EndCards):
        return _sources(term.zone)
    if isinstance(term, t.Single):
        return _sources(term.member)
    if isinstance(term, t.SetOperation):
        left, right = _sources(term.left), _sources(term.right)
        if term.word == "without":
            return left
        return left | right if left and right else frozenset()
    return frozenset()
