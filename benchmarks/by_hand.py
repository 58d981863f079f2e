"""C programs of this folder, compiled on the spot and loaded with ctypes."""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

FLAGS = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC")


def library(source: Path) -> ctypes.CDLL | None:
    """Compile a file, or take the library compiled before; None where there is no C compiler.

    Raises RuntimeError with the compiler's own words when the compiler fails.
    """
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    digest = hashlib.sha256(source.read_bytes())
    digest.update(
        "\0".join(
            [os.path.realpath(compiler), platform.system(), platform.machine(), *FLAGS]
        ).encode()
    )
    directory = _cache()
    built = directory / f"{source.stem}-{digest.hexdigest()[:16]}.so"
    if not built.exists():
        # Built under a name of its own and renamed, so that no other run loads half a file.
        handle, name = tempfile.mkstemp(suffix=".so", dir=directory)
        os.close(handle)
        try:
            command = [compiler, *FLAGS, "-o", name, str(source)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise RuntimeError(f"the C compiler could not build {source.name}:\n{done.stderr}")
            os.replace(name, built)
        finally:
            Path(name).unlink(missing_ok=True)
    return ctypes.CDLL(str(built))


def _cache() -> Path:
    """A directory that only this user writes to, since code is loaded from it."""
    root = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    directory = Path(root) / "rulebook-benchmarks"
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        if os.access(directory, os.W_OK):
            return directory
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="rulebook-benchmarks-"))
