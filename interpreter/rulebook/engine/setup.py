"""Setting up a position: cards in zones, values in state, and the step where play goes on.

`given` names zones and state entries. A zone has a list of cards, bottom first; a family of zones a
mapping from index to such a list, or an entry such as `hand of 0` for each; a zone without a family
may have a mapping from seat to card (or cards), which also says who played them. Cards that are not
mentioned lie nowhere, unless `rest` names a zone for them. `mover` is a seat.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rulebook import terms as t
from rulebook.kinds import Enumeration, Members, NumberRange, SetOf
from rulebook.program import HEADER, Enter
from rulebook.resolve.options import literal

if TYPE_CHECKING:
    from rulebook.engine.game import Game


class Setup:
    def __init__(self, game: Game, state: bytes) -> None:
        self.game = game
        self.checked = game.checked
        self.layout = game.program.layout
        self.block = bytearray(state)
        self.used: set[int] = set()

    # ---- reading values ----

    def card(self, text: object) -> int:
        name = " ".join(str(text).split())
        members = self.checked.enumerations["card"].members
        if name in members:
            for index, member in enumerate(members):
                if member == name and index not in self.used:
                    self.used.add(index)
                    return index
            raise ValueError(f"`{name}` is mentioned more often than the deck holds it")
        raise ValueError(f"there is no card `{name}`")

    def cards(self, value: object) -> list[int]:
        if isinstance(value, str):
            return [self.card(value)]
        if isinstance(value, Sequence):
            return [self.card(one) for one in value]
        raise ValueError(f"`{value}` is not a list of cards")

    def index(self, each: Enumeration | NumberRange, key: object) -> int:
        """The position of an index within its family."""
        if isinstance(each, NumberRange):
            number = int(str(key)) if str(key).lstrip("-").isdigit() else each.low - 1
            if each.low <= number <= each.high:
                return number - each.low
        elif str(key) in each.members:
            return each.members.index(str(key))
        raise ValueError(f"`{key}` is not an index here")

    # ---- writing ----

    def put(self, at: int, value: int, size: int = 4) -> None:
        self.block[at : at + size] = value.to_bytes(size, "little", signed=value < 0)

    def zone(self, zone: t.Zone, value: object) -> None:
        if zone.each is None and isinstance(value, Mapping):
            cards: list[int] = []
            for seat, played in value.items():
                for card in self.cards(played):
                    seat_index = self.index(self.checked.enumerations["player"], seat)
                    self.put(self.layout.moved_by + card, seat_index, 1)
                    cards.append(card)
            self.fill(zone, 0, cards)
        elif zone.each is None:
            self.fill(zone, 0, self.cards(value))
        elif isinstance(value, Mapping):
            for key, cards_there in value.items():
                self.fill(zone, self.index(zone.each, key), self.cards(cards_there))
        else:
            raise ValueError(f"`{zone.name}` is one zone for each {name_of(zone.each)}")

    def fill(self, zone: t.Zone, position: int, cards: list[int]) -> None:
        layout = self.layout
        width = 8 * layout.words
        mask = sum(1 << card for card in cards)
        self.put(layout.bits[zone] + position * width, mask, width)
        if zone.ordered:
            at = layout.orders[zone] + position * layout.order_stride
            self.put(at, len(cards))
            self.block[at + 4 : at + 4 + len(cards)] = bytes(cards)
        for card in cards:
            self.turn(card, zone.faces == "down")

    def turn(self, card: int, down: bool) -> None:
        at, bit = self.layout.faces + card // 8, 1 << card % 8
        self.block[at] = self.block[at] | bit if down else self.block[at] & ~bit

    def state(self, entry: t.State, value: object) -> None:
        width = self.layout.width(entry.kind)
        first = self.layout.state[entry]
        if entry.each is None:
            self.put(first, self.value(entry, value), width)
        elif isinstance(value, Mapping):
            for key, one in value.items():
                at = first + self.index(entry.each, key) * width
                self.put(at, self.value(entry, one), width)
        else:
            raise ValueError(f"`{entry.name}` is one for each {name_of(entry.each)}")

    def value(self, entry: t.State, value: object) -> int:
        kind = entry.kind
        if isinstance(kind, SetOf):
            members = value if isinstance(value, Sequence) and not isinstance(value, str) else []
            single = Members(kind.enumeration)
            found = [literal(str(member), single) for member in members]
            if None in found:
                raise ValueError(f"`{value}` does not fit `{entry.name}`")
            return sum(1 << one for one in found if one is not None)
        text = "none" if value is None else str(value)
        if isinstance(value, bool):
            text = "yes" if value else "no"
        found_value = literal(text, kind)
        if found_value is None:
            raise ValueError(f"`{value}` does not fit `{entry.name}`")
        return found_value

    def rest(self, zone_name: object) -> None:
        """Everything that was not mentioned goes to one zone (`won of 0`, or just `stock`)."""
        name, _, index = str(zone_name).partition(" of ")
        zone = self.checked.zones.get(name)
        if zone is None:
            raise ValueError(f"there is no zone `{name}`")
        position = 0 if zone.each is None else self.index(zone.each, index)
        there = self.game.cards_in(bytes(self.block), self.layout.slots[zone] + position)
        left = [c for c in range(self.layout.deck) if c not in self.used]
        self.fill(zone, position, [*left, *there])

    # ---- where play goes on ----

    def begin_at(self, step: str) -> None:
        """Resume at a step, and after it where the file first does that step."""
        program = self.game.program
        if step not in program.entries:
            raise ValueError(f"`{step}` is not a step in which somebody chooses")
        if self.checked.steps[step].parameters:
            raise ValueError(f"play cannot begin at `{step}`, which is of something")
        self.put(HEADER["resume"], program.entries[step])
        while step != "match":
            entered = [
                (block.step, block.exit)
                for block in program.blocks
                if isinstance(block.exit, Enter) and block.exit.step == step
            ]
            if not entered:
                raise ValueError(f"the step `{step}` is never done")
            caller, exit_ = entered[0]
            self.put(self.layout.returns[step], exit_.back)
            step = caller


def name_of(each: Enumeration | NumberRange) -> str:
    return "number" if isinstance(each, NumberRange) else each.name


def build_state(game: Game, state: bytes, given: Mapping[str, object], at: str) -> bytes:
    """The state block of a position. ValueError for what cannot be."""
    setup = Setup(game, state)
    rest: object = None
    for entry, value in given.items():
        name, of, index = entry.partition(" of ")
        if of:
            value = {index: value}
        if name in game.checked.zones:
            setup.zone(game.checked.zones[name], value)
        elif name in game.checked.state:
            setup.state(game.checked.state[name], value)
        elif name == "rest":
            rest = value
        elif name == "mover":
            player = game.checked.enumerations["player"]
            setup.put(HEADER["mover"], setup.index(player, value))
        else:
            raise ValueError(f"there is no zone or state entry `{entry}`")
    if rest is not None:
        setup.rest(rest)
    setup.begin_at(at)
    return bytes(setup.block)


def known_start(game: Game, state: bytes, plain: bytes, seat: int) -> bytes:
    """A position in which play began, without what a seat does not see of it: no card lies
    anywhere, no seed, and secret entries are as they are in `plain`, before anything is set up."""
    setup, layout = Setup(game, state), game.program.layout
    setup.block[HEADER["seed"] : HEADER["bot"] + 8] = plain[HEADER["seed"] : HEADER["bot"] + 8]
    for zone in game.checked.zones.values():
        for position in range(zone.size):
            setup.fill(zone, position, [])
    setup.block[layout.moved_by : layout.moved_by + layout.deck] = b"\xff" * layout.deck
    player = game.checked.enumerations["player"]
    for entry in game.checked.state.values():
        audience, width = entry.audience, layout.width(entry.kind)
        for position in range(entry.size):
            own = audience.seers == "owner" and entry.each is player and position == seat
            if audience.condition is None and (own or audience.seers == "everyone"):
                continue
            at = layout.state[entry] + position * width
            setup.block[at : at + width] = plain[at : at + width]
    return bytes(setup.block)


def laid_out(game: Game, start: bytes, lies: Mapping[int, Sequence[tuple[int, bool]]]) -> bytes:
    """A position from `known_start` with cards in its slots: each with whether it lies face down,
    bottom first."""
    setup = Setup(game, start)
    for slot, cards in lies.items():
        zone, position = game.slot_names[slot]
        setup.fill(zone, position, [card for card, _ in cards])
        for card, down in cards:
            setup.turn(card, down)
    return bytes(setup.block)
