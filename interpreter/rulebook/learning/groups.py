"""Every group of cards that a pick can ever offer: what its shapes allow over the whole deck."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, islice, product

from rulebook import terms as t


def shapes_of(source: t.Term) -> tuple[t.Shape, ...]:
    """The shapes of a source of groups, through definitions and conditions."""
    if isinstance(source, t.Groups):
        return source.shapes
    if isinstance(source, t.Filter):
        return shapes_of(source.subject)
    if isinstance(source, t.Split):
        return shapes_of(source.groups)
    assert isinstance(source, t.Call)
    (statement,) = source.definition.body
    assert isinstance(statement, t.Return)
    return shapes_of(statement.value)


def groups_of(game: t.CheckedGame, source: t.Term, cap: int) -> list[int] | None:
    """The groups as bits of cards, each once, in order; None if there are more than `cap`."""
    walks = [walk(game, shape) for shape in shapes_of(source)]
    found = list(islice(chain.from_iterable(walks), 2 * cap + 1))
    groups = sorted(set(found))
    return groups if len(found) <= 2 * cap and len(groups) <= cap else None


def walk(game: t.CheckedGame, shape: t.Shape) -> Iterator[int]:
    return subsets(game, shape) if shape.order is None else runs(game, shape)


def parts_of(game: t.CheckedGame, one: str | None) -> list[list[int]]:
    """The cards from which a group of one suit or rank is taken; the deck for any other."""
    deck = range(game.enumerations["card"].size)
    if one is None:
        return [list(deck)]
    attribute = game.rank_of if one == "rank" else game.suit_of
    size = game.enumerations[one].size
    return [[card for card in deck if attribute[card] == member] for member in range(size)]


def subsets(game: t.CheckedGame, shape: t.Shape) -> Iterator[int]:
    for part in parts_of(game, shape.one):
        high = len(part) if shape.high is None else min(shape.high, len(part))
        for size in range(max(shape.low, 1), high + 1):
            for cards in combinations(part, size):
                yield sum(1 << card for card in cards)


def runs(game: t.CheckedGame, shape: t.Shape) -> Iterator[int]:
    """One card of each of so many neighbouring ranks."""
    assert shape.order is not None
    values = shape.order.values
    ranks = [values.index(place) for place in range(len(values)) if place in values]
    for part in parts_of(game, shape.one):
        holders = [[card for card in part if game.rank_of[card] == rank] for rank in ranks]
        high = len(ranks) if shape.high is None else min(shape.high, len(ranks))
        for size in range(max(shape.low, 1), high + 1):
            for start in range(len(ranks) - size + 1):
                for cards in product(*holders[start : start + size]):
                    yield sum(1 << card for card in cards)
