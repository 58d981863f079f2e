"""A whole rule sheet from a checked game and its document."""

from __future__ import annotations

from rulebook import terms as t
from rulebook.document import Mapping
from rulebook.kinds import Flag, Members, Numbers
from rulebook.sheet.book import Book, text
from rulebook.sheet.course import (
    course_section,
    end_section,
    excerpts,
    moves_section,
    scoring_section,
    scoring_words,
    sets_score,
    words_section,
)
from rulebook.sheet.deck import cards_section, value_text, zones_section
from rulebook.sheet.illustrations import Wanted, examples_section
from rulebook.sheet.lexicon import number_word
from rulebook.sheet.model import (
    Block,
    Grid,
    Item,
    Items,
    Line,
    Paragraph,
    Section,
    Sheet,
    capital,
    inline,
    sentence,
    strong,
)
from rulebook.sheet.phrases import holds, listed


def write_sheet(
    game: t.CheckedGame, document: Mapping, language: str = "", examples: Wanted = "some"
) -> Sheet:
    """The sheet of a game that was checked without a problem, at the options it was checked with.

    `language` is a two-letter code for which the file's `names` have texts; ValueError if it has
    none. The same file, options and language always give the same sheet.
    """
    own = text(document.get("language"))
    known = languages(game)
    if language and language not in known and language != own:
        some = listed(sorted(known)) if known else "no other language"
        raise ValueError(f"the file has no names in `{language}`; it has {some}")
    book = Book(game, document, "" if language == own else language)
    scored = scoring_words(book, [body for _, body in excerpts(book, sets_score)])
    sections = [
        players_section(book),
        cards_section(book),
        zones_section(book),
        course_section(book),
        moves_section(book),
        scoring_section(book),
        end_section(book),
        words_section(book, scored),
        options_section(book),
        examples_section(book, examples),
    ]
    facts = [
        ("Players", player_count(game)),
        ("Cards", str(game.enumerations["card"].size)),
        ("Turns", "clockwise" if game.clockwise else "anticlockwise"),
    ]
    if game.credits:
        facts.append(("By", game.credits))
    return Sheet(
        game.name,
        text(document.get("about")),
        facts,
        text(document.get("link")),
        "en",
        [section for section in sections if section is not None and section.blocks],
    )


def languages(game: t.CheckedGame) -> set[str]:
    return {key for entry in game.names.values() for key in entry if len(key) == 2}


def player_count(game: t.CheckedGame) -> str:
    low, high = game.player_range
    return str(low) if low == high else f"{low} to {high}"


def players_section(book: Book) -> Section:
    game = book.game
    low, high = game.player_range
    way = "clockwise, to the left" if game.clockwise else "anticlockwise, to the right"
    if (low, high) == (1, 1):
        return Section("Players", [Paragraph(inline("One player plays alone."))])
    some = number_word(low) if low == high else f"{number_word(low)} to {number_word(high)}"
    blocks: list[Block] = [
        Paragraph(inline(f"{capital(some)} players sit around a table. Turns go {way}."))
    ]
    if game.teams:
        teams = []
        for name, seats in game.teams:
            players = listed([str(seat + 1) for seat in seats])
            shown = capital(book.lexicon.shown(name))
            plain = f"Players {players}" == shown
            teams.append(f"{strong(shown)}" + ("" if plain else f": players {players}"))
        blocks.append(
            Paragraph(inline("Those of a team play together, the seats being counted to the left:"))
        )
        blocks.append(Items(tuple(Item(inline(sentence(team))) for team in teams)))
    return Section("Players", blocks)


# ---- options ----


def options_section(book: Book) -> Section | None:
    options = book.game.options
    if not options:
        return None
    rows: list[tuple[Line, ...]] = []
    for option in options.values():
        name = capital(book.lexicon.shown(option.name))
        decides = sentence(option.about)
        if option.when is not None:
            asked = holds(book.speech.condition(option.when))
            decides += f" To be changed only if {asked}."
        rows.append((inline(name), inline(decides), inline(values(book, option))))
    intro = (
        "Agree on these before the first deal. This sheet is written for the first value of each "
        "row; with another some of its rules read otherwise."
    )
    head = (inline("Option"), inline("What it decides"), inline("Values"))
    return Section("Options", [Paragraph(inline(intro)), Grid(head, tuple(rows))])


def values(book: Book, option: t.Option) -> str:
    """What can be agreed on; what this sheet is written for comes first and stands out."""
    kind = option.kind
    if isinstance(kind, Members) and kind.enumeration.name == "player":
        none = option.value < 0
        return f"{strong('none')} · any player" if none else f"any player{NONE * kind.optional}"
    found = [option.value, *(value for value in possible(option) if value != option.value)]
    shown = []
    for value in found:
        said = value_text(book, kind, value)
        usual = " (usual)" if value == option.default != option.value else ""
        shown.append((strong(said) if value == option.value else said) + usual)
    more = also(option) if isinstance(kind, Numbers) else ""
    return " · ".join(shown) + more


NONE = " · none"


def possible(option: t.Option) -> list[int]:
    kind = option.kind
    if isinstance(kind, Flag):
        return [1, 0]
    if isinstance(kind, Members) and len(option.choices) < 2:
        return list(range(-1 if kind.optional else 0, kind.enumeration.size))
    return list(option.choices)


def also(option: t.Option) -> str:
    numbers = option.also
    if not numbers:
        return ""
    return f" · any number from {numbers[0]} to {numbers[-1]}"
