"""What chance gives an example: which cards the shuffle brings where, and what lots fall.

A shuffle is tried once with every card at its own place, to see where each place of the stock comes
to lie; then the wanted cards are put at those places. So only a deal that looks at no card first
can be said.
"""

from __future__ import annotations

from collections.abc import Mapping

from rulebook import terms as t
from rulebook.engine.game import Game
from rulebook.engine.match import Match, RuleError
from rulebook.engine.setup import Setup
from rulebook.kinds import Members
from rulebook.resolve.options import literal
from rulebook.walks import inside

Outcomes = dict[tuple[int, int], bytes]


def deal(game: Game, state: bytes, wanted: Mapping[str, object]) -> Match:
    """A match from the state to its first choice, with what was wanted from chance.

    ValueError for what cannot come about, `RuleError` if the rules go wrong.
    """
    setup = Setup(game, state)
    slots: dict[int, list[int]] = {}
    outcomes: Outcomes = {}
    for key, value in wanted.items():
        name, of, index = key.partition(" of ")
        if name in game.checked.zones:
            zone = game.checked.zones[name]
            lying = {index: value} if of else value if isinstance(value, Mapping) else {"": value}
            for one, cards in lying.items():
                if zone.each is None and one:
                    raise ValueError(f"`{name}` is one zone")
                at = 0 if zone.each is None else setup.index(zone.each, one)
                slots[game.program.layout.slots[zone] + at] = setup.cards(cards)
        elif name in game.checked.state:
            outcomes |= lots(game, name, value)
        else:
            raise ValueError(f"there is no zone or state entry `{name}`")
    if not slots:
        return begun(game, state, outcomes)
    for chance in shuffles(game):
        key_ = (chance.number, 0)
        places = list(range(game.program.layout.deck))
        try:
            tried = begun(game, state, outcomes | {key_: bytes(places)})
            order = arranged(game, tried.state, slots)
            match = begun(game, state, outcomes | {key_: bytes(order)})
        except RuleError as error:
            if error.problem.slug != "wrong-outcome":
                raise
            continue
        if all(lies(game, match.state, slot, cards) for slot, cards in slots.items()):
            return match
    raise ValueError("the first shuffle of the whole deck cannot bring the cards there")


def begun(game: Game, state: bytes, outcomes: Outcomes) -> Match:
    match = Match(game, 0, outcomes)
    match.begin(state)
    return match


def shuffles(game: Game) -> list[t.Chance]:
    nodes = (node for step in game.checked.steps.values() for node in inside(step.body))
    return [node.chance for node in nodes if isinstance(node, t.Shuffle)]


def lots(game: Game, name: str, value: object) -> Outcomes:
    """The lot that sets a state entry."""
    for step in game.checked.steps.values():
        for node in inside(step.body):
            if (
                isinstance(node, t.SetState)
                and node.target.state.name == name
                and isinstance(node.value, t.RandomFrom)
                and isinstance(node.value.kind, Members)
            ):
                member = literal(str(value), node.value.kind)
                if member is None:
                    raise ValueError(f"`{value}` does not fit `{name}`")
                return {(node.value.chance.number, 0): bytes([member])}
    raise ValueError(f"`{name}` is not drawn by lot")


def arranged(game: Game, state: bytes, slots: Mapping[int, list[int]]) -> list[int]:
    """The order of the deck that brings the wanted cards where they are wanted; those of an
    ordered zone are its top ones. Other cards keep their order."""
    order: dict[int, int] = {}
    for slot, cards in slots.items():
        there = game.cards_in(state, slot)
        if len(there) < len(cards):
            zone, _ = game.slot_names[slot]
            raise ValueError(f"`{zone.name}` gets {len(there)} cards, not {len(cards)}")
        order |= dict(zip(there[len(there) - len(cards) :], cards, strict=True))
    deck = game.program.layout.deck
    left = iter(sorted(set(range(deck)) - set(order.values())))
    return [order[place] if place in order else next(left) for place in range(deck)]


def lies(game: Game, state: bytes, slot: int, cards: list[int]) -> bool:
    there = game.cards_in(state, slot)
    zone, _ = game.slot_names[slot]
    if zone.ordered:
        return there[len(there) - len(cards) :] == cards
    return set(cards) <= set(there)
