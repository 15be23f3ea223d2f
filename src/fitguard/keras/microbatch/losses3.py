"""Keras 3: weights the losses of the pieces so that their sum is the loss of the whole batch.

Keras divides a sum over rows by their number, or by the number that the mask leaves, or by the sum
of the weights. Here the piece's own divisor is taken out, and that of the whole batch put in.
"""

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from fitguard.contract.libraries import Library
from fitguard.keras.microbatch.split import Split, current

_MEANS = ("sum_over_batch_size", "mean", "mean_with_sample_weight")


def wrap_loss_reduction(original: Callable[..., Any], _: Library) -> Callable[..., Any]:
    """`reduce_weighted_values`: a piece counts as much as it is of the whole batch."""

    @functools.wraps(original)
    def reduce_weighted_values(
        values: Any,
        sample_weight: Any = None,
        mask: Any = None,
        reduction: str | None = "sum_over_batch_size",
        dtype: Any = None,
        **more: Any,
    ) -> Any:
        loss = original(values, sample_weight, mask, reduction, dtype, **more)
        split = current()
        if split is None or not split.exact:
            return loss
        if len(values.shape) == 0:
            weight = split.weight_of_item(loss, "loss")
        elif reduction not in _MEANS:
            return loss
        else:
            weight = _weight(split, sample_weight, mask, reduction)
        return loss * tf.cast(weight, loss.dtype)

    return reduce_weighted_values


def _weight(split: Split, sample_weight: Any, mask: Any, reduction: str) -> Any:
    if reduction == "mean_with_sample_weight":
        from fitguard.contract.training3 import mask_weights

        merged = mask_weights(sample_weight, mask, reduction)
        return split.share if merged is None else split.part_of_total(tf.reduce_sum(merged))
    if mask is not None:
        return split.part_of_total(tf.reduce_sum(tf.cast(mask, "float32")))
    return split.share


def wrap_mean_update(original: Callable[..., Any], _: Library) -> Callable[..., Any]:
    """A mean that gets one number for the batch counts it once, however many pieces there are."""

    @functools.wraps(original)
    def update_state(self: Any, values: Any, sample_weight: Any = None) -> Any:
        split = current()
        if split is None:
            return original(self, values, sample_weight)
        split.findings.updated.add(id(self))
        trackers = split.trackers()
        if id(self) in trackers:
            return _track(self, values, split, trackers[id(self)])
        if sample_weight is None and len(tf.convert_to_tensor(values).shape) == 0:
            return original(self, split.weigh_number(tf.convert_to_tensor(values)), split.share)
        return original(self, values, sample_weight)

    return update_state


def _track(metric: Any, value: Any, split: Split, weight: Any) -> None:
    """Add the loss of a piece to a mean over whole batches, each of which counts `weight`."""
    value = tf.cast(value, metric.total.dtype)
    share = tf.cast(split.share, metric.total.dtype)
    if len(value.shape) > 0:
        value = tf.reduce_mean(value) * share
    elif not split.exact:
        value = value * share
    weight = tf.cast(weight, metric.total.dtype)
    metric.total.assign_add(value * weight)
    metric.count.assign_add(weight * share)
