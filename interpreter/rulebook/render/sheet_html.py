"""A rule sheet as one HTML page that stands alone: no scripts, nothing fetched, made to print."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape

from rulebook.sheet.model import (
    Block,
    Grid,
    Heading,
    Illustration,
    Item,
    Items,
    Line,
    Paragraph,
    Run,
    Section,
    Sheet,
)

# The file's words for colours, as ink that reads well on paper. Others are drawn in black.
INKS = {
    "red": "#c0182b",
    "green": "#1b7a35",
    "blue": "#1f5fae",
    "yellow": "#b07d00",
    "orange": "#c25e00",
    "purple": "#7a3a9a",
    "magenta": "#a8287f",
    "cyan": "#0d7a88",
    "brown": "#7a4a20",
    "grey": "#666",
    "gray": "#666",
}

STYLE = """
@page { size: A4; margin: 16mm 17mm 18mm; }
* { box-sizing: border-box; }
html { font-size: 10.5pt; }
body { margin: 0 auto; max-width: 46rem; padding: 2.2rem 1.6rem 3rem; color: #1d1d1b;
  background: #fff; line-height: 1.45;
  font-family: "Iowan Old Style", "Palatino Linotype", Palatino, "Book Antiqua", Georgia, serif; }
header { border-bottom: 2.5pt solid #1d4d3a; padding-bottom: .9rem; margin-bottom: .4rem; }
h1 { font-size: 2.5rem; line-height: 1.1; margin: 0 0 .35rem; letter-spacing: -.01em;
  color: #1d4d3a; }
.about { font-size: 1.12rem; font-style: italic; margin: 0 0 .8rem; }
.facts { display: flex; flex-wrap: wrap; gap: .25rem 1.6rem; margin: 0; font-size: .92rem; }
.facts div { display: flex; gap: .4rem; }
.facts dt { color: #6b6b63; }
.facts dd { margin: 0; font-weight: 600; }
.link { margin: .5rem 0 0; font-size: .92rem; }
a { color: #1d4d3a; }
h2 { font-size: 1.3rem; margin: 1.7rem 0 .5rem; padding-bottom: .15rem; color: #1d4d3a;
  border-bottom: .75pt solid #b9c7be; break-after: avoid; }
h3 { font-size: 1.04rem; margin: 1.05rem 0 .25rem; break-after: avoid; }
p { margin: .3rem 0 .5rem; orphans: 2; widows: 2; }
p:has(+ ul), p:has(+ ol), p:has(+ .tables) { break-after: avoid; }
ul, ol { margin: .25rem 0 .55rem; padding-left: 1.45rem; }
li { margin: .16rem 0; orphans: 2; widows: 2; }
ul.columns, ol.columns { columns: 2; column-gap: 2.2rem; }
.columns li { break-inside: avoid; margin: 0; padding: .16rem 0; }
li > ul { margin: .1rem 0 .2rem; list-style: none; padding-left: 1rem;
  border-left: 1pt solid #d8dfda; }
li::marker { color: #1d4d3a; }
em { font-style: italic; color: #1d4d3a; }
table { border-collapse: collapse; margin: .6rem 0 .9rem; font-size: .93rem; max-width: 100%; }
caption { text-align: left; padding-bottom: .25rem; }
th { text-align: left; font-weight: 600; color: #4a4a44; border-bottom: 1.2pt solid #1d4d3a;
  vertical-align: bottom; }
th, td { padding: .2rem .9rem .2rem .2rem; }
td { border-bottom: .5pt solid #dcdcd4; vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
tr { break-inside: avoid; }
.tables { display: flex; flex-wrap: wrap; gap: 0 2.6rem; align-items: flex-start; }
.card { display: inline-block; min-width: 1.9em; padding: .02em .32em; margin: .06em .1em .06em 0;
  border: .75pt solid #a9a99f; border-radius: .28em; background: #fdfdfa; text-align: center;
  font-family: "Helvetica Neue", Arial, "DejaVu Sans", "Noto Sans Symbols 2", sans-serif;
  font-weight: 600; font-size: .92em; line-height: 1.35; white-space: nowrap;
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.bound { white-space: nowrap; }
.examples { columns: 2; column-gap: 1rem; margin-top: .6rem; }
.examples.many { font-size: .9em; }
.many dl { display: block; }
.many dt { float: left; margin-right: .45em; }
figure { margin: 0 0 .7rem; padding: .55rem .75rem .6rem; border: .75pt solid #c9d3cc;
  border-left: 3pt solid #1d4d3a; border-radius: .2rem; break-inside: avoid; font-size: .94rem; }
figcaption { font-weight: 600; margin-bottom: .3rem; line-height: 1.3; }
figure dl { margin: 0; display: grid; grid-template-columns: auto 1fr; gap: .12rem .6rem; }
figure dt { color: #6b6b63; }
figure dd { margin: 0; }
footer { margin-top: 2rem; padding-top: .5rem; border-top: .75pt solid #b9c7be; color: #6b6b63;
  font-size: .85rem; }
@media (max-width: 34rem) { .examples, .columns { columns: 1; } }
@media print {
  .examples.many { columns: 3; font-size: .8em; }
  body { max-width: none; padding: 0; } a { text-decoration: none; } }
""".strip()


RIGHT = ' class="number"'


COLUMNS = ' class="columns"'
# A list of so many items, none longer than so many letters, stands in two columns.
MANY, SHORT = 6, 70
# More examples than these stand closer together on paper.
FEW = 12


def sheet_html(sheet: Sheet) -> str:
    language = (
        sheet.language if re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]+)*", sheet.language) else ""
    )
    attribute = f' lang="{language}"' if language else ""
    facts = "".join(
        f"<div><dt>{escape(label)}</dt><dd>{escape(value)}</dd></div>"
        for label, value in sheet.facts
    )
    about = f'<p class="about">{escape(sheet.about)}</p>\n' if sheet.about else ""
    link = f'\n<p class="link">{linked(sheet.link)}</p>' if sheet.link else ""
    sections = "\n".join(section_html(section) for section in sheet.sections)
    title = escape(sheet.title)
    return f"""<!DOCTYPE html>
<html{attribute}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}: the rules</title>
<style>
{STYLE}
</style>
</head>
<body>
<header>
<h1>{title}</h1>
{about}<dl class="facts">{facts}</dl>{link}
</header>
<main>
{sections}
</main>
<footer>Written by rulebook from the rule file of {title}; it plays by these rules.</footer>
</body>
</html>
"""


def linked(address: str) -> str:
    """A web address as a link; anything else is only text."""
    shown = escape(address)
    return f'<a href="{shown}">{shown}</a>' if re.fullmatch(r"https?://\S+", address) else shown


def section_html(section: Section) -> str:
    parts: list[str] = []
    blocks = list(section.blocks)
    while blocks:
        together = next(
            (kind for kind in (Grid, Illustration) if isinstance(blocks[0], kind)), None
        )
        if together is None:
            parts.append(block_html(blocks.pop(0)))
            continue
        row = []
        while blocks and isinstance(blocks[0], together):
            row.append(block_html(blocks.pop(0)))
        name = "tables" if together is Grid else "examples"
        name += " many" if together is Illustration and len(row) > FEW else ""
        parts.append(f'<div class="{name}">\n' + "\n".join(row) + "\n</div>")
    body = "\n".join(parts)
    return f"<section>\n<h2>{escape(section.title)}</h2>\n{body}\n</section>"


def runs(line: Line) -> str:
    """A card and the sign behind it stay on one line."""
    parts: list[str] = []
    rest = list(line)
    while rest:
        run = rest.pop(0)
        sign = re.match(r"[,;.:)]+", rest[0].text) if run.style == "card" and rest else None
        if sign is None:
            parts.append(run_html(run))
        else:
            rest[0] = replace(rest[0], text=rest[0].text[sign.end() :])
            parts.append(f'<span class="bound">{run_html(run)}{sign[0]}</span>')
    return "".join(parts)


def run_html(run: Run) -> str:
    text = escape(run.text)
    if run.style == "strong":
        return f"<strong>{text}</strong>"
    if run.style == "term":
        return f"<em>{text}</em>"
    if run.style == "card":
        ink = INKS.get(run.colour, "")
        style = f' style="color: {ink}"' if ink else ""
        return f'<span class="card" title="{text}"{style}>{escape(run.sign)}</span>'
    return text


def block_html(block: Block) -> str:
    if isinstance(block, Paragraph):
        return f"<p>{runs(block.line)}</p>"
    if isinstance(block, Heading):
        return f"<h3>{runs(block.line)}</h3>"
    if isinstance(block, Items):
        short = (
            not block.numbered
            and len(block.items) >= MANY
            and all(is_short(item) for item in block.items)
        )
        return items_html(block.items, "ol" if block.numbered else "ul", COLUMNS * short)
    if isinstance(block, Grid):
        return grid_html(block)
    return illustration_html(block)


def is_short(item: Item) -> bool:
    return not item.under and sum(len(run.text) for run in item.line) <= SHORT


def items_html(items: tuple[Item, ...], tag: str, attribute: str = "") -> str:
    lines = [f"<{tag}{attribute}>"]
    for item in items:
        under = f"\n{items_html(item.under, 'ul')}\n" if item.under else ""
        lines.append(f"<li>{runs(item.line)}{under}</li>")
    return "\n".join([*lines, f"</{tag}>"])


def grid_html(block: Grid) -> str:
    numeric = [
        at > 0 and all(is_number(row[at]) for row in block.rows) for at in range(len(block.head))
    ]

    def cells(row: tuple[Line, ...], tag: str) -> str:
        return "".join(
            f"<{tag}{RIGHT if right else ''}>{runs(cell)}</{tag}>"
            for cell, right in zip(row, numeric, strict=True)
        )

    caption = f"<caption>{runs(block.caption)}</caption>\n" if block.caption else ""
    body = "\n".join(f"<tr>{cells(row, 'td')}</tr>" for row in block.rows)
    return (
        f"<table>\n{caption}<thead><tr>{cells(block.head, 'th')}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody>\n</table>"
    )


def is_number(cell: Line) -> bool:
    return "".join(run.text for run in cell).lstrip("-").isdigit()


def illustration_html(block: Illustration) -> str:
    lines = "".join(f"<dt>{escape(label)}</dt><dd>{runs(line)}</dd>" for label, line in block.lines)
    return f"<figure>\n<figcaption>{runs(block.title)}</figcaption>\n<dl>{lines}</dl>\n</figure>"
