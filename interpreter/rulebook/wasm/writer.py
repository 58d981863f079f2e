"""WebAssembly text: functions with their locals, and the memory map around the state block.

Code is text in folded form. A set of up to 64 members is one i64; a larger one is two, the low word
first, both on the stack. `Sets` hides the difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rulebook.kinds import Kind, SetOf
from rulebook.program import Layout, Site, set_words
from rulebook.source import Span


@dataclass(frozen=True, slots=True)
class Build:
    """Which module is made. All builds share layout and resume points.

    `waiting` builds stop at every choice and write events; the others choose at random and run on.
    `probed` builds count what took part, and trace how values came about where they wait.
    `measured` ones, which do not wait, tell of each game what happened in it (see `measured`).
    `batched` ones, which wait, step many states in one call and write no events (see `batched`).
    """

    waiting: bool
    probed: bool = False
    measured: bool = False
    batched: bool = False


NO_ERROR = -1
CONTROL = {
    # what the host reads and writes beside the state block: address
    "error": 0,
    "error_value": 4,
    "rows": 8,
    "events": 12,
    "supply": 16,
    "stage": 20,
    "chosen": 24,
    "trace": 28,
    "kept": 32,
    "arguments": 64,  # of a call: four at the most, of 8 bytes each
    "results": 96,  # two at the most, likewise
}
STATE = 128
MAX_ROWS = 4096
EVENT_SIZE = 32
MAX_EVENTS = 8192
SUPPLY_SIZE = 65536
RESULT_ROWS = 8192
SPLITS_SIZE = 131072
MAX_NOTES = 2048
"""Tables that can be noted in one call."""
MAX_SCRIPT = 4096
"""Moves that can be replayed in one call."""
HISTORY_ROWS = 1 << 17
"""The most rows of the table of positions, which have 16 bytes each."""
PAGE = 65536


@dataclass(slots=True)
class Memory:
    """Addresses of everything that is not the state block, and the constant data."""

    layout: Layout
    row_size: int
    players: int
    counters: int = 0
    """Of a game's row of results, where games are measured."""
    data: list[tuple[int, bytes]] = field(default_factory=list)
    known: dict[bytes, int] = field(default_factory=dict)
    top: int = 0

    def __post_init__(self) -> None:
        self.top = STATE + self.layout.size
        self.rows = self.take(MAX_ROWS * self.row_size)
        self.events = self.take(MAX_EVENTS * EVENT_SIZE)
        self.supply = self.take(SUPPLY_SIZE)
        self.results = self.take(RESULT_ROWS * self.result_size)
        self.notes = self.take(MAX_NOTES * self.layout.table_size)
        self.script = self.take(MAX_SCRIPT * self.row_size)
        self.origin = self.take(self.layout.size + self.row_size)
        self.splits = self.take(SPLITS_SIZE)
        self.splits_end = self.splits + SPLITS_SIZE

    rows: int = 0
    events: int = 0
    supply: int = 0
    results: int = 0
    script: int = 0
    """Moves to be replayed."""
    origin: int = 0
    """A state from which rollouts begin, and after it the move that they begin with."""
    notes: int = 0
    """Tables as they lay at some time of random games."""
    splits: int = 0
    splits_end: int = 0
    probes: int = 0
    trace: int = 0
    history: int = 0

    @property
    def result_size(self) -> int:
        """over, winners, losers, choices, a score for each player, then the counters."""
        return 16 + 4 * self.players + 4 * self.counters

    def take(self, size: int) -> int:
        address = -(-self.top // 16) * 16
        self.top = address + size
        return address

    def constant(self, data: bytes) -> int:
        """The address of constant data; equal data is kept once."""
        if data not in self.known:
            address = self.take(len(data))
            self.known[data] = address
            self.data.append((address, data))
        return self.known[data]

    def words(self, values: list[int] | tuple[int, ...], before: int | None = None) -> int:
        """A table of 32-bit values; `before` stands at index -1."""
        head = b"" if before is None else before.to_bytes(4, "little", signed=True)
        body = b"".join(value.to_bytes(4, "little", signed=True) for value in values)
        return self.constant(head + body) + len(head)

    def masks(self, values: list[int], words: int) -> int:
        """A table of sets."""
        return self.constant(b"".join(value.to_bytes(8 * words, "little") for value in values))

    @property
    def events_limit(self) -> int:
        """The end of the room for events; the cell of their end lies behind it if more happened."""
        return self.events + MAX_EVENTS * EVENT_SIZE

    @property
    def pages(self) -> int:
        return -(-self.top // PAGE)


class Function:
    """One function under construction. `code` collects instructions in order."""

    def __init__(self, name: str, parameters: list[str], results: list[str]) -> None:
        self.name = name
        self.parameters = parameters
        self.results = results
        self.locals: list[tuple[str, str]] = []
        self.code: list[str] = []

    def local(self, wasm_type: str, hint: str = "t") -> str:
        name = f"${hint or 't'}.{len(self.locals)}"
        self.locals.append((name, wasm_type))
        return name

    def emit(self, *code: str) -> None:
        self.code.extend(piece for piece in code if piece)

    def text(self, for_host: bool = False) -> str:
        parts = [f"(func ${self.name}", *self.parameters]
        if self.results:
            parts.append(f"(result {' '.join(self.results)})")
        head = " ".join(parts)
        local = " ".join(f"(local {name} {kind})" for name, kind in self.locals)
        body = "\n  ".join(self.code)
        kinds = [parameter.rstrip(")").split()[-1] for parameter in self.parameters]
        exported = export(self.name, kinds, self.results) if for_host else ""
        return f"{head}\n  {local}\n  {body})\n{exported}"


def export(name: str, parameters: Sequence[str] = (), results: Sequence[str] = ()) -> str:
    """A function as the host calls it: arguments and results go through cells of memory, since a
    call with any costs the host several times one without. Each begins with full allowances,
    whatever a trap left of them."""
    assert len(parameters) <= 4
    assert len(results) <= 2
    arguments = [
        f"({kind}.load {i32(CONTROL['arguments'] + 8 * i)})" for i, kind in enumerate(parameters)
    ]
    code = [f"(call ${name} {' '.join(arguments)})"]
    code += [f"(local.set $r{i})" for i in reversed(range(len(results)))]
    for i, kind in enumerate(results):
        value = f"(local.get $r{i})"
        value = value if kind == "i64" else f"(i64.extend_i32_s {value})"
        code.append(f"(i64.store {i32(CONTROL['results'] + 8 * i)} {value})")
    local = " ".join(f"(local $r{i} {kind})" for i, kind in enumerate(results))
    return f'(func (export "{name}") {local} (call $fresh) {" ".join(code)})\n'


def i32(value: int) -> str:
    return f"(i32.const {value})"


def i64(value: int) -> str:
    return f"(i64.const {value - (1 << 64) if value >> 63 else value})"


def add(base: str, offset: int) -> str:
    if not offset:
        return base
    return f"(i32.add {base} {i32(offset)})"


def scaled(index: str, size: int) -> str:
    """index * size, in bytes."""
    if index.startswith("(i32.const "):
        return i32(int(index[11:-1]) * size)
    if size == 1:
        return index
    if size & (size - 1) == 0:
        return f"(i32.shl {index} {i32(size.bit_length() - 1)})"
    return f"(i32.mul {index} {i32(size)})"


def wasm_types(kind: Kind) -> list[str]:
    if isinstance(kind, SetOf):
        return ["i64"] * set_words(kind.enumeration)
    return ["i32"]


class SetLocal:
    """A local that holds a set: one i64, or two."""

    def __init__(self, function: Function, words: int, hint: str = "s") -> None:
        self.names = [function.local("i64", hint) for _ in range(words)]

    def get(self) -> str:
        return " ".join(f"(local.get {name})" for name in self.names)

    def set(self, code: str) -> str:
        if len(self.names) == 1:
            return f"(local.set {self.names[0]} {code})"
        low, high = self.names
        return f"{code} (local.set {high}) (local.set {low})"


class Sets:
    """The set operations of one width."""

    def __init__(self, size: int, words: int) -> None:
        self.size = size
        self.words = words
        self.types = ["i64"] * words

    def constant(self, mask: int) -> str:
        if self.words == 1:
            return i64(mask)
        return f"{i64(mask & (2**64 - 1))} {i64(mask >> 64)}"

    @property
    def full(self) -> str:
        return self.constant((1 << self.size) - 1)

    @property
    def empty(self) -> str:
        return self.constant(0)

    def union(self, left: str, right: str) -> str:
        return f"(i64.or {left} {right})" if self.words == 1 else f"(call $or2 {left} {right})"

    def common(self, left: str, right: str) -> str:
        return f"(i64.and {left} {right})" if self.words == 1 else f"(call $and2 {left} {right})"

    def minus(self, left: str, right: str) -> str:
        if self.words == 1:
            return f"(i64.and {left} (i64.xor {right} (i64.const -1)))"
        return f"(call $minus2 {left} {right})"

    def complement(self, code: str) -> str:
        if self.words == 1:
            return f"(i64.xor {code} {self.full})"
        return f"(call $minus2 {self.full} {code})"

    def is_empty(self, code: str) -> str:
        if self.words == 1:
            return f"(i64.eqz {code})"
        return f"(i64.eqz (i64.or {code}))"

    def count(self, code: str) -> str:
        if self.words == 1:
            return f"(i32.wrap_i64 (i64.popcnt {code}))"
        return f"(call $count2 {code})"

    def equal(self, left: str, right: str) -> str:
        return f"(i64.eq {left} {right})" if self.words == 1 else f"(call $equal2 {left} {right})"

    def single(self, item: str) -> str:
        """The set of one member, which is not none."""
        if item.startswith("(i32.const "):
            return self.constant(1 << int(item[11:-1]))
        if self.words == 1:
            return f"(i64.shl (i64.const 1) (i64.extend_i32_u {item}))"
        return f"(call $single2 {item})"

    def contains(self, code: str, item: str) -> str:
        """Whether a member, which is not none, is in the set."""
        if self.words == 1:
            shifted = f"(i64.shr_u {code} (i64.extend_i32_u {item}))"
            return f"(i32.and (i32.wrap_i64 {shifted}) (i32.const 1))"
        return f"(call $contains2 {code} {item})"

    def lowest(self, code: str) -> str:
        """The first member of a set that is not empty."""
        if self.words == 1:
            return f"(i32.wrap_i64 (i64.ctz {code}))"
        return f"(call $lowest2 {code})"

    def highest(self, code: str) -> str:
        if self.words == 1:
            return f"(i32.sub (i32.const 63) (i32.wrap_i64 (i64.clz {code})))"
        return f"(call $highest2 {code})"

    def rest(self, local: SetLocal) -> str:
        """The set of the local without its first member."""
        if self.words == 1:
            get = local.get()
            return f"(i64.and {get} (i64.sub {get} (i64.const 1)))"
        return f"(call $rest2 {local.get()})"

    def nth(self, code: str, n: str) -> str:
        return f"(call $nth{self.words} {code} {n})"

    def load(self, address: str, offset: int = 0) -> str:
        if self.words == 1:
            return f"(i64.load offset={offset} {address})"
        return f"(i64.load offset={offset} {address}) (i64.load offset={offset + 8} {address})"

    def store(self, address: str, code: str, offset: int = 0) -> str:
        if self.words == 1:
            return f"(i64.store offset={offset} {address} {code})"
        return f"(call $store2 {add(address, offset)} {code})"

    def choose(self, condition: str, then: str, other: str) -> str:
        """One of two sets, both computed."""
        if self.words == 1:
            return f"(select {then} {other} {condition})"
        return self.branch(condition, then, other)

    def branch(self, condition: str, then: str, other: str) -> str:
        types = " ".join(self.types)
        return f"(if (result {types}) {condition} (then {then}) (else {other}))"


class Sites:
    """The places where something can go wrong, by number."""

    def __init__(self) -> None:
        self.sites: list[Site] = []
        self.numbers: dict[tuple[str, str, int, int], int] = {}

    def number(self, slug: str, message: str, span: Span) -> int:
        key = (slug, message, span.start, span.end)
        if key not in self.numbers:
            self.numbers[key] = len(self.sites)
            self.sites.append(Site(slug, message, span))
        return self.numbers[key]
