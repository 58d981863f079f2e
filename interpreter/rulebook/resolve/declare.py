"""First pass: what the file declares. Names, kinds, decks, tables, options, zones, state.

Rule text is only looked at where a declaration needs it (kinds, audiences, heads); the bodies wait
for the second pass, when every name is known.
"""

from __future__ import annotations

import re
from dataclasses import replace

from rulebook import nodes as n
from rulebook import parse
from rulebook.diagnostics import Fix, Label, Problems
from rulebook.document import Mapping, Node, Scalar, Sequence
from rulebook.kinds import (
    FLAG,
    UNKNOWN,
    Enumeration,
    Kind,
    Members,
    NumberRange,
    Numbers,
    SetOf,
)
from rulebook.resolve.declarations import Declarations, Setting
from rulebook.resolve.namespace import Namespace
from rulebook.resolve.options import read_option
from rulebook.resolve.tables import number_text, read_order, read_table
from rulebook.schema import meant_range
from rulebook.source import Span
from rulebook.suggest import closest
from rulebook.terms import Audience, State, Zone

MAX_CARDS = 128
MAX_MEMBERS = 64
MAX_PLAYERS = 16
MAX_EACH = 64
PLAYS_LIMIT = 100_000
SECTIONS = (
    *("kinds", "options", "orders", "tables", "zones"),
    *("state", "define", "moves", "steps"),
)
"""The parts of a file that declare names."""


class Declare:
    def __init__(self, document: Mapping, setting: Setting, problems: Problems) -> None:
        self.document = document
        self.setting = setting
        self.problems = problems
        self.found = Declarations(Namespace(problems))
        self.names = self.found.names
        self.seats_known = False

    def run(self) -> Declarations:
        self.note_lost()
        self.read_players()
        self.read_cards()
        self.read_kinds()
        self.read_teams()
        self.read_options()
        self.read_tables()
        self.read_zones()
        self.read_state()
        self.read_bodies()
        return self.found

    def note_lost(self) -> None:
        """Names in entries that could not be read, or under a misspelt key, are not unknown."""
        lost = (self.document.broken | self.document.faulty) & {*SECTIONS, "cards", "teams"}
        odd = [key for key in self.document.entries if key not in SECTIONS][:50]
        if lost or any(closest(key, SECTIONS) for key in odd):
            self.names.blind = True
        for key in SECTIONS:
            section = self.document.get(key)
            if isinstance(section, Mapping):
                self.names.lost |= section.broken
        cards = self.document.get("cards")
        for key in ("suits", "ranks", "singles"):
            if isinstance(cards, Mapping) and (
                key in cards.broken or not isinstance(cards.get(key), Sequence | None)
            ):
                self.names.blind = True

    def words(self, entry: Mapping, key: str) -> str:
        value = entry.get(key)
        return value.text if isinstance(value, Scalar) else ""

    def meant(self, entry: Mapping, key: str) -> bool:
        """Whether an entry has a key, though it may be misspelt or its value unreadable."""
        return key in entry.entries or key in entry.broken or bool(closest(key, entry.entries))

    # ---- small readers ----

    def section(self, key: str) -> list[tuple[str, Scalar, Node]]:
        value = self.document.get(key)
        if not isinstance(value, Mapping):
            return []
        return [(name, entry.key, entry.value) for name, entry in value.entries.items()]

    def texts(self, node: Node | None) -> list[Scalar]:
        if not isinstance(node, Sequence):
            return []
        return [item for item in node.items if isinstance(item, Scalar)]

    def enumeration(self, name: str, members: list[Scalar], span: Span | None) -> Enumeration:
        """Declare a kind, its members and the word for all of them."""
        seen: dict[str, Scalar] = {}
        for member in members:
            if member.text in seen:
                self.problems.add(
                    "duplicate-name",
                    f"`{member.text}` stands twice in this list",
                    member.span,
                    others=(Label(seen[member.text].span, "first here"),),
                    help="keep one of the two",
                )
            seen.setdefault(member.text, member)
        kind = Enumeration(name, tuple(seen))
        if kind.size > MAX_MEMBERS and span is not None:
            self.problems.add(
                "too-many-members", f"`{name}` has more than {MAX_MEMBERS} members", span
            )
        self.found.enumerations[name] = kind
        self.names.add(name, "kind", span, kind)
        self.names.add(name + "s", "kind", span, SetOf(kind))
        for index, scalar in enumerate(seen.values()):
            if not number_text(scalar.text) and not self.shared(scalar.text, name):
                self.names.add(scalar.text, name, scalar.span, (kind, index))
        return kind

    def shared(self, member: str, kind: str) -> bool:
        """Whether the member of a kind of the file is a suit or a rank that the kind takes in."""
        symbol = self.names.symbols.get(member)
        inner = symbol is not None and symbol.what in ("suit", "rank")
        return inner and kind not in ("suit", "rank", "team")

    # ---- players, cards, kinds ----

    def read_players(self) -> None:
        found, node = self.found, self.document.get("players")
        if isinstance(node, Scalar) and node.text:
            low, _, high = node.text.partition("..")
            low, high = low.strip(), (high or low).strip()
            numbers = number_text(low) and number_text(high)
            if numbers and 1 <= int(low) <= int(high) <= MAX_PLAYERS:
                found.player_range = (int(low), int(high))
                self.seats_known = True
            elif numbers:  # Otherwise the structure of the file has been told.
                self.problems.add(
                    "bad-players",
                    f"`{node.text}` is not a number of players from 1 to {MAX_PLAYERS}",
                    node.span,
                    help="write a number or a range such as `2..5`",
                )
        low_players, high_players = found.player_range
        found.players = min(max(self.setting.players or low_players, low_players), high_players)
        turns = self.document.get("turns")
        found.clockwise = not (isinstance(turns, Scalar) and turns.text == "anticlockwise")
        members = tuple(str(seat) for seat in range(found.players))
        player = Enumeration("player", members)
        found.enumerations["player"] = player
        self.names.add("player", "kind", None, player)
        self.names.add("players", "kind", None, SetOf(player))

    def read_teams(self) -> None:
        seats: dict[int, Scalar] = {}
        before = len(self.problems)
        section = self.section("teams")
        if not section:
            return
        for name, _key, value in section:
            members: list[int] = []
            for item in self.texts(value):
                seat = int(item.text) if number_text(item.text) else -1
                if not 0 <= seat < self.found.player_range[1]:
                    if not self.seats_known:
                        continue  # An echo of what is wrong with `players`.
                    self.problems.add(
                        "bad-seat",
                        f"`{item.text}` is no seat here",
                        item.span,
                        help=f"the seats are 0 to {self.found.player_range[1] - 1}",
                    )
                elif seat in seats:
                    self.problems.add("bad-seat", f"seat {seat} is in two teams", item.span)
                else:
                    seats[seat] = item
                    members.append(seat)
            self.found.teams.append((name, tuple(members)))
        for seat in range(self.found.players):
            if self.seats_known and seat not in seats and len(self.problems) == before:
                self.problems.add("bad-seat", f"seat {seat} is in no team", section[0][1].span)
        self.enumeration("team", [key for _, key, _ in section], section[0][1].span)

    def read_cards(self) -> None:
        node = self.document.get("cards")
        cards = node if isinstance(node, Mapping) else None
        suits = self.texts(cards.get("suits")) if cards else []
        ranks = [
            # A range has been told; what it stands for is not unknown.
            replace(item, text=text)
            for item in (self.texts(cards.get("ranks")) if cards else [])
            for text in meant_range(item.text) or [item.text]
        ]
        singles = self.texts(cards.get("singles")) if cards else []
        suit = self.enumeration("suit", suits, None)
        rank = self.enumeration("rank", ranks, None)
        without = self.texts(cards.get("without")) if cards else []
        left_out = {" ".join(item.text.split()): item for item in without}
        copies = self._copies(cards)
        members: list[str] = []
        suit_of: list[int] = []
        rank_of: list[int] = []
        for r, rank_name in enumerate(rank.members):
            for s, suit_name in enumerate(suit.members):
                name = f"{rank_name} of {suit_name}"
                if left_out.pop(name, None) is None:
                    members += [name] * copies
                    suit_of += [s] * copies
                    rank_of += [r] * copies
        for single in singles:
            members += [single.text] * copies
            suit_of += [-1] * copies
            rank_of += [-1] * copies
        for item in left_out.values():
            self.problems.add("unknown-card", f"there is no card `{item.text}`", item.span)
        if len(members) > MAX_CARDS and node is not None:
            self.problems.add(
                "too-many-cards",
                f"the deck has {len(members)} cards, more than {MAX_CARDS}",
                self.document.entries["cards"].key.span,
            )
            del members[MAX_CARDS:], suit_of[MAX_CARDS:], rank_of[MAX_CARDS:]
        if cards is not None and not members and not self.names.blind:
            self.problems.add(
                "no-cards", "the deck has no cards", self.document.entries["cards"].key.span
            )
        self.found.enumerations["card"] = Enumeration("card", tuple(members))
        self.found.suit_of, self.found.rank_of = tuple(suit_of), tuple(rank_of)
        for single in singles:
            index = members.index(single.text) if single.text in members else 0
            self.names.add(single.text, "card", single.span, (self.found.card, index))

    def _copies(self, cards: Mapping | None) -> int:
        node = cards.get("copies") if cards else None
        if not isinstance(node, Scalar):
            return 1
        if number_text(node.text) and 1 <= int(node.text) <= 8:
            return int(node.text)
        self.problems.add(
            "bad-number", f"`{node.text}` is not a number of copies from 1 to 8", node.span
        )
        return 1

    def read_kinds(self) -> None:
        for name, key, value in self.section("kinds"):
            self.enumeration(name, self.texts(value), key.span)

    # ---- options, tables ----

    def read_options(self) -> None:
        for name, key, value in self.section("options"):
            if isinstance(value, Mapping):
                option = read_option(name, key, value, self.kind, self.problems)
                self.found.options[name] = option
                self.names.add(name, "option", key.span, option)

    def read_tables(self) -> None:
        for name, key, value in self.section("orders"):
            members, blind = self.texts(value), self.names.blind
            table = read_order(name, key, members, self.found.enumerations, self.problems, blind)
            if table is not None:
                self.found.tables[name] = table
                self.names.add(name, "order", key.span, table)
        for name, key, value in self.section("tables"):
            if isinstance(value, Mapping):
                table = read_table(name, key, value, self.found.enumerations, self.problems)
                if table is not None:
                    self.found.tables[name] = table
                    self.names.add(name, "table", key.span, table)

    # ---- zones and state ----

    def kind(self, spec: n.KindSpec | None) -> Kind:
        if spec is None:
            return UNKNOWN
        if isinstance(spec, n.KindRange):
            if spec.low > spec.high:
                self.problems.add("bad-range", "this range is empty", spec.span)
                return UNKNOWN
            if spec.step != 1:
                self.problems.add("bad-range", "a kind of numbers has no step", spec.span)
            return Numbers(spec.low, spec.high)
        if spec.name == "flag":
            return FLAG
        enumeration = self.found.enumerations.get(spec.name)
        if enumeration is not None:
            return Members(enumeration, spec.optional)
        plural = self.found.enumerations.get(spec.name.removesuffix("s"))
        if plural is not None and not spec.optional:
            return SetOf(plural)
        word = Span(spec.span.source, spec.span.start, spec.span.start + len(spec.name))
        known = [*self.found.enumerations, "flag"]
        if spec.name in ("number", "integer", "int"):
            self.problems.add(
                "unknown-kind",
                "a number has a range",
                word,
                help="write the range, such as `0..100`",
            )
            return UNKNOWN
        if spec.name in ("boolean", "bool"):
            self.problems.add(
                "unknown-kind",
                "yes or no is the kind `flag`",
                word,
                help="write `flag`",
                fix=Fix(word, "flag"),
            )
            return UNKNOWN
        self.names.unknown("unknown-kind", f"there is no kind `{spec.name}`", word, known, "a kind")
        return UNKNOWN

    def each(self, node: Node | None) -> Enumeration | NumberRange | None:
        if not isinstance(node, Scalar):
            return None
        spec = parse.read_each(node, self.problems)
        kind = self.kind(spec)
        if isinstance(kind, Members):
            return kind.enumeration
        if isinstance(kind, Numbers):
            if kind.high - kind.low < MAX_EACH:
                return NumberRange(kind.low, kind.high)
            self.problems.add("bad-range", f"more than {MAX_EACH} places", node.span)
        return None

    def audience(self, name: str, node: Node | None) -> Audience:
        """The seers alone; a condition waits in `audiences` for the second pass."""
        if not isinstance(node, Scalar):
            return Audience("everyone", None, "everyone")
        spec = parse.read_audience(node, self.problems)
        if spec is None:
            return Audience("everyone", None, "everyone")
        for word in (spec.seers, spec.otherwise):
            if word is not None and word.text not in ("everyone", "nobody", "owner", "team"):
                self.names.unknown(
                    "bad-audience",
                    f"`{word.text}` is not an audience",
                    word.span,
                    ("everyone", "nobody", "owner", "team"),
                    "everyone, owner, team or nobody",
                    help="write `everyone`, `owner`, `team` or `nobody`",
                )
        otherwise = spec.otherwise.text if spec.otherwise else "nobody"
        return Audience(spec.seers.text, None, otherwise)

    def owned(self, entry: Zone | State, node: Node | None) -> None:
        """An `owner` audience needs an owner; a condition is kept for later."""
        if not isinstance(node, Scalar):
            return
        seers = {entry.audience.seers, entry.audience.otherwise}
        kind = entry.each.name if isinstance(entry.each, Enumeration) else ""
        if ("owner" in seers or "team" in seers) and kind not in ("player", "team"):
            self.problems.add(
                "no-owner",
                f"`{entry.name}` belongs to nobody",
                node.span,
                help="say `each: player`, or name another audience",
            )
        elif "team" in seers and not self.found.teams:
            self.problems.add("no-teams", "there are no teams", node.span)
        spec = parse.read_audience(node, Problems())
        if spec is not None and spec.condition is not None:
            self.found.audiences[entry.name] = (spec, entry)

    def read_zones(self) -> None:
        for name, key, value in self.section("zones"):
            entry = value if isinstance(value, Mapping) else Mapping({}, value.span)
            ordered, faces = entry.get("ordered"), entry.get("faces")
            each = self.each(entry.get("each"))
            if each is None and self.meant(entry, "each"):
                self.names.lost.add(name)
                continue
            zone = Zone(
                name,
                each,
                # A slip here is told as such; that the zone has no order would be an echo.
                ordered.text != "no"
                if isinstance(ordered, Scalar)
                else self.meant(entry, "ordered"),
                faces.text if isinstance(faces, Scalar) else None,
                self.audience(name, entry.get("seen by")),
                key.span,
            )
            self.owned(zone, entry.get("seen by"))
            self.found.zones[name] = zone
            self.names.add(name, "zone", key.span, zone)

    def read_state(self) -> None:
        for name, key, value in self.section("state"):
            entry = value if isinstance(value, Mapping) else Mapping({}, value.span)
            scalar = value if isinstance(value, Scalar) else entry.get("is")
            if not isinstance(scalar, Scalar) and not isinstance(value, Sequence):
                self.problems.add(
                    "missing-key",
                    f"`{name}` does not say what it holds",
                    key.span,
                    help="add `is:` with a kind, such as `is: 0..100`",
                )
            kind = (
                self.kind(parse.read_kind(scalar, self.problems))
                if isinstance(scalar, Scalar)
                else UNKNOWN
            )
            if kind is UNKNOWN:
                # How it is used follows from what it is.
                self.names.lost.add(name)
                continue
            outside, starts = entry.get("outside"), entry.get("starts")
            each = self.each(entry.get("each"))
            if each is None and self.meant(entry, "each"):
                self.names.lost.add(name)
                continue
            state = State(
                name,
                kind,
                each,
                None,
                self.audience(name, entry.get("seen by")),
                isinstance(outside, Scalar) and outside.text == "yes",
                key.span,
                about=self.words(entry, "about"),
            )
            self.owned(state, entry.get("seen by"))
            if isinstance(starts, Scalar):
                self.found.starts[name] = starts
            self.found.state[name] = state
            self.names.add(name, "state entry", key.span, state)

    def read_bodies(self) -> None:
        for _, key, value in self.section("define"):
            head = parse.read_head(key, self.problems)
            if head is None or not isinstance(value, Scalar):
                self.names.lost |= set(re.findall(r"^\w+", key.text))
            else:
                name = head.name.text
                if self.names.add(name, "definition", head.name.span, name):
                    self.found.definitions[name] = (head, value)
                    self.found.spans[name] = head.name.span
        for name, key, value in self.section("moves"):
            if not isinstance(value, Mapping):
                self.names.lost.add(name)
            elif self.names.add(name, "move", key.span, name):
                self.found.moves[name] = value
                self.found.spans[name] = key.span
        for _, key, value in self.section("steps"):
            head = parse.read_head(key, self.problems)
            if head is None or not isinstance(value, Scalar):
                self.names.lost |= set(re.findall(r"^\w+", key.text))
            else:
                name = head.name.text
                if self.names.add(name, "step", head.name.span, name):
                    self.found.steps[name] = (head, value)
                    self.found.spans[name] = head.name.span
