"""`rulebook play`: a game at the terminal, with people and bots."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Annotated

import typer

from .leave import INTERRUPTED, problems, usage
from .replay import read_record, replayed

if TYPE_CHECKING:
    from ..diagnostics import RuleFileError
    from ..engine.match import Match
    from ..engine.record import Record
    from ..players.sitting import Sitting

MAX_NAME = 20
WORTH_KEEPING = 3
"""From so many moves of people on, it is said that they are lost."""


def run(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="A rule file, or a shipped game's name.")
    ] = None,
    players: Annotated[str | None, typer.Option(metavar="N", help="How many play.")] = None,
    seat: Annotated[
        str | None,
        typer.Option(metavar="N[,N]", help="Where people sit, counted from 0: seat 0 is player 1."),
    ] = None,
    names: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="The players' names, by seat.")
    ] = None,
    bots: Annotated[
        str,
        typer.Option(
            metavar="BOT[,BOT]",
            help="Who plays at the other seats: random, search, module:Class or exec:PROGRAM.",
        ),
    ] = "random",
    think: Annotated[
        str | None, typer.Option(metavar="MS", help="How long `search` thinks about a move.")
    ] = None,
    seed: Annotated[
        str | None, typer.Option(metavar="N", help="The same seed gives the same game.")
    ] = None,
    set: Annotated[
        list[str] | None, typer.Option(metavar="OPTION=VALUE", help="Choose an option's value.")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Bots everywhere; see it all.")] = False,
    from_: Annotated[
        str | None,
        typer.Option("--from", metavar="EXAMPLE", help="Begin at an example of the file."),
    ] = None,
    record: Annotated[
        str | None, typer.Option(metavar="FILE", help="Keep a record, saved after every move.")
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Go on from a record, and with it; --record: elsewhere."),
    ] = None,
) -> None:
    """Play a game at the terminal.

    Exits with 0 at the end of the game or of the input, 1 if the rules go wrong, 2 if the command
    itself is not understood, 130 after Ctrl-C.
    """
    pause = None if think is None else number("--think", think)
    if pause == 0:
        usage("`--think 0` leaves no time to think: write milliseconds, from 1 up")
    if watch and seat is not None:
        usage("`--watch` has bots everywhere, so it goes without `--seat`")
    if record is not None:
        refuse_file(record)
    gc.disable()  # What is made before play begins is all in use to the end.
    try:
        if resume is not None:
            given = {"--players": players, "--seed": seed, "--set": set or None}
            told = [name for name, value in given.items() if value is not None]
            if told:
                usage(f"`{told[0]}` cannot be changed with `--resume`: the record has its own")
            kept = read_record(resume)
            match = resumed(kept, game, resume)
            if record is None and not cannot_write(resume):
                record = resume
        elif game is None:
            usage("which game? `rulebook games` lists those there are")
        else:
            kept = None
            many = None if players is None else number("--players", players)
            start = None if seed is None else number("--seed", seed)
            if from_ is None:
                match = begun(game, many, set or [], start)
            else:
                if many is not None or start is not None or set:
                    usage("an example has its own players, options and chance")
                match = from_example(game, from_)
        given_names(match, names)
        people = [] if watch else seats_of(seat, match, kept)
        sitting = sit(match, people, record, kept, bots, pause)
        finished = play(sitting, resume)
    except KeyboardInterrupt:
        typer.echo("Stopped before play began.")
        raise typer.Exit(INTERRUPTED) from None
    finally:
        gc.enable()
    if not finished and not people:
        raise typer.Exit(1)


def play(sitting: Sitting, resumed_from: str | None) -> bool:
    """The sitting, ended cleanly however it ends."""
    gc.freeze()
    gc.enable()
    from ..players.bots import BotFault
    from ..players.sitting import heading

    screen, match = sitting.screen, sitting.match
    screen.write(heading(screen, match), "bold")
    if resumed_from is not None:
        screen.write(f"Resumed after {moves(match)}.")
        if sitting.path is None:
            screen.tell(f"What follows is not kept: {cannot_write(resumed_from)}.")
        else:
            screen.tell(f"What follows is kept in {sitting.path}.")
    try:
        finished = sitting.run()
    except BotFault as fault:
        sitting.save()
        screen.tell(f"{fault} Stopped after {moves(match)}. {kept_where(sitting)}".rstrip())
        raise typer.Exit(1) from None
    except (KeyboardInterrupt, EOFError) as end:
        sitting.save()  # It may have come between a move and its saving.
        screen.console.file.write("\n" if isinstance(end, KeyboardInterrupt) else "")
        stopped(sitting)
        if isinstance(end, KeyboardInterrupt):
            raise typer.Exit(INTERRUPTED) from None
        return True
    if not finished:
        stopped(sitting)
    return finished


def stopped(sitting: Sitting) -> None:
    """The last words where play ends early."""
    match, screen = sitting.match, sitting.screen
    screen.tell(f"Stopped after {moves(match)}. {kept_where(sitting)}".rstrip())
    lost = sitting.path is None and sitting.saved is None and not match.over
    if lost and sum(seat in sitting.people for seat, _ in match.played) >= WORTH_KEEPING:
        again = "" if match.example else f"; --seed {match.seed} deals the same again"
        screen.write(f"These moves are not kept{again}. --record FILE or `save` would keep them.")


def moves(match: Match) -> str:
    return counted(len(match.played) - match.given)


def counted(count: int) -> str:
    return "1 move" if count == 1 else f"{count} moves"


def kept_where(sitting: Sitting) -> str:
    """How to come back to a game that was stopped."""
    if sitting.match.over:
        return ""
    if sitting.path is not None:
        return f"Go on with: rulebook play --resume {sitting.path}"
    if sitting.saved is not None:
        path, count = sitting.saved
        since = "" if count == len(sitting.match.played) else f" (saved after {counted(count)})"
        return f"Go on with: rulebook play --resume {path}{since}"
    return ""


# ---- the match ----


def begun(path: str, players: int | None, settings: list[str], seed: int | None) -> Match:
    from ..diagnostics import RuleFileError
    from ..engine.game import load
    from ..engine.match import RuleError

    try:
        game = load(path, players, options_of(settings))
        return game.start(seed)
    except RuleFileError as error:
        refuse_options(error)
        problems(error.problems)
    except RuleError as error:
        problems([error.problem])
    except ValueError as error:
        usage(str(error))


def from_example(path: str, label: str) -> Match:
    """A match that stands where an example does, its moves made."""
    from ..diagnostics import Problems
    from ..pipeline import load_source
    from ..tools.examples import begin_at

    found = Problems()
    source = load_source(path, found)
    match = None if source is None else begin_at(source, label, found)
    if match is None:
        problems(found)
    if isinstance(match, str):
        usage(match)
    if match.over:
        usage(f"the game is over in `{label}`")
    if not match.rows:
        usage(f"nobody is to choose in `{label}`: only examples with `at:` a step can be played")
    return match


def number(option: str, text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 20 or int(text) >= 2**64:
        usage(f"`{option} {text}` is not a number from 0 up")
    return int(text)


def options_of(settings: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.strip() or not value.strip():
            usage(f"`--set {setting}` is not `option=value`")
        if name.strip() in found:
            usage(f"`--set` names the option `{name.strip()}` twice")
        found[name.strip()] = value.strip()
    return found


def refuse_options(error: RuleFileError) -> None:
    """Leave with a sentence if all that is wrong are the options given."""
    found = list(error.problems)
    slugs = ("unknown-option", "bad-option", "option-condition")
    wrong = [problem for problem in found if problem.slug in slugs]
    if not wrong or any(p.severity == "error" and p not in wrong for p in found):
        return
    usage(f"{wrong[0].message}; {wrong[0].help}")


def resumed(record: Record, game: str | None, path: str) -> Match:
    if game is not None:
        other = other_game(game, record)
        if other:
            usage(f"`{path}` is a record of {record.game}, not of {other}")
    match = replayed(record, path)
    if match.over:
        usage(f"the game in `{path}` is over; `rulebook replay {path}` shows it")
    return match


def other_game(path: str, record: Record) -> str:
    """The name of the game of a file, if it is another than the record's."""
    from ..diagnostics import Problems
    from ..pipeline import check_file, load_source

    found = Problems()
    source = load_source(path, found)
    if source is None:
        problems(found)
    if source.text == record.rules:
        return ""
    checked, found = check_file(path)
    if checked is None:
        problems(found)
    return "" if checked.name == record.game else checked.name


# ---- who plays ----


def given_names(match: Match, names: str | None) -> None:
    if names is None:
        return
    found = [" ".join(name.split()) for name in names.split(",")]
    count = match.game.players
    if len(found) > count:
        usage(f"`--names` has {len(found)} names for {count} players")
    if len({name.lower() for name in found}) < len(found) or "" in found:
        usage("`--names` has an empty name, or one twice")
    for name in found:
        if not name.isprintable() or len(name) > MAX_NAME:
            usage(f"a name has at most {MAX_NAME} signs, all of them printable")
    kept = match.words.players[len(found) :]
    match.name_players([*found, *kept])


def seats_of(text: str | None, match: Match, record: Record | None) -> list[int]:
    if text is None:
        return record.people if record is not None and record.people else [0]
    found: list[int] = []
    count = match.game.players
    for part in text.split(","):
        part = part.strip()
        if not part.isascii() or not part.isdigit():
            usage(f"`--seat {text}` is not a seat, nor several with commas between")
        if int(part[:9]) >= count:
            usage(f"there is no seat {part}: with {count} players, the seats are 0 to {count - 1}")
        if int(part) in found:
            usage(f"`--seat` names seat {part} twice")
        found.append(int(part))
    return sorted(found)


def sit(
    match: Match,
    people: list[int],
    record: str | None,
    kept: Record | None,
    bots: str,
    think: int | None,
) -> Sitting:
    from ..players.bots import UnknownBot, seat_bots
    from ..players.person import Person
    from ..players.sitting import Sitting
    from ..render.screen import Screen

    screen = Screen()
    seats = [seat for seat in range(match.game.players) if seat not in people]
    try:
        made = seat_bots(match.game, bots, seats, match.seed, think) if seats else {}
    except UnknownBot as error:
        usage(str(error))
    persons = {seat: Person(screen, seat, think) for seat in people}
    for person in persons.values():
        if made and bots == "random":
            person.against = "The bots move at random: those of `--bots search` think."
    return Sitting(
        screen,
        match,
        persons,
        made,
        record,
        list(kept.notes) if kept is not None else [],
    )


def refuse_file(path: str) -> None:
    """Leave before play begins if the record cannot be written."""
    wrong = cannot_write(path)
    if wrong:
        usage(wrong)


def cannot_write(path: str) -> str:
    """Why a record cannot be written to a file: "" if it can."""
    import os
    from pathlib import Path

    from ..players.sitting import cannot_save

    wrong = cannot_save(path)
    folder = Path(path).parent
    if not wrong and not folder.is_dir():
        wrong = f"there is no directory `{folder}`"
    if not wrong and not os.access(folder, os.W_OK):
        wrong = f"`{path}` cannot be written: permission denied"
    return wrong
