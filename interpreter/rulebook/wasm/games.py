"""Random play inside the module: whole games, and games played on from one state.

Each leaves a row of results: over, winners, losers, choices, a score for each seat, then (in
builds that measure) the counters.
"""

from __future__ import annotations

from rulebook import terms as t
from rulebook.kinds import Numbers
from rulebook.wasm.values import Module
from rulebook.wasm.writer import CONTROL, MAX_NOTES, STATE, Function, add, export, i32

CHOICES_LIMIT = 1_000_000
"""Choices in one game, where the file declares no limit: the guard against games without end."""

GAME_SEED = """
(func $game_seed (param $seed i64) (param $number i64) (result i64)
  (call $mix (i64.add (local.get $seed)
    (i64.mul (i64.const -7046029254386353131) (i64.add (local.get $number) (i64.const 1))))))
"""


def games_function(module: Module) -> str:
    """`games(seed, first, count) -> decisions`: whole games, from number `first` on."""
    begin = ["(call $reset (call $game_seed (local.get $seed) (local.get $first)))"]
    if module.tally is not None:
        begin.append(module.tally.clear())
    return GAME_SEED + played("games", module, begin)


HORIZON = """
(func $horizon (param $shuffle i32) (param $ahead i32) (param $onward i32)
  (global.set $horizon (local.get $shuffle))
  (global.set $ahead (local.get $ahead))
  (global.set $onward (local.get $onward)))

(func $note
  (if (i32.lt_u (global.get $noted) (i32.const {notes_end})) (then
    (memory.copy (global.get $noted) (i32.const {table}) (i32.const {table_size}))
    (global.set $noted (i32.add (global.get $noted) (i32.const {table_size}))))))

(func $look_ahead (param $choices i32)
  (global.set $mark (i32.const {most}))
  (if (i32.and (i32.ne (global.get $ahead) (i32.const 0))
        (i32.lt_u (global.get $ahead) (i32.sub (i32.const {most}) (local.get $choices))))
    (then (global.set $mark (i32.add (local.get $choices) (global.get $ahead))))))

(func $passed_mark (param $choices i32) (result i32)
  (if (global.get $onward) (then
    (call $note)
    (call $look_ahead (local.get $choices))
    (return (i32.const 0))))
  (i32.const 1))
"""


def horizon_globals(module: Module) -> list[str]:
    most = most_choices(module.game)
    begin = {"horizon": 0, "ahead": 0, "onward": 0, "noted": 0, "mark": most}
    return [f"(global ${name} (mut i32) {i32(value)})" for name, value in begin.items()]


def horizon_function(module: Module) -> str:
    """`horizon(shuffle, ahead, onward)`: when games stop early, and what is noted.

    With `shuffle`, at the first choice after one. With `ahead`, so many choices on, and the table
    as it lies then goes into the notes, as it does where a game ends sooner. With `onward` too
    they do not stop: the table is noted again and again, so many choices apart."""
    memory, layout = module.memory, module.layout
    text = HORIZON
    for name, value in {
        "notes_end": memory.notes + MAX_NOTES * layout.table_size,
        "table": STATE + layout.table,
        "table_size": layout.table_size,
        "most": most_choices(module.game),
    }.items():
        text = text.replace("{" + name + "}", str(value))
    return text + export("horizon", ["i32"] * 3)


def rollouts_function(module: Module) -> str:
    """`rollouts(seed, first, count) -> decisions`: from the state in `origin`, with the move behind
    it chosen. Future chance comes from the seed, not from the state."""
    size = module.layout.size
    begin = [
        f"(memory.copy {i32(STATE)} {i32(module.memory.origin)} {i32(size)})",
        f"(i64.store {module.header('seed')} "
        "(call $game_seed (local.get $seed) (local.get $first)))",
        "(call $start_bots)",
        "(call $forget_positions)" if module.keeps_history else "",
        f"(i32.store {i32(CONTROL['chosen'])} {i32(module.memory.origin + size)})",
    ]
    begin.append("(global.set $shuffled (i32.const 0))")
    return played("rollouts", module, begin)


def played(name: str, module: Module, begin: list[str]) -> str:
    """A function that plays `count` games to their end, each begun as given."""
    memory = module.memory
    function = Function(
        name, ["(param $seed i64)", "(param $first i64)", "(param $count i32)"], ["i64"]
    )
    at, done = function.local("i32"), function.local("i64")
    before = function.local("i32")
    choices = f"(i32.load {module.header('choices')})"
    after: list[str] = []
    if module.tally is not None:
        if module.score_cell is not None:
            after.append("(call $watch_score)")
        after.append(module.tally.copy(add(f"(local.get {at})", 16 + 4 * module.game.players)))
    function.emit(
        f"(local.set {at} {i32(memory.results)})",
        f"(global.set $noted {i32(memory.notes)})",
        "(block $done (loop $again (br_if $done (i32.eqz (local.get $count)))",
        *begin,
        f"(local.set {before} {choices})",
        f"(call $look_ahead {choices})",
        "(call $run)",
        "(if (global.get $ahead) (then (call $note)))",
        *results(module, at),
        *after,
        f"(local.set {done} (i64.add (local.get {done}) (i64.extend_i32_u "
        f"(i32.sub {choices} (local.get {before})))))",
        f"(local.set {at} (i32.add (local.get {at}) {i32(memory.result_size)}))",
        "(local.set $first (i64.add (local.get $first) (i64.const 1)))",
        "(local.set $count (i32.sub (local.get $count) (i32.const 1)))",
        "(br $again)))",
        f"(local.get {done})",
    )
    return function.text(for_host=True)


def results(module: Module, at: str) -> list[str]:
    """Code that writes how the game in the state block ended."""
    copies = [
        f"(i32.store offset={4 * position} (local.get {at}) (i32.load {module.header(name)}))"
        for position, name in enumerate(("over", "winners", "losers", "choices"))
    ]
    score = module.game.state.get("score")
    if score is None or score.each is None or not isinstance(score.kind, Numbers):
        return copies
    for seat in range(module.game.players):
        index = score_index(module.game, score, seat)
        if index is not None:
            cell = STATE + module.layout.state[score] + 4 * index
            copies.append(
                f"(i32.store offset={16 + 4 * seat} (local.get {at}) (i32.load {i32(cell)}))"
            )
    return copies


def score_index(game: t.CheckedGame, score: t.State, seat: int) -> int | None:
    """The cell of `score` that is a seat's: its own, or its team's."""
    if score.each is game.enumerations["player"]:
        return seat
    for position, (_, seats) in enumerate(game.teams):
        if seat in seats:
            return position
    return None


def most_choices(game: t.CheckedGame) -> int:
    """Choices in a game before its limit, or the guard against games without end, steps in."""
    return CHOICES_LIMIT if game.plays_limit is None else game.plays_limit
