"""Variables that the forward pass moves on: they take one step, as with the whole batch.

Every piece begins with the values from before the step: each sees the seeds that the whole batch
would have seen. In the end, whole numbers (seeds, counters) are those that the last piece left;
others (moving statistics) take the mean of what the pieces left, weighted by rows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import tensorflow as tf

from fitguard.contract.replicas import make_local_variable
from fitguard.keras.microbatch.identity import identity, on_replicas

Call = Callable[..., None]


@dataclass(frozen=True)
class MovingMoments:
    """The moving mean and variance of one normalisation, and how much of the old value stays.

    The variance of the whole batch is the mean of the variances of the pieces, and the variance
    between their means on top.
    """

    mean: Any
    variance: Any
    momentum: float


class StepState:
    """Variables that a step writes, less the trainable ones and metrics.

    Args:
        variables: Those of all replicas, one by one.
        replicas: On which of them each is.
        moments: Of the normalizations of the model.
        traced: Each call is one function of TensorFlow's, not operations for each variable.

    Attributes:
        take: Remember the values from before the step.
        restore: Begin the next piece where the first began.
        finish: Set the values that the step leaves.
    """

    def __init__(
        self,
        variables: list[Any],
        replicas: list[int],
        moments: list[MovingMoments],
        *,
        traced: bool,
    ) -> None:
        self.variables = variables
        self._replicas = {
            identity(variable): replica
            for variable, replica in zip(variables, replicas, strict=True)
        }
        self._moments = [one for each in moments for one in self._find_on_replicas(each)]
        floating = [one for one in variables if one.dtype.is_floating]
        self._before = _make_copies(variables)
        self._moved = _make_copies(floating)
        self._squares = _make_copies([moments.mean for moments in self._moments])
        trace: Any = partial(tf.function, autograph=False) if traced else _leave
        self.take: Call = trace(self._take)
        self.restore: Call = trace(self._restore)
        self.finish: Call = trace(self._finish)
        self._add: Call = trace(self._count)

    def add(self, shares: list[float]) -> None:
        """Count in what a piece left on each replica."""
        self._add(tf.constant(shares, tf.float64))

    def _take(self) -> None:
        for variable in self.variables:
            with tf.device(variable.device):
                self._before[identity(variable)].assign(variable)
        for total in (*self._moved.values(), *self._squares.values()):
            with tf.device(total.device):
                total.assign(tf.zeros_like(total))

    def _restore(self) -> None:
        for variable in self.variables:
            with tf.device(variable.device):
                variable.assign(self._before[identity(variable)])

    def _count(self, shares: Any) -> None:
        for variable in self.variables:
            key = identity(variable)
            if key not in self._moved:
                continue
            with tf.device(variable.device):
                share = tf.cast(shares[self._replicas[key]], variable.dtype)
                move = variable - self._before[key]
                self._moved[key].assign_add(share * move)
                if key in self._squares:
                    self._squares[key].assign_add(share * move * move)

    def _finish(self) -> None:
        between = {identity(one.variance): self._find_spread(one) for one in self._moments}
        for variable in self.variables:
            key = identity(variable)
            if key in self._moved:
                with tf.device(variable.device):
                    moved = self._moved[key] + between.get(key, 0.0)
                    variable.assign(self._before[key] + moved)

    def _find_spread(self, moments: MovingMoments) -> Any:
        """What the variance between the means of the pieces adds to the moving variance."""
        total, square = (held[identity(moments.mean)] for held in (self._moved, self._squares))
        with tf.device(moments.mean.device):
            return tf.maximum(square - total * total, 0) / (1 - moments.momentum)

    def _find_on_replicas(self, moments: MovingMoments) -> list[MovingMoments]:
        pairs = zip(on_replicas(moments.mean), on_replicas(moments.variance), strict=True)
        return [
            MovingMoments(mean, variance, moments.momentum)
            for mean, variance in pairs
            if identity(mean) in self._replicas and moments.momentum < 1
        ]


def _leave(call: Call) -> Call:
    return call


def _make_copies(variables: list[Any]) -> dict[int, Any]:
    """Variables of the same kind, on the same devices, by the identity of each."""
    made = {}
    for variable in variables:
        with tf.device(variable.device):
            copy = make_local_variable(variable.shape, variable.dtype, "fitguard_before")
        made[identity(variable)] = copy
    return made


def copy_value(variable: Any) -> Any:
    """What a variable holds, on its own device."""
    with tf.device(variable.device):
        return tf.identity(variable)
