"""Batches of which each replica of a strategy has a share."""

import math
from typing import Any

from fitguard.contract.replicas import count_local


def count_replicas(model: Any) -> int:
    """Replicas that train the model, in all processes; 1 without a strategy."""
    strategy = getattr(model, "distribute_strategy", None)
    return int(getattr(strategy, "num_replicas_in_sync", 1))


def count_local_replicas(model: Any) -> int:
    """Those of this process."""
    strategy = getattr(model, "distribute_strategy", None)
    return 1 if strategy is None else count_local(strategy)


def largest_share(batch: Any) -> Any:
    """What the replica with most rows has of a batch: the first; without replicas all of it."""
    import tensorflow as tf

    return tf.nest.map_structure(lambda leaf: _shares(leaf)[0], batch)


def rows_of(batch: Any) -> int:
    """Rows of a batch: the first dimension of its first tensor; 0 where it cannot be told.

    Of one that replicas share, the rows of the largest share.
    """
    import tensorflow as tf

    for tensor in tf.nest.flatten(largest_share(batch)):
        shape = getattr(tensor, "shape", None)
        if shape is not None and len(shape) and shape[0]:
            return int(shape[0])
    return 0


def count_numbers(batch: Any) -> int:
    """Those in all tensors of a batch, or of the largest share of it."""
    import tensorflow as tf

    shapes = [getattr(one, "shape", ()) for one in tf.nest.flatten(largest_share(batch))]
    return sum(math.prod(int(length or 1) for length in shape) for shape in shapes)


def starves(batches: list[Any]) -> bool:
    """Whether a replica has no rows of a batch: what Keras does then is its own affair."""
    import tensorflow as tf

    shares = [share for leaf in tf.nest.flatten(batches) for share in _shares(leaf)]
    return any(len(shape) and shape[0] == 0 for share in shares if (shape := _shape(share)))


def _shares(leaf: Any) -> tuple[Any, ...]:
    """Those of a value of a strategy; other values that have parts, as ragged ones, are whole."""
    is_distributed = any(base.__name__ == "DistributedValues" for base in type(leaf).__mro__)
    return tuple(leaf.values) if is_distributed else (leaf,)


def _shape(tensor: Any) -> tuple[Any, ...]:
    shape = getattr(tensor, "shape", None)
    return tuple(shape) if shape is not None and getattr(shape, "rank", 0) is not None else ()
