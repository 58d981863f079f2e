"""Counters of one random game, for builds that measure: what they are, and the code that counts.

All stand in one region of 32-bit cells, cleared before each game. The first ones are shown, and go
into the game's row of results after its end; the others only help to count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from rulebook import terms as t
from rulebook.kinds import Numbers
from rulebook.program import HEADER
from rulebook.walks import inside
from rulebook.wasm.writer import STATE, Memory, i32


def shown_counters(game: t.CheckedGame) -> list[str]:
    """The counters of a game's row, in order.

    `shuffles`; `offered`: legal moves, over all choices; `forced`: choices with one legal move;
    `led`: whether anybody led alone before the end; `leads`: how often the lead passed from one
    player or team to another; `behind.I`: the most that entry I of `score` was behind the best;
    `move.NAME`: choices in which the move was taken; `must.MOVE.I`: choices in which the line took
    a move away. Of the lead only where it is certain which scores are good.
    """
    found = ["shuffles", "offered", "forced"]
    score = ranked_score(game)
    if score is not None:
        found += ["led", "leads", *(f"behind.{entry}" for entry in range(score.size))]
    found += [f"move.{name}" for name in game.moves]
    found += [
        f"must.{move.name}.{line}"
        for move in game.moves.values()
        for line in range(len(move.musts))
    ]
    return found


def kept_score(game: t.CheckedGame) -> t.State | None:
    """The state entry `score`, if each player or team has a number of its own."""
    score = game.state.get("score")
    if score is None or not isinstance(score.kind, Numbers):
        return None
    teams = game.enumerations.get("team")
    if score.each is game.enumerations["player"] or (teams is not None and score.each is teams):
        return score
    return None


def better(game: t.CheckedGame) -> int:
    """1 where a high score is good, -1 where a low one is; 0 where somebody loses the game, which
    may be because of a high score or a low one."""
    found = list(all_statements(game))
    if any(isinstance(one, t.Finish) and one.lowest for one in found):
        return -1
    losing = any(isinstance(one, t.Outcome) and not one.wins for one in found)
    return 0 if losing else 1


def ranked_score(game: t.CheckedGame) -> t.State | None:
    """The kept score, if it is certain which scores are good."""
    return kept_score(game) if better(game) else None


def all_statements(game: t.CheckedGame) -> Iterator[t.Base | t.Node]:
    for step in game.steps.values():
        yield from inside(step.body)
    for move in game.moves.values():
        yield from inside(move.body)


@dataclass(slots=True)
class Tally:
    """The counters of one module. `base` is where they stand."""

    game: t.CheckedGame
    shown: list[str] = field(init=False)
    cells: dict[str, int] = field(init=False)
    base: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.shown = shown_counters(self.game)
        helping = ["leader", "scored"]
        helping += [f"last.{name}" for name in self.shown if name.startswith("must.")]
        self.cells = {name: 4 * at for at, name in enumerate([*self.shown, *helping])}

    def place(self, memory: Memory) -> None:
        self.base = memory.take(4 * len(self.cells))

    def cell(self, name: str) -> str:
        return i32(self.base + self.cells[name])

    def add(self, name: str, by: str) -> str:
        cell = self.cell(name)
        return f"(i32.store {cell} (i32.add (i32.load {cell}) {by}))"

    def clear(self) -> str:
        leader = f"(i32.store {self.cell('leader')} (i32.const -1))"
        size = i32(4 * len(self.cells))
        return f"(memory.fill {i32(self.base)} (i32.const 0) {size}) {leader}"

    def copy(self, to: str) -> str:
        return f"(memory.copy {to} {i32(self.base)} {i32(4 * len(self.shown))})"

    # ---- what is counted ----

    def choice(self, count: str) -> str:
        """One choice among `count` moves (code that can be repeated), with the score as it is."""
        code = self.add("offered", count) + self.add("forced", f"(i32.eq {count} (i32.const 1))")
        if ranked_score(self.game) is not None:
            scored, leader = self.cell("scored"), self.cell("leader")
            led = f"(i32.store {self.cell('led')} (i32.ge_s (i32.load {leader}) (i32.const 0)))"
            code += f"(if (i32.load {scored}) (then (call $watch_score) {led}))"
        return code

    def scored(self, state: t.State) -> str:
        """The score may have changed. It is looked at when the next choice comes, so that points
        given one after the other count as given at once."""
        if state is not ranked_score(self.game):
            return ""
        return f"(i32.store {self.cell('scored')} (i32.const 1))"

    def taken(self, row: str) -> str:
        """The move in a row is taken: its number is the place of its counter."""
        first = self.base + self.cells[f"move.{next(iter(self.game.moves))}"]
        cell = f"(i32.shl (i32.load {row}) (i32.const 2))"
        return (
            f"(i32.store offset={first} {cell} "
            f"(i32.add (i32.load offset={first} {cell}) (i32.const 1)))"
        )

    def narrowed(self, move: str, must: t.Must) -> str:
        """A `must` line took a move away; once a choice, however often it is asked."""
        line = self.game.moves[move].musts.index(must)
        last = self.cell(f"last.must.{move}.{line}")
        choices = f"(i32.load {i32(STATE + HEADER['choices'])})"
        return (
            f"(if (i32.ne (i32.load {last}) {choices}) (then "
            f"(i32.store {last} {choices}) {self.add(f'must.{move}.{line}', i32(1))}))"
        )

    def watch_score(self, first: int) -> str:
        """`$watch_score()`: who leads alone, and how far the others are behind. `first` is the
        address of the first score."""
        score = ranked_score(self.game)
        if score is None:
            return ""
        worse, best = ("gt_s", "lt_s") if better(self.game) < 0 else ("lt_s", "gt_s")
        cells = [i32(first + 4 * entry) for entry in range(score.size)]
        code = f"(local.set $best (i32.load {cells[0]})) (local.set $who (i32.const 0))"
        for entry, cell in enumerate(cells[1:], 1):
            value = f"(i32.load {cell})"
            code += (
                f"(if (i32.{best} {value} (local.get $best)) "
                f"(then (local.set $best {value}) (local.set $who {i32(entry)})) "
                f"(else (if (i32.eq {value} (local.get $best)) "
                "(then (local.set $who (i32.const -1))))))"
            )
        for entry, cell in enumerate(cells):
            # The distance is positive on either side of zero, and fits: scores are 32 bits wide.
            pair = f"(local.get $best) (i32.load {cell})"
            if worse == "gt_s":
                pair = f"(i32.load {cell}) (local.get $best)"
            most = self.cell(f"behind.{entry}")
            code += (
                f"(local.set $gap (i32.sub {pair}))"
                f"(if (i32.gt_s (local.get $gap) (i32.load {most})) "
                f"(then (i32.store {most} (local.get $gap))))"
            )
        leader = self.cell("leader")
        passed = (
            f"(i32.and (i32.ge_s (i32.load {leader}) (i32.const 0)) "
            f"(i32.ne (i32.load {leader}) (local.get $who)))"
        )
        code += (
            "(if (i32.ge_s (local.get $who) (i32.const 0)) (then "
            f"(if {passed} (then {self.add('leads', i32(1))})) "
            f"(i32.store {leader} (local.get $who))))"
            f"(i32.store {self.cell('scored')} (i32.const 0))"
        )
        head = "(func $watch_score (local $best i32) (local $who i32) (local $gap i32)"
        return f"{head}\n  {code})"
