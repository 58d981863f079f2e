"""Random games by the shard: ranges of games played in this process or in others.

A game's seed is made from the run's seed and the game's number, so it makes no difference who plays
a shard or how large it is. Worker processes are plain programs that read shards from their standard
input and write rows to their output: they need no file of the game and no `__main__` of the caller,
leave Ctrl-C to their parent, and end when it does.

Imports nothing of the road from file to program, so that a worker starts fast.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import struct
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Semaphore, Thread
from time import perf_counter
from typing import IO, cast

import wasmtime

FIRST_SHARD = 16
SHARD_TIME = 0.05
"""Seconds that a shard should take: short enough for progress and Ctrl-C."""
ALONE = 0.25
"""Seconds that this process plays before it starts others: many runs are done by then."""
AHEAD = 4
"""Shards for each process that may be done or at work before the oldest is used."""
ATTEMPTS = 3
"""Workers that may be lost over one shard."""
WORKER = "from rulebook.tools.shards import serve; serve()"


@dataclass(frozen=True, slots=True)
class Task:
    """A module that plays games, and where its results lie: `width` 32-bit cells a game."""

    module: bytes
    results: int
    width: int
    most: int
    """Games that there is room for."""
    arguments: int
    error: int
    error_value: int


class Stopped(Exception):
    """The rules went wrong in one game: the game's number, and the trap's site and value."""

    def __init__(self, game: int, site: int, value: int, reason: str) -> None:
        super().__init__(game, site, value, reason)
        self.game = game
        self.site = site
        self.value = value
        self.reason = reason


class Lost(Exception):
    """Worker processes ended again and again without a result."""


class Player:
    """Plays shards in this process."""

    def __init__(self, task: Task) -> None:
        self.task = task
        engine = wasmtime.Engine()
        self.store = wasmtime.Store(engine)
        instance = wasmtime.Instance(self.store, wasmtime.Module(engine, task.module), [])
        exports = instance.exports(self.store)
        self.games = cast(wasmtime.Func, exports["games"])
        memory = cast(wasmtime.Memory, exports["memory"])
        self.base = ctypes.addressof(memory.data_ptr(self.store).contents)

    def play(self, seed: int, first: int, count: int) -> bytes:
        """The rows of games `first` and on; `Stopped` at the first game that goes wrong."""
        try:
            self.call(seed, first, count)
        except wasmtime.Trap:
            for game in range(first, first + count):
                self.try_one(seed, game)
            raise  # Not again: then it is not the rules.
        return ctypes.string_at(self.base + self.task.results, count * 4 * self.task.width)

    def call(self, seed: int, first: int, count: int) -> None:
        cells = struct.pack("<3Q", seed % 2**64, first, count)
        ctypes.memmove(self.base + self.task.arguments, cells, len(cells))
        self.games(self.store)

    def try_one(self, seed: int, game: int) -> None:
        try:
            self.call(seed, game, 1)
        except wasmtime.Trap as trap:
            site, value = self.read(self.task.error), self.read(self.task.error_value)
            raise Stopped(game, site, value, str(trap).splitlines()[0]) from None

    def read(self, address: int) -> int:
        data = ctypes.string_at(self.base + address, 4)
        return int.from_bytes(data, "little", signed=True)


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Pace:
    """How large the next shard is, from how long the last ones took. `next` is the first game
    that nobody has taken."""

    def __init__(self, games: int, most: int) -> None:
        self.games = games
        self.most = most
        self.size = min(FIRST_SHARD, most)
        self.next = 0
        self.lock = Lock()

    def take(self) -> tuple[int, int] | None:
        """First game and count of a shard; None when all are taken."""
        with self.lock:
            count = min(self.size, self.games - self.next)
            if count <= 0:
                return None
            first, self.next = self.next, self.next + count
            return first, count

    def took(self, count: int, seconds: float) -> None:
        fitting = int(count * SHARD_TIME / max(seconds, 1e-6))
        with self.lock:
            self.size = max(1, min(fitting, 2 * self.size, self.most))


def play_shards(
    task: Task, games: int, seed: int, processes: int, alone: float = ALONE
) -> Generator[tuple[int, bytes]]:
    """All games in order: the first one's number and the rows of each shard."""
    pace = Pace(games, task.most)
    player = Player(task)
    begun = perf_counter()
    while processes == 1 or perf_counter() - begun < alone:
        shard = pace.take()
        if shard is None:
            return
        start = perf_counter()
        rows = player.play(seed, *shard)
        pace.took(shard[1], perf_counter() - start)
        yield shard[0], rows
    if pace.next < games:
        crew = Crew(task, seed, processes, pace)
        try:
            yield from crew.rows(pace.next)
        finally:
            crew.dismiss()


class Crew:
    """Worker processes, each fed by a thread of its own."""

    def __init__(self, task: Task, seed: int, processes: int, pace: Pace) -> None:
        self.task = task
        self.seed = seed
        self.pace = pace
        self.room = Semaphore(AHEAD * processes)
        self.done: SimpleQueue[tuple[int, int, bytes | Exception]] = SimpleQueue()
        self.workers: dict[int, subprocess.Popen[bytes]] = {}
        self.closing = False
        self.threads = [
            Thread(target=self.feed, args=(number,), daemon=True) for number in range(processes)
        ]

    def rows(self, first: int) -> Iterator[tuple[int, bytes]]:
        for thread in self.threads:
            thread.start()
        waiting: dict[int, tuple[int, bytes | Exception]] = {}
        while first < self.pace.games:
            while first not in waiting:
                at, count, rows = self.done.get()
                waiting[at] = count, rows
            count, rows = waiting.pop(first)
            if isinstance(rows, Exception):
                raise rows
            self.room.release()
            yield first, rows
            first += count

    def feed(self, number: int) -> None:
        while True:
            self.room.acquire()
            shard = None if self.closing else self.pace.take()
            if shard is None:
                return
            start = perf_counter()
            result = self.ask(number, *shard)
            self.pace.took(shard[1], perf_counter() - start)
            self.done.put((*shard, result))

    def ask(self, number: int, first: int, count: int) -> bytes | Exception:
        """The rows of a shard. A worker that is lost is replaced, and the shard played anew."""
        for _ in range(ATTEMPTS):
            if self.closing:
                break
            try:
                worker = self.workers.get(number) or self.hire(number)
                assert worker.stdin is not None
                assert worker.stdout is not None
                send(worker.stdin, (self.seed, first, count))
                found = pickle.load(worker.stdout)
            except (OSError, EOFError, ValueError, pickle.UnpicklingError):
                self.dismiss_one(number)
                continue
            return cast("bytes | Exception", found)
        return Lost("a worker process ended without a result, again and again")

    def hire(self, number: int) -> subprocess.Popen[bytes]:
        source = str(Path(__file__).resolve().parents[2])
        paths = [source, *filter(None, [os.environ.get("PYTHONPATH")])]
        worker = subprocess.Popen(
            [sys.executable, "-c", WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            # Out of reach of Ctrl-C from the first moment on.
            start_new_session=True,
        )
        self.workers[number] = worker
        assert worker.stdin is not None
        send(worker.stdin, self.task)
        return worker

    def dismiss_one(self, number: int) -> None:
        worker = self.workers.pop(number, None)
        if worker is not None:
            worker.kill()
            worker.wait()
            for pipe in (worker.stdin, worker.stdout):
                if pipe is not None:
                    with suppress(OSError):  # Of bytes that nobody will read any more.
                        pipe.close()

    def dismiss(self) -> None:
        self.closing = True
        for worker in list(self.workers.values()):
            worker.kill()
        for _ in self.threads:
            self.room.release()
        for thread in self.threads:
            thread.join()
        for number in list(self.workers):
            self.dismiss_one(number)


def send(pipe: IO[bytes], item: object) -> None:
    pickle.dump(item, pipe)
    pipe.flush()


def serve() -> None:
    """What a worker process does: a task, then shards, until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source, out = sys.stdin.buffer, sys.stdout.buffer
    try:
        player = Player(pickle.load(source))
        while True:
            seed, first, count = pickle.load(source)
            try:
                found: bytes | Stopped = player.play(seed, first, count)
            except Stopped as stopped:
                found = stopped
            send(out, found)
    except (EOFError, BrokenPipeError):
        # The parent is gone, or wants no more; what is left in the buffer has no reader.
        os._exit(0)
