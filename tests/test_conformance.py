"""What holds in every game, whatever its rules: played at random, for each number of players."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from functools import cache
from pathlib import Path

import pytest
import yaml

from rulebook import terms as t
from rulebook.engine.events import Event, Gathered, Moved, Shuffled, is_card
from rulebook.engine.game import Batch, Game, load
from rulebook.engine.match import IllegalMove, Match, RuleError
from rulebook.engine.record import Record
from rulebook.kinds import NumberRange
from rulebook.pipeline import Setting, compile_source
from rulebook.program import HEADER_SIZE
from rulebook.resources import folder
from rulebook.source import Source
from rulebook.walks import parts
from tests.chance import Stream, game_seed, play_on, random_players

VALID = Path(__file__).resolve().parent / "language" / "valid"
GAMES = sorted(folder("games").glob("*.yaml"))
# Whole games; the other valid files show one thing each, and are short.
VARIANTS = [
    VALID / f"{name}.yaml" for name in ("reversed_circle", "four_times_ten", "highest_of_led")
]
SMALL = sorted(path for path in VALID.rglob("*.yaml") if path not in VARIANTS)
SEED = 20221


def name(path: Path) -> str:
    return path.stem


@cache
def settings(path: Path) -> tuple[Game, ...]:
    """The game at each number of players."""
    first = load(str(path))
    low, high = first.checked.player_range
    return tuple(
        first if players == first.players else load(str(path), players)
        for players in range(low, high + 1)
    )


# ---- one random game, looked at after each move ----


def hold(match: Match) -> int:
    """Assert that no card is in two places and that both forms of a zone agree; the number of
    cards on the table."""
    game, layout = match.game, match.game.program.layout
    width = 8 * layout.words
    seen: set[int] = set()
    for zone in game.checked.zones.values():
        for position in range(zone.size):
            cards = game.cards_in(match.state, layout.slots[zone] + position)
            at = layout.bits[zone] + position * width
            mask = int.from_bytes(match.state[at : at + width], "little")
            assert mask == sum(1 << card for card in cards)
            assert len(set(cards)) == len(cards)
            assert not seen & set(cards)
            seen |= set(cards)
    assert seen <= set(range(layout.deck))
    return len(seen)


def standing(match: Match) -> dict[str, object]:
    """Everything that a match is, for comparing."""
    return {
        "state": match.state,
        "moves": [move.text for move in match.moves],
        "events": list(match.events),
        "played": list(match.played),
        "seers": match.seers,
        "end": (match.over, match.winners, match.places, match.scores, match.limited),
    }


def watch(game: Game, seed: int) -> Match:
    """Play one game, to its end or until nobody can move, and assert after each move what must
    always hold."""
    match = game.start(seed)
    players, doubts = random_players(seed), random.Random(seed)
    cards = hold(match)
    while not match.over:
        assert match.moves, "nobody can move"
        assert len({move.text for move in match.moves}) == len(match.moves)
        chosen = match.listed[players.below(len(match.moves))]
        assert match.why(chosen).legal
        before = standing(match)
        try:
            if doubts.random() < 0.1:
                taken_back(match, chosen.text)
            match.play(chosen)
        except RuleError:
            assert standing(match) == before
            raise
        now = hold(match)
        assert now >= cards, "a card left the table"
        cards = now
    assert not match.moves
    with pytest.raises(IllegalMove):
        match.play(match.played[-1][1] if match.played else "anything")
    return match


def taken_back(match: Match, text: str) -> None:
    """Undo restores, what is played again is the same, and a copy goes its own way."""
    before = standing(match)
    other = match.copy()
    match.play(text)
    after = standing(match)
    assert standing(other) == before
    match.undo()
    assert standing(match) == before
    other.play(text)
    assert standing(other) == after
    assert standing(match) == before


def agree(match: Match, batch: Batch, number: int) -> None:
    """A match and a row of the build that plays whole games are the same game."""
    assert batch.plays[number] == len(match.played)
    assert batch.winners[number] == sum(1 << seat for seat in match.winners)
    assert batch.limited[number] == match.limited
    assert batch.scores[number] == (match.scores or [0] * match.game.players)


def conforms(game: Game, plays: int) -> None:
    """Random games, the first few of them watched, are those of the build that plays whole games.

    They go on until so many moves were made, since games are of very different length.
    """
    number = made = 0
    while made < plays:
        seed = game_seed(SEED, number)
        if made <= plays / 3:
            match = watch(game, seed)
        else:
            match = game.start(seed)
            play_on(match, random_players(seed))
        assert hold(match) == game.program.layout.deck
        (batch,) = game.random_games(1, SEED, number)
        agree(match, batch, 0)
        number += 1
        made += len(match.played) + 1


@pytest.mark.parametrize("path", [*GAMES, *VARIANTS], ids=name)
def test_random_games_hold_what_must_hold(path: Path) -> None:
    games = settings(path)
    for game in games:
        conforms(game, 3000 if path.stem == "coins" else 800 // len(games))


@pytest.mark.soak
@pytest.mark.parametrize("path", [*GAMES, *VARIANTS], ids=name)
def test_many_random_games_hold_what_must_hold(path: Path) -> None:
    for game in settings(path):
        conforms(game, 100_000)


@pytest.mark.parametrize("path", SMALL, ids=name)
def test_short_random_games_hold_what_must_hold(path: Path) -> None:
    for game in settings(path):
        short(game, 4)


@pytest.mark.soak
@pytest.mark.parametrize("path", SMALL, ids=name)
def test_many_short_random_games_hold_what_must_hold(path: Path) -> None:
    for game in settings(path):
        short(game, 500)


def short(game: Game, games: int) -> None:
    """The same where rules may come to a stop, which they must do in both builds alike."""
    for number in range(games):
        stops: list[tuple[str, object]] = []
        match = batch = None
        try:
            match = watch(game, game_seed(SEED, number))
        except RuleError as error:
            stops.append((error.problem.slug, error.problem.span))
        try:
            (batch,) = game.random_games(1, SEED, number)
        except RuleError as error:
            stops.append((error.problem.slug, error.problem.span))
        if match is not None and batch is not None:
            agree(match, batch, 0)
        else:
            assert stops == [stops[0], stops[0]]
            assert stops[0][0] == "no-legal-move"


# ---- the same game again ----


@pytest.mark.parametrize("path", [*GAMES, *VARIANTS, *SMALL], ids=name)
def test_the_same_seed_is_the_same_game_and_a_record_replays_it(path: Path) -> None:
    for game in settings(path)[:2]:
        first, second = game.start(SEED), game.start(SEED)
        for match in (first, second):
            # Some of the small ones stop; what was played until then is a game too.
            with suppress(RuleError) if path in SMALL else nullcontext():
                play_on(match, random_players(SEED))
        assert standing(first) == standing(second)
        assert [first.log(s) for s in range(game.players)] == [
            second.log(s) for s in range(game.players)
        ]
        again = Record.read(yaml.safe_load(first.record().text())).replay()
        # The record compiles a game of its own, whose kinds are others.
        assert repr(standing(again)) == repr(standing(first))


@pytest.mark.parametrize("path", GAMES, ids=name)
def test_another_seed_is_another_game(path: Path) -> None:
    game = settings(path)[0]
    assert game.start(1).state[HEADER_SIZE:] != game.start(2).state[HEADER_SIZE:]


# ---- hidden cards ----


class Secrets:
    """What each seat may know, worked out from the declarations of zones and from all that moved.

    Independent of the audiences that the engine computes, and never claims too much: a zone that
    is hidden only under a condition counts as seen.
    """

    def __init__(self, game: Game) -> None:
        self.game = game

    def may_see(self, slot: int, seat: int) -> bool:
        zone, position = self.game.slot_names[slot]
        words = {zone.audience.seers}
        if zone.audience.condition is not None:
            words.add(zone.audience.otherwise)
        if "everyone" in words:
            return True
        owned = {"owner", "team"} & words
        if not owned:
            return False
        return self.stands_for(zone, position, seat, team="team" in words)

    def stands_for(self, zone: t.Zone, position: int, seat: int, team: bool) -> bool:
        each = zone.each
        assert each is not None
        assert not isinstance(each, NumberRange)
        teams = self.game.checked.teams
        if each.name == "team":
            return seat in teams[position][1]
        if position == seat:
            return True
        return team and any(seat in seats and position in seats for _, seats in teams)

    def hidden(self, match: Match, seat: int) -> dict[int, int]:
        """The cards that the seat cannot have seen since the last shuffle, each with its slot."""
        seen: set[int] = set()
        for event in match.events:
            if isinstance(event, Gathered | Shuffled):
                seen = set()
            elif isinstance(event, Moved):
                assert event.card is not None
                ends = [slot for slot in (event.source, event.target) if slot >= 0]
                if any(self.may_see(slot, seat) for slot in ends):
                    seen.add(event.card)
        found: dict[int, int] = {}
        for slot in range(len(self.game.slot_names)):
            for card in self.game.cards_in(match.state, slot):
                if card not in seen and not self.may_see(slot, seat):
                    found[card] = slot
        return found


def knowledge(match: Match, seat: int, asked: tuple[int, ...]) -> dict[str, object]:
    """Everything that a seat is given, also when it asks about moves of some cards."""
    known: dict[str, object] = {
        "stream": match.stream(seat),
        "view": match.view(seat),
        "log": match.log(seat),
        "chooser": match.chooser,
    }
    if not match.over and match.chooser == seat:
        known["moves"] = [(move.text, move.shown) for move in match.moves]
        cards = match.game.checked.enumerations["card"].members
        choice = match.game.program.choices[match.header("choice")]
        known["why"] = [
            match.why(f"{move} {cards[card]}")
            for move in choice.moves
            if [is_card(p.variable.kind) for p in match.game.checked.moves[move].picks] == [True]
            for card in asked
        ]
    return known


def outcomes(game: Game, seed: int) -> dict[tuple[int, int], list[int]]:
    """Orders for the shuffles of a game that shuffle the whole deck when they are first used."""
    deck = range(game.program.layout.deck)
    found: dict[tuple[int, int], list[int]] = {}
    for node in parts(game.checked):
        if isinstance(node, t.Shuffle):
            site = node.chance.number
            found |= {(site, use): Stream(seed, site, use).shuffled(deck) for use in range(60)}
    return found


def moments(
    game: Game, law: Secrets, seeds: range
) -> Iterator[tuple[Match, Match, int, tuple[int, int]]]:
    """Two matches that differ in two cards which a seat cannot know, that seat and the cards."""
    for seed in seeds:
        dice = random.Random(seed)
        given = outcomes(game, seed)
        try:
            ours = law.game.start(seed, chance=given)
            play_on(ours, random_players(seed), dice.randrange(1, 40))
        except RuleError:
            continue  # A part of the deck is shuffled there, for which the order does not fit.
        if ours.over:
            continue
        seat = ours.chooser if dice.random() < 0.7 else dice.randrange(game.players)
        hidden = law.hidden(ours, seat)
        pairs = [(c, d) for c in hidden for d in hidden if c < d and hidden[c] != hidden[d]]
        for one, two in dice.sample(pairs, min(3, len(pairs))):
            swapped = {one: two, two: one}
            other = dict(given)
            for site, use in last_uses(ours):
                if (site, use) in given:
                    other[site, use] = [swapped.get(c, c) for c in given[site, use]]
            first = follow(game, seed, given, ours)
            second = follow(game, seed, other, ours)
            if first is not None and second is not None and first.state != second.state:
                yield first, second, seat, (one, two)


def last_uses(match: Match) -> list[tuple[int, int]]:
    """Each chance site that was used, with the number of its last use."""
    at = match.game.program.layout.chances
    counts = [
        int.from_bytes(match.state[at + 4 * site : at + 4 * site + 4], "little")
        for site in range(len(match.game.checked.chances))
    ]
    return [(site, count - 1) for site, count in enumerate(counts) if count]


def follow(
    game: Game, seed: int, given: dict[tuple[int, int], list[int]], ours: Match
) -> Match | None:
    """The same moves with these outcomes; None where one of them is not legal there."""
    match = game.start(seed, chance=given)
    for _, text in ours.played:
        found = [move for move in match.moves if move.text == text]
        if not found:
            return None
        match.play(found[0])
    return match


def leaks(game: Game, law: Secrets, seeds: range) -> tuple[int, int]:
    """How many pairs were compared, and in how many the seat was told of the difference."""
    compared = told = 0
    for first, second, seat, cards in moments(game, law, seeds):
        compared += 1
        told += knowledge(first, seat, cards) != knowledge(second, seat, cards)
    return compared, told


@pytest.mark.parametrize("path", [*GAMES, *VARIANTS], ids=name)
def test_nobody_is_told_of_cards_they_may_not_know(path: Path) -> None:
    games = settings(path)
    total = 0
    for game in games[:: max(1, len(games) - 1)]:
        compared, told = leaks(game, Secrets(game), range(8 if path.stem == "coins" else 3))
        assert told == 0
        total += compared
    assert total >= 6


@pytest.mark.soak
@pytest.mark.parametrize("path", [*GAMES, *VARIANTS], ids=name)
def test_nobody_is_told_of_cards_they_may_not_know_in_many_games(path: Path) -> None:
    for game in settings(path):
        compared, told = leaks(game, Secrets(game), range(1000))
        assert compared >= 1000
        assert told == 0


def changed(*changes: tuple[str, str]) -> Game:
    text = (folder("games") / "coins.yaml").read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return compile_source(Source("coins.yaml", text), Setting())


HAND = "hand:  {each: player, seen by: owner}"


@pytest.mark.parametrize(
    "change",
    [
        (HAND, HAND.replace("owner", "everyone")),
        (HAND, HAND.replace("owner", "owner while trick is empty else everyone")),
        ("stock: {ordered: yes, seen by: nobody}", "stock: {ordered: yes, seen by: everyone}"),
    ],
    ids=["everyone", "sometimes", "stock"],
)
def test_a_zone_that_is_made_visible_is_found_out(change: tuple[str, str]) -> None:
    compared, told = leaks(changed(change), Secrets(load("coins")), range(4))
    assert compared
    assert told


def test_an_event_that_tells_too_much_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def everything(event: Event, seat: int) -> Event:
        return event

    monkeypatch.setattr(Moved, "for_seat", everything)
    game = load("coins")
    compared, told = leaks(game, Secrets(game), range(2))
    assert compared
    assert told == compared
