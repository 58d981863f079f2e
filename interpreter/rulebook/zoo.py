"""A PettingZoo environment (AEC) made from any rule file.

    env = rulebook.zoo.env("my_game.yaml", players=3)

Agents are `player_0` and so on, by seat. An observation is a dictionary of `observation` (what the
seat knows, numbers from 0 to 1) and `action_mask` (what it may choose now; all 0 for seats that are
not asked). Rewards are 0 until the game is over, then each seat's result; they sum to 0.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
except ImportError as error:
    raise ImportError(
        "environments need the pettingzoo package: pip install 'rulebook-games[zoo]'"
    ) from error

from rulebook.engine.game import Game, load

if TYPE_CHECKING:
    from rulebook.learning.batch import Batch

PERSONS = ("human", "ansi")


def env(
    game: str | Game,
    players: int | None = None,
    options: Mapping[str, object] | None = None,
    *,
    places: int | None = None,
    render_mode: str | None = None,
) -> RuleEnv:
    """An environment of a game: a rule file, the name of a shipped game, or one that is loaded.

    `places` as in `Game.batch`; `render_mode` may be `human` or `ansi`. Raises what `load` raises,
    and ValueError for a game with too many moves.
    """
    loaded = load(game, players, options) if isinstance(game, str) else game
    return RuleEnv(loaded, places, render_mode)


class RuleEnv(AECEnv):  # type: ignore[misc]  # published without types
    """See `env`."""

    def __init__(self, game: Game, places: int | None, render_mode: str | None) -> None:
        super().__init__()
        if render_mode is not None and render_mode not in PERSONS:
            raise ValueError(f"`{render_mode}` is not a way to render; there are human and ansi")
        self.game = game
        self.render_mode = render_mode
        self.metadata = {
            "name": f"{Path(game.path).stem}_v0",
            "render_modes": list(PERSONS),
            "is_parallelizable": False,
        }
        self.possible_agents = [f"player_{seat}" for seat in range(game.players)]
        self.agents: list[str] = []
        self.seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.last_move = ""
        self.batch: Batch = game.batch(1, secrets.randbits(32), places=places)
        features, actions = len(self.batch.features), self.batch.actions
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0.0, 1.0, (features,), np.float32),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin the first game of a seed, or else the next one of the seed from before."""
        self.batch.reset(seed)
        self.last_move = ""
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        # A game may be over before anyone is asked.
        self.pass_results()
        self._skip_agent_selection = None
        self.agent_selection = self.asked()

    def asked(self) -> str:
        return self.possible_agents[int(self.batch.seats[0]) % self.game.players]

    def observe(self, agent: str) -> dict[str, Any]:
        seat = self.seats[agent]
        mine = not self.batch.over[0] and int(self.batch.seats[0]) == seat
        mask = self.batch.legal[0].astype(np.int8)
        return {
            "observation": self.batch.observe(seat)[0],
            "action_mask": mask if mine else np.zeros_like(mask),
        }

    def step(self, action: int | None) -> None:
        """Carry out an action of the agent whose turn it is; None for one whose game is over.
        ValueError if it is not legal."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{self.agent_selection} must choose an action")
        agent = self.agent_selection
        self.batch.step(np.array([int(action)]))
        if self.render_mode is not None:
            self.last_move = f"{agent}: {self.batch.texts[int(action)]}"
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.pass_results()
        self._accumulate_rewards()
        if not self.batch.over[0]:
            self.agent_selection = self.asked()
        self._deads_step_first()
        if self.render_mode == "human":
            print(self.render())

    def pass_results(self) -> None:
        if self.batch.over[0]:
            for agent, result in zip(self.agents, self.batch.returns[0].tolist(), strict=True):
                self.rewards[agent] = result
                self.terminations[agent] = True

    def render(self) -> str:
        """The last move and, at the end, the results, as text."""
        lines = [self.last_move or f"{self.game.name}: {self.agent_selection} begins"]
        if self.batch.over[0]:
            results = self.batch.returns[0].tolist()
            lines += [f"{a}: {r:+g}" for a, r in zip(self.possible_agents, results, strict=True)]
        return "\n".join(lines)

    def close(self) -> None:
        """Nothing is held open."""
