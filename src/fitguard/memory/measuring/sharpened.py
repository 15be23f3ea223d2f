"""An estimator that knows measurements: at these batch sizes, and near to them."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import msgspec

from fitguard.memory.estimate import Estimate, Estimator
from fitguard.schema.plan import Breakdown, Measured, Range
from fitguard.words import size

NEAR = 4
"""Up to so many times the measured batch, or down to that part of it, the range is narrower."""
NARROWER = 0.5
LEAST_WIDTH = 0.04
"""A scaled range is at least so wide to each side: cuDNN's algorithms change with the batch."""

_GIVES_WAY = ("slack", "workspace", "activations", "gradients", "input")


class Sharpened:
    """The answers of another estimator, corrected by what was measured.

    Args:
        known: Measurements of this very step on this GPU, by the batch size.
        notes: Reasons that each answer carries.
    """

    def __init__(
        self, estimator: Estimator, known: Mapping[int, Measured], notes: tuple[str, ...] = ()
    ) -> None:
        self.mode = estimator.mode
        self._estimator = estimator
        self._known = known
        self._notes = notes
        self._likely = cache(lambda batch_size: estimator.at(batch_size).required.likely)

    def at(self, batch_size: int, *, detail: bool = False) -> Estimate:
        """The memory at this batch size."""
        plain = self._estimator.at(batch_size, detail=detail)
        noted = replace(plain, reasons=(*self._notes, *plain.reasons))
        here = self._known.get(batch_size)
        if here is not None:
            return _apply_measurement(noted, here)
        ran = [one for one, known in self._known.items() if known.runs_bytes]
        nearest = min(ran, key=lambda one: abs(math.log(one / batch_size)), default=None)
        return noted if nearest is None else self._scale_estimate(noted, batch_size, nearest)

    def _scale_estimate(self, plain: Estimate, batch_size: int, measured_batch: int) -> Estimate:
        measured = self._known[measured_batch]
        ratio = (measured.runs_bytes or 0) / max(1, self._likely(measured_batch))
        near = 1 / NEAR <= batch_size / measured_batch <= NEAR
        narrower = NARROWER if near else 1.0
        how = "half as wide" if near else "as wide as before, as that batch is far from this one"
        reason = (
            f"Scaled by {ratio:.3f}: at batch {measured_batch} the step ran in "
            f"{size(measured.runs_bytes or 0)} on {measured.gpu}, where "
            f"{size(self._likely(measured_batch))} were estimated. The range is {how}."
        )
        return _replace_required(plain, _narrow_range(plain.required, ratio, narrower), reason)


def _narrow_range(span: Range, ratio: float, narrower: float) -> Range:
    likely = round(span.likely * ratio)
    below, above = (
        max(LEAST_WIDTH, narrower * abs(end - span.likely) / max(1, span.likely))
        for end in (span.low, span.high)
    )
    return Range(round(likely * (1 - below)), likely, round(likely * (1 + above)))


def _apply_measurement(plain: Estimate, known: Measured) -> Estimate:
    span, runs, fails = plain.required, known.runs_bytes, known.fails_bytes
    on = f"Measured on {known.gpu}" + (f" ({known.taken})" if known.taken else "")
    if runs is not None:
        span = Range(min(span.low, runs) if fails is None else fails, runs, runs)
        said = f"the step ran in {size(runs)}"
        said += "" if fails is None else f", and not in {size(fails)}"
    elif fails is not None:
        span = Range(*(max(end, fails) for end in (span.low, span.likely, span.high)))
        said = f"the step did not run in {size(fails)}"
    else:
        said = "no trial under a limit was finished"
    settled = _replace_required(plain, span, f"{on}: {said}.")
    peak = known.peak_bytes
    if peak is not None:
        taken = settled.comfortable
        likely = max(peak, span.likely)
        settled = replace(
            settled,
            comfortable=Range(min(taken.low, likely), likely, max(taken.high, likely)),
        )
    return replace(settled, measured=known, unknown=() if runs is not None else plain.unknown)


def _replace_required(plain: Estimate, required: Range, reason: str) -> Estimate:
    """With other required bytes, and nothing comfortable below them."""
    taken = plain.comfortable
    return replace(
        plain,
        required=required,
        comfortable=Range(
            max(taken.low, required.low),
            max(taken.likely, required.likely),
            max(taken.high, required.high),
        ),
        breakdown=_balance_breakdown(plain.breakdown, required.likely - plain.required.likely),
        reasons=(reason, *plain.reasons),
    )


def _balance_breakdown(parts: Breakdown, more_bytes: int) -> Breakdown:
    """Parts that add up again: what is unexplained is slack; what was too much gives way."""
    if more_bytes >= 0:
        return msgspec.structs.replace(parts, slack=parts.slack + more_bytes)
    less, rest = {}, -more_bytes
    for name in _GIVES_WAY:
        taken = min(rest, max(0, getattr(parts, name)))
        less[name] = getattr(parts, name) - taken
        rest -= taken
    return msgspec.structs.replace(parts, **less)
