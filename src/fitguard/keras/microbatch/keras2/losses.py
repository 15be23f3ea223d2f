"""Weights each loss of a piece so that the sum over the pieces is the loss of the whole batch."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf
from tf_keras.src.metrics.base_metric import Mean, Reduce
from tf_keras.src.utils import losses_utils

from fitguard.keras.microbatch.patches import Patch
from fitguard.keras.microbatch.split import Split, current

_MEANS = (losses_utils.ReductionV2.AUTO, losses_utils.ReductionV2.SUM_OVER_BATCH_SIZE)


def patches() -> list[Patch]:
    return [
        (losses_utils, "apply_valid_mask", _masked),
        (losses_utils, "compute_weighted_loss", _weighted),
        (Reduce, "update_state", _counted_once),
    ]


def _masked(original: Callable[..., Any]) -> Callable[..., Any]:
    def apply_valid_mask(losses: Any, sw: Any, mask: Any, reduction: str) -> Any:
        split = current()
        if split is None or not split.exact or mask is None or reduction not in _MEANS:
            return original(losses, sw, mask, reduction)
        mask = tf.cast(mask, losses.dtype)
        valid = tf.reduce_sum(mask)
        split.mask_valid = valid
        scale = tf.math.divide_no_nan(tf.cast(tf.size(mask), losses.dtype), valid)
        return losses_utils.apply_mask(losses, sw, mask * scale)

    return apply_valid_mask


def _weighted(original: Callable[..., Any]) -> Callable[..., Any]:
    def compute_weighted_loss(
        losses: Any, sample_weight: Any = None, reduction: Any = _MEANS[1], name: Any = None
    ) -> Any:
        loss = original(losses, sample_weight, reduction, name)
        split = current()
        if split is None or not split.exact:
            return loss
        valid, split.mask_valid = split.mask_valid, None
        if len(losses.shape) == 0:
            weight = split.weight_of_item(loss, "loss")
        elif reduction not in _MEANS:
            return loss
        else:
            weight = split.share if valid is None else split.part_of_total(valid)
        return loss * tf.cast(weight, loss.dtype)

    return compute_weighted_loss


def _counted_once(original: Callable[..., Any]) -> Callable[..., Any]:
    """A mean that gets one number for the batch counts it once, however many pieces there are."""

    def update_state(self: Any, values: Any, sample_weight: Any = None) -> Any:
        split = current()
        if split is None or not hasattr(self, "count"):
            return original(self, values, sample_weight)
        split.findings.updated.add(id(self))
        if sample_weight is None and _is_number(values):
            return original(self, values, split.share)
        return original(self, values, sample_weight)

    return update_state


@contextlib.contextmanager
def counting_once(model: Any, split: Split) -> Iterator[None]:
    """Have the plain means among the model's metrics count a number once for the whole batch.

    These keep their `update_state` from when they were made: it is replaced on each of them.
    """
    with contextlib.ExitStack() as undo:
        for metric in model.metrics:
            if type(metric) is Mean:
                undo.callback(object.__setattr__, metric, "update_state", metric.update_state)
                object.__setattr__(metric, "update_state", _update(metric, split))
        yield


def _update(metric: Any, split: Split) -> Callable[..., Any]:
    def update_state(values: Any, sample_weight: Any = None) -> Any:
        split.findings.updated.add(id(metric))
        trackers = split.trackers()
        if id(metric) not in trackers:
            return Reduce.update_state(metric, values, sample_weight)
        value = tf.cast(values, metric.dtype)
        share = tf.cast(split.share, metric.dtype)
        if not _is_number(value):
            value = tf.reduce_mean(value) * share
        elif not split.exact:
            value = value * share
        weight = tf.cast(trackers[id(metric)], metric.dtype)
        metric.total.assign_add(value * weight)
        return metric.count.assign_add(weight * share)

    return update_state


def _is_number(values: Any) -> bool:
    return not isinstance(values, tf.RaggedTensor) and tf.convert_to_tensor(values).shape.rank == 0
