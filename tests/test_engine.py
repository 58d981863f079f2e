"""The engine from outside: moves, chance, positions, records, views."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulebook.engine.game import load
from rulebook.engine.match import IllegalMove, Match, RuleError
from rulebook.engine.record import Record, RecordError, replay
from rulebook.pipeline import Setting, compile_source
from rulebook.program import HEADER
from rulebook.source import Source
from tests.chance import Stream, game_seed, play_on, random_players
from tests.test_rule_errors import HEAD, LAY, STATE, STEPS, place, small

# ---- moves ----


def test_moves_are_played_by_text_or_as_they_are_listed() -> None:
    game = load("coins")
    match, other = game.start(3), game.start(3)
    for _ in range(10):
        move = match.moves[-1]
        match.play(move)
        other.play(str(move).removeprefix("play ").upper())
    assert match.state == other.state
    assert match.played == other.played


def test_a_move_that_is_not_legal_changes_nothing_and_says_why() -> None:
    match = load("coins").start(3)
    before = match.state
    hand = {str(move).removeprefix("play ") for move in match.moves}
    cards = match.game.checked.enumerations["card"].members
    missing = next(card for card in cards if card not in hand)
    with pytest.raises(IllegalMove) as caught:
        match.play(missing)
    assert caught.value.reason is not None
    assert not caught.value.reason.legal
    assert "not in your hand" in str(caught.value)
    with pytest.raises(IllegalMove):
        match.play("dance")
    assert match.state == before
    assert match.played == []
    assert match.why(match.moves[0]).legal


def test_hidden_cards_are_chosen_by_their_place() -> None:
    steps = STEPS.replace("to each hand", "to each blind")
    text = (
        HEAD
        + STATE
        + "moves:\n"
        + LAY.replace("hand of", "blind of")
        + steps.replace("lay or wait", "lay")
    )
    game = compile_source(Source("small.yaml", text), Setting())
    match = game.start(2)
    assert [str(move) for move in match.moves] == ["lay #1", "lay #2", "lay #3"]
    cards = match.value("blind")
    assert isinstance(cards, dict)
    match.play("lay #2")
    assert match.value("pile") == [cards["0"][1]]
    assert match.played == [(0, "lay #2")]
    reason = match.why("lay " + cards["1"][0])
    assert not reason.legal
    assert "do not see" in reason.sentence


def test_the_end_of_a_match() -> None:
    game = small("score of mover += 1")
    match = game.start(4)
    while not match.over:
        match.play("wait" if match.mover == 1 else match.moves[0])
    assert match.winners == [1]
    assert match.losers == [0]
    assert match.places == [1, 0]
    assert match.returns == [-1.0, 1.0]
    assert match.scores == [0, 3]
    with pytest.raises(IllegalMove, match="the game is over"):
        match.play("wait")
    match.undo()
    assert match.winners == []
    assert match.moves


def test_equal_scores_win_together() -> None:
    match = small("n = 1").start(4)
    play_on(match, random_players(4))
    assert match.winners == [0, 1]
    assert match.returns == [0.0, 0.0]
    assert match.places == [0, 0]


def test_a_limit_of_plays_is_a_draw() -> None:
    text = HEAD + "limits: {plays: 4}\n"
    game = small("n = 1", head=text)
    match = game.start(1)
    play_on(match, random_players(1))
    assert match.over
    assert match.limited
    assert match.winners == []
    assert len(match.played) == 4
    (batch,) = game.random_games(2)
    assert batch.limited == [True, True]
    assert batch.plays == [4, 4]


def test_there_is_nothing_to_take_back_at_the_beginning() -> None:
    match = load("coins").start(3)
    with pytest.raises(ValueError, match="no move"):
        match.undo()


def test_all_of_a_game_can_be_taken_back() -> None:
    match = load("coins").start(3)
    beginning = (match.state, list(match.events), [str(move) for move in match.moves])
    play_on(match, random_players(3))
    while match.played:
        match.undo()
    assert (match.state, match.events, [str(move) for move in match.moves]) == beginning


# ---- chance ----


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_a_shuffle_is_the_one_that_the_language_states(seed: int) -> None:
    match = load("coins").start(seed)
    order = Stream(seed, 0).shuffled(range(48))
    members = match.game.checked.enumerations["card"].members
    hands = match.value("hand")
    assert isinstance(hands, dict)
    # Dealer 0: sixteen cards from the top to seats 1, 2 and 0.
    for position, seat in enumerate((1, 2, 0)):
        end = 48 - 16 * position
        assert set(hands[str(seat)]) == {members[card] for card in order[end - 16 : end]}


def test_random_from_is_the_one_that_the_language_states() -> None:
    steps = STEPS.replace(
        "    shuffle stock\n", "    shuffle stock\n    taker = random from players\n"
    )
    game = small("n = 1 if taker is 0 else 2", steps=steps)
    for seed in range(40):
        match = game.start(seed)
        assert match.value("taker") == str(Stream(seed, 1).below(2))


def test_chance_can_be_given() -> None:
    game = load("coins")
    order = list(reversed(range(48)))
    match = game.start(1, chance={(0, 0): order})
    members = game.checked.enumerations["card"].members
    hands = match.value("hand")
    assert isinstance(hands, dict)
    assert set(hands["1"]) == {members[card] for card in order[-16:]}


@pytest.mark.parametrize(
    "order",
    [
        [0, 1, 2],
        [*range(47), 0],
        [*range(47), 48],
        [*range(47), 255],
        [*range(48), 0],
    ],
)
def test_an_outcome_that_cannot_be_is_refused(order: list[int]) -> None:
    with pytest.raises(RuleError) as caught:
        load("coins").start(1, chance={(0, 0): order})
    problem = caught.value.problem
    assert (problem.slug, place(problem)) == ("wrong-outcome", "shuffle stock")


def test_a_member_that_cannot_be_drawn_is_refused() -> None:
    steps = STEPS.replace(
        "    shuffle stock\n",
        "    shuffle stock\n    taker = random from (players without mover)\n",
    )
    game = small("n = 1 if taker is 0 else 2", steps=steps)
    assert game.start(1, chance={(1, 0): [1]}).value("taker") == "1"
    for member in (0, 2, 65):
        with pytest.raises(RuleError) as caught:
            game.start(1, chance={(1, 0): [member]})
        assert caught.value.problem.slug == "wrong-outcome"


def test_a_seed_is_taken_as_64_bits() -> None:
    game = load("coins")
    assert game.start(-1).state == game.start(2**64 - 1).state
    assert game.start().seed != game.start().seed


def test_batches_are_the_same_whatever_their_size() -> None:
    game = load("coins")
    (whole,) = game.random_games(40, 9)
    parts = [next(game.random_games(10, 9, first)) for first in range(0, 40, 10)]
    assert whole.plays == [plays for part in parts for plays in part.plays]
    assert whole.winners == [winners for part in parts for winners in part.winners]
    many = list(game.random_games(8192 + 5, 9))
    assert [len(part.plays) for part in many] == [8192, 5]
    match = game.start(game_seed(9, 8194))
    play_on(match, random_players(game_seed(9, 8194)))
    assert many[1].plays[2] == len(match.played)


# ---- setting up ----


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"nowhere": []}, "no zone or state entry `nowhere`"),
        ({"trick": ["5 of gold"]}, "no card `5 of gold`"),
        ({"trick": ["ace of cups"], "stock": ["ace of cups"]}, "more often than"),
        ({"hand": ["ace of cups"]}, "one zone for each player"),
        ({"hand of 7": ["ace of cups"]}, "`7` is not an index"),
        ({"leader": "nobody"}, "does not fit `leader`"),
        ({"score": {"0": 512}}, "does not fit `score`"),
        ({"rest": "nowhere"}, "no zone `nowhere`"),
    ],
)
def test_a_position_that_cannot_be_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load("coins").start(1, given=given, at="one_trick")


@pytest.mark.parametrize("step", ["deal_hands", "nowhere"])
def test_play_begins_at_a_step_in_which_somebody_chooses(step: str) -> None:
    with pytest.raises(ValueError, match="not a step in which somebody chooses"):
        load("coins").start(1, at=step)


def test_the_digest_of_a_position_tells_apart_what_rules_can() -> None:
    game = small("broken = not broken\nn = 1 if broken else 0")
    first, second = game.start(1), game.start(1)
    assert first.position == second.position
    for match in (first, second):
        match.play("wait")
    assert first.position == second.position
    second.undo()
    second.play("lay " + second.moves[0].text.removeprefix("lay "))
    assert first.position != second.position


# ---- records ----


def record(moves: int = 20) -> tuple[Match, Record]:
    match = load("coins", options={"target": 20}).start(11, names=["Ann", "Bo", "Cy"])
    play_on(match, random_players(11), moves)
    return match, match.record()


def test_a_record_is_kept_in_a_file_and_replayed(tmp_path: Path) -> None:
    match, kept = record()
    path = tmp_path / "game.record"
    kept.save(path)
    again = replay(path)
    assert again.state == match.state
    assert again.log(0) == match.log(0)
    assert any(name in line for line in again.log(0) for name in ("Ann", "Bo", "Cy"))
    assert again.game.options == {"target": "20", "oldest": "0"}
    half = replay(path, to=7)
    assert half.played == match.played[:7]
    for _, text in match.played[7:]:
        half.play(text)
    assert half.state == match.state
    assert [file.name for file in tmp_path.iterdir()] == ["game.record"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("record: 1", "record: 2", "version 2"),
        ("record: 1", "recorded: 1", "no line `record: 1`"),
        ("seed: 11", "seed: eleven", "`seed` is missing"),
        ("highest rank", "lowest rank", "digest differs"),
        ("moves:\n- '1: play", "moves:\n- '2: play", "seat 1 is to choose"),
        ("moves:\n- '1: play", "moves:\n- '1: throw", "is not legal there"),
        ("moves:\n- '1: play", "moves:\n- 'one: play", "is not `number: text`"),
    ],
)
def test_a_record_that_was_changed_is_refused(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    text = record()[1].text()
    assert old in text
    path = tmp_path / "game.record"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(RecordError, match=message):
        replay(path)


def test_a_record_holds_its_own_rules() -> None:
    match, kept = record()
    assert kept.rules == match.game.text
    assert kept.replay().state == match.state
    assert "moves:" in kept.text().split("rules:")[0]


def test_moves_after_the_end_are_refused() -> None:
    match, kept = record(moves=10_000)
    assert match.over
    kept.moves.append(kept.moves[-1])
    with pytest.raises(RecordError, match="after the end"):
        kept.replay()


# ---- looking ----


def test_a_view_counts_what_it_does_not_show() -> None:
    match = load("coins").start(1)
    mine = match.view(match.chooser)
    assert mine.zone("hand", match.chooser).count == 16
    assert len(mine.zone("hand", match.chooser).known) == 16
    other = (match.chooser + 1) % 3
    assert mine.zone("hand", other).count == 16
    assert mine.zone("hand", other).known == []
    with pytest.raises(ValueError, match="no seat 3"):
        match.view(3)
    with pytest.raises(KeyError):
        match.view(0).zone("nowhere")


def test_the_header_of_a_state_is_where_the_program_says() -> None:
    match = load("coins").start(5)
    at = HEADER["seed"]
    assert int.from_bytes(match.state[at : at + 8], "little") == 5
    assert match.header("chooser") == match.chooser == match.mover
