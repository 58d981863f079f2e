"""Variants and parts: a document over the one that it extends, with the parts that it uses.

Order: what the extended file holds, flattened itself, without what `remove` names; then the parts;
then the file's own entries. Entries are whole and go by name. Two are taken further apart: an
option's entries replace those of the same option one by one, and a move that holds nothing but
`must:` changes lines of the move of that name. Spans keep the source that they come from, so that
every message names the file in which an entry really stands.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath, PureWindowsPath

from .diagnostics import Label, Problem, Problems
from .document import Entry, Mapping, Node, Scalar, Sequence, read_document
from .entries import MUST, ORDER, WORDS, Address, addresses, holds, key_of, name_of, read_address
from .resources import find_game, shipped_games, shipped_parts, shipped_variants
from .source import Source, Span, read_source
from .suggest import closest

MAX_CHAIN = 20
"""So many files may extend one another."""

MAX_LISTED = 8
# What is a path on one system only is none anywhere.
KINDS_OF_PATH = (PurePosixPath, PureWindowsPath)

# Every file says these of itself alone. Examples tell the rules of the game that they stand in.
OWN = ("rulebook", "game", "extends", "uses", "remove", "examples")
_RANK = {key: rank for rank, key in enumerate(ORDER)}


class Composed(Mapping):
    """A mapping whose entries may come from several places; its span is that of one of them."""

    __slots__ = ()


class Flattened(Composed):
    """A whole document put together from several sources: `top` is that of the file itself,
    `parts` are those of what `uses` took in."""

    __slots__ = ("parts", "top")
    top: Source
    parts: list[Source]


def flat_text(name_or_path: str) -> str:
    """A rule file with all that it extends and uses in one text, which is a rule file itself.

    The text of a file that extends and uses nothing comes back as it is. `RuleFileError` with
    what is wrong if the file cannot be read.
    """
    # Imported here, as the road leads through this module.
    from .diagnostics import RuleFileError
    from .flat import whole_text
    from .pipeline import load_document, load_source

    problems = Problems()
    source = load_source(name_or_path, problems)
    document = None if source is None else load_document(source, problems)
    if source is None or document is None or problems.errors:
        raise RuleFileError(problems)
    return whole_text(document, source)


def flatten(document: Mapping, source: Source, problems: Problems) -> Mapping | None:
    """The document with all that it extends and uses. None, with problems added, where a base or
    what a part needs is not there: those names would all be unknown."""
    flattening = _Flatten(problems)
    whole = flattening.run(document, source, _real(Path(source.path)))
    if whole is None:
        return None
    flattened = Flattened(whole.entries, whole.span, whole.broken, whole.faulty)
    flattened.top, flattened.parts = source, flattening.sources
    return flattened


def concerning(found: Problems, document: Mapping) -> Iterator[Problem]:
    """What the checks of a whole game found, as far as it concerns the author of this file.

    A game need not use all of a part. What is of no use in an extended game is taken out by
    `remove`, not there.
    """
    for problem in found:
        source = problem.span.source if problem.span else None
        if not isinstance(document, Flattened) or problem.severity == "error":
            yield problem
            continue
        if source == document.top:
            yield problem
        elif source not in document.parts:
            address = _address_at(document, problem.span)
            yield replace(problem, help=f"write `remove: [{address}]`") if address else problem


def _address_at(document: Mapping, span: Span | None) -> Address | None:
    """The entry whose name stands at a place."""
    for section, entry in document.entries.items():
        if section in WORDS and isinstance(entry.value, Mapping):
            for key, inner in entry.value.entries.items():
                if (
                    span
                    and inner.key.span.source == span.source
                    and inner.key.span.start == span.start
                ):
                    return Address(section, name_of(section, key))
    return None


def _real(path: Path) -> tuple[Path, ...]:
    return (path.resolve(),) if path.is_file() else ()


def _shown(path: Path) -> str:
    """A path as messages show it: from the working directory on, if it lies inside."""
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return str(path)


class _Flatten:
    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.parts: set[str] = set()
        """The parts taken in by any file of the chain: a part comes in once."""
        self.sources: list[Source] = []
        self.lost = False
        """Whether a part is not there."""

    def run(self, document: Mapping, source: Source, chain: tuple[Path, ...]) -> Composed | None:
        """`chain`: the files on the way here, the one of this document last."""
        whole = Composed({}, document.span, set(document.broken), set(document.faulty))
        if "extends" in document.entries:
            base = self.base(document.entries["extends"].value, source, chain)
            if base is None:
                return None
            for key, entry in base.entries.items():
                if key not in OWN:
                    _put(whole, key, entry)
            whole.broken |= base.broken - {*OWN}
            whole.faulty |= base.faulty - {*OWN}
            self.remove(document.get("remove"), whole)
        layer = _Parts(self.problems, whole)
        uses = document.get("uses")
        for item in uses.items if isinstance(uses, Sequence) else ():
            if isinstance(item, Scalar) and item.text not in self.parts:
                self.parts.add(item.text)
                part = layer.take(item)
                if part is not None:
                    self.sources.append(part)
                else:
                    self.lost = True
        layer.refuse_clashes(document)
        for key, entry in document.entries.items():
            if key not in ("extends", "uses", "remove"):
                _lay(whole, key, entry)
        if self.lost:
            # What could come from that part is not missing.
            whole.broken |= {*WORDS, "cards"} - whole.entries.keys()
            whole.faulty.add("cards")
            cards = whole.get("cards")
            if isinstance(cards, Mapping):
                cards.broken |= {"suits", "ranks", "singles"} - cards.entries.keys()
            return whole
        return whole if layer.needs_met() else None

    # ---- the extended file ----

    def base(self, node: Node, source: Source, chain: tuple[Path, ...]) -> Mapping | None:
        """The document that a file extends, flattened itself."""
        if not isinstance(node, Scalar) or not node.text:
            return None  # The structure of the file has been told.
        path = self.find(node, source)
        if path is None:
            return None
        real = path.resolve()
        if real in chain:
            between = [f"`{file.name}`" for file in chain[chain.index(real) + 1 :]]
            message = f"`{real.name}` extends itself"
            if between:
                message += f" by way of {' and '.join(between)}"
            self.problems.add(
                "extends-cycle", message, node.span, help="extend a game that stands on its own"
            )
            return None
        if len(chain) > MAX_CHAIN:
            message = f"more than {MAX_CHAIN} files extend one another here"
            self.problems.add("long-chain", message, node.span, help="extend an earlier one")
            return None
        found = read_source(_shown(path), self.problems)
        document = None if found is None else read_document(found, self.problems)
        if found is None or document is None:
            return None
        if document.entries.keys() & {"extends", "uses"}:
            return self.run(document, found, (*chain, real))
        return document

    def find(self, scalar: Scalar, source: Source) -> Path | None:
        """The file of a base: one beside the source, or shipped. No other is ever opened."""
        name, folder = scalar.text, Path(source.path).parent
        if name in (".", "..") or any(kind(name).name != name for kind in KINDS_OF_PATH):
            self.elsewhere(scalar)
            return None
        beside = folder / name
        if PurePosixPath(name).suffix not in (".yaml", ".yml"):
            shipped = [*shipped_games(), *shipped_variants()]
            if name in shipped:
                return find_game(name)
            near = closest(name, shipped)
            help = f"the games are {', '.join(shipped_games())}"
            if (folder / f"{name}.yaml").is_file():
                help = f"write `{name}.yaml` for the file beside this one"
            elif near:
                help = f"write `{near[0]}`"
            self.missing(scalar, f"there is no shipped game called `{name}`", help)
            return None
        if not beside.is_file():
            files = sorted(path.name for path in folder.glob("*.yaml") if path.is_file())
            near = closest(name, [file for file in files if file != Path(source.path).name])
            help = f"write `{near[0]}`" if near else "name a file of this folder or a shipped game"
            self.missing(scalar, f"there is no file `{name}` beside this one", help)
            return None
        if beside.resolve().parent != folder.resolve():  # A link that leads out of the folder.
            self.elsewhere(scalar)
            return None
        return beside

    def elsewhere(self, scalar: Scalar) -> None:
        self.problems.add(
            "base-elsewhere",
            f"`{scalar.text}` is not a file beside this one",
            scalar.span,
            help="name a file of this folder, or a shipped game",
        )

    def missing(self, scalar: Scalar, message: str, help: str) -> None:
        self.problems.add("no-such-base", message, scalar.span, help=help)

    def remove(self, node: Node | None, whole: Composed) -> None:
        """Leave out the entries that `remove` lists."""
        known = [str(address) for address in addresses(whole)]
        for item in node.items if isinstance(node, Sequence) else ():
            if not isinstance(item, Scalar):
                continue
            address = read_address(item.text)
            if address is not None and holds(whole, address):
                _leave_out(whole, address)
                continue
            near = [one for one in known if one.endswith(f" {item.text}")]
            near = near or closest(" ".join(item.text.split()), known)
            help = "write its kind and its name, such as `move pass` or `must LABEL of MOVE`"
            kind = "" if address is None or not address.name else item.text.partition(" ")[0]
            others = [one for one in known if one.startswith(f"{kind} ")] if kind else []
            if 0 < len(others) <= MAX_LISTED:
                help = f"there is {', '.join(f'`{one}`' for one in others)}"
            self.problems.add(
                "nothing-to-remove",
                f"the extended game has no entry `{item.text}`",
                item.span,
                help=f"write `{near[0]}`" if near else help,
            )


class _Parts:
    """The parts that one file takes in."""

    def __init__(self, problems: Problems, whole: Composed) -> None:
        self.problems = problems
        self.whole = whole
        self.taken: dict[Address, tuple[str, Span]] = {}
        """What came in: the part that it came from, and where it stands there."""
        self.needs: list[tuple[Scalar, Scalar]] = []
        """The item of `uses`, and what its part needs."""

    def take(self, item: Scalar) -> Source | None:
        """Take in the part that an item of `uses` names; None if there is none."""
        path = shipped_parts().get(item.text)
        source = None if path is None else read_source(_shown(path), self.problems)
        part = None if source is None else read_document(source, self.problems)
        if source is None or part is None:
            near = closest(item.text, shipped_parts())
            self.problems.add(
                "no-such-part",
                f"there is no part called `{item.text}`",
                item.span,
                help=f"write `{near[0]}`"
                if near
                else f"the parts are {', '.join(shipped_parts())}",
            )
            return None
        needs = part.get("needs")
        for need in needs.items if isinstance(needs, Sequence) else ():
            if isinstance(need, Scalar):
                self.needs.append((item, need))
        for section, entry in part.entries.items():
            if section not in WORDS or not isinstance(entry.value, Mapping):
                continue
            for key, inner in entry.value.entries.items():
                address = Address(section, name_of(section, key))
                if holds(self.whole, address):
                    self.clash(item, address, inner)
                    continue
                self.taken[address] = (item.text, inner.key.span)
                section_key = entry.key
                _lay(
                    self.whole, section, Entry(section_key, Composed({key: inner}, inner.key.span))
                )
        return source

    def clash(self, item: Scalar, address: Address, entry: Entry) -> None:
        other, place = self.taken.get(address, ("", None))
        whose = f"the part `{other}`" if other else "the extended game"
        others = [Label(entry.key.span, f"in `{item.text}`")]
        if place is not None:
            others.append(Label(place, f"in `{other}`"))
        self.problems.add(
            "part-clash",
            f"the part `{item.text}` and {whose} both have `{address}`",
            item.span,
            others=tuple(others),
            help="use one of the two",
        )

    def refuse_clashes(self, document: Mapping) -> None:
        """A file has other names than its parts. Only what people see of a name is its own."""
        for section, entry in document.entries.items():
            if section not in WORDS or section == "names" or not isinstance(entry.value, Mapping):
                continue
            for key, inner in entry.value.entries.items():
                address = Address(section, name_of(section, key))
                if address in self.taken:
                    part, place = self.taken[address]
                    self.problems.add(
                        "part-clash",
                        f"`{address}` is in the part `{part}` too",
                        inner.key.span,
                        others=(Label(place, "here"),),
                        help="leave it to the part, or give it another name",
                    )

    def needs_met(self) -> bool:
        met = True
        for item, need in self.needs:
            address = read_address(need.text)
            if address is None or not holds(self.whole, address):
                met = False
                self.problems.add(
                    "unmet-need",
                    f"the part `{item.text}` needs `{need.text}`, which is not in this file",
                    item.span,
                    others=(Label(need.span, "needed here"),),
                    help=f"add it, or leave `{item.text}` out",
                )
        return met


# ---- entries over entries ----


def _put(whole: Composed, key: str, entry: Entry) -> None:
    """Give a document an entry: in place of the one with its key, else where it usually stands."""
    if key not in whole.entries:
        rank = _RANK.get(key, len(_RANK))
        later = [other for other in whole.entries if _RANK.get(other, len(_RANK)) > rank]
        moved = {other: whole.entries.pop(other) for other in later}
        whole.entries[key] = entry
        whole.entries |= moved
        return
    whole.entries[key] = entry


def _lay(whole: Composed, key: str, entry: Entry) -> None:
    """Lay one entry of a file over what is there."""
    there = whole.get(key)
    if key not in WORDS or not isinstance(there, Mapping) or not isinstance(entry.value, Mapping):
        _put(whole, key, entry)
        return
    section = _opened(whole, key)
    section.broken |= entry.value.broken
    for own in entry.value.entries.values():
        old = key_of(key, section, name_of(key, own.key.text))
        if old is None:
            section.entries[own.key.text] = own
            continue
        new = _over(key, section.entries[old], own)
        section.entries = {
            (own.key.text if name == old else name): (new if name == old else other)
            for name, other in section.entries.items()
        }


def _over(section: str, old: Entry, new: Entry) -> Entry:
    """What stands for an entry that both files have."""
    if not isinstance(old.value, Mapping) or not isinstance(new.value, Mapping):
        return new
    if section == "options":
        merged = Composed({**old.value.entries, **new.value.entries}, new.value.span)
        merged.broken |= old.value.broken | new.value.broken
        return Entry(new.key, merged)
    lines = new.value.get(MUST)
    only = set(new.value.entries) == {MUST} and not new.value.broken
    if section == "moves" and only and isinstance(lines, Mapping):
        before = old.value.get(MUST)
        if not isinstance(before, Mapping):
            return Entry(
                old.key, Composed({**old.value.entries, **new.value.entries}, new.key.span)
            )
        both = Composed({**before.entries, **lines.entries}, lines.span)
        both.broken |= before.broken | lines.broken
        must = Entry(new.value.entries[MUST].key, both)
        move = Composed({**old.value.entries, MUST: must}, new.value.span, set(old.value.broken))
        return Entry(old.key, move)
    return new


def _opened(whole: Composed, key: str) -> Composed:
    """A section of a document, to be changed; what it was made from stays as it is."""
    entry = whole.entries[key]
    assert isinstance(entry.value, Mapping)
    if isinstance(entry.value, Composed):
        opened = entry.value
    else:
        opened = Composed(dict(entry.value.entries), entry.value.span, set(entry.value.broken))
    whole.entries[key] = Entry(entry.key, opened)
    return opened


def _leave_out(whole: Composed, address: Address) -> None:
    """Remove an entry that a document has; a section without entries goes with its last one."""
    if not address.name:
        whole.entries.pop(address.section, None)
        whole.broken.discard(address.section)
        return
    if address.section not in whole.entries:
        return
    section = _opened(whole, address.section)
    key = key_of(address.section, section, address.name)
    if key is None:
        section.broken = {
            name for name in section.broken if name_of(address.section, name) != address.name
        }
        return
    if address.label:
        move = section.entries[key]
        lines = move.value.get(MUST) if isinstance(move.value, Mapping) else None
        assert isinstance(move.value, Mapping)
        assert isinstance(lines, Mapping)
        kept = {label: line for label, line in lines.entries.items() if label != address.label}
        entries = dict(move.value.entries)
        if kept:
            entries[MUST] = Entry(entries[MUST].key, Composed(kept, lines.span))
        else:
            del entries[MUST]
        section.entries[key] = Entry(move.key, Composed(entries, move.value.span))
    else:
        del section.entries[key]
    if not section.entries and not section.broken:
        del whole.entries[address.section]
