"""Pages that explain: one for every mistake that messages name, one for each word of the language.

The pages stand in Markdown files of the folder `pages`, a family in each: its title as `#`, then a
page under each `##`, which names what it explains (several names share a page). Every page has one
order: what it means; why it matters at the table; the example; what to write; see also.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .resources import folder

# In the order of the stages that find the mistakes; then the words of the language.
MISTAKES = (
    "file",
    "yaml",
    "text",
    "structure",
    "variants",
    "names",
    "kinds",
    "places",
    "game",
    "play",
)
WORDS = ("entries", "expressions", "statements", "moves", "things")

_BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_WHY = "At the table: "
_SEE = "See also: "


@dataclass(frozen=True, slots=True)
class Block:
    """A sample of a page. `info` is `yaml`, `console`, `rules expressions` or `rules statements`,
    behind it `wrong` where the sample shows the mistake."""

    info: str
    text: str

    @property
    def wrong(self) -> bool:
        return self.info.endswith(" wrong")


@dataclass(frozen=True, slots=True)
class Page:
    """What there is to say under one or several names."""

    names: tuple[str, ...]
    family: str
    title: str
    """That of the family."""
    meaning: str
    why: str
    blocks: tuple[Block, ...]
    see: tuple[str, ...]

    @property
    def mistake(self) -> bool:
        return self.family in MISTAKES

    @property
    def summary(self) -> str:
        """The first sentence."""
        return re.split(r"(?<=\.)\s", self.meaning.partition("\n\n")[0], maxsplit=1)[0]


def read_pages() -> list[Page]:
    """All pages, family by family."""
    return [page for family in (*MISTAKES, *WORDS) for page in _read(family)]


def pages_by_name() -> dict[str, Page]:
    return {name: page for page in read_pages() for name in page.names}


def _read(family: str) -> Iterator[Page]:
    text = (folder("pages") / f"{family}.md").read_text(encoding="utf-8")
    head, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
    title = head.splitlines()[0].removeprefix("# ")
    for part in parts:
        names, _, body = part.partition("\n")
        blocks = tuple(Block(info, sample) for info, sample in _BLOCK.findall(body))
        meaning: list[str] = []
        why = see = ""
        for paragraph in re.split(r"\n{2,}", _BLOCK.sub("", body).strip()):
            plain = " ".join(paragraph.split())
            if plain.startswith(_WHY):
                why = plain.removeprefix(_WHY)
            elif plain.startswith(_SEE):
                see = plain.removeprefix(_SEE)
            elif plain:
                meaning.append(plain)
        yield Page(
            tuple(names.split(", ")),
            family,
            title,
            "\n\n".join(meaning),
            why[:1].upper() + why[1:],
            blocks,
            tuple(name for name in see.rstrip(".").split(", ") if name),
        )
