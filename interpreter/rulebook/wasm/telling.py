"""Telling: who may know what, and the events that say it."""

from __future__ import annotations

from rulebook import terms as t
from rulebook.kinds import Enumeration, Members, SetOf
from rulebook.wasm.expressions import Expressions
from rulebook.wasm.runtime import event
from rulebook.wasm.writer import i32

EVERYONE = -1


class Telling(Expressions):
    """Events of state and sentences; only waiting builds make them."""

    def announce_state(self, state: t.State, index: str, get: str) -> str:
        number = list(self.module.game.state.values()).index(state)
        audience = f"(call $sees.{state.name} {index})"
        return event("set", audience, i32(number), index, *self.halves(state.kind, get))

    def halves(self, kind: object, get: str) -> list[str]:
        """A value as 32-bit pieces, the lowest first."""
        if not isinstance(kind, SetOf):
            return [get]
        words = get.split(") (")
        words = [w if w.startswith("(") else "(" + w for w in words]
        words = [w if w.endswith(")") else w + ")" for w in words]
        pieces: list[str] = []
        for word in words:
            pieces.append(f"(i32.wrap_i64 {word})")
            pieces.append(f"(i32.wrap_i64 (i64.shr_u {word} (i64.const 32)))")
        return pieces

    def say(self, node: t.Say) -> str:
        if not self.module.build.waiting:
            return ""
        return self.said(node.text)

    def said(self, text: t.Text) -> str:
        """One event for the text and one for each value in it, all for those who may see every
        card that it mentions."""
        number = self.module.text(text)
        audience = self.function.local("i32")
        code = [f"(local.set {audience} {i32(EVERYONE)})"]
        written = []
        for piece in text.pieces:
            if isinstance(piece, str):
                continue
            keep, get = self.temporary(piece.kind, self.value(piece))
            code.append(keep)
            code.append(self.narrow(piece, get, audience))
            halves = self.halves(piece.kind, get)
            written.append(event("argument", f"(local.get {audience})", i32(-1), i32(-1), *halves))
        said = event("said", f"(local.get {audience})", i32(number))
        return " ".join([*code, *written, said])

    def narrow(self, term: t.Term, get: str, audience: str) -> str:
        """Take from the audience those who may not see what the term tells."""
        kind = term.kind
        code = ""
        if isinstance(kind, Members) and kind.enumeration.name == "card":
            seers = f"(call $card_seers {get})"
            code = f"(if (i32.ge_s {get} (i32.const 0)) (then {keep_common(audience, seers)}))"
        elif isinstance(kind, SetOf) and kind.enumeration.name == "card":
            variable = t.Variable("card", Members(kind.enumeration), term.span)
            with self.each(get, kind, variable) as walk:
                walk.append(keep_common(audience, f"(call $card_seers {self.read(variable)})"))
            code = " ".join(walk)
        if isinstance(term, t.StateOf):
            index = i32(0) if term.index is None else self.value(term.index)
            code += keep_common(audience, f"(call $sees.{term.state.name} {index})")
        return code


def keep_common(audience: str, seers: str) -> str:
    return f"(local.set {audience} (i32.and (local.get {audience}) {seers}))"


def mask_of(audience: str, each: object, index: str, game: t.CheckedGame) -> str:
    """The seats that see a cell with this index, as bits. All bits are everyone."""
    if audience == "everyone":
        return i32(EVERYONE)
    if audience == "nobody":
        return i32(0)
    name = each.name if isinstance(each, Enumeration) else ""
    if name == "player" and audience == "owner":
        return f"(i32.shl (i32.const 1) {index})"
    teams = [sum(1 << seat for seat in seats) for _, seats in game.teams]
    if name == "player":
        teams = [
            next((mask for mask in teams if mask >> seat & 1), 1 << seat)
            for seat in range(game.players)
        ]
    code = i32(0)
    for position, mask in enumerate(teams):
        code = f"(select {i32(mask)} {code} (i32.eq {index} {i32(position)}))"
    return code
