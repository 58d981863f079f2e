"""How well `search` plays the cards of Coinche: duplicate deals against another player.

    python -m benchmarks.coinche_search [--against PLAYER] [--deals N] [--milliseconds MS]
                                        [--first-deal K] [--processes N] [--json FILE]

Each deal is played at two tables with the same cards, dealer and auction. `search` has North and
South at one and East and West at the other, so good cards help nobody. What counts is the mean over
both tables of what its pair had more than the other pair, in card points and in the score of the
deal; the interval is over deals. A card that is the only legal one takes no thought, and is left
out of the times.

The auction is colver's (`bid_improved`, a rule over one hand, no net), played once for each deal
from all four hands and said move by move at both tables. Deals that everybody passes are skipped.

PLAYER is one of

* `random`: any legal card, each as likely as the others;
* `colver`: colver's heuristic player, on what its seat may know. The heuristic was made for games
  in which all hands are open, and looks into the other hands: with other cards there it plays
  another card in one of four choices. So here it is asked in guesses at the hidden hands that agree
  with all that the seat has seen, and the card that it plays in most of them is played;
* `colver-open`: the same as it comes, looking into all hands. It knows what nobody may know.

The game is Coinche without what colver does not know: no combinations, and its two rules of play
that differ (`docs/implementation.md`). What is legal is then the same in both. Deals are scored as
Coinche is.
"""

from __future__ import annotations

import argparse
import json
import math
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import count, islice
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rulebook.engine.game import Game
from rulebook.engine.match import Match
from rulebook.pipeline import compile_source
from rulebook.players.random import RandomPlayer
from rulebook.players.search import SearchPlayer
from rulebook.players.sight import Sight
from rulebook.players.worlds import Worlds
from rulebook.source import Source
from rulebook.tools.interrupt import wish_to_end

if TYPE_CHECKING:
    from colver import Env

VARIANT = """\
rulebook: 1
game: Coinche that colver knows
about: Coinche without combinations, with the duties of a player who cannot follow as in colver.
extends: coinche
remove: [move meld, move announce_belote, step show_combinations]
options:
  undertrump: {default: optional}
  overtrump_partner: {default: no}
define:
  may_spare of player p: partner_wins of p and trump is not led
steps:
  play_deal: |
    leader = next of dealer
    repeat 8 times: do one_trick
    do score_deal
  one_trick: |
    for p in players starting leader: p chooses play
    leader = player of winning_card
    move trick to won of team of leader
"""

SUITS = ("spades", "hearts", "diamonds", "clubs")
RANKS = ("7", "8", "9", "jack", "queen", "king", "10", "ace")
CARDS = [f"{rank} of {suit}" for suit in SUITS for rank in RANKS]
"""colver's cards, by number."""
TURN = (0, 3, 2, 1)
"""Our seats by colver's numbers, which follow the order of play; and the other way round."""
PASS, COINCHE, SURCOINCHE = 0, 41, 42
PLAYERS = ("random", "colver", "colver-open")
GUESSES = 16
Z95 = 1.959964
EVERY = 50
"""Deals between two lines about how it stands."""


@cache
def coinche() -> Game:
    return compile_source(Source("coinche_for_colver.yaml", VARIANT))


# ---- both programs at one table ----


def call(action: int) -> str:
    """A call of colver's auction, in our words."""
    if action in (PASS, COINCHE, SURCOINCHE):
        return {PASS: "pass", COINCHE: "coinche", SURCOINCHE: "surcoinche"}[action]
    level, suit = divmod(action - 1, 4)
    return f"capot {SUITS[suit]}" if level == 9 else f"bid {80 + 10 * level} {SUITS[suit]}"


def hands_of(state: bytes) -> list[list[int]]:
    """What colver's seats hold in a state of ours, as its cards."""
    hands = coinche().value(state, "hand")
    assert isinstance(hands, dict)
    return [[CARDS.index(card) for card in hands[str(TURN[seat])]] for seat in range(4)]


@dataclass(frozen=True, slots=True)
class Deal:
    """Cards and auction of one number; colver's seats, cards and calls."""

    number: int
    dealer: int
    hands: list[list[int]]
    calls: tuple[int, ...]

    @classmethod
    def of(cls, number: int) -> Deal | None:
        """None if everybody passes."""
        from colver import Env

        match = coinche().start(number)
        dealer = TURN[(match.chooser + 1) % 4]  # Turns go the other way than our numbers.
        hands = hands_of(match.state)
        env = Env.deal_with_hands(dealer, hands)
        calls: list[int] = []
        while env.phase() == 0 and not env.is_terminal():
            calls.append(env.bid_improved())
            env.step(calls[-1])
        if env.is_terminal() or not any(calls):
            return None
        return cls(number, dealer, hands, tuple(calls))

    def env(self, hands: list[list[int]], cards: Sequence[int]) -> Env:
        """colver after some cards of this deal, with these hands at the beginning."""
        from colver import Env

        env = Env.deal_with_hands(self.dealer, hands)
        for action in (*self.calls, *cards):
            env.step(action)
        return env

    def seated(self) -> Match:
        """A match of ours after the auction."""
        match = coinche().start(self.number)
        speaker = (self.dealer + 1) % 4
        for action in self.calls:
            # Partners of who doubled are not asked here, and say nothing but pass there.
            if match.chooser == TURN[speaker] and match.moves[0].name != "play":
                say(match, call(action))
            else:
                assert action == PASS
            speaker = (speaker + 1) % 4
        assert match.moves[0].name == "play"
        return match


def say(match: Match, text: str) -> None:
    """A move by its whole text, which need not be read as people's words are."""
    match.play(next(move for move in match.moves if move.text == text))


# ---- players ----


class Player(Protocol):
    def choose(self, match: Match, deal: Deal, cards: Sequence[int]) -> int:
        """A card for the seat that is to choose, by colver's number."""


class Anything:
    def choose(self, match: Match, deal: Deal, cards: Sequence[int]) -> int:
        return card_of(RandomPlayer(deal.number).choose(match).text)


class Open:
    """colver's heuristic with all hands open."""

    def choose(self, match: Match, deal: Deal, cards: Sequence[int]) -> int:
        return deal.env(deal.hands, cards).action_heuristic_play()


class Guessing:
    """colver's heuristic on what the seat knows."""

    def __init__(self, guesses: int) -> None:
        self.guesses = guesses
        self.worlds = [Worlds(coinche(), seat, seed=2) for seat in range(4)]

    def choose(self, match: Match, deal: Deal, cards: Sequence[int]) -> int:
        if len(match.moves) == 1:
            return card_of(match.moves[0].text)
        sight = Sight.of(match)
        worlds = self.worlds[sight.seat]
        worlds.see(sight.stream)
        votes: Counter[int] = Counter()
        for _ in range(self.guesses):
            world = worlds.draw()
            assert world is not None
            env = deal.env(beginning(hands_of(world.state), deal, cards), cards)
            votes[env.action_heuristic_play()] += 1
        return max(sorted(votes), key=votes.__getitem__)


def beginning(hands: list[list[int]], deal: Deal, cards: Sequence[int]) -> list[list[int]]:
    """Hands as they are, and the cards that were played from them."""
    return [
        [*hand, *(card for card in cards if card in deal.hands[seat])]
        for seat, hand in enumerate(hands)
    ]


def card_of(text: str) -> int:
    return CARDS.index(text.removeprefix("play "))


@cache
def opponent(name: str) -> Player:
    if name == "random":
        return Anything()
    return Open() if name == "colver-open" else Guessing(GUESSES)


@dataclass(slots=True)
class Spent:
    """What `search` did in its choices between two cards or more."""

    choices: int = 0
    seconds: float = 0.0
    processor: float = 0.0
    """Seconds of processor time, which are fewer where other programs run beside it."""
    longest: float = 0.0
    iterations: int = 0
    worlds: int = 0
    forced: int = 0

    def add(self, other: Spent) -> None:
        self.longest = max(self.longest, other.longest)
        for name in ("choices", "seconds", "processor", "iterations", "worlds", "forced"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Thinking:
    """`search` in all seats, with what it spent."""

    def __init__(self, milliseconds: float) -> None:
        self.seats = [SearchPlayer(coinche(), s, milliseconds=milliseconds) for s in range(4)]
        self.spent = Spent()

    def choose(self, match: Match, deal: Deal, cards: Sequence[int]) -> int:
        if len(match.moves) == 1:
            return card_of(match.moves[0].text)
        sight = Sight.of(match)
        start, worked = time.perf_counter(), time.thread_time()
        thought = self.seats[sight.seat].think(sight)
        seconds, worked = time.perf_counter() - start, time.thread_time() - worked
        iterations = sum(one.visits for one in thought.opinions)
        self.spent.add(
            Spent(1, seconds, worked, seconds, iterations, thought.worlds, thought.forced)
        )
        return card_of(thought.move.text)


@cache
def thinker(milliseconds: float) -> Thinking:
    return Thinking(milliseconds)


# ---- deals ----


@dataclass(slots=True)
class Outcome:
    """Of one deal, at the tables where search's pair is North and South, and East and West."""

    deal: int
    contract: int
    doubled: bool
    bidders: int
    """0 for North and South, 1 for East and West."""
    cards: list[int] = field(default_factory=list)
    """By how many card points search's pair had more than the other, at each table."""
    score: list[int] = field(default_factory=list)
    made: list[bool] = field(default_factory=list)
    spent: Spent = field(default_factory=Spent)


def play(deal: Deal, against: str, milliseconds: float) -> Outcome:
    """A deal at both tables."""
    match = deal.seated()
    contract, declarer = match.value("contract"), match.value("declarer")
    assert isinstance(contract, int)
    bidders = int(str(declarer)) % 2
    found = Outcome(deal.number, contract, match.value("factor") != 1, bidders)
    search, other = thinker(milliseconds), opponent(against)
    search.spent = found.spent
    for side in (0, 1):
        match = deal.seated()
        cards: list[int] = []
        while len(cards) < len(CARDS):
            player: Player = search if match.chooser % 2 == side else other
            card = player.choose(match, deal, cards)
            say(match, f"play {CARDS[card]}")
            cards.append(card)
        points, scores = match.value("card_points"), match.scores
        assert isinstance(points, dict)
        assert scores is not None
        sides = ("ns", "ew")
        found.cards.append(points[sides[side]] - points[sides[1 - side]])
        found.score.append(scores[side] - scores[1 - side])
        found.made.append(scores[bidders] > scores[1 - bidders])
    return found


def task(job: tuple[Deal, str, float]) -> Outcome:
    return play(*job)


def deals(first: int) -> Iterator[Deal]:
    return (deal for deal in map(Deal.of, count(first)) if deal is not None)


def outcomes(jobs: Iterable[tuple[Deal, str, float]], processes: int) -> Iterator[Outcome]:
    if processes < 2:
        yield from map(task, jobs)
        return
    # Not forked: the machines of this process are no good in another.
    context, unheard = get_context("spawn"), (signal.SIGINT, signal.SIG_IGN)
    with context.Pool(processes, signal.signal, unheard) as pool:
        yield from pool.imap(task, jobs)


# ---- what came out ----


@dataclass(frozen=True, slots=True)
class Mean:
    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean:
        """With the 95 % interval of the mean."""
        mean = sum(values) / len(values)
        variance = sum((one - mean) ** 2 for one in values) / max(1, len(values) - 1)
        room = Z95 * math.sqrt(variance / len(values)) if len(values) > 1 else math.inf
        return cls(mean, mean - room, mean + room)

    def __str__(self) -> str:
        return f"{self.mean:+.1f} ({self.low:+.1f} to {self.high:+.1f})"


@dataclass(frozen=True, slots=True)
class Result:
    """Of all deals so far; differences are search's pair less the other, a table."""

    against: str
    milliseconds: float
    deals: int
    cards: Mean
    score: Mean
    made: tuple[int, int]
    """Contracts that search's pair made, of `deals`; and the other pair."""
    spent: Spent

    @classmethod
    def of(cls, found: Sequence[Outcome], against: str, milliseconds: float) -> Result:
        spent = Spent()
        for one in found:
            spent.add(one.spent)
        return cls(
            against,
            milliseconds,
            len(found),
            Mean.of([sum(one.cards) / 2 for one in found]),
            Mean.of([sum(one.score) / 2 for one in found]),
            (sum(x.made[x.bidders] for x in found), sum(x.made[1 - x.bidders] for x in found)),
            spent,
        )

    def lines(self) -> list[str]:
        spent, made = self.spent, self.made
        choices = max(1, spent.choices)
        return [
            f"search, {self.milliseconds:g} ms a card, against {self.against}: {self.deals:,} "
            f"deals at two tables each",
            f"card points a deal: {self.cards}",
            f"score of a deal:    {self.score}",
            f"contracts made: {made[0] / self.deals:.1%} by search, {made[1] / self.deals:.1%} by "
            "the other pair in the same contracts",
            f"a choice of search: {spent.seconds / choices * 1000:.1f} ms (of the processor "
            f"{spent.processor / choices * 1000:.1f}), the longest {spent.longest * 1000:.0f}; "
            f"{spent.iterations / choices:.0f} iterations; "
            f"{spent.worlds / choices:.1f} worlds, {spent.forced / max(1, spent.worlds):.2%} of "
            f"them forced; {spent.choices / self.deals / 2:.1f} choices a table",
        ]


def measure(given: argparse.Namespace) -> list[Outcome]:
    """Until the last deal or Ctrl-C."""
    jobs = (
        (deal, given.against, given.milliseconds)
        for deal in islice(deals(given.first_deal), given.deals)
    )
    found: list[Outcome] = []
    with wish_to_end() as ending:
        for one in outcomes(jobs, given.processes):
            found.append(one)
            if len(found) % EVERY == 0 and len(found) < given.deals:
                so_far = Result.of(found, given.against, given.milliseconds)
                line = f"{len(found)} deals: cards {so_far.cards}, score {so_far.score}"
                print(line, file=sys.stderr, flush=True)
            if ending():
                break
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="How well `search` plays the cards of Coinche.")
    parser.add_argument("--against", choices=PLAYERS, default="colver")
    parser.add_argument("--deals", type=number, default=1000, metavar="N")
    parser.add_argument("--milliseconds", type=float, default=50, metavar="MS")
    parser.add_argument("--first-deal", type=int, default=1, metavar="K")
    parser.add_argument("--processes", type=number, default=1, metavar="N")
    parser.add_argument("--json", metavar="FILE", help="- for the standard output")
    given = parser.parse_args()
    try:
        import colver  # noqa: F401  # only to see whether it is there
    except ImportError:
        parser.exit(1, "colver, which bids both tables, is not installed\n")
    found = measure(given)
    if not found:
        parser.exit(1, "no deal was played to its end\n")
    result = Result.of(found, given.against, given.milliseconds)
    print("\n".join(result.lines()))
    if given.json:
        text = json.dumps({**asdict(result), "outcomes": [asdict(one) for one in found]})
        if given.json == "-":
            print(text)
        else:
            Path(given.json).write_text(text + "\n", encoding="utf-8")


def number(text: str) -> int:
    """At least 1."""
    found = int(text)
    if found < 1:
        raise argparse.ArgumentTypeError("not a number above 0")
    return found


if __name__ == "__main__":
    main()
