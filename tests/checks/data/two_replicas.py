"""A script: trains on two replicas, which are virtual CPUs, and prints what came of it as JSON."""

import json
from typing import Any

import keras
import numpy as np
import tensorflow as tf

import fitguard


def main() -> None:
    """Three trainings that differ in their batches only."""
    (cpu,) = tf.config.list_physical_devices("CPU")
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    outcomes = {
        "even": outcome(16, 8),
        "last batch of one": outcome(17, 8),
        # Last: after it, the replicas of this process do not work together any more.
        "batches of seven": outcome(14, 7),
    }
    print(json.dumps(outcomes))  # noqa: T201


def outcome(samples: int, batch_size: int) -> dict[str, Any]:
    """What fitguard says, then what training gives."""
    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        model = keras.Sequential(
            [
                keras.Input((3,), name="table"),
                keras.layers.Dense(4),
                keras.layers.BatchNormalization(name="norm"),
                keras.layers.Dense(1, name="price"),
            ]
        )
        model.compile("sgd", "mse")
    x = np.random.default_rng(7).normal(size=(samples, 3)).astype("float32")
    y = x.sum(axis=1, keepdims=True)
    report = fitguard.check_data(model, x, y, batch_size=batch_size, ignore="FG661")
    error = ""
    try:
        model.fit(x, y, batch_size=batch_size, epochs=2, verbose=0)
    except tf.errors.InvalidArgumentError as raised:
        error = str(raised)
    return {
        "error": error,
        "nan": bool(np.isnan(model.get_weights()[0]).any()),
        "findings": [f"{finding.code} {finding.title}" for finding in report.findings],
    }


if __name__ == "__main__":
    main()
