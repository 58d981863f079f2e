"""Did you mean: the names closest to a misspelt one."""

from collections.abc import Iterable


def closest(name: str, candidates: Iterable[str], n: int = 1) -> list[str]:
    """The up to `n` candidates that `name` is plausibly a slip for, nearest first.

    A name of one or two letters has none but for case; three to five letters allow one slip,
    longer ones two or three, but not at the first letter. Swapped neighbours are one slip.
    """
    wanted = _plain(name)
    length = len(wanted)
    allowed = 0 if length < 3 else 1 if length < 6 else 2 if length < 10 else 3
    if length > 64:
        return []
    found: list[tuple[int, str]] = []
    for candidate in dict.fromkeys(candidates):
        other = _plain(candidate)
        if candidate == name or abs(len(other) - length) > max(allowed, 1):
            continue
        slips = _distance(wanted, other)
        # People rarely miss the first letter and another; and a lost or added plural is a slip at
        # any length.
        near = slips <= min(allowed, 1) or (slips <= allowed and wanted[:1] == other[:1])
        if near or wanted + "s" == other or other + "s" == wanted:
            found.append((slips, candidate))
    found.sort(key=lambda pair: pair[0])
    return [candidate for _, candidate in found[:n]]


def _plain(name: str) -> str:
    return name.lower().replace("-", "_").replace(" ", "_")


def _distance(a: str, b: str) -> int:
    """Insertions, deletions, replacements and swaps of neighbours between two words."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, last, row = row, before, [i]
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
