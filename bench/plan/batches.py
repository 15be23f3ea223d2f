"""One random batch for a model, and the optimizers by the names that the rows use."""

from typing import Any

import keras
import numpy as np

LARGEST_INPUT_INTEGER = 1000


def random_batch(model: keras.Model, size: int) -> tuple[Any, np.ndarray]:
    """Random inputs (a list where the model has several) and labels for a sparse loss."""
    random = np.random.default_rng(0)
    inputs = [random_input(random, tensor, size) for tensor in model.inputs]
    *positions, classes = model.output_shape[1:]
    labels = random.integers(0, classes, (size, *positions)).astype("int32")
    return (inputs if len(inputs) > 1 else inputs[0]), labels


def random_input(random: np.random.Generator, tensor: Any, size: int) -> np.ndarray:
    """Values of one input: token numbers below 1000, or floats from 0 to 1."""
    shape = (size, *tensor.shape[1:])
    if "int" in tensor.dtype:
        return random.integers(0, LARGEST_INPUT_INTEGER, shape).astype(tensor.dtype)
    return random.random(shape, dtype="float32").astype(tensor.dtype)


def optimizer_named(name: str) -> keras.optimizers.Optimizer:
    """The optimizer of a row. Keras knows no name for SGD with momentum, so this one adds it."""
    if name == "sgd_momentum":
        return keras.optimizers.SGD(learning_rate=0.01, momentum=0.9)
    return keras.optimizers.get(name)
