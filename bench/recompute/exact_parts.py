"""A step of a chain of blocks in parts, with the statistics of the whole batch.

Each BatchNormalization is a barrier: no part gets past it before all parts have come to it, on the
way forward for the mean and the variance, and on the way back for the sums of its gradient. What
waits there is the output of each convolution, and the gradient of each normalization's output. No
convolution runs twice.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import keras
import tensorflow as tf
from recompute.passes import Pass, Waiting

AXES = [0, 1, 2]


class ExactParts:
    """Takes the step that the whole batch would take.

    Args:
        model: Of `make_chain`.
        parts: Of the same number of rows.
        staying: The outputs of so many of the last convolutions stay on the card. The others go to
            the host, and stay on the card until the next pass has read them. None: all that waits
            is in host memory alone.

    Attributes:
        traffic: Bytes that were copied in the last step, and how often all parts were gone through.
    """

    def __init__(self, model: keras.Model, parts: int, staying: int | None = None) -> None:
        self._model = model
        layers = model.layers
        convolutions = [one for one in layers if isinstance(one, keras.layers.Conv2D)]
        self._norms = [one for one in layers if isinstance(one, keras.layers.BatchNormalization)]
        near = staying is not None
        first = len(self._norms) - (staying or 0)
        self._forward, self._backward = [], []
        blocks = zip([None, *self._norms[:-1]], convolutions, self._norms, strict=True)
        for block, (below, convolution, norm) in enumerate(blocks):
            on = _make_forward(below, convolution)
            self._forward.append(Pass(on, _merge_moments, block < first, near))
            back = _make_backward(convolution, norm, below, parts)
            has_more = block > 0
            place = (has_more and not near, has_more and near, has_more and near)
            self._backward.append(Pass(back, _add, *place))
        head = _make_head(self._norms[-1], layers[-1], parts)
        self._head = Pass(head, _add, not near, near, near)
        self._apply = tf.function(self._update, autograph=False)
        self.traffic: Counter[str] = Counter()

    def __call__(self, batch: tuple[Waiting, Waiting]) -> dict[str, Any]:
        """Take one step with images and labels that are split already."""
        images, labels = batch
        self.traffic = Counter()
        moments, waiting = [], [images]
        for block, run in enumerate(self._forward):
            large, found = self._go(run, moments[-1] if block else None, waiting[-1])
            if waiting[-1].host is not None:
                waiting[-1].card = None  # the copy on the host waits for the way back
            waiting.append(large)
            moments.append(found)
        gradient, (loss, head, sums) = self._go(self._head, moments[-1], waiting[-1], labels)
        gradients = [head]
        for block in reversed(range(len(self._backward))):
            shared = (moments[block], sums, moments[block - 1] if block else None)
            gradients.insert(0, [None, sums[1], sums[0]])
            given = (gradient, waiting.pop(), waiting[-1])
            gradient, (gradients[0][0], sums) = self._go(self._backward[block], shared, *given)
        self._apply(tf.nest.flatten(gradients), moments)
        return {"loss": loss}

    def _go(self, run: Pass, shared: Any, *given: Waiting) -> tuple[Waiting, Any]:
        large, small, moved = run(shared, *given)
        self.traffic.update(moved, passes=1)
        return large, small

    def _update(self, gradients: Sequence[Any], moments: Sequence[Any]) -> None:
        self._model.optimizer.apply(gradients, self._model.trainable_variables)
        for norm, (mean, variance) in zip(self._norms, moments, strict=True):
            for moving, found in ((norm.moving_mean, mean), (norm.moving_variance, variance)):
                moving.assign(moving * norm.momentum + found * (1 - norm.momentum))


def _make_forward(norm: Any, convolution: Any) -> Any:
    """From one barrier to the next; from the images for no `norm`."""

    def go_on(moments: Any, given: Any) -> Any:
        x = given if norm is None else _activate(norm, moments, given)
        z = convolution(x)
        return z, tf.nn.moments(z, AXES)

    return go_on


def _make_head(norm: Any, dense: Any, parts: int) -> Any:
    """From the last barrier to the loss and back."""

    def turn(moments: Any, z: Any, labels: Any) -> Any:
        x = _activate(norm, moments, z)
        with tf.GradientTape() as tape:
            tape.watch(x)
            guesses = dense(tf.reduce_mean(x, [1, 2]))
            losses = keras.losses.sparse_categorical_crossentropy(labels, guesses)
            loss = tf.reduce_mean(losses) / parts
        found, *head = tape.gradient(loss, [x, *dense.trainable_variables])
        gradient = found * tf.cast(x > 0, x.dtype)
        return gradient, (loss, head, _sum_up(gradient, _center(norm, moments, z)))

    return turn


def _make_backward(convolution: Any, norm: Any, below: Any, parts: int) -> Any:
    """From one barrier to the one before; to the images for no norm below."""

    def go_back(shared: Any, gradient: Any, z: Any, given: Any) -> Any:
        moments, (shift, scale), below_moments = shared
        count = tf.cast(tf.size(z) // z.shape[-1] * parts, z.dtype)
        left = gradient - shift / count - _center(norm, moments, z) * scale / count
        left *= norm.gamma * tf.math.rsqrt(moments[1] + norm.epsilon)
        x = given if below is None else _activate(below, below_moments, given)
        with tf.GradientTape() as tape:
            tape.watch(x)
            again = convolution(x)  # only for its gradient: it does not run
        kernel, found = tape.gradient(again, [convolution.kernel, x], output_gradients=left)
        if below is None:
            return None, (kernel, ())
        found *= tf.cast(x > 0, x.dtype)
        return found, (kernel, _sum_up(found, _center(below, below_moments, given)))

    return go_back


def _center(norm: Any, moments: Any, z: Any) -> Any:
    mean, variance = moments
    return (z - mean) * tf.math.rsqrt(variance + norm.epsilon)


def _activate(norm: Any, moments: Any, z: Any) -> Any:
    return tf.nn.relu(_center(norm, moments, z) * norm.gamma + norm.beta)


def _sum_up(gradient: Any, centered: Any) -> tuple[Any, Any]:
    return tf.reduce_sum(gradient, AXES), tf.reduce_sum(gradient * centered, AXES)


def _merge_moments(total: Any, one: Any, count: int) -> Any:
    """Without the difference of two large sums: exact also where the mean is far from 0."""
    share = 1 / (count + 1)
    off = one[0] - total[0]
    variance = total[1] + (one[1] - total[1]) * share + off * off * (share * (1 - share))
    return total[0] + off * share, variance


def _add(total: Any, one: Any, _: int) -> Any:
    return tf.nest.map_structure(lambda left, right: left + right, total, one)
