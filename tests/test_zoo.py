"""Environments for PettingZoo: its own tests, and that they play the games of the rules."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from rulebook.engine.game import load
from tests.chance import game_seed

zoo = pytest.importorskip("rulebook.zoo", reason="the extra `zoo` is not installed")
api = pytest.importorskip("pettingzoo.test")

GAMES = [("coins", 3), ("china_hand", 3), ("three_kings", 4), ("coinche", 4)]
# PettingZoo warns of every observation that is a dictionary with a mask in it, as this is, unless
# its own list of environments names it.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
]


@pytest.mark.parametrize(("name", "players"), GAMES)
def test_the_tests_of_pettingzoo_pass(
    name: str, players: int, capsys: pytest.CaptureFixture[str]
) -> None:
    api.api_test(zoo.env(name, players), num_cycles=50)
    assert "Passed API test" in capsys.readouterr().out
    api.seed_test(lambda: zoo.env(name, players), num_cycles=25)


def test_an_environment_plays_the_game_that_a_match_plays() -> None:
    game = load("coins")
    env = zoo.env(game, render_mode="ansi")
    env.reset(seed=4)
    match = game.start(game_seed(4, 0))
    generator = np.random.default_rng(1)
    seen: list[str] = []
    for agent in env.agent_iter():
        observation, reward, over, cut, _ = env.last()
        assert not cut
        if over:
            seen.append(agent)
            assert match.over
            assert reward == pytest.approx(match.returns[env.seats[agent]])
            assert not observation["action_mask"].any()
            env.step(None)
            continue
        assert env.seats[agent] == match.chooser
        legal = np.flatnonzero(observation["action_mask"])
        action = int(generator.choice(legal))
        match.play(game.actions[action])
        env.step(action)
        assert env.render().splitlines()[0] == f"{agent}: {match.played[-1][1]}"
    assert seen == ["player_0", "player_1", "player_2"]
    env.close()


def test_what_is_not_an_action_is_refused() -> None:
    env = zoo.env("coins")
    env.reset(seed=1)
    agent = env.agent_selection
    others = [one for one in env.agents if one != agent]
    assert not any(env.observe(one)["action_mask"].any() for one in others)
    illegal = int(np.flatnonzero(env.observe(agent)["action_mask"] == 0)[0])
    with pytest.raises(ValueError, match="is not legal"):
        env.step(illegal)
    with pytest.raises(ValueError, match="must choose an action"):
        env.step(None)
    with pytest.raises(ValueError, match="`film` is not a way to render"):
        zoo.env("coins", render_mode="film")
    assert env.agent_selection == agent


def test_a_missing_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "rulebook.zoo")
    with pytest.raises(ImportError, match=r"pip install 'rulebook-games\[zoo\]'"):
        __import__("rulebook.zoo")
