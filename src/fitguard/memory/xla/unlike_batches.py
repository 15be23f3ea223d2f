"""For steps whose form changes with the batch size: a line through two batch sizes."""

from collections.abc import Callable
from dataclasses import dataclass, field

from fitguard.memory.estimate import Estimate, Estimator
from fitguard.memory.xla.uncertainty import UNLIKE
from fitguard.schema.plan import Breakdown, Mode, Range, Unknown

POINTS = (16, 32, 64)
"""A line through the outer two; the one in between confirms it."""
TOLERANCE = 0.05


@dataclass
class UnlikeBatches:
    """Extrapolates between estimates that each hold for one batch size.

    Args:
        at_one: Compiles for one batch size.
    """

    at_one: Callable[[int], Estimator]
    mode: Mode = "xla"
    _known: dict[int, Estimate] = field(default_factory=dict)

    def at(self, batch_size: int, *, detail: bool = False) -> Estimate:
        """See `Estimator`."""
        low, middle, high = (self._at_one(point, detail) for point in POINTS)
        between = _line(low.required, high.required, POINTS[1])
        error = abs(between.likely - middle.required.likely) / middle.required.likely
        required = _line(low.required, high.required, batch_size)
        comfortable = _line(low.comfortable, high.comfortable, batch_size)
        unknown = Unknown(part="batch size", text=UNLIKE, most_bytes=int(error * required.likely))
        return Estimate(
            required=_widen_range(required, error),
            comfortable=_widen_range(comfortable, error),
            breakdown=_breakdown(high.breakdown, required.likely),
            layers=high.layers,
            curve=high.curve,
            reasons=(*high.reasons, UNLIKE),
            unknown=(unknown,) if error > TOLERANCE else (),
        )

    def _at_one(self, point: int, detail: bool) -> Estimate:
        if point not in self._known or detail:
            self._known[point] = self.at_one(point).at(point, detail=detail)
        return self._known[point]


def _breakdown(known: Breakdown, likely: int) -> Breakdown:
    """Variables are known; what is left of the line counts as activations."""
    variables = known.weights + known.optimizer
    return Breakdown(
        weights=known.weights,
        optimizer=known.optimizer,
        activations=max(likely - variables, 0),
        slack=min(likely - variables, 0),
    )


def _line(first: Range, last: Range, batch_size: int) -> Range:
    share = (batch_size - POINTS[0]) / (POINTS[-1] - POINTS[0])

    def on_line(one: int, other: int) -> int:
        return max(int(one + share * (other - one)), 0)

    return Range(
        on_line(first.low, last.low),
        on_line(first.likely, last.likely),
        on_line(first.high, last.high),
    )


def _widen_range(found: Range, error: float) -> Range:
    return Range(int(found.low * (1 - error)), found.likely, int(found.high * (1 + error)))
