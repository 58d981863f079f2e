"""Loops over all members of a small kind, which are written out where the body is short."""

from __future__ import annotations

import pytest

from rulebook.pipeline import compile_source
from rulebook.source import Source

RULES = """\
rulebook: 1
game: Teams
players: 4
teams: {{north_south: [0, 2], east_west: [1, 3]}}
cards: {{suits: [red, blue], ranks: [1, 2, 3, 4]}}
zones:
  stock: {{ordered: yes}}
  won: {{each: team, seen by: nobody}}
state:
  score: {{each: team, is: 0..500}}
moves:
  pass: {{about: Go on}}
steps:
  match: |
    gather all cards to stock
    move last 3 of stock to won of east_west
    move stock to won of north_south
    {body}
    0 chooses pass
    teams finish by score
"""


@pytest.mark.parametrize(
    "body",
    [
        "for t in teams: score of t += count won of t",
        "for t in teams:\n      let n = count won of t\n      score of t += n",
        "for t in teams:\n      if t is east_west: score of t = 3\n      else: score of t = 5",
    ],
)
def test_each_member_has_its_turn_in_a_step_that_waits(body: str) -> None:
    game = compile_source(Source("teams.yaml", RULES.format(body=body)))
    assert game.value(game.start(1).state, "score") == {"north_south": 5, "east_west": 3}
