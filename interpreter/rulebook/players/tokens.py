"""Where unseen cards may be: an outcome for every shuffle that agrees with each card seen since.

After a shuffle every position is a token. Moves carry tokens from slot to slot; a card that its
reader sees names its token. A card known to have come out of a slot in which it was not seen names
one of the unnamed tokens there, whichever; what stays unnamed gets the other cards at random.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from rulebook.engine.events import Event, Gathered, Moved, Seen, Shown, Shuffled, Turned

SET_UP = -1
"""The site of what is no shuffle: the cards of a position that was set up."""
MAX_REPAIRS = 6
"""Rounds in which cards that should not be where they are change places."""


class Contradiction(Exception):
    """The random choices made on the way do not fit what was seen later."""


@dataclass(slots=True)
class Shuffle:
    """One use of a shuffle: which tokens went in, and which came out, bottom first."""

    site: int
    before: list[int]
    after: list[int]
    named: dict[int, int] = field(default_factory=dict)
    """The card of each named token that came out, turned round: card -> token."""


@dataclass(slots=True)
class Table:
    """Tokens in slots. `bans` holds, by the number of a move, sets of cards that are not believed
    to have been in a slot then."""

    deck: int
    ordered: Sequence[bool]
    random: Random
    bans: Mapping[int, Mapping[int, int]]
    slots: list[list[int]] = field(default_factory=list)
    cards: list[int] = field(default_factory=list)
    """Of each token; -1 while it has no name."""
    origin: list[int] = field(default_factory=list)
    """The number of the shuffle that a token came out of, or -1."""
    banned: list[int] = field(default_factory=list)
    shuffles: list[Shuffle] = field(default_factory=list)
    moved: dict[int, list[int]] = field(default_factory=dict)
    """The tokens that moved in each step, in order."""
    lots: list[list[int]] = field(default_factory=list)
    """The tokens of each slot in a position that was set up."""

    def __post_init__(self) -> None:
        self.slots = [[] for _ in self.ordered]

    def token(self, card: int = -1, origin: int = -1) -> int:
        self.cards.append(card)
        self.origin.append(origin)
        self.banned.append(0)
        return len(self.cards) - 1

    def set_up(self, seen: Sequence[Seen]) -> None:
        """Begin in a position of which only what was seen is known, slot by slot: any other card
        of the deck may lie in an unseen place, or nowhere."""
        deal = Shuffle(SET_UP, [self.token(card) for card in range(self.deck)], [])
        self.shuffles.append(deal)
        for event in seen:
            self.slots[event.slot] = [self.token(origin=0) for _ in event.cards]
            deal.after += self.slots[event.slot]
        self.lots = [list(slot) for slot in self.slots]

    # ---- what happens ----

    def watch(self, step: int, events: Iterable[Event]) -> None:
        """The events of one move, in order. Raises `Contradiction`."""
        for slot, mask in self.bans.get(step, {}).items():
            for token in self.slots[slot]:
                self.banned[token] |= mask
        for event in events:
            if isinstance(event, Moved):
                token = self.take(event)
                self.moved.setdefault(step, []).append(token)
                if event.card is not None:
                    self.name(token, event.card)
                if event.bottom:
                    self.slots[event.target].insert(0, token)
                else:
                    self.slots[event.target].append(token)
            elif isinstance(event, Gathered):
                self.slots = [[] for _ in self.ordered]
                self.slots[event.slot] = [self.token(card) for card in range(self.deck)]
            elif isinstance(event, Shuffled):
                self.shuffle(event)
            elif isinstance(event, Seen):
                for position, card in enumerate(event.cards):
                    self.learn(card, event.slot, position)
            elif isinstance(event, (Shown, Turned)):
                self.learn(event.card, event.slot, event.position)

    def take(self, event: Moved) -> int:
        """The token that leaves a slot."""
        if event.source < 0:
            return self.token()
        slot = self.slots[event.source]
        if not slot:
            raise Contradiction
        if self.ordered[event.source] and event.position >= 0:
            if event.position >= len(slot):
                raise Contradiction
            return slot.pop(event.position)
        if event.card is None:
            token = self.random.choice(slot)
        else:
            token = self.find(event.card, slot)
        slot.remove(token)
        return token

    def find(self, card: int, slot: list[int]) -> int:
        """The token of a card in a slot: the one of that name, or else any that has none."""
        unnamed = []
        for token in slot:
            if self.cards[token] == card:
                return token
            if self.cards[token] < 0:
                unnamed.append(token)
        if not unnamed:
            raise Contradiction
        return self.random.choice(unnamed)

    def learn(self, card: int | None, slot: int, position: int) -> None:
        if card is None:
            return
        tokens = self.slots[slot]
        if self.ordered[slot] and 0 <= position < len(tokens):
            self.name(tokens[position], card)
        else:
            self.name(self.find(card, tokens), card)

    def name(self, token: int, card: int) -> None:
        """A token has a card; so had one of those that went into its shuffle."""
        if self.cards[token] == card:
            return
        if self.cards[token] >= 0:
            raise Contradiction
        self.cards[token] = card
        if self.origin[token] < 0:
            return
        shuffle = self.shuffles[self.origin[token]]
        if shuffle.named.setdefault(card, token) != token:
            raise Contradiction
        self.name(self.find(card, shuffle.before), card)

    def shuffle(self, event: Shuffled) -> None:
        before = self.slots[event.slot]
        after = [self.token(origin=len(self.shuffles)) for _ in before]
        self.shuffles.append(Shuffle(event.site, before, after))
        self.slots[event.slot] = list(after)

    # ---- outcomes ----

    def outcomes(self, uses: Mapping[int, int]) -> dict[tuple[int, int], bytes]:
        """A random outcome of each shuffle; `uses` says how often each site was used before."""
        count = dict(uses)
        found: dict[tuple[int, int], bytes] = {}
        for shuffle in self.shuffles:
            self.spread(shuffle)
            if shuffle.site == SET_UP:
                continue
            use = count.get(shuffle.site, 0)
            count[shuffle.site] = use + 1
            found[shuffle.site, use] = bytes(self.cards[token] for token in shuffle.after)
        return found

    def spread(self, shuffle: Shuffle) -> None:
        """Give the unnamed tokens the cards that are left, away from where they are banned if that
        can be done in a few rounds."""
        left = [c for token in shuffle.before if (c := self.cards[token]) not in shuffle.named]
        tokens = [token for token in shuffle.after if self.cards[token] < 0]
        if len(left) < len(tokens) or (len(left) > len(tokens) and shuffle.site != SET_UP):
            raise Contradiction
        self.random.shuffle(left)
        del left[len(tokens) :]
        banned = [self.banned[token] for token in tokens]
        if any(banned):
            self.part(left, banned)
        for token, card in zip(tokens, left, strict=True):
            self.cards[token] = card

    def part(self, cards: list[int], banned: list[int]) -> None:
        """Swap cards at random until none is where it is banned."""
        places = list(range(len(cards)))
        for _ in range(MAX_REPAIRS):
            wrong = [i for i in places if banned[i] >> cards[i] & 1]
            if not wrong:
                return
            for i in wrong:
                fit = [j for j in places if not banned[i] >> cards[j] & 1]
                good = [j for j in fit if not banned[j] >> cards[i] & 1]
                if good or fit:
                    j = self.random.choice(good or fit)
                    cards[i], cards[j] = cards[j], cards[i]
