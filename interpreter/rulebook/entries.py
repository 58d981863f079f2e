"""The entries of a rule file by kind and name: how variants and parts speak of them.

An address is what `remove` and `needs` write: `move play`, `table value`, `must LABEL of play`, or
one word for what stands alone, such as `turns`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from .document import Mapping

# In the order in which a file is usually written.
ORDER = (
    *("rulebook", "game", "credits", "link", "about", "language"),
    *("extends", "uses", "remove", "needs"),
    *("players", "turns", "teams", "options", "cards", "kinds", "orders", "tables"),
    *("zones", "state", "define", "moves", "steps", "limits", "names", "examples"),
)

# The word for one entry of each part of a file that holds named entries.
WORDS = {
    "teams": "team",
    "options": "option",
    "cards": "cards",
    "kinds": "kind",
    "orders": "order",
    "tables": "table",
    "zones": "zone",
    "state": "state",
    "define": "definition",
    "moves": "move",
    "steps": "step",
    "limits": "limit",
    "names": "name",
}
_SECTIONS = {word: section for section, word in WORDS.items()}
MUST = "must"


@dataclass(frozen=True, slots=True)
class Address:
    """One entry: its section and name, for a `must` line also its label; or, without a name, an
    entry that stands alone or a whole section."""

    section: str
    name: str = ""
    label: str = ""

    def __str__(self) -> str:
        if self.label:
            return f"{MUST} {self.label} of {self.name}"
        return f"{WORDS[self.section]} {self.name}" if self.name else self.section


def read_address(text: str) -> Address | None:
    """The entry that a text speaks of; None if it is not written as an address."""
    first, _, rest = " ".join(text.split()).partition(" ")
    if first == MUST:
        label, of, move = rest.rpartition(" of ")
        return Address("moves", move, label) if of and label else None
    if rest:
        return Address(_SECTIONS[first], rest) if first in _SECTIONS else None
    return Address(first) if first in ORDER else None


def name_of(section: str, key: str) -> str:
    """The name of an entry: definitions and steps may have parameters behind it."""
    return key.partition(" ")[0] if section in ("define", "steps") else key


def key_of(section: str, mapping: Mapping, name: str) -> str | None:
    """The key under which a section holds the entry of that name."""
    if section not in ("define", "steps"):
        return name if name in mapping.entries else None
    return next((key for key in mapping.entries if name_of(section, key) == name), None)


def holds(document: Mapping, address: Address) -> bool:
    """Whether a document has the entry; what could not be read counts as there."""
    if address.section in document.broken or not address.name:
        return address.section in document.broken or address.section in document.entries
    section = document.get(address.section)
    if not isinstance(section, Mapping):
        return False
    if address.name in {name_of(address.section, key) for key in section.broken}:
        return True
    key = key_of(address.section, section, address.name)
    if key is None or not address.label:
        return key is not None
    lines = must_lines(section, key)
    return lines is not None and (address.label in lines.entries or address.label in lines.broken)


def must_lines(moves: Mapping, key: str) -> Mapping | None:
    """The `must` lines of a move, if it has any."""
    move = moves.get(key)
    lines = move.get(MUST) if isinstance(move, Mapping) else None
    return lines if isinstance(lines, Mapping) else None


def addresses(document: Mapping) -> Iterator[Address]:
    """Every entry that a document has, `must` lines after their move."""
    for section, entry in document.entries.items():
        if section not in WORDS:
            yield Address(section)
            continue
        if not isinstance(entry.value, Mapping):
            continue
        for key in entry.value.entries:
            yield Address(section, name_of(section, key))
            if section == "moves":
                lines = must_lines(entry.value, key)
                labels = lines.entries if lines else ()
                yield from (Address(section, key, label) for label in labels)
