"""Ctrl-C as a wish to end at the next good moment, so that sums are never left half added."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType


@contextmanager
def wish_to_end() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed. A second one is KeyboardInterrupt as always, and so is the first
    outside the main thread, or where the program handles it in its own way."""
    wished = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal wished
        if wished:
            raise KeyboardInterrupt
        wished = True

    ours = (
        current_thread() is main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if ours:
        signal.signal(signal.SIGINT, note)
    try:
        yield lambda: wished
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
