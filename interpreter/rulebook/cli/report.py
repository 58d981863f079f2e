"""What `rulebook validate` says of rule files. Apart from the command, to do without typer."""

import os
import sys

from ..pipeline import validate_file
from ..render.problems import Format, render


def report(files: list[str], format: Format) -> int:
    """Print what is wrong with each file; the exit code, 1 if one of them cannot be used."""
    results = [(file, validate_file(file)) for file in files]
    if format == "full":
        text = "\n\n".join(
            render(problems, "full", _colour()) or f"{file}: no problems"
            for file, problems in results
        )
    else:
        text = render([problem for _, problems in results for problem in problems], format)
    if text:
        sys.stdout.write(f"{text}\n")
    return int(any(problems.errors for _, problems in results))


def _colour() -> bool:
    """Whether to colour: on a terminal, unless the user asks for none (https://no-color.org)."""
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
