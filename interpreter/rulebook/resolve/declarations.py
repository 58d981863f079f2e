"""What the first pass finds in a file, for the second pass to look up."""

from __future__ import annotations

from dataclasses import dataclass, field

from rulebook import nodes as n
from rulebook.document import Mapping, Scalar
from rulebook.kinds import Enumeration
from rulebook.resolve.namespace import Namespace
from rulebook.source import Span
from rulebook.terms import Option, State, Table, Zone


@dataclass(slots=True)
class Setting:
    """What a table has agreed on: the number of players (None: the fewest) and option values."""

    players: int | None = None
    options: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Declarations:
    """Everything the first pass found; bodies are still unread scalars."""

    names: Namespace
    players: int = 2
    player_range: tuple[int, int] = (2, 2)
    clockwise: bool = True
    teams: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)
    enumerations: dict[str, Enumeration] = field(default_factory=dict)
    suit_of: tuple[int, ...] = ()
    rank_of: tuple[int, ...] = ()
    options: dict[str, Option] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    zones: dict[str, Zone] = field(default_factory=dict)
    state: dict[str, State] = field(default_factory=dict)
    definitions: dict[str, tuple[n.Head, Scalar]] = field(default_factory=dict)
    moves: dict[str, Mapping] = field(default_factory=dict)
    steps: dict[str, tuple[n.Head, Scalar]] = field(default_factory=dict)
    audiences: dict[str, tuple[n.Audience, Zone | State]] = field(default_factory=dict)
    starts: dict[str, Scalar] = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict)

    @property
    def card(self) -> Enumeration:
        return self.enumerations["card"]
