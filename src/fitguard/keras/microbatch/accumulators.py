"""Sums of the gradients of the pieces of a step."""

from typing import Any

import tensorflow as tf

from fitguard.keras.microbatch.identity import identity


class Accumulators:
    """One sum for each variable that has a gradient.

    Dense gradients are added into variables of their own, which are no part of the model. Sparse
    ones (of embeddings) are kept row by row and joined in the end: that is the gradient which the
    whole batch gives, and the optimizer treats it in the same way.
    """

    def __init__(self) -> None:
        self.variables: list[Any] = []
        self._sums: dict[int, Any] = {}
        self._sparse: list[int] = []

    @property
    def own(self) -> set[int]:
        """Ids of the variables that hold the sums."""
        return {identity(variable) for variable in self._sums.values()}

    def add(self, gradients: list[Any], variables: list[Any]) -> list[tuple[Any, Any]]:
        """Add the gradients of a piece; what is sparse is handed back, to be given to `total`."""
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
        """The gradients of the whole batch; None for a variable that has none."""
        found: list[Any] = [None] * len(self.variables)
        for index, total in self._sums.items():
            # A strategy wants a tensor that has a device, which a read of the sum has not.
            found[index] = tf.identity(tf.cast(total, self.variables[index].dtype))
        for index, (values, indices) in zip(self._sparse, rows, strict=True):
            shape = tf.constant(self.variables[index].shape.as_list(), tf.int64)
            found[index] = tf.IndexedSlices(values, indices, tf.cast(shape, indices.dtype))
        return found

    def clear(self) -> None:
        """Begin at zero."""
        for total in self._sums.values():
            total.assign(tf.zeros_like(total))

    def _sum(self, index: int, gradient: Any, variable: Any) -> Any:
        if index not in self._sums:
            dtype = tf.float32 if gradient.dtype.size < 4 else gradient.dtype
            with tf.init_scope():
                zeros = tf.zeros(variable.shape, dtype)
                self._sums[index] = tf.Variable(zeros, trainable=False, name="fitguard_gradient")
        return self._sums[index]
