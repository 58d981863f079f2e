"""Two rule files, one a variant of the other: what differs in words, and what differs in play.

Both play games with the same seeds, so that the same chance befalls both where their rules ask for
it in the same places, and what chance does alike in both cancels out of the difference. Whether a
difference is sure is said for all measures together (Holm's method), so that many measures do not
make false alarms likely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, fields, replace
from difflib import SequenceMatcher
from math import erfc, isinf, sqrt
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rulebook import nodes as n
from rulebook.diagnostics import Problems
from rulebook.document import Mapping, Node, Scalar, Sequence
from rulebook.entries import MUST
from rulebook.parse import read_expression, read_picks, read_statements
from rulebook.tools.interrupt import wish_to_end
from rulebook.tools.measures import Z95, Estimate, Measure, Moments, Table, measures_of
from rulebook.tools.shards import ALONE, cores
from rulebook.tools.simulate import SEEDS, stream

if TYPE_CHECKING:
    from rulebook.engine.game import Game
    from rulebook.tools.measures import Ints, Rows

FALSE_ALARMS = 0.01
"""How likely it is that games without any difference get a difference called sure."""
LEAST_GAMES = 100
"""With fewer games nothing is called sure."""
Verdict: TypeAlias = Literal["sure", "perhaps", "none", "same", "alone"]
"""`alone`: only one of the games has the measure."""

# ---- in words ----

SECTIONS = {
    "options": "option",
    "kinds": "kind",
    "orders": "order",
    "tables": "table",
    "zones": "zone",
    "state": "state entry",
    "define": "definition",
    "moves": "move",
    "steps": "step",
    "limits": "limit",
    "names": "name of",
    "examples": "example",
    "played": "the value of option",
}
BESIDE = ("game", "credits", "link", "about", "language", "examples")
"""Entries that are no rules."""


@dataclass(frozen=True, slots=True)
class Change:
    """An entry that is `added`, `changed` or `removed`; `path` leads to it, `before` and `after`
    are its texts."""

    what: Literal["added", "changed", "removed"]
    path: tuple[str, ...]
    before: str = ""
    after: str = ""

    @property
    def entry(self) -> str:
        """The entry in words."""
        head, *rest = self.path
        if not rest:
            return f"`{head}`"
        kind = SECTIONS.get(head)
        first = f"{kind} `{rest[0]}`" if kind else f"`{head}`, `{rest[0]}`"
        return ", ".join([first, *(f"`{name}`" for name in rest[1:])])

    def lines(self) -> Iterator[tuple[str, str]]:
        """The lines that differ: `-` with what was, `+` with what is."""
        before, after = self.before.splitlines(), self.after.splitlines()
        for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if tag != "equal":
                yield from (("-", line) for line in before[a:b])
                yield from (("+", line) for line in after[c:d])


def changes(before: Mapping, after: Mapping, path: tuple[str, ...] = ()) -> Iterator[Change]:
    """Every entry that differs, in the order of the first file, then what the second adds."""
    if path[:1] == ("moves",) and path[2:] == (MUST,):
        # One after the other, they narrow what is left.
        pairs = (before, after), (after, before)
        old, new = ([key for key in one.entries if key in other.entries] for one, other in pairs)
        if old != new:
            yield Change("changed", path, "\n".join(old), "\n".join(new))
    for key, entry in before.entries.items():
        here = (*path, key)
        other = after.entries.get(key)
        if other is None:
            yield Change("removed", here, before=text_of(entry.value))
        elif isinstance(entry.value, Mapping) and isinstance(other.value, Mapping):
            yield from changes(entry.value, other.value, here)
        elif not alike(entry.value, other.value):
            yield Change("changed", here, text_of(entry.value), text_of(other.value))
    for key, entry in after.entries.items():
        if key not in before.entries:
            yield Change("added", (*path, key), after=text_of(entry.value))


def alike(one: Node, other: Node) -> bool:
    """Whether two values mean the same, however they are laid out."""
    if isinstance(one, Sequence) and isinstance(other, Sequence):
        items = one.items, other.items
        return len(items[0]) == len(items[1]) and all(map(alike, *items))
    if isinstance(one, Scalar) and isinstance(other, Scalar) and one.text != other.text:
        for read in (read_statements, read_picks, read_expression):
            first, second = read(one, Problems()), read(other, Problems())
            if first is not None and second is not None:
                return bare(first) == bare(second)
    # What is no rule text is for people, whom line breaks tell nothing.
    return text_of(one).split() == text_of(other).split()


def bare(node: object) -> object:
    """Rule text without the places where it stands."""
    if isinstance(node, tuple):
        return tuple(map(bare, node))
    if isinstance(node, n.Node):
        parts = [bare(getattr(node, one.name)) for one in fields(node) if one.name != "span"]
        return (type(node), *parts)
    return node


def text_of(node: Node) -> str:
    """An entry's value as lines."""
    if isinstance(node, Scalar):
        return node.text.rstrip()
    if isinstance(node, Sequence):
        return "\n".join(text_of(item) for item in node.items)
    lines = []
    for key, entry in node.entries.items():
        inner = text_of(entry.value)
        if "\n" in inner or isinstance(entry.value, Mapping):
            lines += [f"{key}:", *(f"  {line}" for line in inner.splitlines())]
        else:
            lines.append(f"{key}: {inner}")
    return "\n".join(lines)


def settings_changed(before: Game, after: Game) -> Iterator[Change]:
    """Options that both games have, played with other values."""
    for name, value in before.options.items():
        other = after.options.get(name, value)
        if other != value:
            yield Change("changed", ("played", name), value, other)


# ---- in play ----


@dataclass(frozen=True, slots=True)
class Difference:
    """One measure on both sides. `low` and `high` are the 95 % interval of `after` less `before`
    by itself; `chance` is the likelihood of so large a difference if there is none, corrected for
    the number of measures. Of a measure that is `alone` only its one side means anything."""

    measure: Measure
    before: Estimate | None
    after: Estimate | None
    value: float
    low: float
    high: float
    chance: float
    verdict: Verdict


class Comparison:
    """The measures of two games, over pairs of games with the same seeds."""

    def __init__(self, before: Game, after: Game, seed: int, asked: int) -> None:
        if before.players != after.players:
            raise ValueError(
                f"{before.name} has {before.players} players here, and {after.name} "
                f"{after.players}; give both the same number"
            )
        self.games_compared = before, after
        self.seed = seed
        self.asked = asked
        self.tables = [Table(game.checked) for game in (before, after)]
        ours, theirs = (measures_of(game.checked, game.words) for game in (before, after))
        self.measures = paired(ours, theirs)
        self.columns = [
            {name for one in measures if one is not None for name in (one.over, one.per)}
            for measures in zip(*self.measures, strict=True)
        ]
        names = [f"{side}.{name}" for side in (0, 1) for name in sorted(self.columns[side])]
        self.moments = Moments(names)

    @property
    def games(self) -> int:
        """Pairs of games."""
        return self.moments.games

    def add(self, before: Rows, after: Rows) -> None:
        block: dict[str, Ints] = {}
        for side, rows in enumerate((before, after)):
            found = self.tables[side].columns(rows)
            block |= {f"{side}.{name}": found[name] for name in self.columns[side]}
        self.moments.add(block)

    def differences(self) -> list[Difference]:
        found = [self.difference(*pair) for pair in self.measures]
        return judged(found, self.games)

    def difference(self, ours: Measure | None, theirs: Measure | None) -> Difference:
        moments = self.moments
        before = moments.estimate(ours, "0.") if ours else None
        after = moments.estimate(theirs, "1.") if theirs else None
        if ours is None or theirs is None:
            measure = ours or theirs
            assert measure is not None
            return Difference(measure, before, after, 0.0, 0.0, 0.0, 1.0, "alone")
        if before is None or after is None:
            return Difference(ours, before, after, 0.0, 0.0, 0.0, 1.0, "none")
        one, other = (f"0.{ours.over}", f"0.{ours.per}"), (f"1.{theirs.over}", f"1.{theirs.per}")
        variance = (
            moments.spread(one, one) + moments.spread(other, other) - 2 * moments.spread(one, other)
        )
        first, second = moments.ratio(*one), moments.ratio(*other)
        assert first is not None
        assert second is not None
        value = float(second - first)
        # What the rounding of the three terms leaves where they cancel is no spread.
        noise = 1e-12 * (moments.spread(one, one) + moments.spread(other, other))
        error = sqrt(variance) if variance > noise else 0.0
        chance = chance_of(value, error)
        half = Z95 * error
        return Difference(ours, before, after, value, value - half, value + half, chance, "none")

    def plain(self, words: list[Change]) -> dict[str, Any]:
        """Everything as values for JSON."""
        before, after = self.games_compared
        return {
            "game": before.name,
            "variant": after.name,
            "players": before.players,
            "options": [before.options, after.options],
            "bots": "random",
            "seed": self.seed,
            "games": self.games,
            "asked": self.asked,
            "changes": [
                {
                    "what": change.what,
                    "entry": list(change.path),
                    "before": change.before,
                    "after": change.after,
                }
                for change in words
            ],
            "measures": {one.measure.key: plain_of(one) for one in self.differences()},
        }


def plain_of(one: Difference) -> dict[str, Any]:
    alone = one.verdict == "alone"
    gap = {"value": one.value, "low": one.low, "high": one.high}
    return {
        "title": one.measure.title,
        "share": one.measure.share,
        "before": sides(one.before),
        "after": sides(one.after),
        "difference": None if alone else gap,
        "chance": None if alone else one.chance,
        "verdict": None if alone else one.verdict,
    }


def sides(found: Estimate | None) -> dict[str, float] | None:
    if found is None:
        return None
    return {"value": found.value, "low": found.low, "high": found.high}


def paired(
    ours: list[Measure], theirs: list[Measure]
) -> list[tuple[Measure | None, Measure | None]]:
    """The measures that mean the same in both games, and those of one alone. Wins are compared as
    advantages."""
    before, after = (
        {measure.key: measure for measure in side if measure.group != "wins"}
        for side in (ours, theirs)
    )
    for key in before.keys() & after.keys():
        titles = before[key].title, after[key].title
        if titles[0] != titles[1]:
            before[key] = replace(before[key], title=" / ".join(titles))
    return [(before.get(key), after.get(key)) for key in before | after]


def chance_of(value: float, error: float) -> float:
    """The likelihood of a difference at least so large if there is none."""
    if value == 0:
        return 1.0
    deviations = float("inf") if error == 0 else abs(value) / error
    return 0.0 if isinf(deviations) else erfc(deviations / sqrt(2))


def judged(found: list[Difference], games: int) -> list[Difference]:
    """With chances corrected (Holm), and a verdict for each."""
    shared = [at for at, one in enumerate(found) if one.verdict != "alone"]
    shared.sort(key=lambda at: found[at].chance)
    result = list(found)
    highest = 0.0
    for rank, at in enumerate(shared):
        one = found[at]
        highest = max(highest, min(1.0, one.chance * (len(shared) - rank)))
        verdict: Verdict = "none"
        if one.value == 0 and one.low == one.high:
            verdict = "same"
        elif highest < FALSE_ALARMS and games >= LEAST_GAMES:
            verdict = "sure"
        elif not one.low <= 0 <= one.high:
            verdict = "perhaps"
        result[at] = replace(one, chance=highest, verdict=verdict)
    return result


def compare(
    before: Game,
    after: Game,
    games: int = 100_000,
    seed: int = 1,
    processes: int | None = None,
    watch: Callable[[int], None] | None = None,
    alone: float = ALONE,
) -> Comparison:
    """Play pairs of games with the same seeds. `watch` is told how many are done. Ctrl-C ends the
    run; what is found so far holds for the first pairs.

    Raises `RuleError` if the rules of either go wrong, ValueError if they cannot be compared.
    """
    found = Comparison(before, after, seed % SEEDS, games)
    if processes is None:
        processes = max(1, cores() // 2)  # Each side has its own.
    with (
        wish_to_end() as ending,
        closing(stream(before, games, seed, processes, alone)) as one,
        closing(stream(after, games, seed, processes, alone)) as other,
    ):
        for ours, theirs in in_step(one, other):
            found.add(ours, theirs)
            if watch is not None:
                watch(found.games)
            if ending():
                break
    return found


def in_step(
    before: Iterator[tuple[int, Rows]], after: Iterator[tuple[int, Rows]]
) -> Iterator[tuple[Rows, Rows]]:
    """Rows of the same games from two streams that come in pieces of their own sizes."""
    ours: Rows | None = None
    theirs: Rows | None = None
    while True:
        if ours is None or not len(ours):
            piece = next(before, None)
            ours = None if piece is None else piece[1]
        if theirs is None or not len(theirs):
            piece = next(after, None)
            theirs = None if piece is None else piece[1]
        if ours is None or theirs is None:
            return
        count = min(len(ours), len(theirs))
        yield ours[:count], theirs[:count]
        ours, theirs = ours[count:], theirs[count:]
