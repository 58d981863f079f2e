"""The same shards on other machines: a cluster of `distributed` (Dask) plays them.

Each shard is a task that carries the module with it, so a worker needs nothing but this package,
and a shard whose worker is lost is played again by another: it says the same wherever it is played.
"""

from __future__ import annotations

import logging
import re
import threading
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from time import monotonic, perf_counter
from typing import Any

from rulebook.tools.shards import Lost, Pace, Player, Stopped, Task

TIME_OUT = 10.0
"""Seconds in which the address must answer, and have a worker."""
AHEAD = 3
"""Shards for each thread of the cluster that may be done or at work before the oldest is used."""
LOSSES = 10
"""Workers that may be lost over one shard."""
SHARE = 8
"""The work of some local shards in one: what is sent takes time."""
PACKAGE = "rulebook-games[dask]"
ADDRESS = re.compile(r"dask://((?:[\w.-]+|\[[0-9a-fA-F:]+\]):\d{1,5})")

here = threading.local()


class NoCluster(Exception):
    """There is nothing to play on; the text says why, for people."""


def scheduler_of(address: str) -> str:
    """`dask://HOST:PORT` as `distributed` writes it. `NoCluster` for anything else."""
    found = ADDRESS.fullmatch(address)
    if found is None:
        raise NoCluster(f"`{address}` is not an address such as dask://localhost:8786")
    return f"tcp://{found[1]}"


def play(task: Task, seed: int, first: int, count: int) -> tuple[float, bytes | Stopped]:
    """What a worker does: one shard, with the seconds that it took. Each of its threads keeps the
    module that it played last."""
    start = perf_counter()
    player: Player | None = getattr(here, "player", None)
    if player is None or player.task != task:
        player = here.player = Player(task)
    try:
        found: bytes | Stopped = player.play(seed, first, count)
    except Stopped as stopped:
        found = stopped
    return perf_counter() - start, found


@contextmanager
def connected(address: str, time_out: float) -> Iterator[tuple[Any, int]]:
    """A client of the cluster, and the number of its threads. `NoCluster` if it does not answer,
    has no workers or `distributed` is not installed."""
    scheduler = scheduler_of(address)
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise NoCluster(
            f"`{address}` needs the distributed package: pip install '{PACKAGE}'"
        ) from None
    with silenced(), looping() as loop:
        try:
            client = distributed.Client(
                scheduler, loop=loop, timeout=time_out, set_as_default=False
            )
        except (OSError, TimeoutError, ValueError):
            raise NoCluster(f"nothing answers at `{address}`") from None
        try:
            yield client, threads_of(client, address, time_out)
        finally:
            with suppress(OSError, TimeoutError):
                client.close(timeout=time_out)


@contextmanager
def looping() -> Iterator[Any]:
    """An event loop in a thread of its own. What fails in it and was waited for by nobody is found
    out when the memory is freed, which may be after the run: the loop itself keeps it quiet."""
    runner: Any = import_module("distributed.utils").LoopRunner()
    runner.start()
    runner.loop.asyncio_loop.set_exception_handler(lambda _loop, _context: None)
    try:
        yield runner.loop
    finally:
        runner.stop()


@contextmanager
def silenced() -> Iterator[None]:
    """Lost workers and connections are told as what they mean for the run, and only then.
    `distributed` gives several of its loggers levels of their own."""
    tops = ("distributed", "tornado")
    names = [name for name in logging.root.manager.loggerDict if name.startswith(tops)]
    loggers = [logging.getLogger(name) for name in (*tops, *names)]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def threads_of(client: Any, address: str, time_out: float) -> int:
    until = monotonic() + time_out
    while monotonic() < until:
        try:
            client.wait_for_workers(1, timeout=min(1.0, time_out))
        except TimeoutError:
            continue
        threads = sum(client.nthreads().values())
        if threads:
            return int(threads)
    raise NoCluster(f"the cluster at `{address}` has no workers")


def cluster_shards(
    task: Task, games: int, seed: int, address: str, time_out: float = TIME_OUT
) -> Generator[tuple[int, bytes]]:
    """All games in order, as `play_shards` gives them. Raises `NoCluster` before any game is
    played, `Lost` if the cluster goes away or loses worker after worker."""
    from rulebook.tools import cluster  # By name, so that workers import it and share `here`.

    with connected(address, time_out) as (client, threads):
        pace = Pace(games, task.most)
        waiting: deque[tuple[int, int, Any]] = deque()
        try:
            while True:
                while len(waiting) < AHEAD * threads and (shard := pace.take()):
                    future = client.submit(
                        cluster.play, task, seed, *shard, pure=False, retries=LOSSES
                    )
                    waiting.append((*shard, future))
                if not waiting:
                    return
                first, count, future = waiting.popleft()
                seconds, rows = result_of(future)
                pace.took(count, seconds / SHARE)
                if isinstance(rows, Stopped):
                    raise rows
                yield first, rows
        finally:
            client.cancel([future for _, _, future in waiting], force=True)


def result_of(future: Any) -> tuple[float, bytes | Stopped]:
    from concurrent.futures import CancelledError

    from distributed import KilledWorker
    from distributed.client import FutureCancelledError

    try:
        found: tuple[float, bytes | Stopped] = future.result()
    except KilledWorker:
        raise Lost("workers of the cluster ended without a result, again and again") from None
    except (CancelledError, FutureCancelledError, OSError, TimeoutError):
        raise Lost("the cluster went away") from None
    except ImportError:
        raise Lost("the workers of the cluster do not have this version of rulebook") from None
    return found
