"""Checked game to program: blocks for what waits, addresses for what lasts.

Order: refuse what is not built yet, cut waiting steps into blocks, then lay out the state (blocks
may need hidden cells for their loops).
"""

from __future__ import annotations

from collections.abc import Callable

from rulebook import terms as t
from rulebook.diagnostics import Problems
from rulebook.kinds import SetOf
from rulebook.program import (
    Apply,
    Block,
    Branch,
    Enter,
    Exit,
    ForNext,
    ForStart,
    Jump,
    Keep,
    Layout,
    Leave,
    Offer,
    Program,
    Reveal,
    SetParameters,
    TimesNext,
    TimesStart,
    Turn,
    row_size,
    set_words,
)
from rulebook.walks import inside, may_end, parts


def compile_game(game: t.CheckedGame, problems: Problems) -> Program | None:
    """The program of a checked game, or None with a problem for each construct not built yet."""
    before = len(problems)
    refuse_unbuilt(game, problems)
    if len(problems) > before:
        return None
    return Lowering(game).run()


# ---- what is not built yet ----


def refuse_unbuilt(game: t.CheckedGame, problems: Problems) -> None:
    def refuse(what: str, node: t.Base | t.Node) -> None:
        problems.add(
            "not-supported-yet", f"{what} can be written and checked, but not played yet", node.span
        )

    for node in parts(game):
        if isinstance(node, t.Later):
            refuse(node.what, node)
        elif isinstance(node, t.For) and not isinstance(node.subject.kind, SetOf):
            choices = any(waits(game, one) for one in inside(node.body))
            if choices and not isinstance(node.subject, t.RangeOf):
                refuse("choices in a walk over groups of cards or chosen numbers", node)


def waits(game: t.CheckedGame, node: object) -> bool:
    """Whether the statement itself waits for a choice."""
    if isinstance(node, t.Do):
        return game.steps[node.step].waits
    return isinstance(node, t.Choose | t.Secretly)


# ---- blocks ----


class Lowering:
    def __init__(self, game: t.CheckedGame) -> None:
        self.game = game
        self.blocks: list[Block] = []
        self.entries: dict[str, int] = {}
        self.exits: dict[str, int] = {}
        self.choices: list[t.Choose] = []
        self.step = ""
        self.secret: set[int] = set()
        self.hidden: list[tuple[int, str, int]] = []

    def run(self) -> Program:
        order = self.waiting_steps()
        self.step = "match"
        for name in order:
            self.entries[name] = self.new(name)
            self.exits[name] = self.new(name)
        for name in order:
            self.step = name
            block = self.body(self.game.steps[name].body, self.entries[name])
            self.close(block, Jump(self.exits[name]))
            self.blocks[self.exits[name]].exit = Leave(name)
        self.renumber()
        program = Program(
            self.game,
            self.layout(),
            self.blocks,
            self.entries,
            self.exits,
            self.choices,
            self.secret,
            may_end(self.game),
        )
        return program

    def waiting_steps(self) -> list[str]:
        """`match` first, even if it never waits."""
        names = [name for name, step in self.game.steps.items() if step.waits]
        return ["match", *(name for name in names if name != "match")]

    def new(self, step: str | None = None) -> int:
        self.blocks.append(Block(step or self.step))
        return len(self.blocks) - 1

    def close(self, block: int | None, exit: Exit) -> None:
        if block is not None:
            self.blocks[block].exit = exit

    def waits(self, statements: tuple[t.Statement, ...]) -> bool:
        return any(self.waiting(statement) for statement in statements)

    def waiting(self, statement: t.Statement) -> bool:
        if waits(self.game, statement):
            return True
        if isinstance(statement, t.If):
            return any(self.waits(block) for _, block in statement.branches)
        return isinstance(statement, t.For | t.Repeat | t.While) and self.waits(statement.body)

    def body(self, statements: tuple[t.Statement, ...], block: int) -> int:
        """Lower into `block` and the blocks after it; the block where control comes out."""
        for statement in statements:
            if not self.waiting(statement):
                self.blocks[block].actions.append(statement)
            elif isinstance(statement, t.Choose):
                block = self.choose(statement, block)
            elif isinstance(statement, t.Secretly):
                block = self.secretly(statement, block)
            elif isinstance(statement, t.Do):
                back = self.new()
                if statement.arguments:
                    self.blocks[block].actions.append(SetParameters(statement))
                self.close(block, Enter(statement.step, self.entries[statement.step], back))
                block = back
            elif isinstance(statement, t.If):
                block = self.branches(statement, block)
            elif isinstance(statement, t.For):
                block = self.walk(statement, block)
            elif isinstance(statement, t.Repeat):
                block = self.repeat(statement, block)
            elif isinstance(statement, t.While):
                block = self.while_(statement, block)
        return block

    def choose(self, statement: t.Choose, block: int) -> int:
        self.choices.append(statement)
        choice = len(self.choices) - 1
        resume, after = self.new(), self.new()
        self.close(block, Offer(choice, resume, after))
        self.blocks[resume].actions.append(Apply(choice))
        self.close(resume, Jump(after))
        return after

    def secretly(self, statement: t.Secretly, block: int) -> int:
        """A walk round the players in which each choice is only kept, and then done for all."""
        loop = statement.loop
        row = row_size(self.game)
        self.hidden.append((id(loop), "all", self.rest_size(loop)))
        self.hidden.append((id(loop), "rows", row * self.game.players))
        self.choices.append(statement.choice)
        choice = len(self.choices) - 1
        self.secret.add(choice)

        def ask(body: int) -> int:
            resume = self.new()
            self.close(body, Offer(choice, resume, resume))
            self.blocks[resume].actions.append(Keep(choice, loop))
            return resume

        done = self.walk(loop, block, ask)
        self.blocks[done].actions.append(Reveal(choice, loop))
        return done

    def branches(self, statement: t.If, block: int) -> int:
        ends: list[int] = []
        current: int | None = block
        for condition, body in statement.branches:
            assert current is not None
            if condition is None:
                ends.append(self.body(body, current))
                current = None
                break
            then = self.new()
            ends.append(self.body(body, then))
            other = self.new()
            self.close(current, Branch(condition, then, other))
            current = other
        done = self.new() if current is None else current
        for end in ends:
            self.close(end, Jump(done))
        return done

    def walk(self, loop: t.For, block: int, lower_body: Callable[[int], int] | None = None) -> int:
        self.hidden.append((id(loop), "rest", self.rest_size(loop)))
        if loop.start is not None:
            self.hidden.append((id(loop), "start", 4))
        self.blocks[block].actions.append(ForStart(loop))
        head, body = self.new(), self.new()
        self.close(block, Jump(head))
        end = lower_body(body) if lower_body else self.body(loop.body, body)
        done = self.new()
        self.close(head, ForNext(loop, body, done))
        self.close(end, Jump(head))
        return done

    def rest_size(self, loop: t.For) -> int:
        kind = loop.subject.kind
        if isinstance(kind, t.Base) or not hasattr(kind, "enumeration"):
            return 4
        return 8 * set_words(kind.enumeration)

    def repeat(self, loop: t.Repeat, block: int) -> int:
        if loop.times is not None:
            self.hidden.append((id(loop), "times", 4))
            self.blocks[block].actions.append(TimesStart(loop))
            head, body = self.new(), self.new()
            self.close(block, Jump(head))
            end = self.body(loop.body, body)
            done = self.new()
            self.close(head, TimesNext(loop, body, done))
            self.close(end, Turn(head, loop.span))
            return done
        body = self.new()
        self.close(block, Jump(body))
        end = self.body(loop.body, body)
        done = self.new()
        if loop.until is None:
            self.close(end, Turn(body, loop.span))
        else:
            again = self.new()
            self.close(end, Branch(loop.until, done, again))
            self.close(again, Turn(body, loop.span))
        return done

    def while_(self, loop: t.While, block: int) -> int:
        head, body = self.new(), self.new()
        self.close(block, Jump(head))
        end = self.body(loop.body, body)
        done = self.new()
        self.close(head, Branch(loop.condition, body, done))
        self.close(end, Turn(head, loop.span))
        return done

    def renumber(self) -> None:
        """Blocks in the order in which control mostly runs, so that most jumps go forward or fall
        through. Depth first from the entry of each step, the next one first."""
        order: list[int] = []
        seen: set[int] = set()

        def visit(first: int) -> None:
            stack = [first]
            while stack:
                block = stack.pop()
                if block in seen:
                    continue
                seen.add(block)
                order.append(block)
                stack.extend(reversed(successors(self.blocks[block])))

        for entry in [self.entries["match"], *self.entries.values(), *range(len(self.blocks))]:
            visit(entry)
        place = {block: position for position, block in enumerate(order)}
        self.blocks = [self.blocks[block] for block in order]
        for block in self.blocks:
            block.exit = moved(block.exit, place)
        self.entries = {name: place[block] for name, block in self.entries.items()}
        self.exits = {name: place[block] for name, block in self.exits.items()}

    # ---- layout ----

    def layout(self) -> Layout:
        game = self.game
        card = game.enumerations["card"]
        layout = Layout(card.size, set_words(card))
        layout.chances = layout.take(4 * len(game.chances))
        layout.places = layout.take((game.players + 3) // 4 * 4)
        for name in self.entries:
            layout.returns[name] = layout.take(4)
        for key, what, size in self.hidden:
            layout.hidden[key, what] = layout.take(size, 8 if size >= 8 else 4)
            layout.hidden_cells.append((layout.hidden[key, what], size))
        for variable in lasting_variables(game):
            width = layout.width(variable.kind)
            layout.frame[variable] = layout.take(width, min(width, 8))
        layout.table = layout.take(0, 8)
        for state in game.state.values():
            width = layout.width(state.kind)
            layout.state[state] = layout.take(width * state.size, min(width, 8))
        for zone in game.zones.values():
            layout.slots[zone] = layout.slot_count
            layout.slot_count += zone.size
        layout.lies = layout.take(0, 8)
        for zone in game.zones.values():
            layout.bits[zone] = layout.take(8 * layout.words * zone.size, 8)
        layout.table_size = layout.size - layout.table
        for zone in game.zones.values():
            if zone.ordered:
                layout.orders[zone] = layout.take(layout.order_stride * zone.size)
        layout.faces = layout.take(8 * layout.words, 8)
        layout.moved_by = layout.take((card.size + 7) // 8 * 8)
        layout.take(0, 8)
        layout.size = -(-layout.size // 8) * 8
        return layout


def successors(block: Block) -> list[int]:
    exit = block.exit
    if isinstance(exit, Jump | Turn):
        return [exit.target]
    if isinstance(exit, Branch):
        return [exit.then, exit.other]
    if isinstance(exit, Offer):
        return [exit.resume]
    if isinstance(exit, Enter):
        return [exit.entry, exit.back]
    if isinstance(exit, ForNext | TimesNext):
        return [exit.body, exit.done]
    return []


def moved(exit: Exit | None, place: dict[int, int]) -> Exit | None:
    """An exit with its targets renumbered."""
    if isinstance(exit, Jump):
        return Jump(place[exit.target])
    if isinstance(exit, Turn):
        return Turn(place[exit.target], exit.span)
    if isinstance(exit, Branch):
        return Branch(exit.condition, place[exit.then], place[exit.other])
    if isinstance(exit, Offer):
        return Offer(exit.choice, place[exit.resume], place[exit.after])
    if isinstance(exit, Enter):
        return Enter(exit.step, place[exit.entry], place[exit.back])
    if isinstance(exit, ForNext):
        return ForNext(exit.loop, place[exit.body], place[exit.done])
    if isinstance(exit, TimesNext):
        return TimesNext(exit.loop, place[exit.body], place[exit.done])
    return exit


def lasting_variables(game: t.CheckedGame) -> list[t.Variable]:
    """Locals of waiting steps that can be alive across a choice."""
    found: dict[t.Variable, None] = {}
    for step in game.steps.values():
        found.update(dict.fromkeys(step.parameters))
        for node in inside(step.body):
            variable = getattr(node, "variable", None)
            if isinstance(variable, t.Variable) and variable.lasting:
                found[variable] = None
    return list(found)


def orders_that_matter(game: t.CheckedGame) -> set[t.Zone]:
    """Ordered zones whose order some rule can come to see: by an end, a deal, a shuffle, or because
    cards go on in that order to another such zone."""
    nodes = list(parts(game))
    found: set[t.Zone] = set()
    for node in nodes:
        if isinstance(node, t.EndCard | t.EndCards | t.Shuffle):
            found.add(node.zone.zone)
        elif isinstance(node, t.Deal):
            found.add(node.source.zone)
        elif isinstance(node, t.Above):
            found.update(game.zones.values())
    ordered = {zone for zone in game.zones.values() if zone.ordered}
    moves = [node for node in nodes if isinstance(node, t.MoveCards)]
    while True:
        more: set[t.Zone] = set()
        for move in moves:
            if move.zone.zone in found and not isinstance(move.cards, t.Single):
                more |= {move.source.zone} if move.source else ordered
        if more <= found:
            return found & ordered
        found |= more
