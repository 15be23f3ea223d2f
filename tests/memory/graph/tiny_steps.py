"""Small training steps as they were traced, each of them only once."""

from collections.abc import Callable
from functools import cache
from typing import Any

import keras
import tensorflow as tf
import tf_keras

from fitguard.memory.graph.estimator import GraphEstimator
from fitguard.memory.graph.nodes import Node
from fitguard.memory.graph.sizes import Size
from fitguard.memory.graph.step import Run, Step, read_step
from fitguard.memory.training import Training

LOSS = "sparse_categorical_crossentropy"


def compiled(model: Any, optimizer: Any = "adam") -> Training:
    """For whole numbers as labels, one for each vector that the model gives."""
    model.compile(optimizer, LOSS, jit_compile=False)
    model.optimizer.build(model.trainable_variables)
    given = [tf.TensorSpec((None, *one.shape[1:]), one.dtype) for one in model.inputs]
    labels = tf.TensorSpec((None, *model.outputs[0].shape[1:-1]), tf.int32)
    return Training(
        model=model, data=(given[0] if len(given) == 1 else given, labels), jit_compile=False
    )


def of_function(function: Callable[..., Any], *specs: tf.TensorSpec) -> Training:
    """A step that is no `train_step` of a model."""
    return Training(model=None, data=specs, jit_compile=False, step=function)


def dense(library: Any = keras, optimizer: Any = "adam") -> Training:
    """Three layers with the names that Keras gives; the middle one is square."""
    layers = library.layers
    model = library.Sequential(
        [
            library.Input((64,)),
            layers.Dense(128, activation="relu", name="dense"),
            layers.Dense(128, activation="relu", name="dense_1"),
            layers.Dense(10, activation="softmax", name="dense_2"),
        ]
    )
    return compiled(model, optimizer)


def convolutions(policy: str = "float32", *, dropout: bool = False) -> Training:
    layers = keras.layers
    model = keras.Sequential(
        [
            keras.Input((16, 16, 3)),
            layers.Conv2D(8, 3, padding="same", activation="relu", dtype=policy, name="wide"),
            *([layers.Dropout(0.5, dtype=policy)] if dropout else []),
            layers.Conv2D(8, 3, padding="same", activation="relu", dtype=policy, name="deep"),
            layers.GlobalAveragePooling2D(dtype=policy),
            layers.Dense(10, activation="softmax", dtype=policy, name="classes"),
        ]
    )
    return compiled(model)


def loop(length: int) -> Training:
    """An LSTM that cuDNN cannot compute."""
    layers = keras.layers
    model = keras.Sequential(
        [
            keras.Input((length, 8)),
            layers.LSTM(32, recurrent_dropout=0.5, name="lstm"),
            layers.Dense(10, activation="softmax"),
        ]
    )
    return compiled(model)


def scaled() -> Training:
    """Float16 with a loss scale: no gradient is used before all of them are known."""
    layers = keras.layers
    model = keras.Sequential([keras.Input((64,))])
    for units in (96, 80, 72):
        model.add(layers.Dense(units, activation="relu", dtype="mixed_float16"))
    model.add(layers.Dense(10, activation="softmax", dtype="mixed_float16"))
    return compiled(model, keras.optimizers.LossScaleOptimizer(keras.optimizers.Adam()))


def embedded() -> Training:
    layers = keras.layers
    tokens = keras.Input((7,), dtype="int32")
    value = layers.Flatten()(layers.Embedding(1000, 8, name="embedding")(tokens))
    return compiled(keras.Model(tokens, layers.Dense(10, activation="softmax")(value)))


TRAININGS: dict[str, Callable[[], Training]] = {
    "dense": dense,
    "dense of tf_keras": lambda: dense(tf_keras),
    "convolutions": convolutions,
    "loop of 5": lambda: loop(5),
    "scaled": scaled,
    "embedded": embedded,
}


@cache
def training_of(name: str) -> Training:
    return TRAININGS[name]()


@cache
def step_of(name: str) -> Step:
    return read_step(training_of(name))


@cache
def run_of(name: str) -> Run:
    return step_of(name).run()


@cache
def estimator_of(name: str) -> GraphEstimator:
    step = step_of(name)
    return GraphEstimator(training_of(name), step, step.run(first=True), run_of(name))


def function_run(function: Callable[..., Any], *specs: tf.TensorSpec) -> Run:
    return read_step(of_function(function, *specs)).run()


def allocated(run: Run, size: Size) -> list[Node]:
    """The operations that allocated something of this size."""
    return [node for buffer, is_new, node in run.events if is_new and node and buffer.size == size]


def most_alive(run: Run, size: Size) -> int:
    """How many buffers of this size there are at once, those of variables and inputs aside."""
    alive = most = 0
    for buffer, is_new, _ in run.events:
        if buffer.size == size and buffer not in run.inputs and buffer not in run.variables:
            alive += 1 if is_new else -1
            most = max(most, alive)
    return most
