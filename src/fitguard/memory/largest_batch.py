"""The largest batch that fits: a search that asks the estimator as rarely as it can."""

from fitguard.memory.estimate import Estimator

MOST_QUESTIONS = 25
LARGEST_BATCH = 2**24
"""Beyond this nobody trains, and a step that hardly grows with the batch would never be done."""


def largest(
    estimator: Estimator,
    usable_bytes: int,
    *,
    near: int = 32,
    at_most: int = LARGEST_BATCH,
    extra_bytes: int = 0,
) -> int | None:
    """The largest batch that fits for sure; None where not even one sample does.

    Memory grows nearly in line with the batch, so each question is put where the line through
    the two nearest answers meets the bound. What is returned was asked for, and fits.

    Args:
        near: Where to begin: the batch that was planned.
        at_most: Where to end.
        extra_bytes: What is held beside the step.
    """
    return _Search(estimator, usable_bytes - extra_bytes).run(min(near, at_most), at_most)


class _Search:
    """Closes in from both sides: `fits` is the largest that fits, `fails` the smallest not."""

    def __init__(self, estimator: Estimator, bound_bytes: int) -> None:
        self.estimator = estimator
        self.bound_bytes = bound_bytes
        self.known: dict[int, int] = {}
        self.fits = 0
        self.fails: int | None = None

    def run(self, near: int, at_most: int) -> int | None:
        self._ask(near)
        while len(self.known) < MOST_QUESTIONS and self.fits != at_most:
            if self.fails is not None and self.fails - self.fits <= 1:
                break
            self._ask(self._next(at_most))
        return self.fits or None

    def _ask(self, batch_size: int) -> None:
        self.known[batch_size] = self.estimator.at(batch_size).required.high
        if self.known[batch_size] <= self.bound_bytes:
            self.fits = max(self.fits, batch_size)
        elif self.fails is None or batch_size < self.fails:
            self.fails = batch_size

    def _next(self, at_most: int) -> int:
        """The next batch to ask for: strictly between the two sides."""
        guess = self._on_the_line()
        if self.fails is None:
            most = min(at_most, 64 * self.fits)
            return min(max(guess or 2 * self.fits, self.fits + 1), most)
        middle = (self.fits + self.fails) // 2
        # A line that keeps hitting the same side would creep: every third question halves.
        chosen = middle if guess is None or len(self.known) % 3 == 0 else guess
        return min(max(chosen, self.fits + 1), self.fails - 1)

    def _on_the_line(self) -> int | None:
        """Where the line through the two answers nearest to the bound meets it."""
        nearest = sorted(self.known, key=lambda batch: abs(self.known[batch] - self.bound_bytes))
        if len(nearest) < 2:
            return None
        one, other = nearest[:2]
        slope = (self.known[other] - self.known[one]) / (other - one)
        if slope <= 0:
            return None
        return one + int((self.bound_bytes - self.known[one]) / slope)
