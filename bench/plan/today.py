"""What users have today to tell the memory of a training step: formulas over a model's sizes."""

from collections.abc import Callable
from typing import NamedTuple

FLOAT_BYTES = 4


class Sizes(NamedTuple):
    """What can be read off `model.summary()`.

    Args:
        outputs: How many numbers all layers put out for one sample.
    """

    parameters: int
    outputs: int
    batch: int


def parameter_counting(sizes: Sizes) -> int:
    """The weights alone."""
    return sizes.parameters * FLOAT_BYTES


def training_state(sizes: Sizes) -> int:
    """Weights, gradients and two moments: what `accelerate estimate-memory` gives for Adam."""
    return 4 * parameter_counting(sizes)


def layer_outputs(sizes: Sizes) -> int:
    """The outputs of all layers, forward and backward, and the training state."""
    return 2 * sizes.outputs * sizes.batch * FLOAT_BYTES + training_state(sizes)


FORMULAS: dict[str, Callable[[Sizes], int]] = {
    "parameters x 4 bytes": parameter_counting,
    "accelerate-style state": training_state,
    "sum of layer outputs": layer_outputs,
}
