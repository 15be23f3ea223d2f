"""The logs of a step from those of its pieces."""

from typing import Any, NamedTuple

import tensorflow as tf

from fitguard.keras.microbatch.library import Library
from fitguard.keras.microbatch.split import Findings


class PieceLogs(NamedTuple):
    """What a piece returned, and how much of its replica's rows it has."""

    share: float
    logs: Any


def join_replicas(
    library: Library, model: Any, replicas: list[list[PieceLogs]], findings: Findings
) -> Any:
    """The logs of a step, as the model's own function returns them.

    Args:
        replicas: For each of them, its pieces.
    """
    joined = [_join_pieces(model, pieces, findings) for pieces in replicas]
    if len(joined) == 1:
        return joined[0]
    leaves = zip(*(tf.nest.flatten(logs) for logs in joined), strict=True)
    values = [_distribute(model.distribute_strategy, leaf) for leaf in leaves]
    return library.reduce_logs(model, tf.nest.pack_sequence_as(joined[0], values))


def _distribute(strategy: Any, values: tuple[Any, ...]) -> Any:
    """What is one for all replicas, as metrics of Keras 2 are, is not reduced once more."""
    if all(value is values[0] for value in values):
        return values[0]
    return strategy.experimental_distribute_values_from_function(
        lambda context: values[context.replica_id_in_sync_group]
    )


def _join_pieces(model: Any, pieces: list[PieceLogs], findings: Findings) -> Any:
    """What the last piece says of metrics, which have counted all; the mean of what is no metric.

    A `train_step` of the user's own may return the plain loss under the name of a metric that it
    never updates.
    """
    last = pieces[-1].logs
    if not isinstance(last, dict) or len(pieces) == 1:
        return last
    untouched = {
        metric.name
        for metric in model.metrics
        if hasattr(metric, "count") and id(metric) not in findings.updated
    }
    counted = {name for metric in model.metrics for name in _names(metric) if name not in untouched}
    return {
        name: value if name in counted or _is_whole(value) else _mean(name, pieces)
        for name, value in last.items()
    }


def _is_whole(value: Any) -> bool:
    """Whether it counts: there is no mean of it that it could hold."""
    return not tf.convert_to_tensor(value).dtype.is_floating


def _mean(name: str, pieces: list[PieceLogs]) -> Any:
    return sum(piece.logs[name] * piece.share for piece in pieces)


def _names(metric: Any) -> list[str]:
    """Under which a metric stands in the logs: a collection of metrics has several."""
    if not getattr(metric, "built", True):
        return []
    result = metric.result()
    return list(result) if isinstance(result, dict) else [metric.name]
