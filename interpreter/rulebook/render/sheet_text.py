"""A rule sheet as plain text, for a terminal or a file."""

from __future__ import annotations

from textwrap import wrap

from rulebook.sheet.model import (
    Block,
    Grid,
    Heading,
    Illustration,
    Items,
    Line,
    Paragraph,
    Sheet,
)

MIN_COLUMN = 8


def sheet_text(sheet: Sheet, width: int = 80) -> str:
    lines: list[str] = [sheet.title, "=" * len(sheet.title), ""]
    if sheet.about:
        lines += [*wrap(sheet.about, width), ""]
    for label, value in sheet.facts:
        lines += wrap(f"{label}: {value}", width, subsequent_indent="  ")
    if sheet.link:
        lines.append(sheet.link)
    for section in sheet.sections:
        lines += ["", "", section.title.upper(), "-" * len(section.title)]
        for block in section.blocks:
            lines += ["", *block_lines(block, width)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def plain(line: Line) -> str:
    return "".join(run.text for run in line)


def block_lines(block: Block, width: int) -> list[str]:
    if isinstance(block, Paragraph):
        return wrap(plain(block.line), width)
    if isinstance(block, Heading):
        return [f"{plain(block.line)}", "~" * len(plain(block.line))]
    if isinstance(block, Items):
        return item_lines(block, width, 0)
    if isinstance(block, Grid):
        return grid_lines(block, width)
    return illustration_lines(block, width)


def item_lines(block: Items, width: int, depth: int) -> list[str]:
    found: list[str] = []
    for number, item in enumerate(block.items, 1):
        mark = f"{number}. " if block.numbered else "- "
        head = " " * (3 * depth) + mark
        found += wrap(
            plain(item.line), width, initial_indent=head, subsequent_indent=" " * len(head)
        )
        if item.under:
            found += item_lines(Items(item.under), width, depth + 1)
    return found


def grid_lines(block: Grid, width: int) -> list[str]:
    """Columns as wide as their texts; the widest give way until the table fits."""
    rows = [[plain(cell) for cell in row] for row in (block.head, *block.rows)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(block.head))]
    while sum(widths) + 2 * len(widths) > width and max(widths) > MIN_COLUMN:
        widths[widths.index(max(widths))] -= 1
    found = wrap(plain(block.caption), width) if block.caption else []
    for place, row in enumerate(rows):
        cells = [wrap(cell, size) or [""] for cell, size in zip(row, widths, strict=True)]
        for at in range(max(map(len, cells))):
            parts = [
                (cell[at] if at < len(cell) else "").ljust(size)
                for cell, size in zip(cells, widths, strict=True)
            ]
            found.append("  ".join(parts))
        if place == 0:
            found.append("  ".join("-" * size for size in widths))
    return found


def illustration_lines(block: Illustration, width: int) -> list[str]:
    found = wrap(plain(block.title) + ".", width)
    for label, line in block.lines:
        head = f"  {label}: "
        found += wrap(plain(line), width, initial_indent=head, subsequent_indent="    ")
    return found
