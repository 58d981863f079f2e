"""Games as a table in a file, a row each, written while they are played.

Parquet and Arrow need the `pyarrow` package (`rulebook-games[tables]`); CSV needs nothing.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from rulebook.whole_file import whole_file

if TYPE_CHECKING:
    from rulebook.tools.measures import Ints, Rows
    from rulebook.tools.simulate import Survey

KINDS = {".parquet", ".arrow", ".csv"}
ENOUGH = 100_000
"""Games that are written at a time, as small groups make large files."""
INNER = ("games", "shares", "edge.", "shared", "comeback", "led")
"""Columns that only help to measure, or follow from others."""


class Writer(Protocol):
    def write(self, columns: dict[str, Ints]) -> None: ...

    def close(self) -> None: ...


class NotWritten(Exception):
    """The file cannot be written."""


@contextmanager
def writing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise NotWritten(error.strerror or str(error)) from None


class TableFile:
    """Use with `with`: the file is there at its end, unless something goes wrong. ImportError, at
    once, if the format needs a package that is not there; NotWritten, at any time."""

    def __init__(self, path: str) -> None:
        kind = Path(path).suffix.lower()
        self.ending = ExitStack()
        with writing():
            place = self.ending.enter_context(whole_file(path))
            self.writer: Writer = CsvWriter(place) if kind == ".csv" else ArrowWriter(place, kind)
        self.ending.callback(self.writer.close)
        self.waiting: list[dict[str, Ints]] = []
        self.count = 0

    def add(self, survey: Survey, first: int, rows: Rows) -> None:
        columns = survey.table.columns(rows)
        shown: dict[str, Ints] = {"game": np.arange(first, first + len(rows), dtype=np.int64)}
        shown |= {name: column for name, column in columns.items() if not name.startswith(INNER)}
        self.waiting.append(shown)
        self.count += len(rows)
        if self.count >= ENOUGH:
            with writing():
                self.flush()

    def flush(self) -> None:
        if self.waiting:
            names = list(self.waiting[0])
            whole = {name: np.concatenate([part[name] for part in self.waiting]) for name in names}
            self.writer.write(whole)
        self.waiting, self.count = [], 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            with writing(), self.ending:
                self.flush()
            return
        with suppress(OSError):  # What went wrong before is what is told.
            self.ending.__exit__(kind, error, trace)


class CsvWriter:
    def __init__(self, path: Path) -> None:
        self.file = open(path, "w", newline="", encoding="utf-8")  # noqa: SIM115 - closed by `close`
        self.lines = csv.writer(self.file, lineterminator="\n")
        self.begun = False

    def write(self, columns: dict[str, Ints]) -> None:
        if not self.begun:
            self.lines.writerow(columns)
            self.begun = True
        self.lines.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))

    def close(self) -> None:
        self.file.close()


class ArrowWriter:
    """Parquet, or Arrow's own file format."""

    def __init__(self, path: Path, kind: str) -> None:
        import pyarrow
        import pyarrow.parquet

        self.arrow: Any = pyarrow
        self.file = open(path, "wb")  # noqa: SIM115 - closed by `close`
        self.kind = kind
        self.writer: Any = None

    def write(self, columns: dict[str, Ints]) -> None:
        arrow = self.arrow
        # Half the size; the game's number alone can be larger.
        narrow = {
            name: column if name == "game" else column.astype(np.int32)
            for name, column in columns.items()
        }
        table = arrow.table(narrow)
        if self.writer is None:
            if self.kind == ".parquet":
                self.writer = arrow.parquet.ParquetWriter(self.file, table.schema)
            else:
                self.writer = arrow.ipc.new_file(self.file, table.schema)
        self.writer.write_table(table)

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
        self.file.close()
