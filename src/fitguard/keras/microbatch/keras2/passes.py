"""One piece through a tf_keras model: as its own `train_step` and `test_step`, weighted."""

from typing import Any

import tensorflow as tf
from tf_keras.src.engine.data_adapter import unpack_x_y_sample_weight
from tf_keras.src.engine.training import Model

from fitguard.keras.microbatch import assignments, draws
from fitguard.keras.microbatch.keras2 import losses
from fitguard.keras.microbatch.patches import Patch
from fitguard.keras.microbatch.split import Split


def patches() -> list[Patch]:
    return [*draws.patches(), *assignments.patches(), *losses.patches()]


def own_step(model: Any, name: str) -> bool:
    """Whether the user wrote `train_step`, `test_step` or `compute_loss` of the model."""
    return getattr(type(model), name) is not getattr(Model, name)


def trackers(model: Any, whole: Any) -> dict[int, Any]:
    """What each metric of the loss weights the whole batch with: its rows, where it has targets."""
    container = model.compiled_loss
    if container is None:
        return {}
    given = [loss for loss in tf.nest.flatten(container._user_losses) if loss is not None]
    means = container.metrics or [container._total_loss_mean]
    return {id(metric): whole if given else 1 for metric in means}


def forward(model: Any, data: Any, split: Split, training: bool) -> tuple[Any, Any]:
    """The piece's part of the loss of the whole batch, and the model's outputs."""
    x, y, sample_weight = unpack_x_y_sample_weight(data)
    y_pred = model(x, training=training)
    container = model.compiled_loss
    if container is not None and not container.built:
        container.build(y_pred)
    with losses.counting_once(model, split):
        if not own_step(model, "compute_loss"):
            added = _added(model, split)
            loss = container(y, y_pred, sample_weight, regularization_losses=added)
            return loss, y_pred
        split.exact = False
        loss = model.compute_loss(x, y, y_pred, sample_weight)
        split.exact = True
    weight = split.weight_of_item(loss, "compute_loss")
    return loss * tf.cast(weight, loss.dtype), y_pred


def _added(model: Any, split: Split) -> list[Any]:
    """As `Model.losses`, each weighted: those of layers, and those of weights."""
    found = []
    for layer in model._flatten_layers():
        for loss in layer._eager_losses or layer._losses:
            weight = split.weight_of_item(loss, "add_loss")
            found.append(loss * tf.cast(weight, loss.dtype))
        for regularizer in layer._callable_losses:
            loss = regularizer()
            if loss is not None:
                found.append(loss * tf.cast(split.share, loss.dtype))
    return found


def gradients(model: Any, data: Any, split: Split) -> tuple[list[Any], list[Any], Any]:
    """Gradients of the piece, the variables that they are for, and the logs."""
    with tf.GradientTape() as tape:
        loss, y_pred = forward(model, data, split, training=True)
    optimizer = model.optimizer
    compute = getattr(optimizer, "compute_gradients", None) or optimizer._compute_gradients
    pairs = compute(loss, model.trainable_variables, tape=tape)
    found, variables = zip(*pairs, strict=True)
    return list(found), list(variables), _metrics(model, data, y_pred)


def evaluated(model: Any, data: Any, split: Split) -> Any:
    """The logs after the piece was evaluated."""
    _, y_pred = forward(model, data, split, training=False)
    return _metrics(model, data, y_pred)


def _metrics(model: Any, data: Any, y_pred: Any) -> Any:
    x, y, sample_weight = unpack_x_y_sample_weight(data)
    return model.compute_metrics(x, y, y_pred, sample_weight)


def first_of(data: Any) -> Any:
    """A tensor of `x` that has the rows of the batch."""
    x, _, _ = unpack_x_y_sample_weight(data)
    return next(leaf for leaf in tf.nest.flatten(x) if leaf is not None)


def build(model: Any, data: Any) -> None:
    """Make the variables of the model, of its losses and metrics."""
    x, _, _ = unpack_x_y_sample_weight(data)
    y_pred = model(x)
    if model.compiled_loss is not None and not model.compiled_loss.built:
        model.compiled_loss.build(y_pred)
