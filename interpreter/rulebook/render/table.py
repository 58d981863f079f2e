"""The table as one seat sees it, for any game: drawn from the seat's view and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from rulebook.engine.events import bits, is_card
from rulebook.kinds import Enumeration, Members, Numbers, SetOf
from rulebook.render.families import families, family_lines
from rulebook.render.screen import Cards, Screen
from rulebook.terms import Constant

if TYPE_CHECKING:
    from rulebook import terms as t
    from rulebook.engine.match import Match
    from rulebook.engine.moves import Move
    from rulebook.engine.view import Slot, View

MAX_LISTED = 120
MAX_FAMILY = 8
"""Larger families of values are for the rules to count with, not for people."""
MAX_ROW = 12
"""Of a longer row of cards in the middle of the table, the last ones are drawn."""


@dataclass(slots=True)
class Listing:
    """The legal moves in the order in which they are numbered, from 1. `on_card` holds the number
    of a card in hand that has just one move; `others` are listed by themselves. `families` are too
    many to be numbered: they are written in words."""

    moves: list[Move]
    on_card: dict[int, int] = field(default_factory=dict)
    others: list[int] = field(default_factory=list)
    families: list[list[Move]] = field(default_factory=list)


def list_moves(match: Match, seat: int, cards: Cards) -> Listing:
    held = {card for slot in own_slots(match, match.view(seat)) for card in slot.known}
    single: dict[int, list[Move]] = {}
    rest: list[Move] = []
    for move in match.moves:
        card = only_card(move)
        if card in held:
            single.setdefault(card, []).append(move)
        else:
            rest.append(move)
    listing = Listing([])
    alone = [found[0] for found in single.values() if len(found) == 1]
    # A number before a card says one thing only.
    numbered = len({move.name for move in alone}) == 1
    for card in sorted(single, key=cards.order):
        if len(single[card]) == 1 and numbered:
            listing.moves += single[card]
            listing.on_card[card] = len(listing.moves)
        else:
            rest += single[card]
    listing.families, rest = families(rest)
    for move in rest:
        listing.moves.append(move)
        listing.others.append(len(listing.moves))
    return listing


def only_card(move: Move) -> int:
    """The card that is all a move picks, by itself or as a set of one; -1 if there is more to it,
    or the card is not seen."""
    if len(move.kinds) != 1 or any(move.hidden):
        return -1
    kind, value = move.kinds[0], move.values[0]
    if isinstance(kind, SetOf) and kind.enumeration.name == "card":
        members = bits(value)
        return members[0] if len(members) == 1 else -1
    return value if is_card(kind) else -1


def own_slots(match: Match, view: View) -> list[Slot]:
    """The seat's own zones that it sees and not everybody does."""
    return [
        slot
        for slot in view.slots
        if slot.index == view.seat
        and of_players(match.game.checked.zones[slot.zone])
        and slot.visible
        and not in_the_open(match.game.checked.zones[slot.zone])
    ]


def of_players(entry: t.Zone | t.State) -> bool:
    return isinstance(entry.each, Enumeration) and entry.each.name == "player"


def in_the_open(zone: t.Zone) -> bool:
    return zone.audience.seers == "everyone" and zone.audience.condition is None


class TableView:
    """Draws one match on one screen."""

    def __init__(self, screen: Screen, match: Match) -> None:
        self.screen = screen
        self.match = match
        self.cards = Cards(screen, match.words)

    def draw(self, view: View, listing: Listing | None = None, open_hands: bool = False) -> None:
        """The whole table: the players, the middle, what the seat holds, its moves."""
        self.players(view)
        self.middle(view, open_hands)
        if not open_hands:
            for slot in own_slots(self.match, view):
                self.hand(slot, listing)
        if listing is not None:
            self.moves(listing)

    # ---- the players ----

    def players(self, view: View) -> None:
        """A row for each: name, score, other numbers, how many cards in each zone of theirs."""
        match, words = self.match, self.match.words
        checked = match.game.checked
        names = [
            words.players[seat] + (" (you)" if seat == view.seat else "")
            for seat in range(checked.players)
        ]
        columns: list[tuple[str, list[str]]] = []
        teams = {seat: words.shown(name) for name, seats in checked.teams for seat in seats}
        if teams:
            columns.append(("", [teams.get(seat, "") for seat in range(checked.players)]))
        columns += self.scores(view)
        for zone in checked.zones.values():
            if of_players(zone):
                counts = [str(view.zone(zone.name, seat).count) for seat in range(checked.players)]
                columns.append((words.shown(zone.name), counts))
        columns += [
            self.number_column(view, state)
            for state in checked.state.values()
            if of_players(state) and state.name != "score" and not isinstance(state.kind, SetOf)
        ]
        room = self.screen.width - min(max(map(len, names)), 24) - 3
        drawn = Table(box=None, pad_edge=False, padding=(0, 1), header_style="")
        drawn.add_column("", no_wrap=True)
        drawn.add_column("", no_wrap=True, overflow="ellipsis", max_width=24)
        kept: list[list[str]] = []
        for title, cells in columns:
            room -= max(len(title), *map(len, cells)) + 2
            if room < 0:
                break
            drawn.add_column(Text(title, "dim"), justify="right", no_wrap=True)
            kept.append(cells)
        for seat, name in enumerate(names):
            turn = not match.over and seat == match.mover
            mark = self.screen.sign("▸", ">") if turn else " "
            style = "bold" if turn else ""
            cells = [column[seat] for column in kept]
            drawn.add_row(Text(mark, style), Text(name, style), *cells)
        self.screen.draw(drawn)

    def number_column(self, view: View, state: t.State) -> tuple[str, list[str]]:
        cells = [
            self.state_value(view, state, seat) or "-" for seat in range(self.match.game.players)
        ]
        return self.match.words.shown(state.name), cells

    def state_value(self, view: View, state: t.State, index: int) -> str:
        """What the seat knows of a value, as text: "" for nothing, and for none."""
        value = view.state.get((state.name, index))
        if value is None and isinstance(state.starts, Constant):
            value = state.starts.value
        if value is None and isinstance(state.kind, Numbers):
            value = state.kind.low
        if (
            value is None
            or isinstance(state.kind, SetOf)
            or (value < 0 and isinstance(state.kind, Members))
        ):
            return ""
        hidden = state.audience.seers != "everyone" or state.audience.condition is not None
        if hidden and (state.name, index) not in view.state:
            return ""
        return self.match.words.value(state.kind, value)

    def scores(self, view: View) -> list[tuple[str, list[str]]]:
        """The column `score`, which may be kept for each player or each team."""
        state, scores = self.match.game.checked.state.get("score"), self.match.scores
        if state is None or scores is None:
            return []
        if state.audience.seers == "everyone" and state.audience.condition is None:
            return [(self.match.words.shown("score"), [str(score) for score in scores])]
        return [self.number_column(view, state)] if of_players(state) else []

    # ---- the middle ----

    def middle(self, view: View, open_hands: bool) -> None:
        """What else lies or stands there: cards in the open, piles as counts, single values."""
        match, words = self.match, self.match.words
        checked = match.game.checked
        own = [] if open_hands else own_slots(match, view)
        piles: list[str] = []
        for slot in view.slots:
            zone = checked.zones[slot.zone]
            name = self.slot_name(slot)
            if slot in own:
                continue
            if zone.each is None and in_the_open(zone) and zone.ordered:
                self.line(name, self.played(slot))
            elif (slot.visible or open_hands) and slot.known and slot.count:
                known = sorted(slot.known, key=self.cards.order)
                self.line(name, self.cards.row(slot.cards if zone.ordered else known))
            elif slot.count and not of_players(zone):
                piles.append(f"{name} {slot.count}")
        values = [
            f"{words.shown(state.name)} {shown}"
            for state in checked.state.values()
            if state.each is None and (shown := self.state_value(view, state, 0))
        ]
        values += [
            f"{words.shown(state.name)} of {words.member(state.each, index)} {shown}"
            for state in checked.state.values()
            if isinstance(state.each, Enumeration)
            and not of_players(state)
            and state.name != "score"
            and state.size <= MAX_FAMILY
            for index in range(state.size)
            if (shown := self.state_value(view, state, index))
        ]
        dot = self.screen.sign(" · ", ", ")
        if piles:
            self.line("piles", Text(dot.join(piles)))
        if values:
            self.screen.write(Text(f"  {dot.join(values)}", "dim"))

    def slot_name(self, slot: Slot) -> str:
        zone = self.match.game.checked.zones[slot.zone]
        name = self.match.words.shown(slot.zone)
        if slot.index is None:
            return name
        if isinstance(zone.each, Enumeration):
            return f"{name} of {self.match.words.member(zone.each, slot.index)}"
        return f"{name} {slot.index}"

    def played(self, slot: Slot) -> Text:
        """Cards in the order in which they came, with who played them."""
        if not slot.cards:
            return Text("empty", "dim")
        parts: list[Text] = []
        if slot.count > MAX_ROW:
            parts.append(Text(f"{slot.count - MAX_ROW} more,", "dim"))
        for card in slot.cards[-MAX_ROW:]:
            if card is None:
                parts.append(Text("hidden", "dim"))
                continue
            seat = self.match.played_by(card)
            label = self.cards.label(card)
            if seat is not None:
                label = Text.assemble(f"{self.match.words.players[seat]}: ", label)
            parts.append(label)
        return Text("   ").join(parts)

    def line(self, name: str, content: Text) -> None:
        self.screen.write(Text.assemble((f"  {name}", "bold"), "  ", content))

    # ---- what the seat holds ----

    def hand(self, slot: Slot, listing: Listing | None) -> None:
        """A row for each suit; the number of a card that may be chosen stands before it."""
        game = self.match.game.checked
        numbers = {} if listing is None else listing.on_card
        title = f"  your {self.match.words.shown(slot.zone)}"
        if listing is not None and listing.on_card and listing.others:
            title += f", to {self.match.words.shown(listing.moves[0].name)}"
        if not slot.cards:
            self.screen.write(Text.assemble((title, "bold"), ("  empty", "dim")))
            return
        self.screen.write(Text(title, "bold"))
        suits = game.enumerations["suit"].members
        rows: dict[int, list[int]] = {}
        for card in sorted(slot.known, key=self.cards.order):
            rows.setdefault(game.suit_of[card], []).append(card)
        names = {suit: "" if suit < 0 else self.match.words.shown(suits[suit]) for suit in rows}
        left = max(len(name) for name in names.values()) + 4
        digits = len(str(max(numbers.values(), default=0))) if numbers else 0
        size = max(self.cards.label(card).cell_len for card in slot.known)
        gap = 1 if numbers else 0
        step = digits + gap + size + 2
        across = max((self.screen.width - left) // step, 1)
        for suit, held in rows.items():
            for first in range(0, len(held), across):
                row = Text(f"    {names[suit] if not first else ''}".ljust(left + 1))
                for card in held[first : first + across]:
                    number = numbers.get(card)
                    row.append(f"{number or '':>{digits}}{' ' * gap}", "dim" if number else "")
                    label = self.cards.label(card)
                    if numbers and number is None:
                        label.stylize("dim")
                    row.append_text(label)
                    row.append(" " * (size - label.cell_len + 2))
                row.rstrip()
                self.screen.write(row)
        if None in slot.cards:
            self.screen.write(Text(f"    {slot.cards.count(None)} hidden", "dim"))

    # ---- moves that are not cards in hand ----

    def moves(self, listing: Listing) -> None:
        """In columns, each with its number; families before them, in a few lines each."""
        if not listing.others and not listing.families:
            return
        self.screen.write(Text("  or" if listing.on_card else "  you can", "bold"))
        for family in listing.families:
            self.family(family)
        if not listing.others:
            return
        shown = listing.others[:MAX_LISTED]
        digits = len(str(shown[-1]))
        texts = [
            Text.assemble(
                (f"{number:>{digits}} ", "dim"), self.move_text(listing.moves[number - 1])
            )
            for number in shown
        ]
        size = max(text.cell_len for text in texts) + 3
        across = max((self.screen.width - 4) // size, 1)
        depth = -(-len(texts) // across)
        for row in range(depth):
            line = Text("    ")
            for text in texts[row::depth]:
                line.append_text(text)
                line.append(" " * (size - text.cell_len))
            line.rstrip()
            self.screen.write(line)
        if len(listing.others) > MAX_LISTED:
            more = len(listing.others) - MAX_LISTED
            self.screen.write(Text(f"    and {more} more, to be written in words", "dim"))

    def family(self, family: list[Move]) -> None:
        words = self.match.words
        name = words.shown(family[0].name)
        example = " ".join(
            words.value(kind, value)
            for kind, value in zip(family[0].kinds, family[0].values, strict=True)
        )
        head = f"    {name} (write, for instance, `{example}`)"
        self.screen.write(Text(head, "dim"))
        for line in family_lines(family, words):
            self.screen.write(Text(f"      {line}"))

    def move_text(self, move: Move) -> Text:
        """The move in words, several cards in signs."""
        if not any(isinstance(kind, SetOf) for kind in move.kinds):
            return Text(move.shown)
        words = self.match.words
        parts = [Text(words.shown(move.name))]
        for kind, value in zip(move.kinds, move.values, strict=True):
            if isinstance(kind, SetOf) and kind.enumeration.name == "card":
                held = sorted(bits(value), key=self.cards.order)
                parts.append(self.cards.row(held))
            else:
                parts.append(Text(words.value(kind, value)))
        return Text(" ").join(parts)
