"""`rulebook validate --fix`: certain fixes, written into the file."""

import os
import sys
from pathlib import Path

from ..diagnostics import Problems
from ..source import read_source
from ..whole_file import whole_file

_MARK = b"\xef\xbb\xbf"


def fix_file(path: str, out: bool) -> None:
    """Apply the certain fixes of a file and tell each, on standard output or on standard error.

    The file is replaced in one step, and only if it still holds what was checked; a name of a
    shipped game is left alone. What cannot be read or written is told by the check that follows,
    or in a sentence here.
    """
    if not Path(path).is_file():
        return
    source = read_source(path, Problems())
    if source is None:
        return
    from ..tools.fix import fixed

    text, changes = fixed(source)
    if not changes:
        return
    stream = sys.stdout if out else sys.stderr
    try:
        written = replace_file(Path(path).resolve(), source.text, text)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        sys.stderr.write(f"rulebook: `{path}` cannot be written: {reason}\n")
        return
    if not written:
        sys.stderr.write(f"rulebook: `{path}` was changed meanwhile, and is left as it is\n")
        return
    for change in changes:
        stream.write(f"{path}:{change.line}:{change.column}: fixed: {change}\n")
    if out:
        stream.write("\n")


def replace_file(path: Path, old: str, new: str) -> bool:
    """Put the new text in the place of the old one, all or nothing; False if it is another."""
    data = path.read_bytes()
    mark = _MARK if data.startswith(_MARK) else b""
    if data.removeprefix(mark) != old.encode():
        return False
    with whole_file(path) as place, open(place, "wb") as file:
        file.write(mark + new.encode())
        file.flush()
        os.fsync(file.fileno())
    return True
