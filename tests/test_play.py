"""`rulebook play`, `games` and `replay`, with the input piped in."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from rulebook.cli import main
from rulebook.engine.game import load
from rulebook.players.random import RandomPlayer
from rulebook.render.screen import Screen

ROOT = Path(__file__).resolve().parent.parent
TRANSCRIPTS = Path(__file__).parent / "transcripts"
COINS = "games/coins.yaml"
DEPENDENT = "tests/language/valid/an_option_may_depend_on_others.yaml"
ESCAPE = "\x1b"

Run = Callable[..., tuple[int, str, str]]


def process(*arguments: str, typed: str = "", **settings: str) -> subprocess.CompletedProcess[str]:
    """The command as a process of its own, in the checkout."""
    return subprocess.run(
        command(*arguments),
        input=typed,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        env=environment(**settings),
        check=False,
        timeout=60,
    )


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "from rulebook.cli import main; main()", *arguments]


def environment(**settings: str) -> dict[str, str]:
    left_out = ("FORCE_COLOR", "COLUMNS")
    kept = {key: value for key, value in os.environ.items() if key not in left_out}
    return {**kept, "PYTHONUTF8": "1", "COLUMNS": "80", **settings}


@pytest.fixture
def rulebook(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command within this process: its exit code, output and errors."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def run(*arguments: str, typed: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["rulebook", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as end:
            main()
        told = capsys.readouterr()
        code = end.value.code
        return (code if isinstance(code, int) else int(bool(code))), told.out, told.err

    return run


def flat(text: str) -> str:
    """Text without its line breaks."""
    return " ".join(text.split())


# ---- watching ----


def test_a_watched_game_is_the_same_every_time(golden: Callable[[Path, str], None]) -> None:
    first = process("play", COINS, "--watch", "--seed", "7")
    second = process("play", COINS, "--watch", "--seed", "7")
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout == second.stdout
    golden(TRANSCRIPTS / "coins-seed-7.txt", first.stdout)


def test_a_watched_game_tells_every_choice_and_the_end(rulebook: Run) -> None:
    code, out, _ = rulebook("play", COINS, "--watch", "--seed", "7")
    match = load(COINS).start(7)
    while not match.over:
        match.play(RandomPlayer(7).choose(match))
    assert code == 0
    assert len(re.findall(r"^player \d: play ", out, re.M)) == len(match.played)
    assert f"Player {match.winners[0] + 1} wins." in out


def test_random_players_have_streams_of_their_own() -> None:
    game = load(COINS)
    first, other = game.start(1), game.start(2)
    choices = []
    for match in (first, other):
        here = [RandomPlayer(5).choose(match)]
        match.play(match.moves[0])
        here.append(RandomPlayer(5).choose(match))
        choices.append([one.text for one in here])
        hand = [str(move) for move in match.moves]
        picks = {RandomPlayer(seed).choose(match).text for seed in range(200)}
        assert picks == set(hand), "every move is chosen by some seed"
    assert choices[0] != choices[1], "the moves differ, though the streams are the same"
    copy = first.copy()
    assert RandomPlayer(9).choose(copy) == RandomPlayer(9).choose(first)


# ---- a person ----


def test_the_first_screen_shows_the_seat_its_own_hand_and_no_other(rulebook: Run) -> None:
    code, out, _ = rulebook("play", COINS, "--seed", "7", "--names", "Ann,Bo,Cy")
    assert code == 0
    assert out.startswith("Coins · seed 7\n")
    assert ESCAPE not in out
    assert "Ann (you)" in out
    assert "trick  Bo: 3†   Cy: 9♣" in out
    assert "Stopped after 2 moves." in out
    match = load(COINS).start(7)
    hands = match.value("hand")
    assert isinstance(hands, dict)
    shown = set(re.findall(r"\d+ (\w[∪●†♣])", out))
    assert shown == {match.words.cards[c].symbol for c in match.view(0).zone("hand", 0).known}
    assert len(shown) == len(hands["0"]) == 16


@pytest.mark.parametrize("columns", ["34", "60", "80"])
def test_nothing_is_wider_than_the_screen(
    rulebook: Run, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    _, out, _ = rulebook("play", COINS, "--seed", "7", typed="1\n1\nhelp\nrules\nlog\n")
    wide = [line for line in out.splitlines() if len(line) > int(columns) and ">" not in line]
    assert not wide


def test_output_without_the_signs_is_plain_and_can_be_typed_back(rulebook: Run) -> None:
    ascii_only = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    found = process("play", COINS, "--seed", "7", typed="2s\n", **ascii_only)
    assert found.returncode == 0
    assert found.stdout.isascii()
    assert "5 2s   6 4s" in found.stdout
    assert "player 1: play 2 of swords" in found.stdout


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("3", "player 1: play knight of coins"),
        ("2 of swords", "player 1: play 2 of swords"),
        ("Play the ACE of swords!", "player 1: play ace of swords"),
        ("ac sw", "player 1: play ace of swords"),
        ("as", "player 1: play ace of swords"),
        ("a†", "player 1: play ace of swords"),
        ("ace", "player 1: play ace of swords"),
        ("rey oros", "player 1: play king of coins"),
        ("knight", "`knight` can mean `play knight of coins`, `play knight of swords` and"),
        ("ace of cups", "The ace of cups is not in your hand.\n  the rule: games/coins.yaml:"),
        ("acw of swrods", "did you mean `play ace of swords`?"),
        ("99", "There is no move 99: the numbers are 1 to 16."),
        ("0", "There is no move 0: the numbers are 1 to 16."),
        ("", "There are 16 moves: write a number, or the move in words."),
        ("qwertz", "it is the time for `play`, such as `play 2 of cups`"),
        ("why ace of cups", "The ace of cups is not in your hand.\n  the rule: games/coins.yaml:"),
        ("why ace of swords", "`play ace of swords` is legal."),
        ("why", "Write a move, its number or the name of a value after `why`."),
        ("/wy", "There is no command `/wy`"),
        ("/why as", "`play ace of swords` is legal."),
        ("help", "undo: take back your last choice"),
        ("?", "quit: stop playing"),
        ("?", "The bots move at random: those of `--bots search` think."),
        ("undo", "There is no choice of yours to take back."),
        ("rules", "Play: Play any card; there is no duty to follow suit"),
        ("log", "  player 2: play 3 of swords\n  player 3: play 9 of clubs"),
        ("table\n", "your hand"),
        ("\x00\x1b[31m\ufffd", "is not a move here"),
        ("x" * 5000, "is not a move here"),
    ],
)
def test_what_can_be_typed(rulebook: Run, typed: str, told: str) -> None:
    code, out, err = rulebook("play", COINS, "--seed", "7", typed=f"{typed}\n")
    assert (code, err) == (0, "")
    after = out.split("> ", 1)[1]
    assert flat(told) in flat(after)
    assert ESCAPE not in out


def test_quit_stops_without_a_question(rulebook: Run) -> None:
    code, out, _ = rulebook("play", COINS, "--seed", "7", typed="1\nquit\n1\n")
    assert code == 0
    assert re.search(r"> quit\nStopped after \d+ moves\.\n$", out)


def test_what_is_lost_by_stopping_is_said(rulebook: Run) -> None:
    _, out, _ = rulebook("play", COINS, "--seed", "7", typed="1\n" * 5 + "quit\n")
    assert re.search(r"Stopped after \d+ moves\.\nThese moves are not kept; ", out)
    assert flat(out).endswith(
        "; --seed 7 deals the same again. --record FILE or `save` would keep them."
    )


def test_the_only_move_is_played_by_enter(rulebook: Run) -> None:
    typed = "1\n" * 15 + "\n"
    code, out, _ = rulebook("play", COINS, "--seed", "7", "--set", "target=400", typed=typed)
    assert code == 0
    assert out.startswith("Coins · target 400 · seed 7\n")
    assert "your move (1, or Enter, or in words; ? for help)> \n" in out
    assert out.count("(1-16, or in words") == 2, "the second hand was reached"


# ---- records ----


def moves_of(path: Path) -> list[str]:
    found = yaml.safe_load(path.read_text(encoding="utf-8"))["moves"]
    assert isinstance(found, list)
    return found


def test_a_game_is_recorded_resumed_in_the_middle_and_replayed(
    rulebook: Run, tmp_path: Path
) -> None:
    whole, half, rest = (tmp_path / f"{name}.yaml" for name in ("whole", "half", "rest"))
    start = ["play", COINS, "--seed", "7", "--seat", "1", "--names", "Ann,Bo,Cy"]
    code, out, _ = rulebook(*start, "--record", str(whole), typed="1\n" * 60)
    assert code == 0
    assert out.endswith(f"To see it again: rulebook replay {whole}\n")
    rulebook(*start, "--record", str(half), typed="1\n" * 9)
    assert moves_of(half) == moves_of(whole)[: len(moves_of(half))]
    code, out, _ = rulebook("play", "--resume", str(half), "--record", str(rest), typed="1\n" * 60)
    assert code == 0
    assert f"Resumed after {len(moves_of(half))} moves.\nWhat follows is kept in {rest}." in out
    assert len(moves_of(half)) < len(moves_of(whole)), "the record that was resumed is as it was"
    assert "Bo (you)" in out
    assert moves_of(rest) == moves_of(whole)
    code, out, _ = rulebook("replay", str(rest), "--json")
    ended = json.loads(out)
    assert code == 0
    assert ended["over"] is True
    code, out, _ = rulebook("replay", str(whole))
    winner = ended["players"][ended["winners"][0]]
    assert out.endswith(f"{winner} wins.\n")
    code, out, err = rulebook("play", "--resume", str(whole))
    assert (code, out) == (2, "")
    assert "is over" in err


def test_a_resumed_game_goes_on_in_its_record(rulebook: Run, tmp_path: Path) -> None:
    path = tmp_path / "game.yaml"
    rulebook("play", COINS, "--seed", "7", "--record", str(path), typed="1\n")
    before = moves_of(path)
    _, out, _ = rulebook("play", "--resume", str(path), typed="1\n1\nquit\n")
    after = moves_of(path)
    assert f"What follows is kept in {path}." in out
    assert out.endswith(
        f"Stopped after {len(after)} moves. Go on with: rulebook play --resume {path}\n"
    )
    assert after[: len(before)] == before
    assert len(after) >= len(before) + 2


def test_a_record_that_cannot_be_written_is_resumed_without(
    rulebook: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.yaml"
    rulebook("play", COINS, "--seed", "7", "--record", str(path), typed="1\n")
    before = path.read_bytes()
    monkeypatch.setattr("rulebook.cli.play.cannot_write", lambda path: f"`{path}` is not ours")
    _, out, _ = rulebook("play", "--resume", str(path), typed="1\n")
    assert f"What follows is not kept: `{path}` is not ours." in out
    assert path.read_bytes() == before


def test_where_a_saved_game_goes_on_is_told_at_the_end(rulebook: Run, tmp_path: Path) -> None:
    path = tmp_path / "saved.yaml"
    typed = f"1\nsave {path}\nquit\n"
    _, out, _ = rulebook("play", COINS, "--seed", "7", typed=typed)
    assert out.endswith(f"moves. Go on with: rulebook play --resume {path}\n")
    kept = len(moves_of(path))
    _, out, _ = rulebook("play", COINS, "--seed", "7", typed=typed.replace("quit", "1"))
    assert out.endswith(f"rulebook play --resume {path} (saved after {kept} moves)\n")


def test_a_replay_stops_where_it_is_told(rulebook: Run, tmp_path: Path) -> None:
    path = tmp_path / "game.yaml"
    rulebook("play", COINS, "--seed", "7", "--record", str(path), typed="1\n1\n")
    _, out, _ = rulebook("replay", str(path), "--to", "2")
    assert "trick  player 2: 3†   player 3: 9♣" in out
    assert "hand of player 3" in out
    assert out.endswith("player 1 is to choose.\n")
    code, _, err = rulebook("replay", str(path), "--to", "999")
    assert code == 2
    assert "there is no move 999" in err


def test_a_record_is_saved_after_every_move(tmp_path: Path) -> None:
    path = tmp_path / "game.yaml"
    with subprocess.Popen(
        command("play", COINS, "--seed", "7", "--record", str(path)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env=environment(),
        encoding="utf-8",
        bufsize=0,
    ) as running:
        assert running.stdin
        assert running.stdout
        assert running.stderr
        wait_for(lambda: path.exists() and len(moves_of(path)) == 2)
        running.stdin.write("1\n")
        running.stdin.flush()
        wait_for(lambda: len(moves_of(path)) > 2)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=20)
    assert running.returncode == 130
    assert err == ""
    told = f" moves. Go on with: rulebook play --resume {path}\n"
    assert out.endswith(f"\nStopped after {len(moves_of(path))}{told}")


def wait_for(ready: Callable[[], bool]) -> None:
    until = time.monotonic() + 20
    while not ready():
        assert time.monotonic() < until, "this takes too long"
        time.sleep(0.02)


def test_save_writes_a_record_to_go_on_with(rulebook: Run, tmp_path: Path) -> None:
    path, other = tmp_path / "saved.yaml", tmp_path / "letter.txt"
    other.write_text("Dear Ann")
    typed = f"1\nsave {path}\nsave {other}\nsave {tmp_path}/none/x\nsave {tmp_path}\n"
    _, out, _ = rulebook("play", COINS, "--seed", "7", typed=typed)
    told = flat(out)
    assert f"Saved; go on later with `rulebook play --resume {path}`.\n" in out
    assert "is there already and is not a record." in told
    assert "could not be written: no such file or directory." in told
    assert "is a directory." in told
    assert other.read_text() == "Dear Ann"
    code, out, _ = rulebook("play", COINS, "--resume", str(path))
    assert code == 0
    assert "Resumed after" in out


def test_a_record_that_does_not_fit_is_told(rulebook: Run, tmp_path: Path) -> None:
    path = tmp_path / "game.yaml"
    rulebook("play", COINS, "--seed", "7", "--record", str(path), typed="1\n")
    text = path.read_text(encoding="utf-8")
    for old, new, told in (
        ("1: play 3 of swords", "1: play ace of swords", "is not legal there"),
        ("1: play 3 of swords", "2: play 3 of swords", "seat 1 is to choose"),
        ("target: '10'", "target: '7000'", "is not a value of the option"),
        ("record: 1", "record: 9", "version"),
        ("people:\n- 0", "people:\n- 7", "names a seat that is not there"),
        ("players: 3", "players: 5", "is a game for 3 players"),
        ("about: A trick-taking", "about: Another", "its rules were changed"),
    ):
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        for arguments in (["replay", str(path)], ["play", "--resume", str(path)]):
            code, out, err = rulebook(*arguments)
            assert (code in (1, 2), out) == (True, ""), told
            assert told in err


# ---- taking back ----


def test_undo_goes_back_to_the_last_choice_and_is_noted(rulebook: Run, tmp_path: Path) -> None:
    path = tmp_path / "game.yaml"
    _, out, _ = rulebook(
        "play", COINS, "--seed", "7", "--record", str(path), typed="2 of swords\nundo\nas\n"
    )
    assert "Taken back: play 2 of swords." in out
    assert "You had seen since: " in out
    record = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert record["moves"][2] == "0: play ace of swords"
    assert record["notes"][0].startswith("2: player 1 took back play 2 of swords, having seen ")
    _, out, _ = rulebook("replay", str(path))
    assert "(player 1 took back play 2 of swords" in out


def test_consent_is_asked_of_everybody_else(rulebook: Run) -> None:
    start = ("play", COINS, "--seed", "7", "--seat", "0,1", "--names", "Ann,Bo,Cy")
    # Bo leads, Cy is a bot, Ann ends the trick; who leads next is whoever took it.
    for answer, taken in (("yes", True), ("no", False)):
        typed = f"1\nking of coins\nundo\n{answer}\n"
        _, out, _ = rulebook(*start, typed=typed)
        assert "Bo, may Ann take back `play king of coins`? (yes or no)> " in out
        assert ("Taken back: play king of coins." in out) is taken
        assert ("Bo did not agree: nothing is taken back." in out) is not taken


# ---- mistakes ----


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "which game?"),
        ([COINS, "--players", "4"], "is a game for 3 players, not for 4"),
        ([COINS, "--players", "x"], "`--players x` is not a number from 0 up"),
        ([COINS, "--seed", "-4"], "`--seed -4` is not a number from 0 up"),
        ([COINS, "--seed", "9" * 20], "is not a number from 0 up"),
        ([COINS, "--seat", "3"], "there is no seat 3: with 3 players, the seats are 0 to 2"),
        ([COINS, "--seat", "0;1"], "`--seat 0;1` is not a seat"),
        ([COINS, "--seat", "1,1"], "`--seat` names seat 1 twice"),
        ([COINS, "--seat", "1", "--watch"], "`--watch` has bots everywhere"),
        ([COINS, "--names", "A,B,C,D"], "`--names` has 4 names for 3 players"),
        ([COINS, "--names", "A,a"], "an empty name, or one twice"),
        ([COINS, "--names", "A\x1b[2J"], "all of them printable"),
        ([COINS, "--bots", "random,search,random,random"], "`--bots` has 4 names; it wants 1"),
        ([COINS, "--bots", "search", "--think", "soon"], "`--think soon` is not a number"),
        ([COINS, "--bots", "clever"], "there are no bots called `clever`"),
        ([COINS, "--set", "targt=10"], "no option `targt`; its options: target, oldest"),
        ([COINS, "--set", "target=700"], "a number from 1 to 500, such as 10, 15 or 20"),
        ([COINS, "--set", "oldest=5"], "it can be 0, 1 or 2"),
        (
            [DEPENDENT, "--set", "bonus_cards=2"],
            "`bonus_cards` is only for games with `bonus is some`; leave it at `1`",
        ),
        ([COINS, "--set", "target"], "`--set target` is not `option=value`"),
        ([COINS, "--set", "target=10", "--set", "target=15"], "names the option `target` twice"),
        ([COINS, "--record", "no/such/folder/x"], "there is no directory `no/such/folder`"),
        ([COINS, "--record", "games"], "`games` is a directory"),
        ([COINS, "--record", COINS], "is there already and is not a record"),
        ([COINS, "--resume", "none.yaml"], "`none.yaml` cannot be read: no such file"),
        (["--resume", COINS], "is not a whole record"),
        (["--resume", "none.yaml", "--seed", "4"], "`--seed` cannot be changed with `--resume`"),
        ([COINS, "--wtach"], "No such option"),
    ],
)
def test_a_wrong_command_is_one_clear_sentence(
    rulebook: Run, arguments: list[str], told: str
) -> None:
    code, out, err = rulebook("play", *arguments)
    assert (code, out) == (2, "")
    assert told in err
    assert "Traceback" not in err


def test_a_rule_file_that_is_not_there_is_told(rulebook: Run) -> None:
    code, out, err = rulebook("play", "coin")
    assert (code, out) == (1, "")
    assert "write `coins`" in err


RULES = """\
rulebook: 1
game: Small
players: 2
turns: clockwise
cards: {suits: [reds, blues], ranks: [1, 2, 3, 4, 5]}
zones:
  stock: {ordered: yes, seen by: nobody}
  hand: {each: player, seen by: owner}
  pile: {ordered: yes, seen by: everyone}
state:
  score: {each: player, is: 0..1}
  high: {is: 0..30}
moves:
  bid:
    pick: points in 10..30 step 10
    do: high = points
  log:
    pick: c from hand of mover
    do: |
      move c to pile
      score of mover += 1
steps:
  match: |
    gather all cards to stock
    shuffle stock
    deal 3 from stock to each hand
    for p in players:
      p chooses bid
    repeat 3 times:
      for p in players:
        p chooses log
    players finish by score
"""


@pytest.fixture
def small(tmp_path: Path) -> str:
    path = tmp_path / "small.yaml"
    path.write_text(RULES, encoding="utf-8")
    return str(path)


def test_moves_that_are_no_cards_are_listed(rulebook: Run, small: str) -> None:
    _, out, _ = rulebook("play", small, "--seed", "3", typed="bid 20\n")
    assert "1 bid 10   2 bid 20   3 bid 30" in out
    assert "player 1: bid 20" in out


def test_a_move_named_like_a_command_comes_first(rulebook: Run, small: str) -> None:
    _, out, _ = rulebook("play", small, "--seed", "3", typed="log\n1\nlog 1\n/log\nwhy log\n")
    assert out.count("The stock is shuffled") == 3, "once told, and `log` and `/log` at the bid"
    assert "`log 1` can mean" in out or "player 1: log 1 of" in out


def test_a_rule_error_is_shown_and_the_match_stands(
    rulebook: Run, small: str, tmp_path: Path
) -> None:
    saved = tmp_path / "stuck.yaml"
    typed = f"1\n1\n1\nsave {saved}\nundo\nquit\n"
    code, out, err = rulebook("play", small, "--seed", "3", typed=typed)
    assert (code, err) == (0, "")
    assert "error[number-out-of-range]" in out
    assert "small.yaml:21" in out
    assert "seed 3, after" in out
    assert "The match stands where it was before that move." in out
    assert "Saved; go on later with" in out
    assert "Taken back: log" in out
    code, out, _ = rulebook("play", small, "--seed", "3", "--watch")
    assert code == 1
    assert "error[number-out-of-range]" in out


def test_a_rule_error_in_a_bots_move_leaves_the_person_at_the_table(
    rulebook: Run, small: str
) -> None:
    typed = "1\n1\nsomething\nundo\nquit\n"
    code, out, _ = rulebook("play", small, "--seed", "3", "--seat", "1", typed=typed)
    assert code == 0
    assert "undo, save or quit> something\nPlay cannot go on from here." in out
    assert "Taken back: log" in out


def test_several_cards_are_typed_in_any_order(rulebook: Run, tmp_path: Path) -> None:
    path = tmp_path / "pairs.yaml"
    lines = RULES.replace("pick: c from hand of mover", "pick: cs are cards from hand of mover")
    lines = lines.replace("move c to pile", "move cs to pile").replace("0..1}", "0..9}")
    path.write_text(lines.replace("      score of mover += 1\n", ""), encoding="utf-8")
    _, out, _ = rulebook("play", str(path), "--seed", "3", typed="bid 10\ntable\n")
    cards = re.findall(r"\d (\d[rb])", out.split("your hand, to log")[1].split("  or\n")[0])
    assert len(cards) == 3, "a set of one card has its number on the card"
    assert "log " + " ".join(cards) in out, "sets of several are listed"
    for typed in (f"{cards[2]} {cards[0]}", f"log {cards[0]}, {cards[2]}"):
        _, out, _ = rulebook("play", str(path), "--seed", "3", typed=f"bid 10\n{typed}\n")
        first, last = (
            f"{card[0]} of {'reds' if card[1] == 'r' else 'blues'}" for card in cards[::2]
        )
        told = (f"player 1: log {first} and {last}", f"player 1: log {last} and {first}")
        assert any(one in out for one in told)


@pytest.mark.parametrize(("spare", "left_out"), [(0, 11), (8, 3), (11, 0)])
def test_what_became_of_the_own_choice_is_not_cut_off(
    rulebook: Run, small: str, monkeypatch: pytest.MonkeyPatch, spare: int, left_out: int
) -> None:
    text = Path(small).read_text(encoding="utf-8").replace("0..1}", "0..9}")
    said = "".join(f'        say "line {number}"\n' for number in range(1, 22))
    text = text.replace("        p chooses log\n", f"        p chooses log\n{said}")
    Path(small).write_text(text, encoding="utf-8")
    monkeypatch.setattr(Screen, "spare", spare)
    start = ("play", small, "--seed", "3", "--seat", "0,1")
    _, out, _ = rulebook(*start, typed="bid 10\nbid 10\n1\n")
    told = out.split("> 1\n")[1].split("\n\n")[0].splitlines()[1:]
    assert told[0] == "  player 2: bid 10"
    assert told[1].startswith("  player 1: log ")
    numbers = [int(line.split()[1]) for line in told[1:] if "line" in line.lower()]
    assert numbers == [1, 2, 3, *range(4 + left_out, 22)]
    assert ("  ... (`log` tells all)" in told) is bool(left_out)


# ---- ends ----


def test_a_closed_pipe_is_quiet() -> None:
    with subprocess.Popen(
        command("play", COINS, "--watch", "--seed", "7"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env=environment(PYTHONUNBUFFERED="1"),
    ) as running:
        assert running.stdout
        assert running.stderr
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
        running.wait(20)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command("play", COINS, "--watch", "--seed", "7"),
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            env=environment(),
            check=False,
            timeout=60,
        )
    assert (done.returncode, done.stderr) == (1, b"rulebook: no space left on device\n")


def test_the_shipped_games_are_listed(rulebook: Run) -> None:
    code, out, _ = rulebook("games")
    assert code == 0
    assert re.search(r"^coins +3 players +A trick-taking game for three", out, re.M)
    _, out, _ = rulebook("games", "--json")
    games = json.loads(out)
    shipped = sorted(path.stem for path in (ROOT / "games").glob("*.yaml"))
    assert [game["name"] for game in games if not game["extends"]] == shipped
    assert all(game["about"] and game["players"] for game in games)


def test_import_is_cheap() -> None:
    code = (
        "import sys, rulebook\n"
        "heavy = {'lark', 'yaml', 'jsonschema', 'typer', 'rich', 'wasmtime', 'numpy'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "assert set(rulebook.__all__) <= set(dir(rulebook))\n"
        "for name in rulebook.__all__: assert getattr(rulebook, name)\n"
        "assert not {'typer', 'rich', 'numpy'} & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
