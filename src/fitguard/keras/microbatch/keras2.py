"""Micro-batches of Keras 2, as `keras` and as `tf_keras`; see `Library`.

One piece goes through a model as in its own `train_step` and `test_step`, weighted.
"""

from typing import Any

import tensorflow as tf

from fitguard.contract import libraries, training2
from fitguard.contract.layers import flatten_layers
from fitguard.keras.microbatch import losses2
from fitguard.keras.microbatch.identity import identities
from fitguard.keras.microbatch.sentences import tell_drawing, tell_normalizing
from fitguard.keras.microbatch.split import Split
from fitguard.keras.microbatch.state import MovingMoments

counting_once = losses2.counting_once
count_step = training2.count_step
reduce_logs = training2.reduce_logs


def trackers(model: Any, whole: Any, rows_are_known: bool) -> dict[int, Any]:  # noqa: ARG001
    """What each metric of the loss weights the whole batch with: its rows, where it has targets."""
    if model.compiled_loss is None:
        return {}
    given = [
        loss for loss in tf.nest.flatten(training2.read_given_losses(model)) if loss is not None
    ]
    return {id(metric): whole if given else 1 for metric in training2.loss_metrics(model)}


def forward(model: Any, data: Any, split: Split, training: bool) -> tuple[Any, Any]:
    """The piece's part of the loss of the whole batch, and the model's outputs."""
    x, y, sample_weight = training2.unpack(model, data)
    y_pred = model(x, training=training)
    container = model.compiled_loss
    if container is not None and not container.built:
        container.build(y_pred)
    with losses2.counting_once(model, split):
        if not libraries.has_own_step(model, "compute_loss"):
            added = _weight_added_losses(model, split)
            loss = container(y, y_pred, sample_weight, regularization_losses=added)
            return loss, y_pred
        split.exact = False
        loss = model.compute_loss(x, y, y_pred, sample_weight)
        split.exact = True
    weight = split.weight_of_item(loss, "compute_loss")
    return loss * tf.cast(weight, loss.dtype), y_pred


def _weight_added_losses(model: Any, split: Split) -> list[Any]:
    """As `Model.losses`, each weighted: those of layers, and those of weights."""
    found = []
    for loss, of_weights in training2.collect_added_losses(model):
        weight = split.share if of_weights else split.weight_of_item(loss, "add_loss")
        found.append(loss * tf.cast(weight, loss.dtype))
    return found


def gradients(model: Any, data: Any, split: Split) -> tuple[list[Any], list[Any], Any]:
    """Gradients of the piece, the variables that they are for, and the logs."""
    with tf.GradientTape() as tape:
        loss, y_pred = forward(model, data, split, training=True)
    found, variables = zip(*training2.compute_gradients(model, loss, tape), strict=True)
    return list(found), list(variables), _metrics(model, data, y_pred)


def evaluate_piece(model: Any, data: Any, split: Split) -> Any:
    """The logs after the piece was evaluated."""
    _, y_pred = forward(model, data, split, training=False)
    return _metrics(model, data, y_pred)


def _metrics(model: Any, data: Any, y_pred: Any) -> Any:
    x, y, sample_weight = training2.unpack(model, data)
    return model.compute_metrics(x, y, y_pred, sample_weight)


def build(model: Any, data: Any) -> None:
    """Make the variables of the model, of its losses and metrics."""
    x, _, _ = training2.unpack(model, data)
    y_pred = model(x)
    if model.compiled_loss is not None and not model.compiled_loss.built:
        model.compiled_loss.build(y_pred)


def build_optimizer(model: Any) -> None:
    """Keras 2 makes its variables by itself in time."""


def not_state(model: Any) -> set[int]:
    """Identities of those that keep what each piece writes: metrics; and of trainable ones."""
    metrics = [variable for metric in model.metrics for variable in metric.variables]
    kept = [*model.trainable_variables, *metrics]
    return {one for variable in kept for one in identities(variable)}


def may_move(model: Any) -> list[Any]:
    """Those that a forward pass may write."""
    return list(model.non_trainable_variables)


def moving_moments(model: Any) -> list[MovingMoments]:
    """The statistics of batch normalizations.

    The fused one of Keras 2 keeps an unbiased variance, which depends a little on the rows of a
    piece.
    """
    return [
        MovingMoments(layer.moving_mean, layer.moving_variance, layer.momentum)
        for layer in flatten_layers(model)
        if training2.is_normalization(layer) and layer.built and not layer.renorm
    ]


def layers_that_see_the_batch(model: Any) -> list[str]:
    """In sentences."""
    layers = flatten_layers(model)
    return tell_normalizing(
        [one for one in layers if training2.is_normalization(one) and one.trainable]
    )


def layers_that_draw_others(model: Any) -> list[str]:
    """In sentences."""
    layers = flatten_layers(model)
    return tell_drawing([one for one in layers if training2.is_random(one) and _draws(one)])


def _draws(layer: Any) -> bool:
    """Whether a random layer has anything to draw: recurrent layers often have a rate of 0."""
    rates = [getattr(layer, name, None) for name in ("rate", "dropout", "recurrent_dropout")]
    known = [rate for rate in rates if isinstance(rate, int | float)]
    return not known or any(known)
