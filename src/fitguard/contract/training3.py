"""What a training step of Keras 3 is made of."""

import inspect
from typing import Any

import keras
import tensorflow as tf
from keras.src.backend.tensorflow import trainer as trainer_module
from keras.src.losses import loss as loss_module
from keras.src.trainers.data_adapters.data_adapter_utils import unpack_x_y_sample_weight


def unpack(data: Any) -> tuple[Any, Any, Any]:
    """The inputs, targets and weights of a batch."""
    x, y, sample_weight = unpack_x_y_sample_weight(data)
    return x, y, sample_weight


def call(model: Any, x: Any, training: bool) -> Any:
    """The outputs, as `train_step` and `test_step` get them."""
    return model(x, training=training) if model._call_has_training_arg else model(x)


def read_compiled_loss(model: Any) -> Any:
    """What `compile` was given as losses; None where nothing."""
    return model._compile_loss


def read_given_losses(model: Any) -> Any:
    """As the user gave them to `compile`."""
    return model._compile_loss._user_loss if model._compile_loss is not None else None


def output_loss_metrics(model: Any) -> list[Any]:
    """The metrics of the losses of single outputs, where Keras keeps them (3.5 and later)."""
    return list(getattr(model._compile_loss, "metrics", ()))


def loss_tracker(model: Any) -> Any:
    """The metric `loss`."""
    return model._loss_tracker


def tracks_loss_by_rows() -> bool:
    """Whether a batch counts in the metric `loss` by its rows; up to Keras 3.1 each counts once."""
    return "sample_weight" in _names(inspect.unwrap(keras.Model.train_step))


def own_loss(model: Any, **given: Any) -> Any:
    """What a `compute_loss` of the user's own gives; it need not know `training`."""
    if hasattr(model, "_compute_loss"):
        return model._compute_loss(**given)
    del given["training"]
    return model.compute_loss(**given)


def collect_added_losses(model: Any) -> tuple[list[Any], int]:
    """The losses of layers, then those of weights; how many the latter are."""
    return list(model.losses), len(model._get_regularization_losses())


def sum_added_loss(model: Any, loss: Any) -> Any:
    """An added loss as one number."""
    if hasattr(model, "_aggregate_additional_loss"):
        return model._aggregate_additional_loss(loss)
    return tf.reduce_sum(tf.cast(loss, "float32"))


def unscale_loss(loss: Any) -> Any:
    """A loss as the metrics count it; scaled for replicas since Keras 3.8."""
    unscale = getattr(loss_module, "unscale_loss_for_distribution", lambda value: value)
    return unscale(loss)


def reduce_logs(model: Any, logs: Any) -> Any:
    """The logs of a step from those of its replicas."""
    return trainer_module.reduce_per_replica(logs, model.distribute_strategy, reduction="auto")


def mask_weights(sample_weight: Any, mask: Any, reduction: str) -> Any:
    """The weights of a loss with the mask in them; None where there are neither."""
    return loss_module.apply_mask(sample_weight, mask, "float32", reduction)


def _names(function: Any) -> tuple[str, ...]:
    """Names that a function uses, keyword arguments of its calls among them."""
    code = function.__code__
    constants = [name for value in code.co_consts if isinstance(value, tuple) for name in value]
    return (*code.co_names, *(name for name in constants if isinstance(name, str)))
