"""Pages of `rulebook explain` as text for a terminal, and as plain values for programs."""

import textwrap
from collections.abc import Iterable

from ..explanations import Page

WIDTH = 80


def page_text(page: Page) -> str:
    """One page, in lines of at most `WIDTH` but for its samples."""
    parts = [", ".join(page.names)]
    parts += [textwrap.fill(paragraph, WIDTH) for paragraph in page.meaning.split("\n\n")]
    if page.why:
        heading = "Why it matters at the table" if page.mistake else "At the table"
        parts.append(_section(heading, textwrap.fill(page.why, WIDTH - 2)))
    for wrong, heading in ((True, "An example"), (False, "Write" if page.mistake else "Examples")):
        samples = [block.text.rstrip("\n") for block in page.blocks if block.wrong is wrong]
        if samples:
            parts.append(_section(heading, "\n\n".join(samples)))
    if page.see:
        parts.append(textwrap.fill(f"See also: {', '.join(page.see)}", WIDTH))
    return "\n\n".join(parts)


def page_list(pages: Iterable[Page]) -> str:
    """The names of all pages, each with its first sentence, family by family."""
    lines: list[str] = []
    title = ""
    for page in pages:
        if page.title != title:
            title = page.title
            lines += ["", title] if lines else [title]
        names = ", ".join(page.names)
        # A long list of names has its sentence on a line of its own.
        head = [f"  {names:<20}"] if len(names) <= 20 else [f"  {names}", " " * 22]
        summary = textwrap.wrap(page.summary, WIDTH - 23)
        lines += [*head[:-1], f"{head[-1]} {summary[0]}"]
        lines += [" " * 23 + rest for rest in summary[1:]]
    return "\n".join(lines)


def page_values(page: Page) -> dict[str, object]:
    """The same for programs: `wrong` and `right` are lists of samples."""
    return {
        "names": list(page.names),
        "kind": "mistake" if page.mistake else "word",
        "family": page.family,
        "meaning": page.meaning,
        "why": page.why,
        "wrong": [block.text for block in page.blocks if block.wrong],
        "right": [block.text for block in page.blocks if not block.wrong],
        "see": list(page.see),
    }


def _section(heading: str, text: str) -> str:
    return f"{heading}\n\n{textwrap.indent(text, '  ')}"
