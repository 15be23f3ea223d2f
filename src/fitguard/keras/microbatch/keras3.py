"""Micro-batches of Keras 3 on TensorFlow; see `Library`.

One piece goes through a model as in its own `train_step` and `test_step`, weighted.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import keras
import tensorflow as tf

from fitguard.contract import libraries, training3
from fitguard.contract.layers import flatten_layers
from fitguard.contract.random_state import keras_seed_generator
from fitguard.keras.microbatch.identity import identities
from fitguard.keras.microbatch.sentences import tell_normalizing
from fitguard.keras.microbatch.split import Split
from fitguard.keras.microbatch.state import MovingMoments

reduce_logs = training3.reduce_logs


def trackers(model: Any, whole: Any, rows_are_known: bool) -> dict[int, Any]:
    """What each metric of the loss weights the whole batch with.

    Keras weights the losses of the outputs with the rows of the batch only where the data say
    beforehand how many there are.
    """
    weight = whole if rows_are_known else 1
    found = {id(metric): weight for metric in training3.output_loss_metrics(model)}
    tracker = training3.loss_tracker(model)
    if tracker is not None:
        found[id(tracker)] = whole if training3.tracks_loss_by_rows() else 1
    return found


def counting_once(model: Any, split: Split) -> AbstractContextManager[None]:  # noqa: ARG001
    """`losses3.wrap_mean_update` does it."""
    return nullcontext()


def forward(model: Any, data: Any, split: Split, training: bool) -> tuple[Any, Any]:
    """The piece's part of the loss of the whole batch, and the model's outputs."""
    x, y, sample_weight = training3.unpack(data)
    y_pred = training3.call(model, x, training)
    if libraries.has_own_step(model, "compute_loss"):
        split.exact = False
        loss = training3.own_loss(
            model, x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=training
        )
        split.exact = True
        weight = split.weight_of_item(loss, "compute_loss")
        return loss * tf.cast(weight, loss.dtype), y_pred
    return _loss(model, y, y_pred, sample_weight, split), y_pred


def _loss(model: Any, y: Any, y_pred: Any, sample_weight: Any, split: Split) -> Any:
    """As `Trainer.compute_loss`, with a weight for each of the losses of layers and weights."""
    values = []
    compiled = training3.read_compiled_loss(model)
    if compiled is not None:
        loss = compiled(y, y_pred, sample_weight)
        values += [] if loss is None else [loss]
    added, of_weights = training3.collect_added_losses(model)
    for index, loss in enumerate(added):
        value = training3.sum_added_loss(model, loss)
        same_for_all_pieces = index >= len(added) - of_weights
        weight = split.share if same_for_all_pieces else split.weight_of_item(value, "add_loss")
        values.append(value * tf.cast(weight, value.dtype))
    if not values:
        raise ValueError("No loss to compute. Provide a `loss` argument in `compile()`.")
    return values[0] if len(values) == 1 else keras.ops.sum(values)


def gradients(model: Any, data: Any, split: Split) -> tuple[list[Any], list[Any], Any]:
    """Gradients of the piece, the variables that they are for, and the logs."""
    with tf.GradientTape() as tape:
        loss, y_pred = forward(model, data, split, training=True)
        _track(model, loss)
        build_optimizer(model)
        scaled = model.optimizer.scale_loss(loss)
    variables = list(model.trainable_weights)
    found = tape.gradient(scaled, variables)
    return found, variables, _metrics(model, data, y_pred)


def evaluate_piece(model: Any, data: Any, split: Split) -> Any:
    """The logs after the piece was evaluated."""
    loss, y_pred = forward(model, data, split, training=False)
    _track(model, loss)
    return _metrics(model, data, y_pred)


def _track(model: Any, loss: Any) -> None:
    training3.loss_tracker(model).update_state(training3.unscale_loss(loss))


def _metrics(model: Any, data: Any, y_pred: Any) -> Any:
    x, y, sample_weight = training3.unpack(data)
    return model.compute_metrics(x, y, y_pred, sample_weight=sample_weight)


def count_step(model: Any, training: bool) -> None:
    """Keras 3 counts in the optimizer only."""


def build(model: Any, data: Any) -> None:
    """Make the variables of the model, of its losses and metrics."""
    compiled = training3.read_compiled_loss(model)
    if not (model.built and compiled is not None and compiled.built):
        x, y, _ = training3.unpack(data)
        y_pred = model(x)
        if compiled is not None and not compiled.built:
            compiled.build(y, y_pred)


def build_optimizer(model: Any) -> None:
    """Make the variables of the optimizer: without them a trace keeps the first scale of the loss.

    Under a strategy this is done in its scope, before the step is traced.
    """
    if model.optimizer.built or tf.distribute.in_cross_replica_context():
        return
    with model.distribute_strategy.scope(), tf.init_scope():
        model.optimizer.build(list(model.trainable_weights))


def not_state(model: Any) -> set[int]:
    """Identities of those that keep what each piece writes: metrics; and of trainable ones."""
    metrics = [variable for metric in model.metrics for variable in metric.variables]
    kept = [*model.trainable_variables, *metrics]
    return {one for variable in kept for one in identities(variable.value)}


def may_move(model: Any) -> list[Any]:
    """Those that a forward pass may write: all that are not trainable, and the global seed."""
    seed = keras_seed_generator()
    found = [*model.non_trainable_variables, *([seed.state] if seed is not None else [])]
    return [variable.value for variable in found]


def moving_moments(model: Any) -> list[MovingMoments]:
    """The statistics of batch normalizations."""
    return [
        MovingMoments(layer.moving_mean.value, layer.moving_variance.value, layer.momentum)
        for layer in flatten_layers(model)
        if isinstance(layer, keras.layers.BatchNormalization)
        and layer.built
        and not getattr(layer, "renorm", False)
    ]


def layers_that_see_the_batch(model: Any) -> list[str]:
    """In sentences."""
    layers = flatten_layers(model)
    normalizing = [
        one for one in layers if isinstance(one, keras.layers.BatchNormalization) and one.trainable
    ]
    mixing = tuple(
        found for name in ("MixUp", "CutMix") if (found := getattr(keras.layers, name, None))
    )
    return [
        *tell_normalizing(normalizing),
        *(
            f"{type(layer).__name__} {layer.name} mixes rows of the batch with each other."
            " With micro-batches, it mixes only the rows of one micro-batch."
            for layer in layers
            if isinstance(layer, mixing)
        ),
        *(
            f"The loss {type(loss).__name__} compares rows of the batch with each other, or sums"
            " over them before it divides. With micro-batches, it sees only the rows of one"
            " micro-batch."
            for loss in tf.nest.flatten(training3.read_given_losses(model))
            if _sees_rows(loss)
        ),
    ]


def _sees_rows(loss: Any) -> bool:
    kind = loss if isinstance(loss, str) else getattr(loss, "__name__", type(loss).__name__)
    if kind.lower() not in ("circle", "dice", "tversky"):
        return False
    axis = getattr(loss, "axis", None)
    return axis is None or 0 in (axis if isinstance(axis, list | tuple) else [axis])


def layers_that_draw_others(model: Any) -> list[str]:  # noqa: ARG001
    """None: each micro-batch gets the numbers that its rows would have had."""
    return []
