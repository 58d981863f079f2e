"""Random play inside the module: whole games, and games played on from one state.

Each ends as a row of results: over, winners, losers, choices, a score for each seat, then (in
builds that measure) the counters.
"""

from __future__ import annotations

from rulebook import terms as t
from rulebook.kinds import Numbers
from rulebook.wasm.values import Module
from rulebook.wasm.writer import CONTROL, STATE, Function, add, export, i32

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
(func $horizon (param $on i32) (global.set $horizon (local.get $on)))
"""


def rollouts_function(module: Module) -> str:
    """`horizon(on)`: whether games stop (as limited) at the first choice after a shuffle.

    `rollouts(seed, first, count) -> decisions`: from the state in `origin`, with the move behind
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
    return HORIZON + export("horizon", ["i32"]) + played("rollouts", module, begin)


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
        "(block $done (loop $again (br_if $done (i32.eqz (local.get $count)))",
        *begin,
        f"(local.set {before} {choices})",
        "(call $run)",
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
