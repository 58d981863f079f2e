"""`rulebook validate --watch`: check again at each save."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from ..resources import find_game

PAUSE = 0.2
"""Seconds between two looks at the files."""

_CLEAR = "\x1b[2J\x1b[3J\x1b[H"
Stamp = tuple[int, int, int] | None


def watch(files: list[str], check: Callable[[], object], rounds: int | None = None) -> None:
    """Call `check` now and after each change, until Ctrl-C; `rounds` is for tests.

    Files of the same folders count too, as a variant changes with the game that it extends.
    """
    seen: dict[Path, Stamp] = {}
    try:
        while rounds is None or rounds > 0:
            now = _stamps(files)
            if now == seen:
                time.sleep(PAUSE)
                continue
            seen = now
            if sys.stdout.isatty():
                sys.stdout.write(_CLEAR)
            check()
            sys.stdout.write(f"\n{time.strftime('%H:%M:%S')} watching; Ctrl-C ends\n")
            sys.stdout.flush()
            rounds = None if rounds is None else rounds - 1
    except KeyboardInterrupt:
        sys.stdout.write("\n")


def _stamps(files: list[str]) -> dict[Path, Stamp]:
    paths = [find_game(file) for file in files]
    beside = {other for path in paths for other in path.parent.glob("*.y*ml")}
    return {path: _stamp(path) for path in sorted({*paths, *beside})}


def _stamp(path: Path) -> Stamp:
    """What changes when a file is saved, also one that is replaced; None while it is not there."""
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return (stat.st_mtime_ns, stat.st_size, stat.st_ino)
