"""One piece through a Keras 3 model: as its own `train_step` and `test_step`, weighted."""

from typing import Any

import tensorflow as tf
from keras.src import ops, tree
from keras.src.backend.tensorflow.trainer import TensorFlowTrainer
from keras.src.losses.loss import unscale_loss_for_distribution
from keras.src.trainers.data_adapters.data_adapter_utils import unpack_x_y_sample_weight
from keras.src.trainers.trainer import Trainer

from fitguard.keras.microbatch import assignments, draws
from fitguard.keras.microbatch.keras3 import losses
from fitguard.keras.microbatch.patches import Patch
from fitguard.keras.microbatch.split import Split


def patches() -> list[Patch]:
    return [*draws.patches(), *assignments.patches(), *losses.patches()]


def own_step(model: Any, name: str) -> bool:
    """Whether the user wrote `train_step`, `test_step` or `compute_loss` of the model."""
    base = Trainer if name == "compute_loss" else TensorFlowTrainer
    return getattr(type(model), name) is not getattr(base, name)


def trackers(model: Any, whole: Any, rows_are_known: bool) -> dict[int, Any]:
    """What each metric of the loss weights the whole batch with.

    Keras weights the losses of the outputs with the rows of the batch only where the data say
    beforehand how many there are.
    """
    found: dict[int, Any] = {}
    if model._compile_loss is not None:
        weight = whole if rows_are_known else 1
        found.update({id(metric): weight for metric in model._compile_loss.metrics})
    if model._loss_tracker is not None:
        found[id(model._loss_tracker)] = whole
    return found


def forward(model: Any, data: Any, split: Split, training: bool) -> tuple[Any, Any]:
    """The piece's part of the loss of the whole batch, and the model's outputs."""
    x, y, sample_weight = unpack_x_y_sample_weight(data)
    y_pred = model(x, training=training) if model._call_has_training_arg else model(x)
    if own_step(model, "compute_loss"):
        split.exact = False
        loss = model._compute_loss(
            x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=training
        )
        split.exact = True
        weight = split.weight_of_item(loss, "compute_loss")
        return loss * tf.cast(weight, loss.dtype), y_pred
    return _loss(model, y, y_pred, sample_weight, split), y_pred


def _loss(model: Any, y: Any, y_pred: Any, sample_weight: Any, split: Split) -> Any:
    """As `Trainer.compute_loss`, with a weight for each of the losses of layers and weights."""
    values = []
    if model._compile_loss is not None:
        loss = model._compile_loss(y, y_pred, sample_weight)
        values += [] if loss is None else [loss]
    added = model.losses
    of_weights = len(model._get_regularization_losses())
    for index, loss in enumerate(added):
        value = model._aggregate_additional_loss(loss)
        same_for_all_pieces = index >= len(added) - of_weights
        weight = split.share if same_for_all_pieces else split.weight_of_item(value, "add_loss")
        values.append(value * tf.cast(weight, value.dtype))
    if not values:
        raise ValueError("No loss to compute. Provide a `loss` argument in `compile()`.")
    return values[0] if len(values) == 1 else ops.sum(values)


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


def evaluated(model: Any, data: Any, split: Split) -> Any:
    """The logs after the piece was evaluated."""
    loss, y_pred = forward(model, data, split, training=False)
    _track(model, loss)
    return _metrics(model, data, y_pred)


def _track(model: Any, loss: Any) -> None:
    model._loss_tracker.update_state(unscale_loss_for_distribution(loss))


def _metrics(model: Any, data: Any, y_pred: Any) -> Any:
    x, y, sample_weight = unpack_x_y_sample_weight(data)
    return model.compute_metrics(x, y, y_pred, sample_weight=sample_weight)


def first_of(data: Any) -> Any:
    """A tensor of `x` that has the rows of the batch."""
    x, _, _ = unpack_x_y_sample_weight(data)
    return next(leaf for leaf in tree.flatten(x) if leaf is not None)


def build(model: Any, data: Any) -> None:
    """Make the variables of the model, of its losses and metrics."""
    if not (model.built and model._compile_loss is not None and model._compile_loss.built):
        x, y, _ = unpack_x_y_sample_weight(data)
        y_pred = model(x)
        if model._compile_loss is not None and not model._compile_loss.built:
            model._compile_loss.build(y, y_pred)


def build_optimizer(model: Any) -> None:
    """Make the variables of the optimizer: without them a trace keeps the first scale of the loss.

    Under a strategy this is done in its scope, before the step is traced.
    """
    if model.optimizer.built or tf.distribute.in_cross_replica_context():
        return
    with model.distribute_strategy.scope(), tf.init_scope():
        model.optimizer.build(list(model.trainable_weights))
