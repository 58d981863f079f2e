"""One match from the first choice to the end: players choose in turn, wishes are granted, and a
record is kept after every move."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rulebook.diagnostics import Problem
from rulebook.engine.events import SPECTATOR, Chose
from rulebook.engine.match import Match, RuleError
from rulebook.engine.moves import Move
from rulebook.engine.view import fold
from rulebook.engine.words import listed
from rulebook.players.person import Person, Wish
from rulebook.render.screen import Screen
from rulebook.render.story import onlooked, revealed, story, what_was_chosen
from rulebook.render.table import TableView

if TYPE_CHECKING:
    from rulebook.engine.record import Record
    from rulebook.players import Player


class Sitting:
    """`people` and `bots` by seat. `record` is the file to save to, if any."""

    def __init__(
        self,
        screen: Screen,
        match: Match,
        people: Mapping[int, Person],
        bots: Mapping[int, Player],
        record: str | None,
        notes: list[tuple[int, str]],
    ) -> None:
        self.screen = screen
        self.match = match
        self.people = people
        self.bots = bots
        self.path = record
        self.notes = notes
        self.told = len(match.events) if match.played else 0
        self.asked = (-1, -1)
        """When a person was asked last, so that the table is not drawn twice for one choice."""
        self.saved: tuple[str, int] | None = None
        """The file of the last `save`, and how many moves were played then."""
        self.facing: int | None = None
        """The seat of the person who may look at the screen."""

    # ---- the loop ----

    def run(self) -> bool:
        """Play to the end. False if somebody stopped, or the rules went wrong with no person
        there."""
        self.save()
        while not self.match.over:
            if not self.turn():
                return False
        self.end()
        return True

    def turn(self) -> bool:
        seat = self.match.chooser
        person = self.people.get(seat)
        if not self.people:
            self.tell()
        if person is None:
            answer: Move | Wish = self.bots[seat].choose(self.match)
        else:
            self.turn_to(person)
            moment = (len(self.match.played), len(self.notes))
            answer = person.choose(self.match, again=moment == self.asked)
            self.asked = moment
        if isinstance(answer, Wish):
            return self.grant(answer, seat)
        try:
            self.match.play(answer)
        except RuleError as error:
            self.problem(error.problem)
            return self.stuck(seat)
        self.save()
        return True

    def stuck(self, seat: int) -> bool:
        """After a rule error: the match stands where it was. A person may take back or save."""
        if not self.people:
            return False
        if seat in self.people:
            return True
        person = self.people[self.facing if self.facing is not None else min(self.people)]
        wish = person.stuck(self.match)
        while wish.what == "save":
            self.grant(wish, person.seat)
            wish = person.stuck(self.match)
        return self.grant(wish, person.seat)

    def turn_to(self, person: Person) -> None:
        """With several people, one person's cards are gone before the next one looks."""
        if len(self.people) < 2 or self.facing == person.seat:
            self.facing = person.seat
            return
        if self.screen.typing:
            self.screen.clear()
            name = self.match.words.players[person.seat]
            self.screen.ask(f"Pass the screen to {name}, and press Enter> ")
            self.screen.clear()
        self.facing = person.seat

    # ---- wishes ----

    def grant(self, wish: Wish, seat: int) -> bool:
        """False to stop."""
        if wish.what == "quit":
            return False
        if wish.what == "save":
            self.save_to(wish.rest or self.path or self.usual_file())
        else:
            self.undo(seat)
        return True

    def undo(self, seat: int) -> None:
        """Back to the seat's last choice."""
        match = self.match
        first = next(
            (
                n
                for n in reversed(range(match.given, len(match.played)))
                if match.played[n][0] == seat
            ),
            -1,
        )
        if first < 0:
            self.screen.write("There is no choice of yours to take back.")
            return
        since = match.past[first].events
        seen = {p: revealed(match, p, since) for p in self.people}
        others = {chooser for chooser, _ in match.played[first + 1 :] if chooser in self.people}
        if (any(seen.values()) or others) and not self.consent(seat, first):
            return
        name, move = match.words.players[seat], self.move_words(first)
        while len(match.played) > first:
            match.undo()
        cards = seen.get(seat, [])
        told = f", having seen {', '.join(cards)}" if cards else ""
        self.notes.append((first, f"{name} took back {move}{told}"))
        self.told = min(self.told, len(match.events))
        self.save()
        self.screen.write(f"Taken back: {move}.")
        if cards:
            self.screen.write(f"You had seen since: {', '.join(cards)}.")

    def move_words(self, number: int) -> str:
        """A move that was played, as those see it who saw it from outside."""
        events = onlooked(self.match.events[self.match.past[number].events :])
        at = next(at for at, event in enumerate(events) if isinstance(event, Chose))
        choice = events[at]
        assert isinstance(choice, Chose)
        return what_was_chosen(self.match, choice, events[at + 1 :])

    def consent(self, seat: int, first: int) -> bool:
        """Whether the other people at the table let a seat take back move number `first`."""
        name, move = self.match.words.players[seat], self.move_words(first)
        others = [other for other in self.people if other != seat]
        if others and self.screen.typing:
            # They do not see the hand of the one who asks, who is shown it again.
            self.screen.clear()
            self.facing, self.asked = None, (-1, -1)
        for other in others:
            who = self.match.words.players[other]
            answer = self.screen.ask(f"{who}, may {name} take back `{move}`? (yes or no)> ")
            if answer.lower() not in ("y", "yes"):
                self.screen.write(f"{who} did not agree: nothing is taken back.")
                return False
        return True

    # ---- records ----

    def record(self) -> Record:
        record = self.match.record()
        record.people = sorted(self.people)
        record.notes = list(self.notes)
        return record

    def usual_file(self) -> str:
        return f"{Path(self.match.game.path).stem}-{self.match.seed}.record.yaml"

    def save(self) -> None:
        """Keep the record, where one is kept."""
        if self.path is None:
            return
        try:
            self.record().save(self.path)
        except OSError as error:
            self.screen.tell(f"`{self.path}` could not be written: {reason(error)}.")

    def save_to(self, path: str) -> None:
        wrong = cannot_save(path)
        if wrong:
            self.screen.tell(f"{wrong}.")
            return
        try:
            self.record().save(path)
        except OSError as error:
            self.screen.tell(f"`{path}` could not be written: {reason(error)}.")
            return
        self.saved = path, len(self.match.played)
        self.screen.tell(f"Saved; go on later with `rulebook play --resume {path}`.")

    # ---- telling ----

    def tell(self) -> None:
        """For those who only watch: everything that happened since the last time."""
        for line in story(self.match, self.match.events[self.told :]):
            self.screen.write(line)
        self.told = len(self.match.events)

    def problem(self, problem: Problem) -> None:
        from rulebook.render.problems import render

        self.screen.console.out(render([problem], "full"), highlight=False)
        self.screen.write("The match stands where it was before that move.")

    def end(self) -> None:
        """What happened last, the last table, who won, and how to see it again."""
        match = self.match
        table = TableView(self.screen, match)
        if self.people:
            seat = self.facing if self.facing is not None else min(self.people)
            self.people[seat].happened(match)
            table.players(match.view(seat))
        else:
            self.tell()
            self.screen.rule()
            table.players(fold(match.game.checked, SPECTATOR, match.events))
        self.screen.write()
        self.screen.write(result(match), "bold")
        if self.path is not None:
            self.screen.tell(f"To see it again: rulebook replay {self.path}")
        elif match.example:
            self.screen.tell(f'For the same again: --from "{match.example}"')
        else:
            self.screen.tell(f"For the same deal again: --seed {match.seed}")


def heading(screen: Screen, match: Match) -> str:
    """The game, the options that are not as usual, and its seed or example."""
    words = match.words
    options = [
        f"{words.shown(name)} {words.value(option.kind, option.value)}"
        for name, option in match.game.checked.options.items()
        if option.value != option.default
    ]
    begun = f'from "{match.example}"' if match.example else f"seed {match.seed}"
    return screen.sign(" · ", ", ").join([match.game.name, *options, begun])


def result(match: Match) -> str:
    """Who won, and the places where the rules rank the players; a sentence."""
    players, winners, places = match.words.players, match.winners, match.places
    text = "Nobody wins."
    if winners:
        verb = "win" if len(winners) > 1 else "wins"
        text = f"{listed([players[seat] for seat in winners])} {verb}."
    if len(set(places)) > 2:
        order = sorted(range(len(places)), key=lambda seat: places[seat])
        text += " Places: " + ", ".join(f"{places[s] + 1}. {players[s]}" for s in order) + "."
    if match.limited:
        text = f"A limit of the game was reached. {text}"
    return text[:1].upper() + text[1:]


def reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def cannot_save(path: str) -> str:
    """Why a record may not be written to a file: "" if it may. A file that is no record stays."""
    target = Path(path)
    try:
        if target.is_dir():
            return f"`{path}` is a directory"
        if target.exists():
            with target.open("rb") as file:
                head = file.read(8)
            if head and not head.startswith(b"record:"):
                return f"`{path}` is there already and is not a record"
    except (OSError, ValueError) as error:
        return (
            f"`{path}` cannot be written: {reason(error) if isinstance(error, OSError) else error}"
        )
    return ""
