"""What a strategy adds on each GPU to sum gradients over all of them.

Each GPU has all variables. When its part of the backward pass is done, TensorFlow joins all
gradients into one buffer (`CollectiveReplicaLauncher.batch_all_reduce`, one pack), sums that over
the GPUs, and splits the sum into one tensor for each variable. Next to the gradients themselves
that is up to twice as much: measured with logical devices of the CPU, `tests/memory/
test_all_reduce.py`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from fitguard.inputs.models.weights import leave_out_tables
from fitguard.memory.estimate import Estimate, Estimator
from fitguard.memory.model_variables import optimizer_variables, variable_bytes
from fitguard.memory.training import Training
from fitguard.schema.plan import Breakdown, Mode, Range

_TIMES_AT_LEAST = 2
_TIMES = 3
"""Gradients, the buffer that they are joined in, and their sums."""
_ABOVE = 1.05


@dataclass(frozen=True)
class SummedOverGpus:
    """An estimator of a step whose gradients are summed over several GPUs.

    Args:
        alone: Of the step on one GPU.
        weight_bytes, optimizer_bytes: Of the variables, all of which are on each GPU.
        gradient_bytes: Of all gradients.
        replicas: GPUs.
    """

    alone: Estimator
    weight_bytes: int
    optimizer_bytes: int
    gradient_bytes: int
    replicas: int

    @property
    def mode(self) -> Mode:
        """As on one GPU."""
        return self.alone.mode

    def at(self, batch_size: int, *, detail: bool = False) -> Estimate:
        """The dearest of two moments: inside of the step, or when gradients are summed."""
        estimate = self.alone.at(batch_size, detail=detail)
        held = self.weight_bytes + self.optimizer_bytes
        summing = Range(
            held + _TIMES_AT_LEAST * self.gradient_bytes,
            held + _TIMES * self.gradient_bytes,
            int(_ABOVE * (held + _TIMES * self.gradient_bytes)),
        )
        reasons = (*estimate.reasons, self._explain())
        if summing.likely <= estimate.required.likely:
            return replace(estimate, required=_larger(estimate.required, summing), reasons=reasons)
        breakdown = Breakdown(
            weights=self.weight_bytes,
            optimizer=self.optimizer_bytes,
            gradients=_TIMES * self.gradient_bytes,
            context=estimate.breakdown.context,
        )
        return replace(
            estimate,
            required=_larger(estimate.required, summing),
            comfortable=_larger(estimate.comfortable, summing),
            breakdown=breakdown,
            reasons=reasons,
        )

    def _explain(self) -> str:
        return (
            f"Each of the {self.replicas} GPUs has all variables, and needs up to {_TIMES} times"
            " the size of the gradients while they are summed over the GPUs. NCCL holds buffers of"
            " its own beside that, which are not counted: NCCL_BUFFSIZE, 4 MiB by default, for each"
            " of its channels. With different GPUs, the one with the least memory decides."
        )


def add_all_reduce(training: Training, estimator: Estimator) -> Estimator:
    """The estimator as it is for one GPU; with what a strategy needs for several."""
    if training.replicas == 1 or training.model is None:
        return estimator
    model = training.model
    return SummedOverGpus(
        estimator,
        weight_bytes=_size(leave_out_tables(model.variables)),
        optimizer_bytes=_size(optimizer_variables(model.optimizer)),
        gradient_bytes=_size(model.trainable_variables),
        replicas=training.replicas,
    )


def _size(variables: Iterable[Any]) -> int:
    return sum(map(variable_bytes, variables))


def _larger(one: Range, other: Range) -> Range:
    return Range(*map(max, msgspec.structs.astuple(one), msgspec.structs.astuple(other)))
