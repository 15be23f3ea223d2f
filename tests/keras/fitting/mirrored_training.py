"""Trains under MirroredStrategy on CPUs that stand for GPUs; started as a process of its own.

Only a process that has done nothing else yet can make several devices of its CPU.

    python mirrored_training.py LIBRARY REPLICAS FITS FOLDER [statistics]

One replica, the last, has memory for FITS rows only. That is compared with a training that has
enough. With `statistics` the model has BatchNormalization, which micro-batches change: it is
compared with one that was told to begin with these micro-batches.
"""

import importlib
import json
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

sys.path.insert(0, str(Path(__file__).parents[2]))

from guarded.attempts import attempt, events
from guarded.limited import limit, limited

from fitguard.keras.state.model_state import ModelState
from fitguard.schema.journal import BATCH_STATISTICS, Failed, MicroBatchChosen, Noted

ROWS = 6


def make_model(keras, strategy, statistics):
    keras.utils.set_random_seed(7)
    layers = keras.layers
    middle = [layers.BatchNormalization()] if statistics else []
    # Keras 2 draws other numbers for micro-batches.
    random = [layers.Dropout(0.4)] if keras.__name__ == "keras" else []
    with strategy.scope():
        short = limited(keras, replica=strategy.num_replicas_in_sync - 1)
        parts = [layers.Dense(4), *random, *middle, short, layers.Dense(1)]
        model = keras.Sequential([layers.Input((3,)), *parts])
        model.compile(keras.optimizers.Adam(0.05), "mse", metrics=["mae"])
    return model


def train(model, replicas):
    """One whole batch in each epoch, and one of which the last replica has a row less."""
    x = np.random.default_rng(0).normal(size=(ROWS * replicas * 2 - 1, 3)).astype("float32")
    history = model.fit(x, x.sum(axis=1), batch_size=ROWS * replicas, epochs=2, verbose=0)
    return history.history, ModelState(model).read()


def main(library, replicas, fits, folder, *more):
    keras, replicas, fits = importlib.import_module(library), int(replicas), int(fits)
    (cpu,) = tf.config.list_physical_devices("CPU")
    devices = [tf.config.LogicalDeviceConfiguration()] * replicas
    tf.config.set_logical_device_configuration(cpu, devices)
    strategy = tf.distribute.MirroredStrategy([f"CPU:{number}" for number in range(replicas)])
    statistics = "statistics" in more
    allowed = {"allow": (BATCH_STATISTICS,)}
    limit()
    if statistics:
        with attempt(Path(folder, "ordered"), micro_batches={"1": fits}, **allowed):
            wanted = train(make_model(keras, strategy, statistics), replicas)
    else:
        wanted = train(make_model(keras, strategy, statistics), replicas)
    limit().assign(fits)
    with attempt(Path(folder, "fails"), **allowed) as guarded:
        found = train(make_model(keras, strategy, statistics), replicas)
    history = [np.abs(np.subtract(wanted[0][name], found[0][name])).max() for name in wanted[0]]
    values = [np.abs(wanted[1][name] - found[1][name]).max() for name in wanted[1]]
    result = {
        "same_names": wanted[1].keys() == found[1].keys(),
        "own_values": sum("@1" in name for name in wanted[1]),
        "history": float(max(history)),
        "values": float(max(values)),
        "chosen": [(event.rows, event.of) for event in events(guarded, MicroBatchChosen)],
        "failed": len(events(guarded, Failed)),
        "inexact": [event.text for event in events(guarded, Noted) if event.kind == "inexact"],
    }
    sys.stdout.write(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
