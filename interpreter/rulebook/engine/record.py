"""Records: a match as text that people can read, and that replays to the same end.

A record holds the rule file's text and its digest, so that it replays even where the file has
changed since; where play began at an example of the file, its name, and its moves too. One kept
for a seat holds what the seat saw, no seed and no moves of hidden cards.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml

from rulebook.diagnostics import Problems, RuleFileError
from rulebook.engine.match import IllegalMove, Match
from rulebook.pipeline import compile_source
from rulebook.resolve import Setting
from rulebook.source import Source
from rulebook.whole_file import whole_file

if TYPE_CHECKING:
    from rulebook.engine.game import Game

VERSION = 1
MAX_RECORD = 5_000_000


class RecordError(ValueError):
    """A record that cannot be read, or that its own rules contradict."""


@dataclass(slots=True)
class Record:
    """`moves`: (seat that chose, canonical text), in order. `people`: the seats at which people
    sat (none if it is not known). `notes`: what else happened at the
    table, such as moves taken back, as (number of moves played, sentence)."""

    game: str
    path: str
    rules: str
    players: int
    options: dict[str, str]
    seed: int
    example: str = ""
    names: list[str] = field(default_factory=list)
    people: list[int] = field(default_factory=list)
    moves: list[tuple[int, str]] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)

    @staticmethod
    def of(match: Match) -> Record:
        """The record of a match as far as it has been played."""
        game = match.game
        return Record(
            game=game.name,
            path=game.path,
            rules=game.text,
            players=game.players,
            options=game.options,
            seed=match.seed,
            example=match.example,
            names=list(match.words.players),
            moves=list(match.played),
        )

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.rules.encode()).hexdigest()

    # ---- text ----

    def text(self) -> str:
        """The record as YAML: what people read first, the rules last."""
        plain: dict[str, Any] = {
            "record": VERSION,
            "game": self.game,
            "players": self.players,
            "names": self.names,
            "people": self.people,
            "options": self.options,
            "seed": self.seed,
            **({"example": self.example} if self.example else {}),
            "moves": [f"{seat}: {move}" for seat, move in self.moves],
            "notes": [f"{number}: {note}" for number, note in self.notes],
            "path": self.path,
            "digest": self.digest,
            "rules": _Block(self.rules),
        }
        return yaml.dump(plain, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the record; the old file stays whole until the new one is."""
        with whole_file(path) as place:
            place.write_text(self.text(), encoding="utf-8")

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Record:
        """Read a record. RecordError if it is not one; OSError if the file cannot be read."""
        with open(path, "rb") as file:
            data = file.read(MAX_RECORD + 1)
        if len(data) > MAX_RECORD:
            raise RecordError(f"`{path}` is too big for a record")
        try:
            return Record.read(yaml.safe_load(data.decode("utf-8")))
        except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
            raise RecordError(f"`{path}` is not a record: it cannot be read as YAML") from None
        except RecordError as error:
            raise RecordError(f"`{path}` is not a whole record: {error}") from None

    @staticmethod
    def read(plain: object) -> Record:
        """A record from what YAML made of it; RecordError says what is missing or wrong."""
        if not isinstance(plain, dict) or "record" not in plain:
            raise RecordError("it has no line `record: 1`")
        if plain["record"] != VERSION:
            raise RecordError(f"it has version {plain['record']!r}, this is for version {VERSION}")
        wanted: dict[str, type] = {
            "game": str,
            "rules": str,
            "digest": str,
            "players": int,
            "seed": int,
            "moves": list,
            "options": dict,
        }
        for key, kind in wanted.items():
            if not isinstance(plain.get(key), kind) or isinstance(plain.get(key), bool):
                raise RecordError(f"`{key}` is missing or of the wrong kind")
        options = {str(name): _option(value) for name, value in plain["options"].items()}
        record = Record(
            game=plain["game"],
            path=str(plain.get("path", "")),
            rules=plain["rules"],
            players=plain["players"],
            options=options,
            seed=plain["seed"],
            example=str(plain.get("example") or ""),
            names=_texts(plain, "names"),
            people=_people(plain),
            moves=[_numbered(line) for line in plain["moves"]],
            notes=[_numbered(line) for line in _texts(plain, "notes")],
        )
        if record.digest != plain["digest"]:
            raise RecordError("its rules were changed after it was written (the digest differs)")
        return record

    # ---- replaying ----

    def compile(self) -> Game:
        """The game as it was when the record was made."""
        source = Source(self.path or "record", self.rules)
        return compile_source(source, Setting(self.players, self.options))

    def begun(self) -> Match:
        """The match before its first move, or where its example stands."""
        if not self.example:
            return self.compile().start(self.seed, names=self.names)
        from rulebook.tools.examples import begin_at

        problems = Problems()
        match = begin_at(Source(self.path or "record", self.rules), self.example, problems)
        if match is None:
            raise RuleFileError(problems)
        if isinstance(match, str):
            raise RecordError(match)
        match.name_players(self.names or match.words.players)
        return match

    def replay(self, to: int | None = None) -> Match:
        """The match after its first `to` moves (all, if None). RecordError at the first move that
        cannot be played."""
        match = self.begun()
        for number, (seat, text) in enumerate(self.moves[:to]):
            if number < match.given and match.played[number] == (seat, text):
                continue
            if match.over:
                raise RecordError(f"move {number + 1}, `{text}`, comes after the end of the game")
            if match.chooser != seat:
                raise RecordError(
                    f"move {number + 1}, `{text}`, is by seat {seat}, but seat {match.chooser} "
                    "is to choose"
                )
            found = next((move for move in match.moves if move.text == text), None)
            if found is None:
                raise RecordError(f"move {number + 1}, `{text}`, is not legal there")
            try:
                match.play(found)
            except IllegalMove as error:
                raise RecordError(f"move {number + 1}, `{text}`: {error}") from None
        return match


def replay(path: str | os.PathLike[str], to: int | None = None) -> Match:
    """The match that a record file tells, after its first `to` moves."""
    return Record.load(path).replay(to)


def _numbered(line: object) -> tuple[int, str]:
    number, colon, text = str(line).partition(": ")
    if not colon or not number.isdigit():
        raise RecordError(f"`{line}` is not `number: text`")
    return int(number), text


def _texts(plain: dict[Any, Any], key: str) -> list[str]:
    found = plain.get(key) or []
    if not isinstance(found, list):
        raise RecordError(f"`{key}` is not a list")
    return [str(one) for one in found]


def _people(plain: dict[Any, Any]) -> list[int]:
    seats = _texts(plain, "people")
    if any(not seat.isdigit() or int(seat) >= plain["players"] for seat in seats):
        raise RecordError("`people` names a seat that is not there")
    return [int(seat) for seat in seats]


def _option(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


class _Block(str):
    """Text that is written as a `|` block."""


class _Dumper(yaml.SafeDumper):
    pass


def _write_block(dumper: yaml.SafeDumper, text: _Block) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style="|")


_Dumper.add_representer(_Block, _write_block)
