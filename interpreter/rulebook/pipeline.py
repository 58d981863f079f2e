"""The whole road from a rule file to a game that can be played, in the order of its stages.

Each stage adds what is wrong to one `Problems` and passes on as much as it could read, so that
one run tells all mistakes. The checks over the whole game need a whole game: they are left out
while there is an error.
"""

from typing import TYPE_CHECKING

from .check import check
from .check.examples import check_examples
from .diagnostics import Problems, RuleFileError
from .document import Mapping, read_document
from .flatten import concerning, flatten
from .resolve import Resolver, Setting
from .resources import find_game, shipped_games, shipped_variants
from .schema import validate_structure
from .source import Source, read_source
from .suggest import closest
from .terms import CheckedGame

if TYPE_CHECKING:
    from .engine.game import Game

__all__ = [
    "Setting",
    "check_file",
    "check_text",
    "compile_file",
    "compile_source",
    "validate_file",
    "validate_source",
]

LINKS = ("extends", "uses", "remove")
"""The entries that bind a file to others."""


def compile_file(name_or_path: str, setting: Setting | None = None) -> "Game":
    """The game of a file at one setting, ready to play; `RuleFileError` with all its problems."""
    problems = Problems()
    source = load_source(name_or_path, problems)
    if source is None:
        raise RuleFileError(problems)
    return compile_source(source, setting)


def compile_source(source: Source, setting: Setting | None = None) -> "Game":
    """The same from text. WebAssembly is made when the game first runs."""
    # Imported here, as checking does without them.
    from .compile import compile_game
    from .engine.game import Game

    problems = Problems()
    setting = setting or Setting()
    document = load_document(source, problems)
    game = None if document is None else _finish(document, setting, problems)
    if game is not None and setting.players is not None:
        refuse_players(game, setting.players)
    program = None if game is None else compile_game(game, problems)
    if game is None or document is None or program is None:
        raise RuleFileError(problems)
    return Game(game, program, text_of(document, source), source.path)


def refuse_players(game: CheckedGame, players: int) -> None:
    low, high = game.player_range
    if not low <= players <= high:
        some = f"{low} players" if low == high else f"{low} to {high} players"
        raise ValueError(f"{game.name} is a game for {some}, not for {players}")


def check_file(
    name_or_path: str, setting: Setting | None = None
) -> tuple[CheckedGame | None, Problems]:
    """The game of a file, or of a shipped game by its name, at one setting; None after an error."""
    problems = Problems()
    source = load_source(name_or_path, problems)
    game = None if source is None else _check(source, setting or Setting(), problems)
    return game, problems


def check_text(
    text: str, path: str = "text", setting: Setting | None = None
) -> tuple[CheckedGame | None, Problems]:
    """The same for text that stands in no file; `path` is what messages call it."""
    problems = Problems()
    return _check(Source(path, text), setting or Setting(), problems), problems


def validate_file(name_or_path: str) -> Problems:
    """What is wrong with a file, at any number of players that it names."""
    problems = Problems()
    source = load_source(name_or_path, problems)
    if source is not None:
        validate_source(source, problems)
    return problems


def validate_source(source: Source, problems: Problems) -> None:
    """Add what is wrong with a source, at any number of players that it names."""
    document = load_document(source, problems)
    game = None if document is None else _finish(document, Setting(), problems)
    if document is None or game is None:
        return  # Other numbers of players would repeat the mistakes.
    low, high = game.player_range
    for players in range(low, high + 1):
        if players != game.players:
            _finish(document, Setting(players), problems)


def load_source(name_or_path: str, problems: Problems) -> Source | None:
    """The text of a file, or of a shipped game by its name."""
    path = find_game(name_or_path)
    if path.suffix or path.exists() or "/" in name_or_path:
        # As the user wrote it, unless it is a name.
        shown = name_or_path if path.name == name_or_path else str(path)
        return read_source(shown, problems)
    games = shipped_games()
    near = closest(name_or_path, [*games, *shipped_variants()])
    problems.add(
        "no-such-game",
        f"there is no file and no game called `{name_or_path}`",
        None,
        help=f"write `{near[0]}`" if near else f"the games are {', '.join(games)}",
    )
    return None


def load_document(source: Source, problems: Problems) -> Mapping | None:
    """The entries of a source with those of the files that it extends and uses, held against the
    schema. None where nothing can be used."""
    document = read_whole(source, problems)
    if document is not None:
        validate_structure(document, problems)
    return document


def read_whole(source: Source, problems: Problems) -> Mapping | None:
    """The same, before the schema has seen all of it. None too where a file that it names is not
    there: whatever comes from it would be reported as unknown."""
    document = read_document(source, problems)
    borrowed = document.entries.keys() & {"extends", "uses"} if document is not None else ()
    if document is None or not borrowed:
        return document
    # What says where other entries come from is not among the entries afterwards.
    links = {key: document.entries[key] for key in document.entries if key in LINKS}
    before = len(problems)
    validate_structure(Mapping(links, document.span), problems, part=True)
    return flatten(document, source, problems) if len(problems) == before else None


def text_of(document: Mapping, source: Source) -> str:
    """The text of a document as one rule file: what records keep."""
    from .flat import whole_text

    return whole_text(document, source)


def _check(source: Source, setting: Setting, problems: Problems) -> CheckedGame | None:
    document = load_document(source, problems)
    return None if document is None else _finish(document, setting, problems)


def _finish(document: Mapping, setting: Setting, problems: Problems) -> CheckedGame | None:
    resolver = Resolver(document, setting, problems)
    game = resolver.run()
    if not problems.errors:
        check_examples(resolver, game, setting.players, problems)
        found = Problems()
        check(game, found)
        for problem in concerning(found, document):
            problems.take(problem)
    return None if problems.errors else game
