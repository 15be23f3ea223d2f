"""Run as a script, in a process of its own: two devices must be made before TensorFlow starts."""

import contextlib
import json
import sys
from typing import Any

import tensorflow as tf

from fitguard.inputs.pipelines.reading import open_dataset


def dataset(_: Any = None) -> Any:
    return tf.data.Dataset.range(12).shuffle(12).batch(4)


def drawn(distributed: Any, look: str) -> list[list[int]]:
    """Two epochs, after the dataset was read through the reader, plainly, or not at all."""
    if look == "reader":
        reading = open_dataset(distributed)
        with contextlib.closing(reading.batches()) as batches:
            next(batches)
    elif look == "plain":
        list(distributed)
    return [
        [
            int(n)
            for element in distributed
            for part in strategy.experimental_local_results(element)
            for n in part
        ]
        for _ in range(2)
    ]


def made(kind: str) -> Any:
    tf.random.set_seed(5)
    if kind == "dataset":
        return strategy.experimental_distribute_dataset(dataset())
    return strategy.distribute_datasets_from_function(dataset)


cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
answer = {}
for kind in ("dataset", "function"):
    reading = open_dataset(made(kind))
    answer[kind] = {
        "unread": reading.unread,
        "replicas": reading.replicas,
        "stages": [stage.name for stage in reading.pipeline.stages],
        "batches": [batch.tolist() for batch in reading.batches()],
        "none": drawn(made(kind), "none"),
        "reader": drawn(made(kind), "reader"),
        "plain": drawn(made(kind), "plain"),
    }
json.dump(answer, sys.stdout)
