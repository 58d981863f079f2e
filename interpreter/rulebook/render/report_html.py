"""A survey of random games as one page that needs nothing else: tables, and pictures in SVG."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from rulebook.render.report import ADVANTAGE, GROUPS, LEAST_PLOT, heading
from rulebook.render.report_numbers import interval_of, value_of

if TYPE_CHECKING:
    from rulebook.tools.measures import Distribution, Measure
    from rulebook.tools.simulate import Survey

BINS = 40
WIDTH, HEIGHT, LEFT, BELOW = 640, 160, 8, 20
STYLE = """
:root { color-scheme: light dark; --ink: #1d2327; --soft: #6b7680; --bar: #2f7f86; --line: #d5dade;
  --paper: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9eb; --soft: #9aa5ad; --bar: #5fb3ba;
  --line: #3a4248; --paper: #16191c; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; display: block;
  overflow-x: auto; }
th, td { text-align: left; padding: .2rem 1rem .2rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: normal; } td.n, th.n { text-align: right; }
figure { margin: 1.2rem 0; } figcaption, .note { color: var(--soft); font-size: .9rem; }
svg { width: 100%; height: auto; } svg rect { fill: var(--bar); }
svg text { fill: var(--soft); font-size: 12px; } svg line { stroke: var(--ink); }
"""


def page(survey: Survey) -> str:
    first, *more = heading(survey)
    title = escape(first)
    body = [f"<h1>{title}</h1>", *(f"<p>{escape(line)}</p>" for line in more)]
    if survey.games:
        body.append(seats(survey))
        for group, name in GROUPS.items():
            found = [measure for measure in survey.measures if measure.group == group]
            if found:
                body.append(section(survey, name, found))
        for group, name in (
            ("moves", "Moves in a game"),
            ("lines", "Lines that took a move away, in how many plays"),
        ):
            found = [measure for measure in survey.measures if measure.group == group]
            if found:
                body.append(section(survey, name, found))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def row(cells: list[str], head: bool = False, numbers: tuple[int, ...] = ()) -> str:
    tag = "th" if head else "td"
    return (
        "<tr>"
        + "".join(
            f"<{tag}{' class=n' if at in numbers else ''}>{escape(cell)}</{tag}>"
            for at, cell in enumerate(cells)
        )
        + "</tr>"
    )


def seats(survey: Survey) -> str:
    by_key = {measure.key: measure for measure in survey.measures}
    heads = ["seat", "wins", "95 % interval", "advantage"]
    numbers: tuple[int, ...] = (0, 1, 3)
    if "score.0" in by_key:
        heads += ["score", "95 % interval"]
        numbers = (0, 1, 3, 4)
    lines = [row(heads, head=True, numbers=numbers)]
    for seat in range(survey.game.players):
        advantage = by_key[f"advantage.{seat}"]
        cells = [str(seat), *values(survey, by_key[f"wins.{seat}"])]
        cells.append(value_of(advantage, survey.estimate(advantage)))
        if "score.0" in by_key:
            cells += values(survey, by_key[f"score.{seat}"])
        lines.append(row(cells, numbers=numbers))
    pictures = "".join(
        picture(survey.drawn[f"score.{seat}"][1], survey.distributions[f"score.{seat}"])
        for seat in range(survey.game.players)
        if f"score.{seat}" in survey.distributions
    )
    table = f"<table>{''.join(lines)}</table>"
    return (
        f"<h2>Seats</h2>\n{table}\n{win_picture(survey)}\n<p class=note>{ADVANTAGE}</p>\n{pictures}"
    )


def values(survey: Survey, measure: Measure) -> list[str]:
    found = survey.estimate(measure)
    return [value_of(measure, found), interval_of(measure, found)]


def section(survey: Survey, name: str, measures: list[Measure]) -> str:
    lines = [row(["", "mean", "95 % interval"], head=True, numbers=(1,))]
    lines += [row([m.title, *values(survey, m)], numbers=(1,)) for m in measures]
    pictures = [
        picture(measure.title, survey.distributions[measure.key])
        for measure in measures
        if measure.key in survey.distributions
    ]
    return f"<h2>{escape(name)}</h2>\n<table>{''.join(lines)}</table>\n" + "\n".join(pictures)


# ---- pictures ----


def win_picture(survey: Survey) -> str:
    """Each seat's wins as a bar from nothing, with its interval."""
    height = 26 * survey.game.players + BELOW
    parts = []
    found = [survey.estimate(measure) for measure in survey.measures if measure.group == "wins"]
    most = max((one.high for one in found if one is not None), default=1.0) or 1.0
    room = WIDTH - 80
    for seat, one in enumerate(found):
        if one is None:
            continue
        y = 26 * seat + 4
        low, value, high = (70 + room * end / most for end in (one.low, one.value, one.high))
        parts.append(
            f'<text x="0" y="{y + 14}">seat {seat}</text>'
            f'<rect x="70" y="{y}" width="{value - 70:.1f}" height="18"/>'
            f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y + 9}" y2="{y + 9}" stroke-width="2"/>'
        )
    return svg("Wins by seat, with 95 % intervals", height, "".join(parts))


def picture(title: str, counts: Distribution) -> str:
    """How often each number occurred, as columns."""
    if len(counts.counts) < LEAST_PLOT:
        return ""
    bins = counts.bins(BINS)
    most = max(count for _, _, count in bins)
    step = (WIDTH - 2 * LEFT) / len(bins)
    whole = counts.counts.total()
    parts = []
    for at, (low, high, count) in enumerate(bins):
        tall = HEIGHT * count / most
        label = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        parts.append(
            f'<rect x="{LEFT + at * step + 0.5:.1f}" y="{HEIGHT - tall:.1f}" '
            f'width="{max(step - 1, 0.5):.1f}" height="{tall:.1f}">'
            f"<title>{label}: {100 * count / whole:.2f} %</title></rect>"
        )
    every = max(1, len(bins) // 8)
    for at in range(0, len(bins), every):
        x = LEFT + (at + 0.5) * step
        parts.append(
            f'<text x="{x:.1f}" y="{HEIGHT + 15}" text-anchor="middle">{bins[at][0]:,}</text>'
        )
    return svg(f"{title}, median {counts.quantile(0.5):,}", HEIGHT + BELOW, "".join(parts))


def svg(title: str, height: int, parts: str) -> str:
    name = escape(title, quote=True)
    return (
        f'<figure><svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{name}">'
        f"{parts}</svg><figcaption>{name}</figcaption></figure>"
    )
