"""Variables that the forward pass moves on: they take one step, as with the whole batch.

Every piece begins with the values from before the step: each sees the seeds that the whole batch
would have seen. In the end, whole numbers (seeds, counters) are those that the last piece left;
others (moving statistics) take the mean of what the pieces left, weighted by rows.
"""

from dataclasses import dataclass, field
from typing import Any

import tensorflow as tf

from fitguard.keras.microbatch.identity import identity, on_replicas


@dataclass(frozen=True)
class MovingMoments:
    """The moving mean and variance of one normalisation, and how much of the old value stays.

    The variance of the whole batch is the mean of the variances of the pieces, and the variance
    between their means on top.
    """

    mean: Any
    variance: Any
    momentum: float


@dataclass
class StepState:
    """Variables that a step writes, less the trainable ones and metrics.

    Args:
        variables: Those of all replicas, one by one.
        replicas: On which of them each is.
    """

    variables: list[Any]
    replicas: list[int]
    moments: list[MovingMoments] = field(default_factory=list)
    _before: list[Any] = field(default_factory=list)
    _moved: list[Any] = field(default_factory=list)
    _squares: list[Any] = field(default_factory=list)

    def take(self) -> None:
        """Remember the values from before the step."""
        self._before = [copy_value(variable) for variable in self.variables]
        self._moved = [0.0] * len(self.variables)
        self._squares = [0.0] * len(self.variables)

    def restore(self) -> None:
        """Begin the next piece where the first began."""
        for variable, value in zip(self.variables, self._before, strict=True):
            variable.assign(value)

    def add(self, shares: list[float]) -> None:
        """Count in what a piece left on each replica."""
        for index, (variable, before) in enumerate(zip(self.variables, self._before, strict=True)):
            if variable.dtype.is_floating:
                share = shares[self.replicas[index]]
                with tf.device(variable.device):
                    move = variable - before
                    self._moved[index] += share * move
                    self._squares[index] += share * move * move

    def finish(self) -> None:
        """Set the values that the step leaves."""
        between = self._between()
        for index, variable in enumerate(self.variables):
            if variable.dtype.is_floating:
                more = between.get(identity(variable), 0.0)
                with tf.device(variable.device):
                    variable.assign(self._before[index] + self._moved[index] + more)

    def _between(self) -> dict[int, Any]:
        """By identity of a moving variance: its part of the variance between the pieces' means."""
        places = {identity(variable): index for index, variable in enumerate(self.variables)}
        found = {}
        for moments in self.moments:
            pairs = zip(on_replicas(moments.mean), on_replicas(moments.variance), strict=True)
            for mean, variance in pairs:
                index = places.get(identity(mean))
                if index is not None and moments.momentum < 1:
                    spread = self._squares[index] - self._moved[index] * self._moved[index]
                    found[identity(variance)] = tf.maximum(spread, 0) / (1 - moments.momentum)
        return found


def copy_value(variable: Any) -> Any:
    """What a variable holds, on its own device."""
    with tf.device(variable.device):
        return tf.identity(variable)
