"""What TensorFlow does not say of the replicas of a strategy in public."""

from collections.abc import Sequence
from typing import Any

from fitguard.contract.multi_worker import is_multi_worker


def make_local_variable(shape: Any, dtype: Any, name: str) -> Any:
    """A variable of zeros on the device of the replica whose code runs, which others do not see.

    A strategy would mirror one that is made in the usual way.
    """
    import tensorflow as tf
    from tensorflow.python.ops.resource_variable_ops import ResourceVariable

    device = tf.zeros(()).device or None
    with tf.init_scope(), tf.device(device):
        return ResourceVariable(tf.zeros(shape, dtype), trainable=False, name=name)


def replica_devices(strategy: Any) -> list[str]:
    """The devices of the replicas of this process, in their order."""
    return list(strategy.extended.worker_devices)


def count_local(strategy: Any) -> int:
    """The replicas of this process: with several workers, each has only its own."""
    # Where there is no strategy, TensorFlow has one that knows no devices.
    return 1 if strategy.num_replicas_in_sync == 1 else len(replica_devices(strategy))


def is_distributed(iterator: Any) -> bool:
    """Whether it gives batches of which each replica has a share, and all are of this process."""
    import tensorflow as tf

    return (
        isinstance(iterator, tf.distribute.DistributedIterator)
        and len(getattr(iterator, "_iterators", ())) == 1
        and hasattr(iterator, "_strategy")
        and not is_multi_worker(iterator._strategy)
    )


def share_specs(element_spec: Any) -> Any:
    """What a replica's share looks like, from what the whole element looks like."""
    import tensorflow as tf

    return tf.nest.map_structure(
        lambda spec: getattr(spec, "_value_specs", (spec,))[0], element_spec
    )


def iterator_over_shares(batches: Sequence[Any], like: Any) -> Any:
    """A distributed iterator over batches in hand; a trace for `like` takes it."""
    import tensorflow as tf

    strategy = like._strategy
    specs = share_specs(like.element_spec)
    parts = [
        tf.data.experimental.from_variant(
            tf.data.experimental.to_variant(tf.data.Dataset.from_tensors(share)), structure=specs
        )
        for batch in batches
        for share in by_replica(strategy, batch)
    ]

    def make(_: Any) -> Any:
        dataset = parts[0]
        for part in parts[1:]:
            dataset = dataset.concatenate(part)
        return dataset

    return iter(strategy.distribute_datasets_from_function(make))


def by_replica(strategy: Any, values: Any) -> list[Any]:
    """What each replica of this process has of nested values; what is no value of a strategy, all
    have."""
    import tensorflow as tf

    flat = [strategy.experimental_local_results(leaf) for leaf in tf.nest.flatten(values)]
    return [
        tf.nest.pack_sequence_as(values, [leaf[number % len(leaf)] for leaf in flat])
        for number in range(count_local(strategy))
    ]
