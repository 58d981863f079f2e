"""The sections on what lies on the table: the deck with its orders and values, the zones, and what
the players keep in mind."""

from __future__ import annotations

from collections.abc import Iterator

from rulebook import nodes as n
from rulebook import terms as t
from rulebook.document import Mapping, Scalar, Sequence
from rulebook.kinds import Enumeration, Flag, Kind, Members, NumberRange, Numbers, SetOf
from rulebook.sheet.agreed import word
from rulebook.sheet.book import Book, inside, mentioned, text
from rulebook.sheet.lexicon import noun_of, number_word
from rulebook.sheet.model import (
    Block,
    Grid,
    Heading,
    Item,
    Items,
    Line,
    Paragraph,
    Section,
    capital,
    inline,
    sentence,
    strong,
)
from rulebook.sheet.phrases import article, holds, listed, plural
from rulebook.sheet.values import stated


def cards_section(book: Book) -> Section:
    blocks: list[Block] = [Paragraph(inline(deck_text(book)))]
    game = book.game
    suits, ranks = game.enumerations["suit"], game.enumerations["rank"]
    if suits.size and not tables_of(book, suits):
        names = ", ".join(f"{book.lexicon.shown(name)}{sign(book, name)}" for name in suits.members)
        blocks.append(Paragraph(inline(f"{strong('Suits')}: {names}.")))
    elif suits.size:
        blocks.append(members_grid(book, suits, suits.members, "Suit"))
    high_first = tuple(reversed(ranks.members))
    if len(tables_of(book, ranks)) > 0:
        blocks.append(members_grid(book, ranks, high_first, "Rank, from high to low"))
    elif ranks.size:
        names = ", ".join(signed(book, name) for name in high_first)
        blocks.append(Paragraph(inline(f"{strong('Ranks')}, from high to low: {names}.")))
    orders = [name for name in used_tables(book) if name in book.lexicon.orders]
    blocks += [Paragraph(inline(order_text(book, game.tables[name]))) for name in orders]
    if any(reckoned(book, name) for name in orders):
        said = "Where the rules reckon with places, the lowest is 0, the next 1, and so on."
        blocks.append(Paragraph(inline(said)))
    known = {"suit", "rank"}
    for name in used_tables(book):
        table = game.tables[name]
        kinds = {one.name for one in table.indexes if isinstance(one, Enumeration)}
        if name not in book.lexicon.orders and (len(table.indexes) > 1 or not kinds & known):
            blocks.append(table_grid(book, table))
    return Section("The cards", blocks)


def deck_text(book: Book) -> str:
    game, lexicon = book.game, book.lexicon
    suits, ranks = game.enumerations["suit"].size, game.enumerations["rank"].size
    total = game.enumerations["card"].size
    section = book.document.get("cards")
    copies = text(section.get("copies")) if isinstance(section, Mapping) else ""
    found = [f"The deck has {total} cards"]
    if suits and ranks:
        found[0] += f": {ranks} ranks in each of {number_word(suits)} suits"
        if copies not in ("", "1"):
            found[0] += f", {number_word(int(copies))} times"
    singles = names_in(section, "singles")
    if singles:
        found[0] += f", and {listed([lexicon.shown(name) for name in singles])}"
    without = names_in(section, "without")
    if without:
        found.append(f"Left out: {listed(['the ' + card_name(book, name) for name in without])}")
    return ". ".join(found) + "."


def card_name(book: Book, name: str) -> str:
    rank, of, suit = name.partition(" of ")
    return book.lexicon.card(rank, suit) if of else book.lexicon.shown(name)


def names_in(section: object, key: str) -> list[str]:
    part = section.get(key) if isinstance(section, Mapping) else None
    items = part.items if isinstance(part, Sequence) else []
    return [item.text for item in items if isinstance(item, Scalar)]


def used_tables(book: Book) -> list[str]:
    """Tables and orders that the rules still ask under the agreed options, in the file's order."""
    written = [entry.key.text for key in ("orders", "tables") for entry in book.section(key)]
    return [name for name in written if name in book.mentioned and name in book.game.tables]


def tables_of(book: Book, kind: Enumeration) -> list[t.Table]:
    """The tables of one kind, without its orders."""
    return [
        book.game.tables[name]
        for name in used_tables(book)
        if name not in book.lexicon.orders and book.game.tables[name].indexes == (kind,)
    ]


def sign(book: Book, name: str) -> str:
    """A suit's sign behind its name, if it has one."""
    return f" {book.lexicon.suit(name)}" if book.lexicon.entry(name, "symbol") else ""


def signed(book: Book, name: str) -> str:
    """A rank with its sign, where that is another."""
    shown, sign = book.lexicon.shown(name), book.lexicon.entry(name, "symbol")
    return f"{shown} ({sign})" if sign and sign != shown else shown


def members_grid(book: Book, kind: Enumeration, members: tuple[str, ...], title: str) -> Grid:
    """Suits or ranks down the side; signs and the tables of that kind across."""
    lexicon = book.lexicon
    tables = tables_of(book, kind)
    signs = [lexicon.entry(name, "symbol") for name in members]
    with_signs = any(signed(book, name) != lexicon.shown(name) for name in members)
    head = [
        title,
        *(["Sign"] if with_signs else []),
        *(lexicon.shown(table.name) for table in tables),
    ]
    rows: list[tuple[Line, ...]] = []
    for name, mark in zip(members, signs, strict=True):
        row = [inline(lexicon.shown(name))]
        if with_signs:
            row.append(inline(lexicon.suit(name) if kind.name == "suit" else mark or name))
        index = kind.members.index(name)
        row += [cell(book, table, index) for table in tables]
        rows.append(tuple(row))
    return Grid(tuple(inline(capital(word)) for word in head), tuple(rows))


def cell(book: Book, table: t.Table, place: int) -> Line:
    return inline(value_text(book, table.kind, table.values[place]))


def value_text(book: Book, kind: Kind, value: int) -> str:
    """A value as people write it; a suit with its sign."""
    if isinstance(kind, Flag):
        return "yes" if value else "no"
    if isinstance(kind, Members):
        if value < 0:
            return "none"
        name = kind.enumeration.members[value]
        if kind.enumeration.name == "player":
            return f"player {value + 1}"
        if kind.enumeration.name == "card":
            return book.lexicon.drawn(name) or name
        return book.lexicon.shown(name)
    return str(value)


def order_text(book: Book, table: t.Table) -> str:
    """The members by their places in an order, the highest first."""
    (kind,) = table.indexes
    assert isinstance(kind, Enumeration)
    by_place = sorted(range(kind.size), key=lambda index: -table.values[index])
    names = [book.lexicon.shown(kind.members[index]) for index in by_place]
    shown = book.lexicon.shown(table.name)
    title = shown if "order" in shown.split() else f"{shown} order"
    return f"{strong(capital(title))}, from high to low: {', '.join(names)}."


def reckoned(book: Book, order: str) -> bool:
    """Whether places in an order are added up or otherwise used as numbers."""
    return any(
        order in mentioned(part)
        for node in inside(book.rules())
        if isinstance(node, n.Arithmetic)
        or (isinstance(node, n.Aggregate) and node.word in ("sum", "most", "least"))
        for part in inside(node)
    )


def table_grid(book: Book, table: t.Table) -> Grid:
    shown = book.lexicon.shown(table.name)
    caption = inline(strong(capital(shown)) + about(book, "tables", table.name))
    first = index_names(book, table.indexes[0])
    if len(table.indexes) == 1:
        head = (inline(index_title(table.indexes[0])), inline(capital(shown)))
        rows = tuple((inline(name), cell(book, table, at)) for at, name in enumerate(first))
        return Grid(head, rows, caption)
    second = index_names(book, table.indexes[1])
    matrix = tuple(
        (inline(name), *(cell(book, table, at * len(second) + to) for to in range(len(second))))
        for at, name in enumerate(first)
    )
    return Grid((inline(index_title(table.indexes[0])), *map(inline, second)), matrix, caption)


def index_title(index: Enumeration | NumberRange) -> str:
    name = index.name.replace("_", " ") if isinstance(index, Enumeration) else "number"
    return capital(name)


def index_names(book: Book, index: Enumeration | NumberRange) -> list[str]:
    if isinstance(index, Enumeration):
        if index.name == "card":
            return [book.lexicon.drawn(name) or name for name in index.members]
        return [book.lexicon.shown(name) for name in index.members]
    return [str(number) for number in range(index.low, index.high + 1)]


def about(book: Book, section: str, name: str) -> str:
    part = book.document.get(section)
    entry = part.get(name) if isinstance(part, Mapping) else None
    found = text(entry.get("about")) if isinstance(entry, Mapping) else ""
    return f" ({found})" if found else ""


# ---- zones and state ----


def zones_section(book: Book) -> Section:
    items = []
    for entry in book.section("zones"):
        zone = book.game.zones[entry.key.text]
        if zone.name not in book.mentioned:
            continue
        said = " ".join(sentence(one) for one in zone_sentences(book, zone, entry.value))
        name, _ = book.lexicon.zone(zone.name)
        items.append(Item(inline(f"{strong(capital(name))}. {said}")))
    blocks: list[Block] = [
        Paragraph(inline("How many cards lie in a place is always known to everyone.")),
        Items(tuple(items)),
    ]
    kept = [
        Item(inline(state_text(book, state)))
        for state in book.game.state.values()
        if state.name in book.mentioned
    ]
    if kept:
        blocks += [Heading(inline("What the players keep in mind")), Items(tuple(kept))]
    return Section("Where the cards lie", blocks)


def zone_sentences(book: Book, zone: t.Zone, node: object) -> Iterator[str]:
    each = zone.each
    if isinstance(node, Mapping) and text(node.get("about")):
        yield text(node.get("about"))
    if isinstance(each, NumberRange):
        many = number_word(each.high - each.low + 1)
        yield f"there are {many}, with the numbers {each.low} to {each.high}"
    elif isinstance(each, Enumeration):
        whose = "their" if each.name == "player" else "its"
        yield f"each {each.name.replace('_', ' ')} has {whose} own"
    seen = seen_by(book, zone, node)
    if zone.ordered:
        seen = f"{seen}; they keep their order"
    yield seen
    if zone.faces:
        yield f"cards lie here face {zone.faces}, unless a rule says otherwise"


def seen_by(book: Book, zone: t.Zone, node: object) -> str:
    audience = book.audience(node) if isinstance(node, Mapping) else None
    if audience is None:
        return (
            "everyone sees the cards" if not zone.faces else "who sees a card depends on its face"
        )
    seers, other = audience.seers.text, audience.otherwise
    otherwise = other.text if other is not None else "nobody"
    truth = word(audience.condition)
    if audience.condition is None or truth:
        return see(seers if truth != "no" else otherwise)
    asked = holds(book.speech.condition(audience.condition))
    return f"as long as {asked}, {see(seers)}; otherwise {see(otherwise)}"


def see(seers: str) -> str:
    who = {
        "owner": "only its owner sees the cards",
        "team": "the owner and the owner’s team see the cards",
        "nobody": "nobody sees the cards",
    }
    return who.get(seers, "everyone sees the cards")


def state_text(book: Book, state: t.State) -> str:
    name = stated(book.speech, state.name, None).text.removeprefix("the ")
    each = state.each
    for_each = ""
    if isinstance(each, Enumeration):
        for_each = f"for each {each.name.replace('_', ' ')}, "
    elif isinstance(each, NumberRange):
        for_each = f"for each number from {each.low} to {each.high}, "
    what = kind_text(state.kind)
    start = ""
    if state.starts is not None:
        start = f", at first {state.starts.span.text.strip()}"
    told = f"{strong(capital(name))}: {for_each}{what}{start}"
    return sentence(told) + (f" {sentence(state.about)}" if state.about else "")


def kind_text(kind: Kind) -> str:
    if isinstance(kind, Flag):
        return "yes or no"
    if isinstance(kind, Numbers):
        return f"a number, {kind.low} to {kind.high}"
    if isinstance(kind, SetOf):
        return f"some {plural(noun_of(kind))}"
    optional = isinstance(kind, Members) and kind.optional
    return article(noun_of(kind)) + (", or none" if optional else "")
