"""Which variables of a tf_keras model a step writes, and how they are to go on."""

from typing import Any

from tf_keras.src.layers.normalization.batch_normalization import BatchNormalizationBase

from fitguard.keras.microbatch.identity import identity
from fitguard.keras.microbatch.state import MovingMoments


def not_state(model: Any) -> set[int]:
    """Identities of those that keep what each piece writes: metrics; and of trainable ones."""
    metrics = [variable for metric in model.metrics for variable in metric.variables]
    return {identity(variable) for variable in [*model.trainable_variables, *metrics]}


def moving_moments(model: Any) -> list[MovingMoments]:
    """The statistics of batch normalisations.

    tf_keras' fused one keeps an unbiased variance, which depends a little on the rows of a piece.
    """
    return [
        MovingMoments(layer.moving_mean, layer.moving_variance, layer.momentum)
        for layer in model._flatten_layers()
        if isinstance(layer, BatchNormalizationBase) and layer.built and not layer.renorm
    ]
