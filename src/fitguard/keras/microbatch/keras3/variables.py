"""Which variables of a Keras 3 model a step writes, and how they are to go on."""

from typing import Any

from keras.src.backend.common import global_state
from keras.src.layers import BatchNormalization
from keras.src.random.seed_generator import GLOBAL_SEED_GENERATOR

from fitguard.keras.microbatch.identity import identity
from fitguard.keras.microbatch.state import MovingMoments


def not_state(model: Any) -> set[int]:
    """Identities of those that keep what each piece writes: metrics; and of trainable ones."""
    metrics = [variable for metric in model.metrics for variable in metric.variables]
    return {identity(variable.value) for variable in [*model.trainable_variables, *metrics]}


def may_move(model: Any) -> list[Any]:
    """Those that a forward pass may write: all that are not trainable, and the global seed."""
    seed = global_state.get_global_attribute(GLOBAL_SEED_GENERATOR)
    found = [*model.non_trainable_variables, *([seed.state] if seed is not None else [])]
    return [variable.value for variable in found]


def moving_moments(model: Any) -> list[MovingMoments]:
    """The statistics of batch normalisations."""
    return [
        MovingMoments(layer.moving_mean.value, layer.moving_variance.value, layer.momentum)
        for layer in model._flatten_layers()
        if isinstance(layer, BatchNormalization) and layer.built and not layer.renorm
    ]
