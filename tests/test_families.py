"""Auctions at a glance: many moves of one name in few lines."""

import rulebook
from rulebook.render.families import families, family_lines

AUCTION = """
rulebook: 1
game: Call
players: 2
cards: {suits: [sun, moon], ranks: [1, 2]}
kinds: {strain: [low, high, flat]}
zones: {stock: {}}
state: {score: {each: player, is: 0..1}, called: 0..90, worth: strain or none}
moves:
  call:
    pick: |
      n in 10..90 step 10
      x in strains
    if: {Higher than before: n > called or (n is called and worth is low and x is not low)}
    do: |
      called = n
      worth = x
  pass: {about: Say nothing}
steps:
  match: |
    gather all cards to stock
    repeat: next of mover chooses call or pass
    until called is 90 and worth is high
    players finish by score
"""


def test_bids_stand_in_one_line_and_those_left_in_another(tmp_path) -> None:  # type: ignore[no-untyped-def]  # pytest's own fixture
    path = tmp_path / "call.yaml"
    path.write_text(AUCTION, encoding="utf-8")
    match = rulebook.load(str(path)).start(1)
    found, others = families(match.moves)
    assert [move.name for move in others] == ["pass"]
    assert family_lines(found[0], match.words) == ["10, 20 ... 90: low, high, flat"]
    match.play("call 20 low")
    found, _ = families(match.moves)
    assert family_lines(found[0], match.words) == [
        "20: high, flat",
        "30, 40 ... 90: low, high, flat",
    ]
    match.play("call 80 high")
    assert families(match.moves)[0] == []
