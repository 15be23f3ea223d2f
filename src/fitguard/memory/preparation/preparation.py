"""What a plan is made for."""

import math
from dataclasses import dataclass

from fitguard.memory.training import Training
from fitguard.schema.plan import Step


@dataclass(frozen=True, kw_only=True)
class Preparation:
    """A training step, ready to be traced, and what is known about it.

    Args:
        batch_size: Of all replicas together, as `fit` is given it.
        step: The facts for the plan.
        notes: What was assumed, one sentence each.
    """

    training: Training
    batch_size: int
    step: Step
    notes: tuple[str, ...] = ()

    @property
    def replica_batch_size(self) -> int:
        """What one GPU gets of each batch, at most."""
        return math.ceil(self.batch_size / self.training.replicas)
