"""The sections on what happens: the course of play, moves, scoring, the end, and the words that
these use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from rulebook import nodes as n
from rulebook.kinds import Numbers, SetOf
from rulebook.sheet.book import Book, Move, Rule, inside, mentioned
from rulebook.sheet.conditions import asked_of
from rulebook.sheet.lexicon import noun_of, plural
from rulebook.sheet.model import (
    Block,
    Heading,
    Item,
    Items,
    Line,
    Paragraph,
    Section,
    bare,
    capital,
    inline,
    sentence,
    strong,
    term,
)
from rulebook.sheet.phrases import Phrase, article, holds, listed
from rulebook.sheet.sets import group_set
from rulebook.sheet.speech import Speech
from rulebook.sheet.statements import block, items

SCORE = "score"
Wanted = Callable[[n.Node], bool]


# ---- steps ----


def course_section(book: Book) -> Section:
    blocks: list[Block] = []
    for name, (head, body) in book.steps.items():
        if name in book.used_steps and body:
            speech = book.named(head)
            blocks.append(Heading(title(book, head)))
            blocks.append(Items(items(block(speech, body)), numbered=True))
    return Section("The course of play", blocks)


def title(book: Book, head: n.Head) -> Line:
    name = head.name.text
    shown = "the match" if name == "match" else book.lexicon.shown(name)
    of = [indefinite(book, parameter) for parameter in head.parameters]
    behind = f" ({', '.join(of)})" if of else ""
    return inline(capital(shown) + behind)


def indefinite(book: Book, parameter: n.Parameter) -> str:
    kind = book.lexicon.kind(parameter.name)
    noun = noun_of(kind) if not isinstance(kind, SetOf) else plural(noun_of(kind))
    name = parameter.name.text
    if len(name) > 2:
        return name.replace("_", " ")
    return f"{noun} {term(name)}" if isinstance(kind, Numbers) else noun


# ---- moves ----


def moves_section(book: Book) -> Section:
    blocks: list[Block] = []
    for name, move in book.moves.items():
        if name in book.used_moves:
            blocks += move_blocks(book, move)
    gone = [name for name in book.moves if name in book.agreed.gone]
    if gone:
        there = {book.lexicon.shown(name) for name in book.used_moves}
        shown = [book.lexicon.shown(name) for name in gone]
        never = listed([capital(name) for name in dict.fromkeys(shown) if name not in there])
    if gone and never:
        blocks.append(Paragraph(inline(f"Not possible with the options of this sheet: {never}.")))
    return Section("What you can do", blocks)


def move_blocks(book: Book, move: Move) -> Iterator[Block]:
    speech = book.choosing(move)
    yield Heading(inline(capital(book.lexicon.shown(move.name))))
    if move.about:
        yield Paragraph(inline(sentence(move.about)))
    found: list[Item] = [
        Item(inline(sentence(pick_text(book, speech, pick)))) for pick in move.picks
    ]
    found += [Item(condition_line(speech, rule)) for rule in move.conditions]
    if len(move.musts) > 1:
        lead = (
            "Obligations, one after the other. Each leaves you only those choices that satisfy it, "
            "if you have any:"
        )
        found.append(Item(inline(lead), tuple(Item(rule_line(speech, r)) for r in move.musts)))
    found += [Item(must_line(speech, rule)) for rule in move.musts if len(move.musts) == 1]
    found += done_items(speech, move)
    if found:
        yield Items(tuple(found))


def done_items(speech: Speech, move: Move) -> list[Item]:
    """What a move does, as one line or with its statements below it."""
    done = block(speech, move.body)
    if len(done) == 1 and not done[0].under:
        return [Item(inline(f"Then: {sentence_after(done[0].text)}"))]
    return [Item(inline("Then:"), items(done))] if done else []


def pick_text(book: Book, speech: Speech, pick: n.Pick) -> str:
    """`choose a card from your hand`."""
    inner = book.picking(speech, pick)
    if pick.form == "cards":
        cards = group_set(inner, pick.name, pick.shapes, pick.subject, pick.condition, False)
        return f"choose {cards.text}"
    kind = book.lexicon.kind(pick.name)
    noun = noun_of(kind)
    said = speech.known[pick.name.text].text
    noun = f"{noun} {term(pick.name.text)}" if term(pick.name.text) in said else noun
    source = inner.phrase(pick.subject)
    if isinstance(kind, SetOf):
        return f"choose one group of cards: {source.text}"
    if isinstance(pick.subject, n.Range):
        return f"choose a {noun} from {source.text}"
    if source.tail and source.tail == f" among {source.text}":
        return f"choose one of {source.text}"
    if source.one == "card":
        return f"choose {article(noun if term(pick.name.text) in said else source.one)}" + (
            source.tail.replace(" in ", " from ", 1)
            if source.tail.startswith(" in ")
            else source.tail
        )
    return f"choose {article(noun)}{source.tail}"


def condition_line(speech: Speech, rule: Rule) -> Line:
    """What a move is possible for only; its sentence is what is heard otherwise."""
    assert rule.keep is not None
    asked = holds(speech.condition(rule.keep))
    heard = strong(capital(rule.label).rstrip("."))
    behind = f". Otherwise you hear: “{heard}”" if rule.label else ""
    lead = "only where" if asked.startswith("if ") else "only if"
    return inline(sentence(f"{lead} {asked}{behind}"))


def rule_line(speech: Speech, rule: Rule) -> Line:
    """What an obligation asks, behind its sentence."""
    assert rule.keep is not None
    asked = holds(speech.condition(rule.keep))
    lead = f"{strong(capital(rule.label))}:"
    if rule.speaks is None:
        return inline(f"{lead} {sentence_after(asked)}")
    who = holds(speech.condition(rule.speaks))
    return inline(f"{lead} {sentence_after(asked)} This counts only where {sentence_after(who)}")


def must_line(speech: Speech, rule: Rule) -> Line:
    """An obligation that stands alone."""
    line = rule_line(speech, rule)
    return (*line, *inline(" (Free if none of your choices satisfies it.)"))


def sentence_after(asked: str) -> str:
    return asked if bare(asked)[-1:] in ".!?" else f"{asked}."


# ---- scoring and the end ----


def scoring_section(book: Book) -> Section | None:
    """Everything that changes the score, and what the points are worked out from."""
    state = book.game.state.get(SCORE)
    if state is None or SCORE not in book.mentioned:
        return None
    each = getattr(state.each, "name", "")
    who = f"Each {each} has" if each else "There is"
    name = book.lexicon.shown(SCORE)
    intro = f"{who} {article(name)}, which begins at {max(0, getattr(state.kind, 'low', 0))}."
    if state.about:
        intro += f" {sentence(state.about)}"
    blocks: list[Block] = [Paragraph(inline(intro))]
    found = list(excerpts(book, sets_score))
    if found:
        blocks.append(Items(tuple(item for item, _ in found)))
    used = scoring_words(book, [body for _, body in found])
    if used:
        blocks.append(Paragraph(inline("The words used here:")))
        blocks.append(Items(tuple(explained(book, name) for name in used)))
    return Section("Scoring", blocks)


def sets_score(node: n.Node) -> bool:
    return isinstance(node, n.Assign) and SCORE in mentioned(node.target)


def scoring_words(book: Book, bodies: list[n.Block]) -> list[str]:
    """The definitions that the scoring uses, in the order of the file."""
    names = {name for body in bodies for node in inside(body) for name in mentioned(node)}
    known = book.closed(names)
    return [name for name in book.definitions if name in known and name in book.mentioned]


def end_section(book: Book) -> Section:
    found = [item for item, _ in excerpts(book, ends_game)]
    blocks: list[Block] = [Items(tuple(found))] if found else []
    limits = list(limit_sentences(book))
    if limits:
        blocks.append(Paragraph(inline(" ".join(limits))))
    return Section("The end of the game", blocks)


def ends_game(node: n.Node) -> bool:
    return isinstance(node, n.Outcome | n.Finish)


def limit_sentences(book: Book) -> Iterator[str]:
    game = book.game
    if game.plays_limit is not None and any(
        entry.key.text == "plays" for entry in book.section("limits")
    ):
        yield f"After {game.plays_limit:,} choices the game is drawn.".replace(",", "\u202f")
    if game.repeats_limit is not None:
        alike = f" (cards of one {game.alike} count as the same)"
        yield (
            f"The game is drawn when the same position occurs {game.repeats_limit} times"
            f"{alike if game.alike else ''}."
        )


def excerpts(book: Book, wanted: Wanted) -> Iterator[tuple[Item, n.Block]]:
    """The parts of steps and moves in which something wanted stands, each under its name."""
    for name, (head, body) in book.steps.items():
        if name in book.used_steps:
            yield from excerpt(book, book.named(head), name, body, wanted)
    for name, move in book.moves.items():
        if name in book.used_moves:
            yield from excerpt(book, book.choosing(move), name, move.body, wanted)


def excerpt(
    book: Book, speech: Speech, name: str, body: n.Block, wanted: Wanted
) -> Iterator[tuple[Item, n.Block]]:
    kept = only(body, wanted)
    if not kept:
        return
    told = block(speech, kept)
    shown = strong(capital("the match" if name == "match" else book.lexicon.shown(name)))
    if len(told) == 1 and not told[0].under:
        line = Item(inline(f"{shown}: {sentence_after(told[0].text)}"))
    else:
        line = Item(inline(f"{shown}:"), items(told))
    yield line, kept


def only(body: n.Block, wanted: Wanted) -> n.Block:
    """The statements in which something wanted stands, with the conditions and names that it hangs
    on. What comes after a loop with an end is said to happen when that end has come."""
    kept: list[n.Statement] = []
    until: n.Expr | None = None
    for statement in body:
        if isinstance(statement, n.Repeat) and statement.until is not None:
            until = statement.until
        if isinstance(statement, n.Let | n.Assign) and not wanted(statement):
            kept.append(statement)
            continue
        part = part_of(statement, wanted)
        ends = any(isinstance(node, n.Finish | n.Outcome) and wanted(node) for node in inside(part))
        if part and ends and until is not None and not isinstance(statement, n.Repeat | n.While):
            part = (n.If(statement.span, ((until, part),)),)
            until = None
        kept += part
    return used(tuple(kept), wanted)


def part_of(statement: n.Statement, wanted: Wanted) -> n.Block:
    if wanted(statement):
        return (statement,)
    if isinstance(statement, n.If):
        branches = [(asked, only(inner, wanted)) for asked, inner in statement.branches]
        while branches and not branches[-1][1]:
            branches.pop()
        return (n.If(statement.span, tuple(branches)),) if branches else ()
    if isinstance(statement, n.For):
        inner = only(statement.body, wanted)
        return (replace(statement, body=inner),) if inner else ()
    if isinstance(statement, n.Repeat | n.While):
        return only(statement.body, wanted)
    return ()


def used(body: n.Block, wanted: Wanted) -> n.Block:
    """Without the names and values that nothing wanted mentions afterwards."""
    kept: list[n.Statement] = []
    needed: set[str] = set()
    for statement in reversed(body):
        if isinstance(statement, n.Let | n.Assign) and not wanted(statement):
            local = isinstance(statement, n.Let) or isinstance(statement.target, n.Name)
            name = statement.name if isinstance(statement, n.Let) else statement.target
            if not local or getattr(name, "text", "") not in needed:
                continue
        kept.append(statement)
        needed |= {name for node in inside(statement) for name in mentioned(node)}
    kept.reverse()
    return tuple(kept) if any(wanted(node) for node in inside(tuple(kept))) else ()


# ---- words ----


def words_section(book: Book, already: Iterable[str]) -> Section | None:
    """The definitions that no other section has explained."""
    said = set(already)
    names = [name for name in book.used_definitions if name not in said]
    if not names:
        return None
    return Section("Words explained", [Items(tuple(explained(book, name) for name in names))])


def explained(book: Book, name: str) -> Item:
    definition = book.definitions[name]
    head, body = definition.head, definition.body
    speech = book.named(head)
    if not isinstance(body, tuple):
        returned = n.Return(body.span, body)
        body = (returned,)
    result = book.game.definitions[name].kind
    flag = str(result) == "a yes or no"
    if flag:
        return flag_explained(book, speech, head, body)
    shown = book.lexicon.shown(name).removesuffix(" of")
    of = listed([indefinite_article(book, parameter) for parameter in head.parameters])
    lead = f"{strong(capital(shown))}{f' of {of}' if of else ''}"
    told = block(speech, body)
    if len(told) == 1 and not told[0].under:
        meaning = told[0].text.removeprefix("it is ")
        return Item(inline(f"{lead}: {sentence_after(meaning)}"))
    return Item(inline(f"{lead}:"), items(told))


def indefinite_article(book: Book, parameter: n.Parameter) -> str:
    kind = book.lexicon.kind(parameter.name)
    if isinstance(kind, SetOf):
        return f"some {plural(noun_of(kind))}"
    said = indefinite(book, parameter)
    return said if len(parameter.name.text) > 2 else article(said)


def flag_explained(book: Book, speech: Speech, head: n.Head, body: n.Block) -> Item:
    """`A card counts as high if ...`."""
    arguments = [first_mention(book, speech, one) for one in head.parameters]
    claim = asked_of(book.speech, head.name.text, arguments)
    lead = strong(capital(bare(holds(claim))))
    only_one = body[0] if len(body) == 1 else None
    if isinstance(only_one, n.Return) and not isinstance(only_one.value, n.Constant):
        asked = holds(speech.condition(only_one.value))
        return Item(
            inline(
                f"{lead}: if {sentence_after(asked.removeprefix('if '))}"
                if not asked.startswith("if ")
                else f"{lead}: when it is true that, {sentence_after(asked)}"
            )
        )
    whether = strong(f"Whether {bare(holds(claim))}")
    return Item(inline(f"{whether}:"), items(block(speech, body)))


def first_mention(book: Book, speech: Speech, parameter: n.Parameter) -> Phrase:
    known = speech.known[parameter.name.text]
    text = indefinite_article(book, parameter)
    letter = term(parameter.name.text)
    if letter in known.text and letter not in text:
        text = known.text
    return Phrase(text, known.many, known.person)
