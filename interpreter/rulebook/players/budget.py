"""What may be spent on one decision: a number of leaves, or time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from time import perf_counter


@dataclass(frozen=True, slots=True)
class Budget:
    """Iterations are leaves; just one of the two is given. Time runs from when it is made."""

    iterations: int | None
    milliseconds: float | None
    start: float = field(default_factory=perf_counter)

    def times(self, number: int) -> Budget:
        """So many times the iterations; time is what it is."""
        if self.iterations is None:
            return self
        return replace(self, iterations=number * self.iterations)

    def left(self, done: int, share: float = 1.0) -> bool:
        """Whether a share of it is not spent yet, when so many leaves are judged."""
        if self.iterations is not None:
            return done < self.iterations * share
        assert self.milliseconds is not None
        return self.spent < self.milliseconds * share

    @property
    def out_of_time(self) -> bool:
        """Whether time is spent, where time is what is given."""
        return self.milliseconds is not None and self.spent >= self.milliseconds

    def room(self, done: int) -> int:
        """About how many leaves can still be judged."""
        if self.iterations is not None:
            return self.iterations - done
        assert self.milliseconds is not None
        return int(max(self.milliseconds - self.spent, 0) * done / self.spent)

    @property
    def spent(self) -> float:
        """Milliseconds."""
        return (perf_counter() - self.start) * 1000
