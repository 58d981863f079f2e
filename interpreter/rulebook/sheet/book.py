"""A rule file read once for its sheet: its rule text as syntax nodes under the agreed options, and
which of its entries can still matter then."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from rulebook import nodes as n
from rulebook import parse
from rulebook import terms as t
from rulebook.diagnostics import Problems
from rulebook.document import Entry, Mapping, Node, Scalar, Sequence
from rulebook.sheet.agreed import Agreed, word
from rulebook.sheet.conditions import condition
from rulebook.sheet.lexicon import Lexicon
from rulebook.sheet.phrases import YOU, Phrase
from rulebook.sheet.speech import Speech
from rulebook.sheet.values import phrase


@dataclass(frozen=True, slots=True)
class Definition:
    head: n.Head
    body: n.Expr | n.Block


@dataclass(frozen=True, slots=True)
class Rule:
    """A condition of a move (`speaks` None), or a `must` line; `keep` None where the options have
    decided that nothing is possible."""

    label: str
    speaks: n.Expr | None
    keep: n.Expr | None
    on: str = ""


@dataclass(frozen=True, slots=True)
class Move:
    name: str
    about: str
    picks: tuple[n.Pick, ...]
    conditions: tuple[Rule, ...]
    musts: tuple[Rule, ...]
    body: n.Block

    @property
    def possible(self) -> bool:
        asked = [pick.condition for pick in self.picks]
        asked += [
            pick.subject.condition for pick in self.picks if isinstance(pick.subject, n.Where)
        ]
        never = any(word(condition) == "no" for condition in asked)
        return not never and all(rule.keep is not None for rule in self.conditions)


class Book:
    """A checked game without problems, and the document that it was read from."""

    def __init__(self, game: t.CheckedGame, document: Mapping, language: str = "") -> None:
        self.game = game
        self.document = document
        self.lexicon = Lexicon(game, document, language)
        names = sorted(game.enumerations["card"].members, key=len, reverse=True)
        self.card_names = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)")
        """Any card as the file writes it."""
        self.speech = Speech(self.lexicon, phrase, condition)
        self.agreed = Agreed(game.options)
        self.definitions = self.read_definitions()
        self.moves = {move.name: move for move in self.read_moves()}
        self.agreed.gone = {name for name, move in self.moves.items() if not move.possible}
        self.steps = {
            head.name.text: (head, self.agreed.block(body)) for head, body in self.read_steps()
        }
        self.find_used()

    # ---- reading ----

    def section(self, key: str) -> list[Entry]:
        part = self.document.get(key)
        return list(part.entries.values()) if isinstance(part, Mapping) else []

    def read_definitions(self) -> dict[str, Definition]:
        raw: dict[str, Definition] = {}
        for entry in self.section("define"):
            head = parse.read_head(entry.key, Problems())
            body = read(entry.value, parse.read_definition)
            if head is not None and body is not None:
                raw[head.name.text] = Definition(head, body)
        self.agreed.learn({name: one.body for name, one in raw.items()})
        return {
            name: replace(one, body=self.agreed.parts_of(one.body)) for name, one in raw.items()
        }

    def read_steps(self) -> Iterator[tuple[n.Head, n.Block]]:
        for entry in self.section("steps"):
            head = parse.read_head(entry.key, Problems())
            body = read(entry.value, parse.read_statements)
            if head is not None and body is not None:
                yield head, body

    def read_moves(self) -> Iterator[Move]:
        for entry in self.section("moves"):
            if isinstance(entry.value, Mapping):
                parts = entry.value
                yield Move(
                    entry.key.text,
                    text(parts.get("about")),
                    tuple(self.read_picks(parts.get("pick"))),
                    tuple(self.read_rules(parts.get("if"))),
                    tuple(rule for rule in self.read_rules(parts.get("must")) if rule.keep),
                    self.agreed.block(read(parts.get("do"), parse.read_statements) or ()),
                )

    def read_picks(self, node: Node | None) -> Iterator[n.Pick]:
        for one in node.items if isinstance(node, Sequence) else [node]:
            for pick in read(one, parse.read_picks) or ():
                yield self.agreed.node(pick)

    def read_rules(self, node: Node | None) -> Iterator[Rule]:
        """What still asks something: a condition that always holds, or a line that speaks for
        nothing, is left out."""
        if isinstance(node, Scalar):
            yield from self.rule("", None, node, "")
        for entry in node.entries.values() if isinstance(node, Mapping) else ():
            value = entry.value
            if isinstance(value, Mapping):
                yield from self.rule(
                    entry.key.text, value.get("for"), value.get("keep"), text(value.get("on"))
                )
            else:
                yield from self.rule(entry.key.text, None, value, "")

    def rule(self, label: str, speaks: Node | None, keep: Node | None, on: str) -> Iterator[Rule]:
        found = self.agreed.node(read(keep, parse.read_expression))
        who = self.agreed.node(read(speaks, parse.read_expression))
        if word(found) == "yes" or word(who) == "no":
            return
        who = None if word(who) == "yes" else who
        yield Rule(label, who, None if word(found) == "no" else found, on)

    # ---- what matters ----

    def find_used(self) -> None:
        """Steps that are gone through, moves that are offered, definitions that these mention."""
        self.used_steps: set[str] = set()
        self.used_moves: set[str] = set()
        waiting: list[object] = [self.steps["match"][1]]
        self.used_steps.add("match")
        names: set[str] = set()
        while waiting:
            for node in inside(waiting.pop()):
                if isinstance(node, n.Do) and node.step.text not in self.used_steps:
                    self.used_steps.add(node.step.text)
                    waiting.append(self.steps[node.step.text][1])
                for name in offered(node):
                    if name not in self.used_moves:
                        self.used_moves.add(name)
                        move = self.moves[name]
                        waiting += [move.picks, move.body, move.musts, move.conditions]
                names |= mentioned(node)
        for entry in [*self.section("zones"), *self.section("state")]:
            names |= {
                node for part in inside(self.audience(entry.value)) for node in mentioned(part)
            }
        self.mentioned = self.closed(names)
        self.used_definitions = [name for name in self.definitions if name in self.mentioned]

    def closed(self, names: set[str]) -> set[str]:
        """The names, with all that their definitions mention."""
        found: set[str] = set()
        waiting = sorted(names)
        while waiting:
            name = waiting.pop()
            if name in found:
                continue
            found.add(name)
            if name in self.definitions:
                for node in inside(self.definitions[name].body):
                    waiting += mentioned(node)
        return found

    def rules(self) -> list[object]:
        """All rule text that can still matter."""
        found: list[object] = [self.definitions[name].body for name in self.used_definitions]
        found += [self.steps[name][1] for name in sorted(self.used_steps)]
        moves = [self.moves[name] for name in sorted(self.used_moves)]
        return found + [
            part for move in moves for part in (move.picks, move.body, move.musts, move.conditions)
        ]

    def audience(self, node: Node) -> n.Audience | None:
        seen = node.get("seen by") if isinstance(node, Mapping) else None
        found = read(seen, parse.read_audience)
        return None if found is None else self.agreed.node(found)

    # ---- speaking ----

    def named(self, head: n.Head) -> Speech:
        return self.speech.picked([parameter.name for parameter in head.parameters])

    def choosing(self, move: Move) -> Speech:
        """Of a move, to the one who makes it."""
        speech = replace(self.speech, mover=YOU)
        return speech.picked([pick.name for pick in move.picks], "the chosen")

    def picking(self, speech: Speech, pick: n.Pick) -> Speech:
        """Inside the source of a pick, where its name is what is looked at."""
        return speech.bound(pick.name.text, Phrase("it", member=True))


def read(node: Node | None, reader: Any) -> Any:
    return reader(node, Problems()) if isinstance(node, Scalar) else None


def text(node: Node | None) -> str:
    return " ".join(node.text.split()) if isinstance(node, Scalar) else ""


def inside(node: object) -> Iterator[n.Node]:
    """A piece of rule text and all that it is made of."""
    if isinstance(node, tuple | list):
        for item in node:
            yield from inside(item)
    elif isinstance(node, Rule):
        yield from inside([node.speaks, node.keep])
    elif isinstance(node, n.Node):
        yield node
        for item in fields(node):
            if item.name != "span":
                yield from inside(getattr(node, item.name))


def offered(node: n.Node) -> Iterable[str]:
    if isinstance(node, n.Choose):
        return [move.text for move in (*node.moves, *node.fallback)]
    return [node.move.text] if isinstance(node, n.Secretly) else []


def mentioned(node: n.Node) -> set[str]:
    if isinstance(node, n.Name):
        return {node.text}
    return {node.head.text} if isinstance(node, n.Of) else set()
