"""Blocks to one function that runs them.

The blocks stand one after the other; a jump forward leaves the blocks between, a jump back goes
round the dispatching loop. Waiting builds return at every choice and come back by the resume cell.
"""

from __future__ import annotations

from rulebook import terms as t
from rulebook.kinds import FLAG, NumberRange, SetOf
from rulebook.program import (
    LIMITED,
    STOPPED,
    Action,
    Apply,
    Branch,
    Enter,
    ForNext,
    ForStart,
    Jump,
    Keep,
    Leave,
    Offer,
    Reveal,
    SetParameters,
    TimesNext,
    TimesStart,
    Turn,
)
from rulebook.walks import inside
from rulebook.wasm.games import CHOICES_LIMIT
from rulebook.wasm.moves import Moves, apply_row, choice_list
from rulebook.wasm.runtime import FUEL, event
from rulebook.wasm.statements import Statements
from rulebook.wasm.telling import EVERYONE
from rulebook.wasm.values import Module
from rulebook.wasm.walks import loop as repeat_while
from rulebook.wasm.writer import CONTROL, STATE, Function, SetLocal, add, i32


class Dispatcher:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.function = Function("run", [], [])
        self.code = Statements(module, self.function)
        self.code.finish = "(br $finished)"
        self.here = 0
        self.pc = self.function.local("i32", "pc")

    def text(self) -> str:
        program = self.module.program
        pc = self.pc
        blocks = program.blocks
        labels = " ".join(f"$b{number}" for number in range(len(blocks)))
        body = f"(br_table {labels} (local.get {pc}))"
        for number, block in enumerate(blocks):
            self.here = number
            exit_ = program.exits.get(block.step)
            self.code.leave = self.jump(exit_) if exit_ is not None else "(return)"
            inner = " ".join(self.action(action) for action in block.actions)
            inner += self.exit(block.exit)
            body = f"(block $b{number} {body})\n  {inner}"
        self.function.emit(
            f"(local.set {pc} (i32.load {self.module.header('resume')}))",
            f"(block $finished (loop $dispatch {body} (unreachable)))",
        )
        return self.function.text(for_host=True)

    # ---- jumps ----

    def jump(self, target: int) -> str:
        """To another block: onward to a later one, round the loop to an earlier one."""
        if target > self.here:
            return f"(br $b{target})"
        return f"(local.set {self.pc} {i32(target)}) (br $dispatch)"

    def go(self, target: int) -> str:
        """The same at the end of a block, where the next block needs no jump."""
        return "" if target == self.here + 1 else self.jump(target)

    # ---- actions ----

    def action(self, action: Action) -> str:
        if isinstance(action, ForStart):
            return self.for_start(action.loop)
        if isinstance(action, TimesStart):
            assert action.loop.times is not None
            cell = self.hidden(action.loop, "times")
            return f"(i32.store {cell} {self.code.value(action.loop.times)})"
        if isinstance(action, SetParameters):
            return self.code.arguments(action.do)
        if isinstance(action, Apply):
            return self.apply(self.module.program.choices[action.choice])
        if isinstance(action, Keep):
            return self.keep(self.module.program.choices[action.choice], action.loop)
        if isinstance(action, Reveal):
            return self.reveal(self.module.program.choices[action.choice], action.loop)
        return self.code.statement(action)

    def hidden(self, loop: t.For | t.Repeat, what: str) -> str:
        return i32(STATE + self.module.layout.hidden[id(loop), what])

    def for_start(self, loop: t.For) -> str:
        code = self.code
        if isinstance(loop.subject.kind, NumberRange):
            low, high, step = code.bounds(loop.subject)
            before = code.write(loop.variable, add(low, -step))
            return before + f"(i32.store {self.hidden(loop, 'rest')} {high})"
        kind = loop.subject.kind
        assert isinstance(kind, SetOf)
        sets = self.module.sets(kind.enumeration)
        result = ""
        if loop.start is not None:
            result = f"(i32.store {self.hidden(loop, 'start')} {code.value(loop.start)})"
        if (id(loop), "all") in self.module.layout.hidden:
            keep, get = code.temporary(kind, code.value(loop.subject))
            both = [sets.store(self.hidden(loop, what), get) for what in ("rest", "all")]
            return keep + " ".join(both)
        return result + sets.store(self.hidden(loop, "rest"), code.value(loop.subject))

    def apply(self, choice: t.Choose) -> str:
        module = self.module
        code = apply_row(module, self.code, choice, f"(i32.load {i32(CONTROL['chosen'])})")
        names = (*choice.moves, *choice.fallback)
        if any(f"move:{name}" in module.program.may_end for name in names):
            code += self.code.end_if_over()
        return code

    def kept_row(self, loop: t.For, player: str) -> str:
        size = self.module.memory.row_size
        return f"(i32.add {self.hidden(loop, 'rows')} (i32.mul {player} {i32(size)}))"

    def keep(self, choice: t.Choose, loop: t.For) -> str:
        module = self.module
        row = f"(i32.load {i32(CONTROL['chosen'])})"
        mover = f"(i32.load {module.header('mover')})"
        code = f"(memory.copy {self.kept_row(loop, mover)} {row} {i32(module.memory.row_size)})"
        if module.build.waiting:
            move = Moves(module, module.game.moves[choice.moves[0]])
            code += move.announce(self.code, row, secret=True)
        return code

    def reveal(self, choice: t.Choose, loop: t.For) -> str:
        """In turn order, with each player as the mover again."""
        module, code = self.module, self.code
        kind = loop.subject.kind
        assert isinstance(kind, SetOf)
        sets = module.sets(kind.enumeration)
        rest = SetLocal(self.function, sets.words, "rest")
        keep, player = code.temporary(FLAG, code.next_player(rest.get(), code.turn_start(loop)))
        row = self.kept_row(loop, player)
        done = apply_row(module, code, choice, row)
        if any(f"move:{name}" in module.program.may_end for name in choice.moves):
            done += code.end_if_over()
        return rest.set(sets.load(self.hidden(loop, "all"))) + repeat_while(
            sets.is_empty(rest.get()),
            keep,
            rest.set(sets.minus(rest.get(), sets.single(player))),
            f"(i32.store {module.header('mover')} {player})",
            f"(i32.store {module.header('chooser')} {player})",
            done,
        )

    # ---- exits ----

    def exit(self, exit_: object) -> str:
        if isinstance(exit_, Jump):
            return self.go(exit_.target)
        if isinstance(exit_, Turn):
            return self.code.tick(exit_.span) + self.jump(exit_.target)
        if isinstance(exit_, Branch):
            condition = self.code.flag(exit_.condition)
            then, other = self.go(exit_.then), self.go(exit_.other)
            if self.module.build.probed:
                passed, span = self.module.probes.passed, exit_.condition.span
                then, other = (
                    passed("branch", "yes", span) + then,
                    passed("branch", "no", span) + other,
                )
                return f"(if {condition} (then {then}) (else {other}))"
            if not then:
                return f"(if (i32.eqz {condition}) (then {other}))"
            return f"(if {condition} (then {then})) {other}"
        if isinstance(exit_, Offer):
            return self.offer(self.module.program.choices[exit_.choice], exit_)
        if isinstance(exit_, Enter):
            cell = i32(STATE + self.module.layout.returns[exit_.step])
            return f"(i32.store {cell} {i32(exit_.back)}) {self.go(exit_.entry)}"
        if isinstance(exit_, Leave):
            return self.leave(exit_)
        if isinstance(exit_, ForNext):
            return self.for_next(exit_)
        assert isinstance(exit_, TimesNext)
        cell = self.hidden(exit_.loop, "times")
        left = f"(i32.load {cell})"
        take = f"(i32.store {cell} (i32.sub {left} (i32.const 1)))"
        tick = self.code.tick(exit_.loop.span)
        out = f"(if (i32.le_s {left} (i32.const 0)) (then {self.jump(exit_.done)}))"
        return f"{out} {take} {tick} {self.go(exit_.body)}"

    def leave(self, exit_: Leave) -> str:
        if exit_.step == "match":
            # Play ran out of rules: the game is over, and nobody won it by them.
            return self.code.end()
        cell = i32(STATE + self.module.layout.returns[exit_.step])
        back = f"(local.set {self.pc} (i32.load {cell}))"
        return f"{back} {self.forgotten(exit_.step)} (br $dispatch)"

    def forgotten(self, step: str) -> str:
        """Where positions are compared, what a step kept is gone when it is left: it would tell
        apart positions that no rule can."""
        game, layout = self.module.game, self.module.layout
        if game.repeats_limit is None:
            return ""
        cells = [(layout.returns[step], 4)]
        nodes = list(inside(game.steps[step].body))
        kept = [getattr(node, "variable", None) for node in nodes]
        for variable in dict.fromkeys([*game.steps[step].parameters, *kept]):
            if variable in layout.frame:
                cells.append((layout.frame[variable], layout.width(variable.kind)))
        sizes = dict(layout.hidden_cells)
        loops = set(map(id, nodes))
        cells += [(at, sizes[at]) for (loop, _), at in layout.hidden.items() if loop in loops]
        return " ".join(
            f"(i32.store {i32(STATE + at)} (i32.const 0))"
            for start, size in cells
            for at in range(start, start + size, 4)
        )

    def for_next(self, exit_: ForNext) -> str:
        loop, code = exit_.loop, self.code
        rest = self.hidden(loop, "rest")
        if isinstance(loop.subject.kind, NumberRange):
            assert isinstance(loop.subject, t.RangeOf)
            step = code.write(loop.variable, add(code.read(loop.variable), loop.subject.step))
            beyond = f"(i32.gt_s {code.read(loop.variable)} (i32.load {rest}))"
            out = f"(if {beyond} (then {self.jump(exit_.done)}))"
            return f"{step} {out} {code.tick(loop.span)} {self.go(exit_.body)}"
        kind = loop.subject.kind
        assert isinstance(kind, SetOf)
        sets = self.module.sets(kind.enumeration)
        keep, get = code.temporary(kind, sets.load(rest))
        member = sets.lowest(get)
        if kind.enumeration.name == "player":
            start = (
                f"(i32.load {self.hidden(loop, 'start')})"
                if loop.start is not None
                else code.turn_start(loop)
            )
            member = code.next_player(get, start)
        keep2, one = code.temporary(FLAG, member)
        return (
            f"{keep} (if {sets.is_empty(get)} (then {self.jump(exit_.done)})) "
            f"{keep2} {code.write(loop.variable, one)} "
            f"{sets.store(rest, sets.minus(get, sets.single(one)))} {self.go(exit_.body)}"
        )

    # ---- choices ----

    def offer(self, choice: t.Choose, exit_: Offer) -> str:
        module, code = self.module, self.code
        keep, chooser = code.temporary(FLAG, code.value(choice.chooser))
        seat = chooser if choice.seat is None else code.value(choice.seat)
        head = (
            f"(i32.store {module.header('chooser')} {chooser}) "
            f"(i32.store {module.header('mover')} {seat})"
            f"{module.probes.passed('statement', '', choice.span)}"
            f"{self.count_position(choice, exit_.choice)}"
            f"{self.count_choice(choice)}"
        )
        if module.build.waiting:
            return (
                f"{keep} {head} "
                f"(i32.store {module.header('choice')} {i32(exit_.choice)}) "
                f"(i32.store {module.header('resume')} {i32(exit_.resume)}) "
                f"{choice_list(module, code, choice)} (return)"
            )
        quick = None if exit_.choice in module.program.secret else self.quick(choice)
        if quick is not None:
            code.mover_now = chooser if choice.seat is None else ""
            chosen = self.random_quick(choice, quick)
            code.mover_now = ""
            return f"{keep} {head} {chosen} {self.jump(exit_.after)}"
        rows = i32(module.memory.rows)
        number = f"(call $bot_below (i32.load {i32(CONTROL['rows'])}))"
        row = f"(i32.add {rows} (i32.mul {number} {i32(module.memory.row_size)}))"
        listed, taken = "", ""
        if module.tally is not None:
            listed = module.tally.choice(f"(i32.load {i32(CONTROL['rows'])})")
            taken = module.tally.taken(f"(i32.load {i32(CONTROL['chosen'])})")
        return (
            f"{keep} {head} {choice_list(module, code, choice)} {listed} "
            f"(i32.store {i32(CONTROL['chosen'])} {row}) {taken} {self.go(exit_.resume)}"
        )

    def count_choice(self, choice: t.Choose) -> str:
        """One more choice: a fresh allowance for loops, and the limits on choices in a game."""
        module = self.module
        cell = module.header("choices")
        count = self.function.local("i32")
        limit = module.game.plays_limit
        code = (
            f"(global.set $fuel {i32(FUEL)})"
            f"{self.fresh_search()}"
            f"(local.set {count} (i32.add (i32.load {cell}) (i32.const 1)))"
        )
        over = f"(i32.store {module.header('over')} {i32(LIMITED)})"
        if limit is not None:
            told = event("ended", i32(EVERYONE)) if module.build.waiting else ""
            beyond = f"(if {{}} (then {over} {told} (br $finished)))"
        else:
            number = module.sites.number(
                "endless-game",
                f"this game goes on and on: {CHOICES_LIMIT:,} choices and no end",
                choice.span,
            )
            beyond = f"(if {{}} (then (call $fail {i32(number)} (i32.const 0))))"
        most = i32(CHOICES_LIMIT if limit is None else limit)
        beyond = beyond.format(f"(i32.gt_s (local.get {count}) {most})")
        if module.build.waiting:
            code += beyond
        else:
            stopped = f"(i32.store {module.header('over')} {i32(STOPPED)}) (br $finished)"
            # A mark never lies beyond the limit.
            code += (
                f"(if (i32.gt_s (local.get {count}) (global.get $mark)) (then {beyond} "
                f"(if (call $passed_mark (i32.load {cell})) (then {stopped}))))"
                f"(if (i32.and (global.get $horizon) (global.get $shuffled)) "
                f"(then {stopped}))"
            )
        return code + f"(i32.store {cell} (local.get {count}))"

    def count_position(self, choice: t.Choose, number: int) -> str:
        """The declared limit of repeated positions. Where play waits, the match counts them: its
        history is kept with its snapshots."""
        module = self.module
        limit = module.game.repeats_limit
        if limit is None or module.build.waiting:
            return ""
        over = f"(i32.store {module.header('over')} {i32(LIMITED)})"
        again = f"(i32.ge_s (call $repeated {i32(number)}) {i32(limit)})"
        return f"(if {again} (then {over} (br $finished)))"

    def fresh_search(self) -> str:
        """Searches get their allowance and their room anew, in games that have them."""
        if not self.module.searches:
            return ""
        stack = i32(self.module.memory.splits)
        return f"(global.set $searched (i32.const 0)) (global.set $stack {stack}) "

    def quick(self, choice: t.Choose) -> Moves | None:
        """The only move of a choice, if its legal moves are the candidates of one pick."""
        if len(choice.moves) != 1 or choice.fallback or self.module.build.waiting:
            return None
        moves = Moves(self.module, self.module.game.moves[choice.moves[0]])
        return moves if moves.simple else None

    def random_quick(self, choice: t.Choose, moves: Moves) -> str:
        """Choose and carry out at once, without a list; the move's text is inlined."""
        module, code = self.module, self.code
        number = module.sites.number(
            "no-legal-move", "the player who must choose here has no legal move", choice.span
        )
        none_left = f"(call $fail {i32(number)} (i32.const 0))"
        pick = moves.move.picks[0]
        pick_code = moves.random_pick(code, none_left)
        if module.tally is not None:
            pick_code += module.tally.add(f"move.{moves.move.name}", i32(1))
        pick_code += module.probes.passed("move", moves.move.name, moves.move.span)
        code.acting = True
        if pick.zone is not None:
            code.sources[pick.variable] = pick.zone
        leave, code.leave = code.leave, "(br $acted)"
        body = code.block_of(moves.move.body)
        code.leave, code.acting = leave, False
        return f"{pick_code} (block $acted {body})"
