"""What both modes answer: the memory of one step at one batch size."""

from dataclasses import dataclass, field
from typing import Protocol

from fitguard.schema.plan import Breakdown, Curve, LayerCost, Measured, Mode, Range, Unknown


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """The memory of a step; the fields mean what they mean in `Plan`."""

    required: Range
    comfortable: Range
    breakdown: Breakdown = field(default_factory=Breakdown)
    layers: tuple[LayerCost, ...] = ()
    curve: Curve = field(default_factory=Curve)
    unknown: tuple[Unknown, ...] = ()
    reasons: tuple[str, ...] = ()
    measured: Measured | None = None


class Estimator(Protocol):
    """A step that was traced or compiled once, and can be asked for any batch size."""

    @property
    def mode(self) -> Mode:
        """Graph or XLA."""
        ...

    def at(self, batch_size: int, *, detail: bool = False) -> Estimate:
        """The memory at this batch size.

        Args:
            detail: Whether layers and curve are wanted too; they cost time.
        """
        ...
