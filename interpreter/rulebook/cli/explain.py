"""`rulebook explain`: what a message or a word of the language means."""

import json
import sys
from typing import Annotated

import typer

from ..explanations import pages_by_name, read_pages
from ..render.pages import page_list, page_text, page_values
from ..suggest import closest
from .leave import usage


def run(
    name: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]", help="The name of a mistake, or a word of the language."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Explain a kind of mistake (such as unknown-zone) or a word of the language (such as must).

    Without a name, lists all that can be explained.
    """
    if not name:
        pages = read_pages()
        _write(json.dumps([page_values(page) for page in pages], indent=2), as_json)
        _write(page_list(pages), not as_json)
        return
    wanted = " ".join(name).strip()
    found = pages_by_name()
    page = found.get(wanted) or found.get(wanted.lower().replace("_", "-"))
    if page is None:
        near = closest(wanted, found)
        usage(
            f"there is no page called `{wanted}`; "
            + (f"did you mean `{near[0]}`?" if near else "`rulebook explain` lists them all")
        )
    _write(json.dumps(page_values(page), indent=2), as_json)
    _write(page_text(page), not as_json)


def _write(text: str, wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"{text}\n")
