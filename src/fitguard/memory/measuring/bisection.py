"""Which memory limit to try next: a few trials tell the least memory in which a step runs."""

from collections.abc import Callable
from dataclasses import dataclass, replace

MOST_TRIALS = 5
PRECISION = 0.02
_BEYOND = 0.15
"""How far outside of a range that was wrong the next trial is, as a share."""


@dataclass(frozen=True)
class Bracket:
    """What is known so far: it ran in `runs`, and did not in `fails`; MiB."""

    runs: int | None = None
    fails: int | None = None

    @property
    def settled(self) -> bool:
        """Whether the two are as near to each other as is worth the time."""
        if self.runs is None or self.fails is None:
            return False
        return self.runs - self.fails <= max(1, PRECISION * self.runs)

    def after(self, limit: int, ran: bool) -> "Bracket":
        """With one more answer."""
        if ran:
            return replace(self, runs=limit if self.runs is None else min(self.runs, limit))
        return replace(self, fails=limit if self.fails is None else max(self.fails, limit))


@dataclass(frozen=True, kw_only=True)
class Search:
    """Where to look: MiB.

    Args:
        low, likely, high: What was estimated.
        ceiling: The most that can be tried on this GPU.
    """

    low: int
    likely: int
    high: int
    ceiling: int

    def run(self, runs_in: Callable[[int], bool | None]) -> Bracket:
        """Close in on the least memory.

        Args:
            runs_in: Whether the step runs under a limit; None where that could not be told, which
                ends the search.
        """
        bracket = Bracket()
        for _ in range(MOST_TRIALS):
            limit = self._next(bracket)
            if limit is None:
                break
            ran = runs_in(limit)
            if ran is None:
                break
            bracket = bracket.after(limit, ran)
        return bracket

    def _next(self, known: Bracket) -> int | None:
        """The next limit; None where no further one would tell more."""
        if known.settled:
            return None
        if known.runs is None and known.fails is None:
            return max(1, min(self.likely, self.ceiling))
        if known.runs is None:
            return self._above(known.fails or 0)
        if known.fails is None:
            return self._below(known.runs)
        return (known.runs + known.fails) // 2

    def _above(self, fails: int) -> int | None:
        """Half of the way to the high end, then that end, then beyond it."""
        if fails >= self.ceiling:
            return None
        if fails <= self.likely < self.high:
            limit = (fails + self.high + 1) // 2
        elif fails < self.high:
            limit = self.high
        else:
            limit = fails + max(1, round(_BEYOND * fails))
        return min(limit, self.ceiling)

    def _below(self, runs: int) -> int | None:
        """The same downwards."""
        if runs <= 1:
            return None
        if runs >= self.likely > self.low:
            return (runs + self.low) // 2
        if runs > self.low:
            return max(1, self.low)
        return runs - max(1, round(_BEYOND * runs))
