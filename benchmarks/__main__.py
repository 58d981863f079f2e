"""Measure, and print PASS or MISS against the bars of the project: `make bench`.

Parts of it by name: `make bench ARGS="--only coins,validate"`.

A bar that is missed is no error: the exit code is 0 unless something could not be measured at all.
Times and rates differ between machines and days, so most bars are ratios within one run.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median

from benchmarks import coinche_colver, coins_c, plain_tricks_spiel, scaling
from benchmarks.timing import Row, compare, rate, ratio_row, report
from rulebook.diagnostics import RuleFileError
from rulebook.resources import shipped_games
from rulebook.wasm.machine import Machine

BARE = "import yaml, lark, jsonschema, typer"
PACKAGES = ("wasmtime", "lark", "pyyaml", "jsonschema", "typer", "rich", "colver", "open_spiel")
GAMES = 2000
SECONDS = 0.3
"""Least time of one measurement."""


def main() -> int:
    arguments = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="fewer and shorter runs")
    arguments.add_argument("--only", help=f"some of {', '.join(PARTS)}, apart by commas")
    given = arguments.parse_args()
    quick: bool = given.quick
    chosen = given.only.split(",") if given.only else list(PARTS)
    unknown = sorted(set(chosen) - set(PARTS))
    if unknown:
        arguments.error(f"no part is called {', '.join(unknown)}; there are {', '.join(PARTS)}")
    print(machine(), flush=True)
    rows: list[Row] = []
    broken = False
    for name in dict.fromkeys(chosen):
        try:
            rows += PARTS[name](quick)
        except (RuntimeError, OSError, RuleFileError) as error:
            broken = True
            print(f"could not be measured: {error}", file=sys.stderr)
    passed = report(rows)
    print("every bar is reached" if passed else "not every bar is reached; that is no error")
    return int(broken)


def machine() -> str:
    """What the numbers were measured on."""
    packages = ", ".join(f"{name} {version_of(name)}" for name in PACKAGES)
    return (
        f"{date.today()}  {platform.system()} {platform.machine()}, {os.cpu_count()} cores, "
        f"{processor()}\nPython {platform.python_version()}, {packages}"
    )


def version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "processor unknown"


# ---- random games ----


def others(quick: bool) -> list[Row]:
    """Random games of two more, in decisions a second: figures, with no bar."""
    from rulebook.engine.game import load

    found: list[Row] = []
    for name, games in (("china_hand", 100), ("three_kings", 2000)):
        machine = load(name).fast

        def play(machine: Machine = machine, games: int = games) -> int:
            done = machine.call("games", 1, 0, games)
            assert isinstance(done, int)
            return done

        figure = rate(play, 0.1 if quick else 0.3)()
        found.append(Row(f"random games of {name}, decisions a second", figure, unit="/s"))
    return found


def speed(quick: bool) -> list[Row]:
    """Random games of Coins inside the module against the same games in C, one thread each."""
    from rulebook.engine.game import load

    by_hand = coins_c.load()
    if by_hand is None:
        print("left out: random games against C, since there is no C compiler")
        return []
    game = load("coins")
    machine = game.fast
    # Both play the very same games, and keep no more than the counts.
    plays = by_hand.run(1, GAMES)
    if machine.call("games", 1, 0, GAMES) != plays:
        raise RuntimeError("the module and the C program play different games")

    def in_module() -> float:
        machine.call("games", 1, 0, GAMES)
        return GAMES

    def in_c() -> float:
        by_hand.run(1, GAMES)
        return GAMES

    rounds, seconds = (3, 0.1) if quick else (9, SECONDS)
    result = compare(rate(in_module, seconds), rate(in_c, seconds), rounds)
    name = "random games, module to C"
    return [
        ratio_row(name, result, 0.5, unit=" games/s"),
        ratio_row(f"{name}, the next bar", result, 0.8, unit=" games/s"),
    ]


# ---- whole processes ----


def validating(quick: bool) -> list[Row]:
    path = longest()
    return process(f"validate {path.name}", ["validate", str(path)], "", quick, 0.3)


def playing(quick: bool) -> list[Row]:
    path = longest()
    arguments = ["play", str(path), "--seed", "7"]
    return process(f"play {path.name}, first screen", arguments, "quit\n", quick)


def longest() -> Path:
    """The longest rule file that ships."""
    return max(shipped_games().values(), key=lambda path: path.stat().st_size)


def process(
    name: str, arguments: list[str], typed: str, quick: bool, bar: float | None = None
) -> list[Row]:
    """A command as a user starts it, in turn with a Python that only imports the libraries."""
    command = [sys.executable, "-m", "rulebook", *arguments]
    run(command, typed)  # The first one may write caches.
    times, bare = [], []
    for _ in range(3 if quick else 11):
        times.append(run(command, typed))
        bare.append(run([sys.executable, "-c", BARE]))
    ratio = median(one / other for one, other in zip(times, bare, strict=True))
    note = f"{ratio:.2f} times `python -c '{BARE}'`, which takes {median(bare):.3f} s"
    return [Row(name, median(times), bar, at_least=False, unit=" s", note=note)]


def run(command: list[str], typed: str = "") -> float:
    """Seconds that a process takes; RuntimeError, with what it wrote, if it fails."""
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "80"}
    began = time.perf_counter()
    done = subprocess.run(
        command, input=typed, capture_output=True, text=True, env=environment, check=False
    )
    spent = time.perf_counter() - began
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return spent


# ---- compiling ----


def compiling(quick: bool) -> list[Row]:
    """Coins from its text to a module that can run, and the parts of that."""
    import wasmtime

    from rulebook.pipeline import compile_file
    from rulebook.wasm import Build, generate

    times: dict[str, list[float]] = {"read and check": [], "generate": [], "wasmtime": []}
    engine = wasmtime.Engine()
    for _ in range(4 if quick else 10):
        began = time.perf_counter()
        program = compile_file("coins").program
        read = time.perf_counter()
        wasm = generate(program, Build(waiting=True))
        written = time.perf_counter()
        wasmtime.Module(engine, bytes(wasmtime.wat2wasm(wasm.text)))
        ready = time.perf_counter()
        for some, spent in zip(
            times.values(), (read - began, written - read, ready - written), strict=True
        ):
            some.append(1000 * spent)
    # The first of each warms caches up.
    middle = {name: median(some[1:]) for name, some in times.items()}
    note = ", ".join(f"{name} {spent:.0f} ms" for name, spent in middle.items())
    return [Row("compile Coins", sum(middle.values()), 100, at_least=False, unit=" ms", note=note)]


PARTS: dict[str, Callable[[bool], list[Row]]] = {
    "coins": speed,
    "coinche": coinche_colver.rows,
    "spiel": plain_tricks_spiel.rows,
    "others": others,
    "cores": scaling.rows,
    "validate": validating,
    "play": playing,
    "compile": compiling,
}


if __name__ == "__main__":
    sys.exit(main())
