"""A survey of random games as one page that needs nothing else: tables, and pictures in SVG."""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import TYPE_CHECKING, TypeAlias

from rulebook.render.report import ADVANTAGE, GROUPS, LEAST_PLOT, heading, note_of
from rulebook.render.report_numbers import interval_of, value_of

if TYPE_CHECKING:
    from rulebook.tools.measures import Distribution, Measure
    from rulebook.tools.simulate import Survey

Bins: TypeAlias = list[tuple[int, int, int]]
BINS = 40
WIDTH, HEIGHT, LEFT, ABOVE, BELOW = 640, 160, 8, 22, 24
TICKS = 9
WIDEST = 64
"""No column is wider, however few there are."""
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
td.n, td.n + td { white-space: nowrap; }
figcaption { margin-top: .1rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 0 1.5rem; }
.pair text { font-size: 19px; }
svg { width: 100%; height: auto; overflow: visible; } svg rect { fill: var(--bar); }
svg text { fill: var(--soft); font-size: 12px; } svg line { stroke: var(--ink); }
svg line.even { stroke: var(--soft); stroke-dasharray: 4 3; }
@media print { body { margin: 0; font-size: 11pt; } h2 { break-after: avoid; }
  table { display: table; break-inside: avoid; } figure { break-inside: avoid; }
  .pair { grid-template-columns: 1fr 1fr; } }
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
                body.append(section(survey, name, found, note_of(survey, group)))
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
    drawn = [f"score.{seat}" for seat in range(survey.game.players)]
    drawn = [key for key in drawn if key in survey.distributions]
    alike = pooled([survey.distributions[key] for key in drawn])
    pictures = "".join(
        picture(survey.drawn[key][1], survey.distributions[key], alike) for key in drawn
    )
    table = f"<table>{''.join(lines)}</table>"
    note = f'<p class="note">{ADVANTAGE}</p>\n<div class="pair">{pictures}</div>'
    return f"<h2>Seats</h2>\n{table}\n{win_picture(survey)}\n{note}"


def values(survey: Survey, measure: Measure) -> list[str]:
    found = survey.estimate(measure)
    return [value_of(measure, found), interval_of(measure, found, survey.games)]


def section(survey: Survey, name: str, measures: list[Measure], note: str = "") -> str:
    lines = [row(["", "mean", "95 % interval"], head=True, numbers=(1,))]
    lines += [row([m.title, *values(survey, m)], numbers=(1,)) for m in measures]
    pictures = [
        picture(measure.title, survey.distributions[measure.key])
        for measure in measures
        if measure.key in survey.distributions
    ]
    told = f'<p class="note">{escape(note)}</p>\n' if note else ""
    table = f"<table>{''.join(lines)}</table>"
    return f"<h2>{escape(name)}</h2>\n{table}\n{told}" + "\n".join(pictures)


# ---- pictures ----


def win_picture(survey: Survey) -> str:
    """Each seat's wins as a bar from nothing, with its interval; a line at the mean of all."""
    height = 26 * survey.game.players + 4
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
        )
        if survey.games > 1:
            parts.append(
                f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y + 9}" y2="{y + 9}" stroke-width="2"/>'
            )
    known = [one.value for one in found if one is not None]
    x = 70 + room * sum(known) / max(len(known), 1) / most
    parts.append(f'<line class="even" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{height}"/>')
    title = "Wins by seat, with 95 % intervals; the broken line is the mean of the seats"
    return svg(title, height, "".join(parts))


def pooled(several: list[Distribution]) -> Bins | None:
    """The columns of all together, so that pictures beside each other have one scale."""
    whole: Counter[int] = Counter()
    for one in several:
        whole.update(one.counts)
    return type(several[0])(whole).bins(BINS) if whole else None


def picture(title: str, counts: Distribution, alike: Bins | None = None) -> str:
    """How often each number occurred, as columns; those of `alike`, where it is given."""
    if len(counts.counts) < LEAST_PLOT:
        return ""
    bins = counts.bins(BINS) if alike is None else alike
    width = bins[0][1] - bins[0][0] + 1
    found: Counter[int] = Counter()
    for value, count in counts.counts.items():
        found[(value - bins[0][0]) // width] += count
    most, whole = max(found.values()), counts.counts.total()
    step = min((WIDTH - 2 * LEFT) / len(bins), WIDEST)
    parts = []
    for at, (low, high, _) in enumerate(bins):
        tall = HEIGHT * found[at] / most
        label = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        parts.append(
            f'<rect x="{LEFT + at * step + 0.5:.1f}" y="{ABOVE + HEIGHT - tall:.1f}" '
            f'width="{max(step - 1, 0.5):.1f}" height="{tall:.1f}">'
            f"<title>{label}: {100 * found[at] / whole:.2f} %</title></rect>"
        )
    top = next(at for at in range(len(bins)) if found[at] == most)
    parts.append(text_at(LEFT + (top + 0.5) * step, ABOVE - 5, f"{100 * most / whole:.0f} %"))
    every = max(1, -(-len(bins) // TICKS))
    for at in range(0, len(bins), every):
        x = LEFT + (at + 0.5) * step
        parts.append(text_at(x, ABOVE + HEIGHT + 19, f"{bins[at][0]:,}"))
    height = ABOVE + HEIGHT + BELOW
    return svg(f"{title}, median {counts.quantile(0.5):,}", height, "".join(parts))


def text_at(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{text}</text>'


def svg(title: str, height: int, parts: str) -> str:
    name = escape(title, quote=True)
    return (
        f'<figure><svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{name}">'
        f"{parts}</svg><figcaption>{name}</figcaption></figure>"
    )
