"""The rules of a game in short, from what its file declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulebook.kinds import Enumeration, NumberRange
from rulebook.resolve import Setting
from rulebook.sheet.short import moves_in_short
from rulebook.terms import Audience

if TYPE_CHECKING:
    from rulebook.engine.words import Words
    from rulebook.terms import CheckedGame, Zone


def summary(game: CheckedGame, words: Words, text: str) -> list[str]:
    """Lines: what the game is, who plays, what lies where, what can be done, the options."""
    low, high = game.player_range
    players = f"{low}" if low == high else f"{low} to {high}"
    players += " player" if players == "1" else " players"
    direction = "clockwise" if game.clockwise else "anticlockwise"
    found = [game.name]
    found += [f"  {text}" for text in (game.about, game.credits) if text]
    found.append(f"  {players}, turns go {direction}")
    suits, ranks = game.enumerations["suit"].members, game.enumerations["rank"].members
    found.append(f"Cards: {game.enumerations['card'].size}")
    found.append(f"  suits: {', '.join(map(words.shown, suits))}")
    found.append(f"  ranks, low to high: {', '.join(map(words.shown, ranks))}")
    found.append("Where cards lie")
    found += [f"  {zone_line(zone, words)}" for zone in game.zones.values()]
    found.append("What you can do")
    options = {
        option.name: words.value(option.kind, option.value, canonical=True)
        for option in game.options.values()
    }
    setting = Setting(game.players, options)
    found += [f"  {line}" for line in moves_in_short(text, setting)]
    if game.options:
        found.append("Options")
    for option in game.options.values():
        value = words.value(option.kind, option.value)
        about = f": {option.about}" if option.about else ""
        found.append(f"  {words.shown(option.name)} is {value}{about}")
    return found


def zone_line(zone: Zone, words: Words) -> str:
    each = zone.each
    name = words.shown(zone.name)
    if isinstance(each, NumberRange):
        name += f", {each.low} to {each.high}"
    elif isinstance(each, Enumeration):
        name += f", one for each {each.name}"
    return f"{name}: seen by {seers(zone.audience)}"


def seers(audience: Audience) -> str:
    who = {"owner": "its owner", "team": "its owner's team"}.get(audience.seers, audience.seers)
    if audience.condition is None:
        return who
    return f"{who} while {audience.condition.span.text}"
