"""Where results are kept between runs: a cache folder that belongs to the user alone.

What is kept may be unpickled or run, so a folder that others could write to is not used. Nothing
here fails: where there is no such folder, nothing is kept.
"""

import os
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path


def kept_path(what: str, *ingredients: str) -> Path | None:
    """The file for a result that depends on the ingredients and on this Python; it may be absent,
    and its reader must bear damage. None where nothing can be kept."""
    folder = _folder()
    if folder is None:
        return None
    whole = "\0".join((*ingredients, sys.version))
    return folder / f"{what}-{sha256(whole.encode()).hexdigest()[:32]}"


@cache
def _folder() -> Path | None:
    """The folder, made if need be; None where it is not the user's own."""
    try:
        folder = _place()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
        # Elsewhere the folders of a user are closed to others by their place.
        if sys.platform != "win32" and (found.st_uid != os.getuid() or found.st_mode & 0o022):
            return None
    except (OSError, RuntimeError):  # RuntimeError: the user has no home
        return None
    return folder if folder.is_dir() and not folder.is_symlink() else None


def _place() -> Path:
    named = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    return (Path(named) if os.path.isabs(named) else Path.home() / ".cache") / "rulebook"
