"""Generated code against the evaluator of tests/oracle.py: expressions made at random."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rulebook import parse
from rulebook import terms as t
from rulebook.compile import compile_game
from rulebook.diagnostics import Problems
from rulebook.document import Scalar
from rulebook.engine.game import Game
from rulebook.engine.setup import Setup
from rulebook.kinds import Flag, Kind, Members, Numbers, SetOf
from rulebook.pipeline import load_document
from rulebook.program import set_words
from rulebook.resolve import Resolver, Setting
from rulebook.resolve.namespace import Scope
from rulebook.source import Source, Span
from rulebook.wasm.machine import Trap
from tests.oracle import Oracle, Position, Stopped, as_value

RULES = """\
rulebook: 1
game: Small
players: {players}
turns: {turns}
cards:
  suits: [red, blue, green]
  ranks: [1, 2, 3, 4, low, high]
{deck}
kinds:
  strain: [red, blue, green, no_suit]
orders:
  turned: [high, low, 1, 3, 2, 4]
tables:
  worth: {{of: rank, is: {{1: 5, 3: -2, high: 7}}, else: 0}}
  many: {{of: rank, is: {{1: 9, 2: 8, 3: -7, 4: 6, low: -5, high: 4}}}}
  prey: {{of: suit, is: {{red: blue, blue: green, green: red}}}}
  bonus: {{of: [suit, strain], is: {{red: {{red: 3}}, blue: {{no_suit: -4}}}}, else: 1}}
  cost: {{of: -2..3, is: {{-2: 10, -1: 20, 0: 30, 1: 40, 2: 50, 3: 60}}}}
zones:
  stock: {{ordered: yes, seen by: nobody}}
  hand: {{each: player, seen by: everyone}}
  trick: {{ordered: yes, seen by: everyone}}
  heap: {{each: 2..4, ordered: yes, seen by: everyone}}
state:
  leader: player
  taker: player or none
  trump: strain or none
  wild: card or none
  broken: flag
  score: {{each: player, is: -20..20}}
  passed: {{each: player, is: flag}}
  known: {{is: cards}}
  active: {{is: players}}
  count_down: 0..9
define:
  power of card c: many of c * 2 if suit of c is trump else many of c
  total of cards cs: sum worth in cs
  strongest of player p: highest power in hand of p
  first_with of number n: |
    for q in players starting left of leader:
      if count hand of q >= n: return q
    return leader
  tally of player p: |
    let found = 0
    for c in hand of p:
      if suit of c is red: found += worth of c
      else if broken: found -= 1
    return found
moves:
  lay:
    pick: c from hand of mover
    do: move c to trick
steps:
  match: |
    gather all cards to stock
    for p in players: p chooses lay
    nobody wins
"""
DECKS = {
    "one word": RULES.format(players=3, turns="clockwise", deck=""),
    "two words": RULES.format(
        players=4, turns="anticlockwise", deck="  copies: 4\n  singles: [star]"
    ),
}
ZONES = {"stock": 1, "hand": 0, "trick": 1, "heap": 3}


class Bench:
    """A game to which expressions can be added, as definitions that nobody else uses."""

    def __init__(self, text: str) -> None:
        source = Source("small.yaml", text)
        problems = Problems()
        document = load_document(source, problems)
        assert document is not None
        self.resolver = Resolver(document, Setting(), problems)
        self.game = self.resolver.run()
        assert not list(problems), list(problems)

    def term(self, text: str) -> t.Term | None:
        """An expression, or None if the checker refuses it."""
        span = Span(Source("expression", text), 0, len(text))
        problems = Problems()
        node = parse.read_expression(Scalar(text, span, span, "plain", False), problems)
        assert node is not None, (text, list(problems))
        expressions = self.resolver.expressions
        expressions.problems, before = problems, expressions.problems
        try:
            found = expressions.term(node, Scope("pure"))
        finally:
            expressions.problems = before
        usable = isinstance(found.kind, Numbers | Flag | Members | SetOf)
        return found if usable and not problems.errors else None

    def compiled(self, found: list[t.Term]) -> Game:
        extra = {
            f"x.{i}": t.Definition(f"x.{i}", (), term.kind, (t.Return(term.span, term),), term.span)
            for i, term in enumerate(found)
        }
        game = replace(self.game, definitions={**self.game.definitions, **extra})
        program = compile_game(game, problems := Problems())
        assert program is not None, list(problems)
        return Game(game, program, "", "small.yaml")


@cache
def bench(deck: str) -> Bench:
    return Bench(DECKS[deck])


# ---- positions ----


def position(game: Game, dice: random.Random) -> Position:
    """Cards dealt anyhow, and values in their ranges."""
    checked = game.checked
    zones: dict[str, list[list[int]]] = {
        zone.name: [[] for _ in range(zone.size)] for zone in checked.zones.values()
    }
    slots = [cards for family in zones.values() for cards in family]
    filled = dice.sample(slots, dice.randint(1, len(slots)))
    deck = list(range(checked.enumerations["card"].size))
    dice.shuffle(deck)
    for card in deck[: dice.choice([3, len(deck) // 2, len(deck)])]:
        dice.choice([*filled, filled[0]]).append(card)
    state = {
        entry.name: [anything(entry.kind, dice) for _ in range(entry.size)]
        for entry in checked.state.values()
    }
    movers = {card: dice.randrange(checked.players) for card in deck if dice.random() < 0.5}
    return Position(zones, state, movers)


def anything(kind: Kind, dice: random.Random) -> object:
    if isinstance(kind, SetOf):
        size = kind.enumeration.size
        return frozenset(dice.sample(range(size), dice.randint(0, size)))
    if isinstance(kind, Members):
        return dice.choice([*range(kind.enumeration.size), *([None] * 2 if kind.optional else [])])
    if isinstance(kind, Numbers):
        return dice.randint(kind.low, kind.high)
    return dice.random() < 0.5


def as_number(value: object) -> int:
    """What stands for a value in memory."""
    if isinstance(value, frozenset):
        return sum(1 << member for member in value)
    return -1 if value is None else int(value)  # type: ignore[call-overload]  # a flag or a number


def block(game: Game, position: Position) -> bytes:
    """The position as the module holds it."""
    game.machine.call("reset", 0)
    setup = Setup(game, game.machine.state)
    for name, family in position.zones.items():
        for place, cards in enumerate(family):
            setup.fill(game.checked.zones[name], place, cards)
            # Zones without an order are sets: the model must not depend on one either.
    for name, values in position.state.items():
        entry = game.checked.state[name]
        width = setup.layout.width(entry.kind)
        for place, value in enumerate(values):
            at = setup.layout.state[entry] + place * width
            setup.put(at, as_number(value), width)
    for card, seat in position.moved_by.items():
        setup.put(setup.layout.moved_by + card, seat, 1)
    return bytes(setup.block)


# ---- expressions ----


class Writer:
    """Writes an expression of a wanted kind. `inside` lists the card variables in scope, and an
    empty name for a card that bare attributes speak of."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.variables = 0

    def write(self, kind: str, depth: int, inside: tuple[str, ...] = ()) -> str:
        choose: Callable[..., str] = getattr(self, kind)
        return choose(depth - 1, inside)

    def one(self, *forms: str) -> str:
        return self.dice.choice(forms)

    def fill(self, form: str, depth: int, inside: tuple[str, ...]) -> str:
        """A form with each `<kind>` written out; `<?kind>` may read the card at hand bare."""
        while "<" in form.replace("<=", "").replace("< ", ""):
            start = form.index("<")
            while form[start + 1] in "= ":
                start = form.index("<", start + 1)
            end = form.index(">", start)
            kind = form[start + 1 : end]
            bare = kind.startswith("?")
            scope = (*inside, "") if bare else inside
            text = self.write(kind.removeprefix("?"), depth, scope)
            form = f"{form[:start]}\x00{form[end + 1 :]}".replace("\x00", f"({text})", 1)
        return form

    def pick(self, depth: int, inside: tuple[str, ...], leaves: list[str], forms: list[str]) -> str:
        form = self.one(*leaves) if depth <= 0 or self.dice.random() < 0.15 else self.one(*forms)
        return self.fill(form, depth, inside)

    def named(self, form: str) -> str:
        """A form in which `@` is a new variable."""
        self.variables += 1
        return form.replace("@", f"v{self.variables}")

    # ---- kinds ----

    def number(self, depth: int, inside: tuple[str, ...]) -> str:
        attributes = ["worth", "many", "turned", "power"]
        leaves = ["0", "1", "7", "-3", "-20", "count trick", "score of leader", "count_down"]
        if "" in inside:
            leaves += attributes * 2
        leaves += [f"{self.one(*attributes)} of {name}" for name in inside if name]
        forms = [
            "<number> + <number>",
            "<number> - <number>",
            "<number> * <number>",
            "<number> / 3",
            "<number> mod 4",
            "<number> mod (1 + count hand of leader)",
            "<number> / (1 + count <cards>)",
            "-<number>",
            "larger of (<number>, <number>)",
            "smaller of (<number>, <number>)",
            self.one("rounded_up", "rounded_down", "half_up", "half_down")
            + f" of (<number>, {self.one('1', '2', '3', '10')})",
            "<number> if <flag> else <number>",
            "count <cards>",
            "count <players>",
            "count <suits>",
            f"{self.one('sum', 'most', 'least')} {self.one(*attributes)} in <cards>",
            f"{self.one('sum', 'most', 'least')} score in <players>",
            f"{self.one(*attributes)} of <card>",
            "score of <player>",
            "total of <cards>",
            "tally of <player>",
            "bonus of (<suit>, <strain>)",
            "cost of <number>",
        ]
        return self.pick(depth, inside, leaves, forms)

    def flag(self, depth: int, inside: tuple[str, ...]) -> str:
        leaves = ["broken", "any trick", "passed of leader", "taker is none", "wild is not none"]
        if "" in inside:
            leaves += [
                "suit is red",
                "rank is low",
                "rank >= 3",
                "worth > 0",
                "suit is trump",
                "rank < high",
                "many is -5",
                "not (suit is blue)",
                "turned <= 2",
            ] * 2
        for name in inside:
            if name:
                leaves += [f"suit of {name} is blue", f"rank of {name} <= 4", f"{name} in trick"]
        forms = [
            "<flag> and <flag>",
            "<flag> or <flag>",
            "<flag> implies <flag>",
            "not <flag>",
            "<flag> if <flag> else <flag>",
            f"<number> {self.one('<', '<=', '>', '>=', 'is', 'is not')} <number>",
            f"<cards> {self.one('is', 'is not')} <cards>",
            f"<suit> {self.one('is', 'is not')} <suit>",
            f"<card> {self.one('is', 'is not')} <card>",
            f"<player> {self.one('is', 'is not')} <player>",
            f"<rank> {self.one('<', '<=', '>', '>=', 'is')} <rank>",
            f"{self.one('any', 'no')} <cards>",
            "<cards> is empty",
            f"<card> {self.one('in', 'not in')} <cards>",
            f"<suit> {self.one('in', 'not in')} <suits>",
            "<number> in -2..5",
            "<number> in (1, 3, 9)",
            "<rank> in (1, low, high)",
            "every <cards> satisfies <?flag>",
            "every <players> satisfies passed",
            self.named("every @ in <cards> satisfies <flag>"),
            "trump is <suit>",
        ]
        return self.pick(depth, inside, leaves, forms)

    def cards(self, depth: int, inside: tuple[str, ...]) -> str:
        leaves = [
            "trick",
            "stock",
            "hand of leader",
            "cards of hand",
            "known",
            "heap of 3",
            "empty",
            "cards where suit is red",
            "trick where rank >= low",
            "hand of leader",
        ]
        name = self.named("@").strip("()")
        inner = (*inside, name)
        forms = [
            "<cards> with <cards>",
            "<cards> without <cards>",
            "<cards> with <card>",
            "<cards> without <card>",
            "<cards> where <?flag>",
            "<cards> where <?flag>",
            "cards where <?flag>",
            f"{name} in <cards> where \x01",
            f"all {self.one('highest', 'lowest')} {self.one('worth', 'many', 'rank')} in <cards>",
            f"{self.one('first', 'last')} <number> of {self.one('stock', 'trick', 'heap of 2')}",
            "<cards> if <flag> else <cards>",
            "hand of <player>",
        ]
        found = self.pick(depth, inside, leaves, forms)
        return found.replace("\x01", f"({self.write('flag', depth, inner)})")

    def card(self, depth: int, inside: tuple[str, ...]) -> str:
        leaves = [
            "first of stock",
            "last of trick",
            "wild",
            "3 of red",
            "high of green",
            "last of heap of 2",
            "highest rank in trick",
            *(n for n in inside if n),
        ]
        forms = [
            f"{self.one('highest', 'lowest')} {self.one('worth', 'many', 'rank', 'power')}"
            " in <cards>",
            "strongest of <player>",
            "<card> if <flag> else <card>",
        ]
        return self.pick(depth, inside, leaves, forms)

    def suit(self, depth: int, inside: tuple[str, ...]) -> str:
        leaves = ["red", "green", "suit of first of trick", "suit of wild"]
        leaves += ["suit"] if "" in inside else []
        leaves += [f"suit of {name}" for name in inside if name]
        forms = ["suit of <card>", "prey of <suit>", "<suit> if <flag> else <suit>"]
        return self.pick(depth, inside, leaves, forms)

    def strain(self, depth: int, inside: tuple[str, ...]) -> str:
        return self.pick(depth, inside, ["trump", "no_suit", "red"], ["<suit>", "trump"])

    def rank(self, depth: int, inside: tuple[str, ...]) -> str:
        leaves = ["high", "2", "rank of last of trick"]
        leaves += ["rank"] if "" in inside else []
        leaves += [f"rank of {name}" for name in inside if name]
        return self.pick(depth, inside, leaves, ["rank of <card>", "<rank> if <flag> else <rank>"])

    def suits(self, depth: int, inside: tuple[str, ...]) -> str:
        leaves = ["suits", "(red, green)", "suits where prey is red"]
        forms = [
            "<suits> with <suit>",
            "<suits> without <suit>",
            self.named(
                "@ in <suits> where any (@@ in <cards> where suit of @@ is @)".replace("@@", "w@")
            ),
        ]
        return self.pick(depth, inside, leaves, forms)

    def player(self, depth: int, inside: tuple[str, ...]) -> str:
        leaves = [
            "leader",
            "left of leader",
            "right of leader",
            "taker",
            "next of leader",
            "2 left of leader",
        ]
        forms = [
            "left of <player>",
            "next of <player>",
            "next of <player> among <players>",
            f"{self.one('left', 'right')} of <player> among <players>",
            "first_with of <number>",
            "owner of <card>",
            "player of <card>",
            f"{self.one('highest', 'lowest')} score in <players>",
            "<player> if <flag> else <player>",
        ]
        return self.pick(depth, inside, leaves, forms)

    def players(self, depth: int, inside: tuple[str, ...]) -> str:
        leaves = ["players", "active", "players where passed", "players where score >= 0"]
        forms = [
            "<players> with <player>",
            "<players> without <players>",
            self.named("@ in <players> where any hand of @"),
            "all highest score in <players>",
            "players where score >= <number>",
        ]
        return self.pick(depth, inside, leaves, forms)


KINDS = ("number", "flag", "cards", "card", "suit", "player", "players", "suits")


def compare(deck: str, seed: int, expressions: int = 16, positions: int = 4) -> tuple[int, int]:
    """Hold random expressions to the oracle in random positions: how many were compared, and how
    many of them came to a value."""
    dice = random.Random(seed)
    here = bench(deck)
    found: list[t.Term] = []
    for _ in range(expressions):
        term = here.term(Writer(dice).write(dice.choice(KINDS), dice.randint(1, 5)))
        if term is not None:
            found.append(term)
    game = here.compiled(found)
    values = 0
    for _ in range(positions):
        table = position(game, dice)
        state = block(game, table)
        for number, term in enumerate(found):
            expected = worked_out(game, table, term)
            actual = in_module(game, state, f"x.{number}", term.kind)
            assert actual == expected, f"{term.span.text}  in  {table}"
            values += expected != "stopped"
    return len(found) * positions, values


def worked_out(game: Game, table: Position, term: t.Term) -> object:
    try:
        return Oracle(game.checked, table).value(term)
    except Stopped:
        return "stopped"


def in_module(game: Game, state: bytes, name: str, kind: Kind) -> object:
    game.machine.state = state
    try:
        game.machine.call(f"def.{name}")
    except Trap as trap:
        return "stopped" if 0 <= trap.site < len(game.sites) else trap.reason
    words = game.machine.results()
    if not isinstance(kind, SetOf):
        return as_value(kind, words[0])
    count = set_words(kind.enumeration)
    return as_value(kind, sum((word % 2**64) << 64 * i for i, word in enumerate(words[:count])))


@pytest.mark.parametrize("deck", DECKS)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32))
def test_expressions_are_what_the_oracle_says(deck: str, seed: int) -> None:
    compare(deck, seed)


@pytest.mark.soak
@pytest.mark.parametrize("deck", DECKS)
def test_many_expressions_are_what_the_oracle_says(deck: str) -> None:
    for seed in range(3000):
        compare(deck, seed)


@pytest.mark.parametrize("deck", DECKS)
def test_most_random_expressions_can_be_compared(deck: str) -> None:
    compared = values = 0
    for seed in range(5):
        some, good = compare(deck, seed)
        compared, values = compared + some, values + good
    assert compared >= 200
    assert values >= compared / 2
