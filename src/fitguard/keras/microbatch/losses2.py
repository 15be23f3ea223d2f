"""Keras 2: weights the losses of the pieces so that their sum is the loss of the whole batch."""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf

from fitguard.contract import training2
from fitguard.contract.libraries import Library
from fitguard.keras.microbatch.split import Split, current


def wrap_loss_masking(original: Callable[..., Any], library: Library) -> Callable[..., Any]:
    """`apply_valid_mask`: the rows that a mask leaves count as in the whole batch."""
    means = training2.mean_reductions(library)

    @functools.wraps(original)
    def apply_valid_mask(losses: Any, sw: Any, mask: Any, reduction: str) -> Any:
        split = current()
        if split is None or not split.exact or mask is None or reduction not in means:
            return original(losses, sw, mask, reduction)
        mask = tf.cast(mask, losses.dtype)
        valid = tf.reduce_sum(mask)
        split.mask_valid = valid
        scale = tf.math.divide_no_nan(tf.cast(tf.size(mask), losses.dtype), valid)
        return training2.apply_mask(library, losses, sw, mask * scale)

    return apply_valid_mask


def wrap_loss_reduction(original: Callable[..., Any], library: Library) -> Callable[..., Any]:
    """`compute_weighted_loss`: a piece counts as much as it is of the whole batch."""
    means = training2.mean_reductions(library)

    @functools.wraps(original)
    def compute_weighted_loss(
        losses: Any,
        sample_weight: Any = None,
        reduction: Any = means[1],
        name: Any = None,
        **more: Any,
    ) -> Any:
        loss = original(losses, sample_weight, reduction, name, **more)
        split = current()
        if split is None or not split.exact:
            return loss
        valid, split.mask_valid = split.mask_valid, None
        if len(losses.shape) == 0:
            weight = split.weight_of_item(loss, "loss")
        elif reduction not in means:
            return loss
        else:
            weight = split.share if valid is None else split.part_of_total(valid)
        return loss * tf.cast(weight, loss.dtype)

    return compute_weighted_loss


def wrap_mean_update(original: Callable[..., Any], _: Library) -> Callable[..., Any]:
    """A mean that gets one number for the batch counts it once, however many pieces there are."""

    @functools.wraps(original)
    def update_state(self: Any, values: Any, sample_weight: Any = None) -> Any:
        split = current()
        if split is None or not hasattr(self, "count"):
            return original(self, values, sample_weight)
        split.findings.updated.add(id(self))
        if sample_weight is None and _is_number(values):
            return original(self, split.weigh_number(tf.convert_to_tensor(values)), split.share)
        return original(self, values, sample_weight)

    return update_state


@contextlib.contextmanager
def counting_once(model: Any, split: Split) -> Iterator[None]:
    """Have the plain means among the model's metrics count a number once for the whole batch.

    These keep their `update_state` from when they were made: it is replaced on each of them.
    """
    mean, reduce = training2.plain_mean(model)
    with contextlib.ExitStack() as undo:
        for metric in model.metrics:
            if type(metric) is mean:
                undo.callback(object.__setattr__, metric, "update_state", metric.update_state)
                object.__setattr__(metric, "update_state", _update(metric, split, reduce))
        yield


def _update(metric: Any, split: Split, reduce: Any) -> Callable[..., Any]:
    def update_state(values: Any, sample_weight: Any = None) -> Any:
        split.findings.updated.add(id(metric))
        trackers = split.trackers()
        if id(metric) not in trackers:
            return reduce.update_state(metric, values, sample_weight)
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
