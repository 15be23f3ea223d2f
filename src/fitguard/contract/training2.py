"""What a training step of Keras 2 is made of: of `keras` up to 2.15, and of `tf_keras`."""

from collections.abc import Iterator
from typing import Any

from fitguard.contract.layers import flatten_layers
from fitguard.contract.libraries import Library, is_a, library_of


def source(model: Any, path: str) -> Any:
    """A module of the Keras that a model is of."""
    library = library_of(model)
    assert library is not None
    return library.module(f"src.{path}")


def unpack(model: Any, data: Any) -> tuple[Any, Any, Any]:
    """The inputs, targets and weights of a batch."""
    x, y, sample_weight = source(model, "engine.data_adapter").unpack_x_y_sample_weight(data)
    return x, y, sample_weight


def read_given_losses(model: Any) -> Any:
    """As the user gave them to `compile`."""
    return model.compiled_loss._user_losses


def loss_metrics(model: Any) -> list[Any]:
    """The metrics of the losses; before they are made, the one of their sum."""
    return model.compiled_loss.metrics or [model.compiled_loss._total_loss_mean]


def reduce_logs(model: Any, logs: Any) -> Any:
    """The logs of a step from those of its replicas."""
    reduce = source(model, "engine.training").reduce_per_replica
    return reduce(logs, model.distribute_strategy, reduction=model.distribute_reduction_method)


def count_step(model: Any, training: bool) -> None:
    """As the train and the test function of Keras 2 do."""
    (model._train_counter if training else model._test_counter).assign_add(1)


def collect_added_losses(model: Any) -> Iterator[tuple[Any, bool]]:
    """The losses that layers add, and whether each is one of weights: the same for all rows."""
    for layer in flatten_layers(model):
        for loss in layer._eager_losses or layer._losses:
            yield loss, False
        for regularizer in layer._callable_losses:
            loss = regularizer()
            if loss is not None:
                yield loss, True


def compute_gradients(model: Any, loss: Any, tape: Any) -> Any:
    """Pairs of gradients and variables; legacy optimizers hide the method."""
    optimizer = model.optimizer
    compute = getattr(optimizer, "compute_gradients", None) or optimizer._compute_gradients
    return compute(loss, model.trainable_variables, tape=tape)


def read_trained_variables(optimizer: Any) -> Any:
    """The variables that an optimizer was built for."""
    return optimizer._trainable_variables


def plain_mean(model: Any) -> tuple[Any, Any]:
    """The metric `Mean`, and the class that its `update_state` is of."""
    metrics = source(model, "metrics.base_metric")
    return metrics.Mean, metrics.Reduce


def apply_mask(library: Library, losses: Any, sample_weight: Any, mask: Any) -> Any:
    """The weights of losses with the mask in them."""
    return library.module("src.utils.losses_utils").apply_mask(losses, sample_weight, mask)


def mean_reductions(library: Library) -> tuple[Any, Any]:
    """Those that divide by the number of rows."""
    reductions = library.module("src.utils.losses_utils").ReductionV2
    return reductions.AUTO, reductions.SUM_OVER_BATCH_SIZE


def is_normalization(layer: Any) -> bool:
    """Whether it normalizes with the statistics of the batch."""
    return is_a(layer, "BatchNormalizationBase")


def is_random(layer: Any) -> bool:
    """Whether it may draw random numbers."""
    return is_a(layer, "BaseRandomLayer")
