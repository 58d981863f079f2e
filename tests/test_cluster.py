"""Random games on a cluster: the same report as on one machine, whatever happens to its workers.

The cluster is two processes of this machine, which the tests start and end.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from rulebook.engine.game import load
from rulebook.engine.match import RuleError
from rulebook.pipeline import compile_source
from rulebook.resolve import Setting
from rulebook.source import Source
from rulebook.tools import cluster
from rulebook.tools.cluster import NoCluster, connected, scheduler_of
from rulebook.tools.shards import Stopped
from rulebook.tools.simulate import Survey, module_of, survey

distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")

# What the threads of the cluster itself warn of is not ours.
pytestmark = pytest.mark.filterwarnings("default")
SEED = 3


@pytest.fixture(scope="module")
def workers() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="localhost:0", silence_logs=50
    ) as started:
        yield started


@pytest.fixture
def address(workers: Any) -> str:
    return str(workers.scheduler_address).replace("tcp", "dask")


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rulebook", "simulate", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


def test_the_report_of_a_cluster_is_that_of_one_machine(address: str) -> None:
    arguments = ("coins", "--games", "3000", "--seed", "3", "--json")
    alone = command(*arguments, "--processes", "1")
    together = command(*arguments, "--on", address)
    assert together.returncode == 0, together.stderr
    assert together.stdout == alone.stdout
    assert json.loads(together.stdout)["games"] == 3000
    assert not together.stderr


def test_a_worker_that_is_killed_loses_nothing(workers: Any, address: str) -> None:
    game = load("coins")
    victims = [nanny.process.process.pid for nanny in workers.workers.values()]
    killed: list[int] = []

    def watch(found: Survey, first: int, rows: object) -> None:
        if found.games > 3000 and not killed:
            os.kill(victims[0], signal.SIGKILL)
            killed.append(found.games)

    found = survey(game, 30_000, SEED, each=watch, on=address)
    assert killed
    assert killed[0] < 30_000
    assert found.games == 30_000
    assert found.plain() == survey(game, 30_000, SEED, processes=1).plain()


def test_rules_that_go_wrong_are_told_with_the_game(address: str) -> None:
    text = """\
rulebook: 1
game: Wrong
players: 2
cards: {suits: [red, blue], ranks: [1, 2, 3]}
zones:
  stock: {ordered: yes, seen by: nobody}
state:
  total: 0..4
moves:
  draw: {do: total += 1}
steps:
  match: |
    gather all cards to stock
    shuffle stock
    0 chooses draw
    if rank of last of stock is 3: total += 4
    if total > 0: 0 wins
"""
    game = compile_source(Source("wrong.yaml", text), Setting(2))
    labels = []
    for where in ({"processes": 1}, {"on": address}):
        with pytest.raises(RuleError) as raised:
            survey(game, 500, SEED, **where)
        labels.append((raised.value.problem.slug, raised.value.problem.label))
    assert labels[0] == labels[1]
    assert labels[0][0] == "number-out-of-range"


def test_a_run_that_is_left_early_leaves_the_cluster_free(address: str) -> None:
    _, task = module_of(load("coins"))
    shards = cluster.cluster_shards(task, 10**9, SEED, address)
    first, rows = next(shards)
    shards.close()
    assert first == 0
    assert len(rows) % (4 * task.width) == 0
    assert rows
    with connected(address, 10) as (client, _):
        assert client.submit(sum, [1, 2]).result(timeout=20) == 3


def test_a_worker_keeps_the_module_that_it_played_last() -> None:
    _, task = module_of(load("coins"))
    seconds, rows = cluster.play(task, SEED, 5, 2)
    assert seconds > 0
    player = cluster.here.player
    again = cluster.play(task, SEED, 6, 1)[1]
    assert cluster.here.player is player
    assert not isinstance(rows, Stopped)
    assert not isinstance(again, Stopped)
    assert rows.endswith(again)


def test_what_nobody_waits_for_in_the_loop_is_not_told(
    address: str, caplog: pytest.LogCaptureFixture
) -> None:
    with connected(address, 10) as (client, _):
        loop = client.loop.asyncio_loop
        left = loop.create_future()
        done = threading.Event()
        left.add_done_callback(lambda _: done.set())
        loop.call_soon_threadsafe(left.set_exception, TimeoutError("Timeout"))
        assert done.wait(10)
    # It is found out only now, when the loop is closed and the loggers are as they were.
    assert loop.is_closed()
    del left
    gc.collect()
    assert [one.getMessage() for one in caplog.records if one.name == "asyncio"] == []


# ---- no cluster ----


@pytest.mark.parametrize(
    "address", ["localhost:8786", "dask://", "dask://localhost", "dask://a b:1", "tcp://h:1"]
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(NoCluster, match="is not an address such as dask://localhost:8786"):
        scheduler_of(address)


def test_an_address_that_does_not_answer_is_told() -> None:
    with socket.socket() as held:
        held.bind(("localhost", 0))
        address = f"dask://localhost:{held.getsockname()[1]}"
        with (
            pytest.raises(NoCluster, match=f"nothing answers at `{address}`"),
            connected(address, 1.0),
        ):
            pass


def test_a_cluster_without_workers_is_told() -> None:
    with (
        distributed.LocalCluster(
            n_workers=0, dashboard_address="localhost:0", silence_logs=50
        ) as empty,
        pytest.raises(NoCluster, match="has no workers"),
        connected(str(empty.scheduler_address).replace("tcp", "dask"), 1.0),
    ):
        pass


def test_a_missing_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(NoCluster, match=r"pip install 'rulebook-games\[dask\]'"),
        connected("dask://localhost:1", 1.0),
    ):
        pass


def test_processes_are_not_for_a_cluster() -> None:
    run = command("coins", "--on", "dask://localhost:1", "--processes", "2")
    assert run.returncode == 2
    assert "`--processes` is for this machine" in run.stderr
    run = command("coins", "--on", "somewhere")
    assert run.returncode == 2
    assert "`somewhere` is not an address" in run.stderr
