"""What all tests share: files that hold the expected output, and the way to renew them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

Golden = Callable[[Path, str], None]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Started in the background by a shell: what the tests start must hear Ctrl-C all the same.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def golden() -> Golden:
    """Compare text with a file, byte for byte; RULEBOOK_UPDATE=1 (`make goldens`) rewrites it.

    Never rewrites under CI, where a missing or different file is a failure.
    """
    update = os.environ.get("RULEBOOK_UPDATE") == "1" and not os.environ.get("CI")

    def compare(path: Path, text: str) -> None:
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        assert path.is_file(), f"{path.name} is missing: `make goldens` writes it"
        assert path.read_bytes().decode() == text

    return compare
