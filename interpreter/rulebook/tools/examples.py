"""Running the examples of a rule file: situations, and what must hold in them.

Every expression under `expect` becomes a definition of its own, so that it is read, resolved and
compiled like the rest of the file, with its mistakes told at their places. Examples with the same
players and options share one compiled game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from rulebook import parse
from rulebook import terms as t
from rulebook.compile import compile_game
from rulebook.diagnostics import Problems
from rulebook.document import Entry, Mapping, Scalar
from rulebook.engine.explain import Why
from rulebook.engine.game import Game
from rulebook.engine.match import IllegalMove, Match, RuleError
from rulebook.engine.reasons import Reason, explain, run_judge
from rulebook.engine.setup import build_state
from rulebook.engine.words import listed
from rulebook.example import Example, Wrong, plain, read_value
from rulebook.kinds import Flag, Members, Numbers, SetOf, Unknown
from rulebook.pipeline import load_document, load_source, text_of
from rulebook.resolve import Resolver, Setting
from rulebook.resolve.namespace import Scope
from rulebook.source import Source, Span
from rulebook.suggest import closest
from rulebook.tools.deals import deal
from rulebook.wasm.machine import Trap

Watch = Callable[[Game], None]
"""Is shown each game after its examples were run."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that an example says: of `what` (an expression or a move), `expected` is what must
    be and `found` what is, in the words of the file."""

    what: str
    expected: str
    found: str
    passed: bool
    span: Span
    why: Why | None = None
    """How a value came about that is not the expected one."""
    rule: Span | None = None
    """The rule line that decides about a move."""


@dataclass(slots=True)
class Result:
    """One example that was run."""

    label: str
    span: Span
    given: dict[str, str]
    """What lies where and which values hold, as the file writes it."""
    checks: list[Check] = field(default_factory=list)
    stopped: str = ""
    """Why nothing was checked: the rules went wrong, or a move was refused."""

    @property
    def passed(self) -> bool:
        return not self.stopped and all(check.passed for check in self.checks)


def run_file(name_or_path: str, problems: Problems) -> list[Result]:
    """Run all examples of a file, or of a shipped game by its name, in the order of the file.

    `problems` gets what is wrong with the file, and with examples that cannot be run; those have
    no result.
    """
    source = load_source(name_or_path, problems)
    return [] if source is None else run_source(source, problems)


def run_source(
    source: Source,
    problems: Problems,
    *,
    watch: Watch | None = None,
    explain_wrong: bool = True,
    until_wrong: bool = False,
) -> list[Result]:
    """The same from text. With `watch` the games count what takes part; `until_wrong` stops at the
    first example that does not hold."""
    document = load_document(source, problems)
    part = None if document is None else document.get("examples")
    if document is None or problems.errors or not isinstance(part, Mapping):
        return []
    groups: dict[object, list[Example]] = {}
    for entry in part.entries.values():
        example = Example(entry)
        groups.setdefault(example.setting, []).append(example)
    results: dict[str, Result] = {}
    for some in groups.values():
        runner = prepare(document, source, some, problems)
        if runner is None:
            continue
        runner.explains = explain_wrong
        if watch is not None:
            # The probed build stands in for the plain one: it counts what it does.
            runner.game.wasm, runner.game.machine = runner.game.probed.wasm, runner.game.probed
        for example in some:
            try:
                results[example.label] = runner.run(example)
            except Wrong as wrong:
                wrong.tell(problems)
            if until_wrong and (problems.errors or not results[example.label].passed):
                return list(results.values())
        if watch is not None:
            watch(runner.game)
    return [results[label] for label in part.entries if label in results]


def prepare(
    document: Mapping, source: Source, examples: list[Example], problems: Problems
) -> Runner | None:
    """The game for the examples of one setting; None, with problems, if it cannot be made."""
    players, options = examples[0].setting
    setting = Setting(int(players) if players else None, dict(options))
    resolver = Resolver(document, setting, problems)
    game = resolver.run()
    low, high = game.player_range
    if players and not low <= int(players) <= high:
        message = f"the game is not for {players} players"
        Wrong(message, examples[0].place("players")).tell(problems)
    names: dict[int, str] = {}
    for example in examples:
        for entry in example.entries("expect"):
            # A dot stands in no name of a rule file.
            name = names[id(entry.key)] = f"expect.{len(names)}"
            node = parse.read_expression(entry.key, problems)
            if node is None:
                continue
            term = resolver.expressions.term(node, Scope("pure"))
            if not isinstance(term.kind, Numbers | Members | SetOf | Flag | Unknown):
                Wrong(f"`{entry.key.text}` has no value", entry.key.span).tell(problems)
            body = (t.Return(node.span, term),)
            game.definitions[name] = t.Definition(name, (), term.kind, body, entry.key.span)
    program = None if problems.errors else compile_game(game, problems)
    if program is None:
        return None
    return Runner(Game(game, program, text_of(document, source), source.path), names)


def begin_at(source: Source, label: str, problems: Problems) -> Match | str | None:
    """The match of one example, after its moves; None with problems. A text says that there is no
    such example, or why it cannot be begun."""
    document = load_document(source, problems)
    part = None if document is None else document.get("examples")
    if document is None or problems.errors:
        return None
    known = part.entries if isinstance(part, Mapping) else {}
    entry = known.get(label)
    if entry is None:
        near = closest(label, list(known))
        return f"there is no example `{label}`" + (f"; did you mean `{near[0]}`?" if near else "")
    example = Example(entry)
    runner = prepare(document, source, [example], problems)
    if runner is None:
        return None
    try:
        match = runner.stand(example, runner.asked_move(example))
        for text, _ in example.moves("play"):
            match.play(text.text)
        match.example, match.given = label, len(match.played)
    except Wrong as wrong:
        wrong.tell(problems)
        return None
    except (RuleError, IllegalMove) as error:
        return str(error)
    return match


class Runner:
    """One game, and the names of the definitions made for expressions, by the ids of their keys."""

    def __init__(self, game: Game, names: dict[int, str]) -> None:
        self.game = game
        self.names = names
        self.explains = True

    def run(self, example: Example) -> Result:
        """What holds in an example. `Wrong` if it cannot be run."""
        given = {
            entry.key.text: entry.value.span.text
            for key in ("given", "deal")
            for entry in example.entries(key)
        }
        result = Result(example.label, example.span, given)
        move = self.asked_move(example)
        try:
            match = self.stand(example, move)
            for text, _ in example.moves("play"):
                match.play(text.text)
        except (RuleError, IllegalMove) as error:
            result.stopped = str(error)
            return result
        result.checks += [self.expect(match, entry) for entry in example.entries("expect")]
        for key in ("legal", "illegal"):
            for text, reason in example.moves(key):
                found = self.judge(match, move, text) if move else match.why(text.text)
                result.checks.append(weigh(text, key == "legal", reason, found))
        if "winners" in example.parts.entries:
            result.checks.append(self.winners(match, example))
        if not result.checks and "play" not in example.parts.entries:
            raise Wrong("nothing is expected here", example.span, "write `expect:` or `legal:`")
        return result

    def stand(self, example: Example, move: str) -> Match:
        """A match at the place where the example begins: at a choice, in a position where nothing
        has happened yet, or after a step in which nobody chooses."""
        step = example.word("at")
        wanted = {entry.key.text: plain(entry.value) for entry in example.entries("deal")}
        if wanted:
            match = self.place(example, "match" if move else step or "match")
            try:
                return deal(self.game, match.state, wanted)
            except ValueError as error:
                raise Wrong(str(error), example.place("deal")) from None
        declared = self.game.checked.steps.get(step)
        if declared is not None and not declared.waits:
            match = self.place(example, "match")
            return self.do_step(match, declared, example)
        match = self.place(example, "match" if move else step or "match")
        if not move and {"at", "play"} & set(example.parts.entries):
            match.begin(match.state)
        return match

    def do_step(self, match: Match, step: t.Step, example: Example) -> Match:
        if step.parameters:
            raise Wrong(f"`{step.name}` is of something", example.place("at"))
        if "play" in example.parts.entries:
            raise Wrong(f"nobody chooses in `{step.name}`", example.place("play"))
        machine = self.game.machine
        machine.state = match.state
        try:
            machine.call(f"step.{step.name}")
        except Trap as trap:
            raise RuleError(match._problem(trap)) from None
        match.state = machine.state
        return match

    def winners(self, match: Match, example: Example) -> Check:
        node = example.parts.entries["winners"].value
        seats = plain(node)
        found: object = sorted(str(seat) for seat in match.winners) or "nobody"
        if not match.over:
            found = "not yet"
        if isinstance(seats, str) and seats not in ("nobody", "not yet"):
            seats = [seats]
        wanted = sorted(seats) if isinstance(seats, list) else seats
        return Check(
            "winners", in_words(wanted), in_words(found), found == wanted, example.place("winners")
        )

    def asked_move(self, example: Example) -> str:
        """The move that legality is asked of where no step is under way, else nothing."""
        moves = list(self.game.checked.moves)
        at = example.word("at")
        if at in moves and "play" in example.parts.entries:
            raise Wrong("moves are played from a step on", example.place("at"), "name a step")
        if at or not {"legal", "illegal"} & set(example.parts.entries):
            return at if at in moves else ""
        if len(moves) == 1:
            return moves[0]
        raise Wrong("no move is named here", example.span, f"write `at: {moves[0]}`")

    def place(self, example: Example, step: str) -> Match:
        """A match that stands where the example says, before anything happens."""
        match = Match(self.game, 0, {})
        given = {entry.key.text: plain(entry.value) for entry in example.entries("given")}
        self.game.machine.call("reset", 0)
        try:
            match.state = build_state(self.game, self.game.machine.state, given, step)
        except ValueError as error:
            part = "given" if "given" in example.parts.entries else "at"
            raise Wrong(str(error), example.place(part)) from None
        return match

    def expect(self, match: Match, entry: Entry) -> Check:
        name = self.names[id(entry.key)]
        kind = self.game.checked.definitions[name].kind
        wanted = read_value(entry.value, kind)
        try:
            value = self.game.value(match.state, name)
        except RuleError as error:
            return Check(entry.key.text, in_words(wanted), str(error), False, entry.key.span)
        same = value == wanted
        if isinstance(value, list) and isinstance(wanted, list):
            same = sorted(value) == sorted(wanted)
        why = None if same or not self.explains else self.why(match, name, entry.key.text)
        return Check(entry.key.text, in_words(wanted), in_words(value), same, entry.key.span, why)

    def why(self, match: Match, name: str, text: str) -> Why | None:
        try:
            tree = match.why_value(name)
        except (KeyError, ValueError):
            return None
        tree.text, tree.rule = text, None
        # The expression is the only line of its own definition.
        *asked, line = tree.parts or [tree]
        if tree.parts:
            tree.parts = [*asked, *line.parts]
        first = tree.parts[0] if len(tree.parts) == 1 else None
        return first if first is not None and first.value == tree.value and first.rule else tree

    def judge(self, match: Match, move: str, text: Scalar) -> Reason:
        """A move judged by its rules alone, whoever was asked for it."""
        choices = self.game.program.choices
        if not any(move in (*choice.moves, *choice.fallback) for choice in choices):
            raise Wrong(f"no step offers the move `{move}`", text.span)
        reader = self.game.reader
        found = reader.find(text.text, reader.imagined((move,), text.text))
        if len({one.text for one in found}) != 1:
            raise Wrong(f"`{text.text}` is no one move of `{move}`", text.span)
        stage = run_judge(match, found[0])
        return Reason(True, "") if stage < 0 else explain(match, found[0], stage)


def weigh(text: Scalar, legal: bool, reason: str, found: Reason) -> Check:
    """Whether a move is as legal as it should be, and for the reason given."""
    words = {True: "legal", False: "not legal"}
    heard = words[found.legal] + (f": {found.sentence}" if reason and not found.legal else "")
    wanted = words[legal] + (f": {reason}" if reason else "")
    passed = found.legal is legal and (legal or reason in found.sentence)
    if not passed and not found.legal and not reason:
        heard = f"{heard}: {found.sentence}"
    return Check(text.text, wanted, heard, passed, text.span, rule=found.rule)


def in_words(value: object) -> str:
    """A value of `Game.value` in the words of the file."""
    if isinstance(value, list):
        return listed(value) if value else "empty"
    words: dict[object, str] = {None: "none", True: "yes", False: "no"}
    return words[value] if value is None or isinstance(value, bool) else str(value)
