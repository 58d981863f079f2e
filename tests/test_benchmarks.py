"""The report of `make bench`, and the choice of its parts. No time is held to anything here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.timing import Comparison, Row, figure_row, ratio_row, report

ROOT = Path(__file__).resolve().parent.parent


def test_a_row_passes_or_misses_or_has_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    result = Comparison(a=3000.0, b=1500.0, ratios=(1.9, 2.0, 2.4))
    rows = [
        ratio_row("ours to theirs", result, 1.5),
        ratio_row("the next bar", result, 2.5),
        figure_row("a figure", result, "as it is"),
        Row("start", 0.4, 0.3, at_least=False, unit=" s"),
    ]
    assert not report(rows)
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        "PASS ours to theirs 2.000x >= 1.500x pairs 1.90..2.40; medians 3,000/s and 1,500/s",
        "MISS the next bar 2.000x >= 2.500x pairs 1.90..2.40; medians 3,000/s and 1,500/s",
        "a figure 2.000x pairs 1.90..2.40; medians 3,000/s and 1,500/s; as it is",
        "MISS start 0.400 s <= 0.300 s",
    ]
    assert report([rows[0], rows[2]])


def test_a_part_that_is_not_there_is_told() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--only", "coins,dice"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert "no part is called dice; there are coins, coinche, " in run.stderr
    assert not run.stdout
