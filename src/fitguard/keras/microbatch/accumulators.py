"""Sums of the gradients of the pieces of a step."""

from typing import Any

import tensorflow as tf

from fitguard.contract.replicas import make_local_variable
from fitguard.keras.microbatch.identity import identity
from fitguard.keras.microbatch.shares import this_replica


class Accumulators:
    """One sum for each variable that has a gradient, on each replica.

    Dense gradients are added into variables of their own, which are no part of the model. Sparse
    ones (of embeddings) are kept row by row and joined in the end: that is the gradient which the
    whole batch gives, and the optimizer treats it in the same way.
    """

    def __init__(self) -> None:
        self.variables: list[Any] = []
        self._sums: list[dict[int, Any]] = []
        self._sparse: list[int] = []
        self._clear: Any = None
        self._cleared = 0

    @property
    def own(self) -> set[int]:
        """Ids of the variables that hold the sums."""
        return {identity(variable) for sums in self._sums for variable in sums.values()}

    def add(self, gradients: list[Any], variables: list[Any]) -> list[tuple[Any, Any]]:
        """Add the gradients of a piece; what is sparse is handed back, to be given to `total`.

        Called by each replica, in their order.
        """
        self.variables = variables
        self._sparse = []
        rows = []
        for index, gradient in enumerate(gradients):
            if isinstance(gradient, tf.IndexedSlices):
                self._sparse.append(index)
                rows.append((gradient.values, gradient.indices))
            elif gradient is not None:
                total = self._sum(index, gradient, variables[index])
                total.assign_add(tf.cast(gradient, total.dtype))
        return rows

    def total(self, rows: list[tuple[Any, Any]]) -> list[Any]:
        """The gradients of all rows of this replica; None for a variable that has none."""
        found: list[Any] = [None] * len(self.variables)
        # Where all gradients are sparse, there is no sum.
        sums = dict(enumerate(self._sums)).get(this_replica(), {})
        for index, total in sums.items():
            # A strategy wants a tensor that has a device, which a read of the sum has not.
            found[index] = tf.identity(tf.cast(total, self.variables[index].dtype))
        for index, (values, indices) in zip(self._sparse, rows, strict=True):
            shape = tf.constant(self.variables[index].shape.as_list(), tf.int64)
            found[index] = tf.IndexedSlices(values, indices, tf.cast(shape, indices.dtype))
        return found

    def clear(self) -> None:
        """Begin at zero."""
        if self._clear is None or len(self.own) != self._cleared:
            self._clear = tf.function(self._set_to_zero, autograph=False)
            self._cleared = len(self.own)
        self._clear()

    def _set_to_zero(self) -> None:
        for sums in self._sums:
            for total in sums.values():
                with tf.device(total.device):
                    total.assign(tf.zeros_like(total))

    def _sum(self, index: int, gradient: Any, variable: Any) -> Any:
        replica = this_replica()
        while len(self._sums) <= replica:
            self._sums.append({})
        sums = self._sums[replica]
        if index not in sums:
            dtype = tf.float32 if gradient.dtype.size < 4 else gradient.dtype
            sums[index] = make_local_variable(variable.shape, dtype, "fitguard_gradient")
        return sums[index]
