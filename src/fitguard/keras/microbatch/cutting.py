"""A batch as a flat list of tensors, and pieces of it by rows."""

from typing import Any

import tensorflow as tf

from fitguard.contract.replicas import by_replica, share_specs
from fitguard.schema.exit_codes import UsageError


class Layout:
    """The structure of a batch: how its tensors are nested, and which of them have rows.

    A batch is what a data iterator gives: `x`, `(x, y)` or `(x, y, sample_weight)`, each nested as
    the user likes. None stays None; what is no tensor becomes one.
    """

    def __init__(self, batch: Any) -> None:
        leaves = [_without_optional(leaf) for leaf in tf.nest.flatten(batch)]
        self._structure = tf.nest.pack_sequence_as(batch, [None] * len(leaves))
        self._present = [leaf is not None for leaf in leaves]
        self.key = (str(self._structure), tuple(self._present))

    def leaves(self, batch: Any) -> list[Any]:
        """The tensors of a batch of this structure."""
        flat = [_without_optional(leaf) for leaf in tf.nest.flatten(batch)]
        return [_as_tensor(leaf) for leaf in flat if leaf is not None]

    def batch(self, leaves: list[Any]) -> Any:
        """The batch that has these tensors."""
        rest = iter(leaves)
        flat = [next(rest) if present else None for present in self._present]
        return tf.nest.pack_sequence_as(self._structure, flat)


def read_shares(strategy: Any, batch: Any) -> tuple[Layout, list[list[Any]]]:
    """The structure of a batch, and the tensors that each replica has of it."""
    shares = by_replica(strategy, batch)
    layout = Layout(shares[0])
    return layout, [layout.leaves(share) for share in shares]


def rows_of(leaf: Any) -> Any:
    """Number of rows of a tensor: an int where it is known, else a tensor."""
    if isinstance(leaf, tf.RaggedTensor):
        return leaf.nrows()
    if isinstance(leaf, tf.SparseTensor):
        return leaf.dense_shape[0]
    if leaf.shape.rank and leaf.shape[0] is not None:
        return leaf.shape[0]
    return tf.shape(leaf)[0]


def whole_rows(leaves: list[Any]) -> int:
    """Number of rows of a batch, which all of its tensors but scalars have."""
    counts = {int(rows_of(leaf)) for leaf in leaves if leaf.shape.rank != 0}
    if len(counts) != 1:
        raise UsageError(
            f"Received: a batch whose tensors have {sorted(counts) or 'no'} rows. Expected: the"
            " same number of rows in each. A batch that has no common first axis cannot be cut"
            " into micro-batches."
        )
    return counts.pop()


def bounds(whole: int, rows: int) -> list[tuple[int, int]]:
    """Where the pieces begin and end.

    Example:
        >>> bounds(10, 4)
        [(0, 4), (4, 8), (8, 10)]
    """
    if rows < 1:
        raise UsageError(f"Received: micro-batches of {rows} rows. Expected: 1 or more.")
    return [(start, min(start + rows, whole)) for start in range(0, whole, rows)]


def slice_rows(leaves: list[Any], start: int, stop: int) -> list[Any]:
    """Rows `start` to `stop` of each tensor; scalars as they are."""
    return [_slice_leaf(leaf, start, stop) for leaf in leaves]


def spread_rows(leaves: list[Any], whole: int, number: int) -> list[Any]:
    """So many rows from all over each tensor: neighbors are often alike."""
    if any(isinstance(leaf, tf.SparseTensor) for leaf in leaves):
        return slice_rows(leaves, 0, number)
    rows = [index * (whole - 1) // max(number - 1, 1) for index in range(number)]
    return [leaf if leaf.shape.rank == 0 else tf.gather(leaf, rows) for leaf in leaves]


def signature(leaves: list[Any]) -> list[Any]:
    """What pieces of these tensors look like, with any number of rows."""
    return [_any_rows(tf.type_spec_from_value(leaf)) for leaf in leaves]


def wider(specs: list[Any], others: list[Any]) -> list[Any] | None:
    """A signature for both, as for sequences of different length; None where there is none."""
    found = [
        spec.most_specific_common_supertype([other])
        for spec, other in zip(specs, others, strict=True)
    ]
    return None if any(spec is None for spec in found) else found


def specs_of(element_spec: Any) -> list[Any]:
    """What data say beforehand of the tensors of a batch; empty where they say nothing."""
    specs = [] if element_spec is None else tf.nest.flatten(share_specs(element_spec))
    return [spec for spec in specs if spec is not None and not isinstance(spec, tf.OptionalSpec)]


def says_rows(element_spec: Any) -> bool:
    """Whether data say beforehand how many rows a batch has; so does a batch without a spec."""
    specs = specs_of(element_spec)
    return all(spec.shape.rank == 0 or spec.shape[0] is not None for spec in specs)


def _slice_leaf(leaf: Any, start: int, stop: int) -> Any:
    if leaf.shape.rank == 0:
        return leaf
    if isinstance(leaf, tf.SparseTensor):
        begin = [start, *[0] * (leaf.shape.rank - 1)]
        size = tf.concat([[stop - start], leaf.dense_shape[1:]], axis=0)
        return tf.sparse.slice(leaf, begin, size)
    return leaf[start:stop]


def _any_rows(spec: Any) -> Any:
    if spec.shape.rank == 0:
        return spec
    shape = [None, *spec.shape[1:]]
    if isinstance(spec, tf.RaggedTensorSpec):
        return tf.RaggedTensorSpec(shape, spec.dtype, spec.ragged_rank, spec.row_splits_dtype)
    return type(spec)(shape, spec.dtype)


def _without_optional(leaf: Any) -> Any:
    return None if isinstance(leaf, tf.experimental.Optional) else leaf


def _as_tensor(leaf: Any) -> Any:
    composite = isinstance(leaf, tf.RaggedTensor | tf.SparseTensor)
    return leaf if composite else tf.convert_to_tensor(leaf)
