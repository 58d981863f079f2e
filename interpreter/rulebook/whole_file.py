"""A file that is there when it is complete, and till then is what it was."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Where to write what shall stand at `path`: a place beside it, which takes its place unless
    something goes wrong. What is no plain file, or lies where no other can be made, is written
    where it is."""
    target = Path(path).resolve()
    plain = target.is_file() or not target.exists()
    if not plain or not os.access(target.parent, os.W_OK):
        yield target
        return
    place = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        yield place
        if target.exists():
            place.chmod(target.stat().st_mode)
        place.replace(target)
    finally:
        place.unlink(missing_ok=True)
