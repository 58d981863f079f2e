"""Whether the deck is large enough for what is dealt after all cards were gathered."""

from __future__ import annotations

from rulebook import terms as t
from rulebook.diagnostics import Problems
from rulebook.kinds import SetOf


def too_many_dealt(game: t.CheckedGame, problems: Problems) -> None:
    """Fixed deals, one after the other, that take more cards than lie there for certain."""
    for step in game.steps.values():
        left: dict[t.Zone, int] = {}
        for statement in step.body:
            if isinstance(statement, t.Gather):
                left = {statement.zone.zone: len(game.suit_of)} if statement.cards is None else {}
            elif isinstance(statement, t.Shuffle):
                continue
            elif isinstance(statement, t.Deal | t.For):
                deals = _deals(statement, game)
                for deal, number in deals or []:
                    zone = deal.source.zone
                    if zone in left:
                        left[zone] = _take(deal, number, left[zone], game, problems)
                if deals is None:
                    left = {}
            elif not isinstance(statement, t.SetState | t.SetVariable | t.Say):
                left = {}


def _deals(statement: t.Statement, game: t.CheckedGame) -> list[tuple[t.Deal, int]] | None:
    """The deals of a statement, each with the cards that it takes; None if that is not fixed."""
    if isinstance(statement, t.Deal):
        if not isinstance(statement.count, t.Constant):
            return None
        hands = game.players if statement.each is not None else 1
        return [(statement, statement.count.value * hands)]
    if not isinstance(statement, t.For) or not isinstance(statement.subject, t.Constant):
        return None
    if not isinstance(statement.subject.kind, SetOf):
        return None
    result: list[tuple[t.Deal, int]] = []
    for inner in statement.body:
        deals = _deals(inner, game)
        if deals is None:
            return None
        times = statement.subject.value.bit_count()
        result += [(deal, number * times) for deal, number in deals]
    return result


def _take(deal: t.Deal, number: int, left: int, game: t.CheckedGame, problems: Problems) -> int:
    if number > left and isinstance(deal.count, t.Constant):
        deck, each = len(game.suit_of), deal.count.value
        there = f"the deck has {deck}" if left == deck else f"{left} of {deck} are left"
        dealt = f"{number} cards are dealt"
        if number != each:
            dealt = f"{each} cards for each of {number // each} players are {number}"
        problems.add(
            "too-many-dealt",
            f"{dealt}, and {there}",
            deal.count.span,
            help="deal fewer cards, or let fewer play",
        )
    return max(left - number, 0)
