"""A script: trains on two replicas, which are virtual CPUs, and prints what came of it as JSON.

Each training has a process of its own, forked before TensorFlow starts its devices: after a step
that failed, the replicas of a process do not work together any more.

python two_replicas.py keras|tf_keras NAME …
"""

import itertools
import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

import fitguard

LONGEST_SECONDS = 120
Outcome = dict[str, Any]


def keras() -> Any:
    """The library that was asked for."""
    if sys.argv[1] == "tf_keras":
        import tf_keras

        return tf_keras
    import keras

    return keras


def train(
    *layers: Any, shape: tuple[int, ...] = (3,), samples: int = 16, batch_size: int = 8, **more: Any
) -> Outcome:
    """What fitguard says, then what training gives."""
    model = make_model(*layers, shape=shape, **more.pop("compiling", {}))
    x = np.random.default_rng(7).normal(size=(samples, *shape)).astype("float32")
    y = np.ones((samples, 1), "float32")
    return judge(model, x, y, batch_size=batch_size, **more)


def make_model(*layers: Any, shape: tuple[int, ...] = (3,), **compiling: Any) -> Any:
    """A model that ends with one number."""
    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        parts = [keras().Input(shape, name="table"), *layers, keras().layers.Dense(1, name="price")]
        model = keras().Sequential(parts)
        model.compile("sgd", "mse", **compiling)
    return model


def judge(model: Any, *data: Any, **fitting: Any) -> Outcome:
    """What fitguard says, then what training gives."""
    report = fitguard.check_data(model, *data, **fitting, ignore="FG661")
    error = ""
    try:
        model.fit(report.x, *data[1:], verbose=0, epochs=fitting.pop("epochs", 2), **fitting)
    except tf.errors.OpError as raised:
        error = str(raised)
    return {
        "error": error,
        "nan": bool(np.isnan(model.get_weights()[0]).any()),
        "findings": [f"{finding.code} {finding.title}" for finding in report.findings],
        "facts": [
            report.facts.model.strategy,
            report.facts.model.replicas,
            report.facts.model.steps_per_execution,
        ],
    }


def normed(samples: int, batch_size: int) -> Outcome:
    """Behind a Dense layer."""
    layers = keras().layers
    return train(
        layers.Dense(4),
        layers.BatchNormalization(name="norm"),
        samples=samples,
        batch_size=batch_size,
    )


def convolved(samples: int) -> Outcome:
    """Images."""
    layers = keras().layers
    return train(
        layers.Conv2D(3, 3, name="edges"),
        layers.GlobalAveragePooling2D(),
        shape=(6, 6, 2),
        samples=samples,
    )


def validated() -> Outcome:
    """The first batch of the validation data has seven samples."""
    held_out = np.ones((7, 3), "float32"), np.ones((7, 1), "float32")
    return train(validation_data=held_out)


def generated() -> Outcome:
    """Batch n holds the number n; weights of 1 that do not move make its loss n squared."""
    model = make_model(shape=(1,))
    model.optimizer.learning_rate.assign(0.0)
    model.set_weights([np.ones((1, 1)), np.zeros(1)])
    means: list[float] = []
    note = keras().callbacks.LambdaCallback(
        on_train_batch_end=lambda _, logs: means.append(float(logs["loss"]))
    )
    batches = (
        (np.full((8, 1), number, "float32"), np.zeros((8, 1), "float32")) for number in range(100)
    )
    told = fitguard.check_data(model, batches, steps_per_epoch=3)
    model.fit(told.x, steps_per_epoch=3, verbose=0, callbacks=[note])
    sums = [0.0, *(mean * count for count, mean in enumerate(means, 1))]
    seen = [round((after - before) ** 0.5) for before, after in itertools.pairwise(sums)]
    return {"seen": seen, "findings": [one.code for one in told.findings]}


def texts() -> Outcome:
    """Words into a model."""
    layers = keras().layers
    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        words = keras().Input((), dtype="string", name="words")
        looked_up = layers.Embedding(3, 2)(layers.StringLookup(vocabulary=["a", "b"])(words))
        model = keras().Model(words, layers.Dense(1)(looked_up))
        model.compile("sgd", "mse")
    pairs = tf.data.Dataset.from_tensor_slices((["a", "b"] * 8, np.ones((16, 1), "float32")))
    return judge(model, pairs.batch(8).prefetch(1))


TRAININGS: dict[str, Callable[[], Outcome]] = {
    "even": lambda: normed(16, 8),
    "last batch of one": lambda: normed(17, 8),
    "batches of seven": lambda: normed(14, 7),
    "seven samples": lambda: train(samples=7),
    "images, last batch of one": lambda: convolved(17),
    "images, last batch of three": lambda: convolved(19),
    "validation of seven": validated,
    "generator": generated,
    "two steps at once": lambda: train(compiling={"steps_per_execution": 2}),
    "compiled": lambda: train(compiling={"jit_compile": True}),
    "text": texts,
}


def run_apart(training: Callable[[], Outcome]) -> Outcome:
    """What it gives, in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(LONGEST_SECONDS)
        (cpu,) = tf.config.list_physical_devices("CPU")
        parts = [tf.config.LogicalDeviceConfiguration()] * 2
        tf.config.set_logical_device_configuration(cpu, parts)
        os.write(writing, json.dumps(training()).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    assert status == 0, f"it ended with status {status}"
    return json.loads(told)


if __name__ == "__main__":
    keras()
    print(json.dumps({name: run_apart(TRAININGS[name]) for name in sys.argv[2:]}))  # noqa: T201
