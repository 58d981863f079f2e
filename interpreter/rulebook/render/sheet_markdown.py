"""A rule sheet as Markdown."""

from __future__ import annotations

import re

from rulebook.sheet.model import Block, Grid, Heading, Illustration, Items, Line, Paragraph, Sheet

SIGNS = re.compile(r"([\\`*_{}\[\]<>#|~&])")
BEGINNING = re.compile(r"^(\s*)([-+]|\d+[.)])(?=\s)", re.MULTILINE)


def sheet_markdown(sheet: Sheet) -> str:
    parts = [f"# {escaped(sheet.title)}"]
    if sheet.about:
        parts.append(f"*{escaped(sheet.about)}*")
    facts = [f"**{escaped(label)}**: {escaped(value)}" for label, value in sheet.facts]
    parts.append("  \n".join(facts))
    if sheet.link:
        parts.append(linked(sheet.link))
    for section in sheet.sections:
        parts.append(f"## {escaped(section.title)}")
        parts += [block_text(block) for block in section.blocks]
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """Text of the file as text: nothing in it is markup."""
    return BEGINNING.sub(r"\1\\\2", SIGNS.sub(r"\\\1", text))


def linked(address: str) -> str:
    return f"<{address}>" if re.fullmatch(r"https?://[^\s<>]+", address) else escaped(address)


def runs(line: Line) -> str:
    found = []
    for run in line:
        text = SIGNS.sub(r"\\\1", run.text)
        style = {"strong": "**", "term": "*"}.get(run.style, "")
        found.append(f"{style}{text}{style}")
    return "".join(found)


def block_text(block: Block) -> str:
    if isinstance(block, Paragraph):
        return runs(block.line)
    if isinstance(block, Heading):
        return f"### {runs(block.line)}"
    if isinstance(block, Items):
        return "\n".join(item_lines(block, ""))
    if isinstance(block, Grid):
        return grid_text(block)
    return illustration_text(block)


def item_lines(block: Items, indent: str) -> list[str]:
    found: list[str] = []
    for number, item in enumerate(block.items, 1):
        mark = f"{number}. " if block.numbered else "- "
        found.append(f"{indent}{mark}{runs(item.line)}")
        if item.under:
            found += item_lines(Items(item.under), indent + " " * len(mark))
    return found


def grid_text(block: Grid) -> str:
    rows = [[runs(cell) for cell in row] for row in (block.head, *block.rows)]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, f"|{' --- |' * len(block.head)}")
    caption = f"{runs(block.caption)}\n\n" if block.caption else ""
    return caption + "\n".join(lines)


def illustration_text(block: Illustration) -> str:
    lines = [f"- **{runs(block.title)}.**"]
    lines += [f"  - {label}: {runs(line)}" for label, line in block.lines]
    return "\n".join(lines)
