"""Problems as values: gathered over whole files, rendered elsewhere."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from .source import Span

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Label:
    """A second place that explains a problem, such as "declared here"."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A replacement that is certain enough to be applied unasked."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake: `slug` names its kind, `span` is the smallest wrong place.

    `message` is one plain sentence of what is; only `help` proposes.
    """

    slug: str
    message: str
    span: Span | None
    label: str = ""
    others: tuple[Label, ...] = ()
    help: str = ""
    fix: Fix | None = None
    severity: Severity = "error"


class Problems:
    """A growing set of problems, read in the order of the files."""

    def __init__(self) -> None:
        self._problems: dict[tuple[str, Span | None, str], Problem] = {}

    def add(
        self,
        slug: str,
        message: str,
        span: Span | None,
        *,
        label: str = "",
        others: tuple[Label, ...] = (),
        help: str = "",
        fix: Fix | None = None,
        severity: Severity = "error",
    ) -> None:
        """Add a problem, unless one with this slug stands at this place already."""
        self.take(Problem(slug, message, span, label, others, help, fix, severity))

    def take(self, problem: Problem) -> None:
        """The same for a problem that is one already."""
        # Without a place the message tells two problems of one slug apart.
        key = (problem.slug, problem.span, "" if problem.span else problem.message)
        self._problems.setdefault(key, problem)

    def __iter__(self) -> Iterator[Problem]:
        return iter(sorted(self._problems.values(), key=_place))

    def __len__(self) -> int:
        return len(self._problems)

    @property
    def errors(self) -> bool:
        """Whether any of them is an error rather than a warning."""
        return any(problem.severity == "error" for problem in self._problems.values())


def _place(problem: Problem) -> tuple[str, int]:
    span = problem.span
    return (span.source.path, span.start) if span else ("", -1)


class RuleFileError(Exception):
    """A rule file that cannot be used; `problems` says why."""

    def __init__(self, problems: Problems) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        from .render.problems import render

        return render(self.problems, "concise")
