"""Several workers, as TF_CONFIG names them, train two times; each saves what is its own.

    python workers.py OUT.npz LIBRARY [KIND]

With `HOLD_AT=2:12`, a worker waits there for its end: call 2, in its 12th step.
"""

import importlib
import os
import sys
import time

import numpy as np
import tensorflow as tf

keras = importlib.import_module(sys.argv[2])
kind = sys.argv[3] if len(sys.argv) > 3 else "dense"
layers = keras.layers

if keras.__name__ == "tf_keras":
    keras.backend.experimental.enable_tf_random_generator()
keras.utils.set_random_seed(7)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
random = np.random.default_rng(3)
x = random.normal(size=(64, 6)).astype("float32")
y = (x[:, 0] > 0).astype("int32")
data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(64, seed=5).batch(8)
options = tf.data.Options()
options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
data = data.with_options(options)


def own_values(model):
    """Of this worker: what a strategy returns for all workers is their mean."""
    named = {}
    for number, weight in enumerate(model.weights):
        variable = getattr(weight, "value", weight) if keras.__name__ == "keras" else weight
        named[f"{number:02d} {weight.name}"] = variable.values[0].numpy()
    return named


class Recorder(keras.callbacks.Callback):
    """Notes this worker's values before a step, and holds it where it is told to."""

    def __init__(self, call):
        super().__init__()
        self.call, self.steps, self.seen = call, 0, {}

    def on_train_batch_begin(self, batch, logs=None):  # noqa: ARG002
        if (self.call, self.steps) == (2, 10):
            self.seen = own_values(self.model)
        while os.environ.get("HOLD_AT") == f"{self.call}:{self.steps + 1}":
            time.sleep(0.05)

    def on_train_batch_end(self, batch, logs=None):  # noqa: ARG002
        self.steps += 1


with strategy.scope():
    if kind == "conv":
        first = [layers.Reshape((6, 1)), layers.Conv1D(4, 3, padding="same")]
    elif kind == "recurrent":
        first = [layers.Reshape((6, 1)), layers.GRU(6, return_sequences=True), layers.Flatten()]
    else:
        first = [layers.Dense(8)]
    model = keras.Sequential(
        [
            keras.Input((6,)),
            *first,
            layers.BatchNormalization(),
            layers.ReLU(),
            layers.Dropout(0.3, seed=11),
            layers.Flatten(),
            layers.Dense(2),
        ]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    eagerly = kind == "eager"
    model.compile(keras.optimizers.Adam(0.01), loss, metrics=["accuracy"], run_eagerly=eagerly)

first = model.fit(data, epochs=1, verbose=0, callbacks=[Recorder(1)])
recorder = Recorder(2)
second = model.fit(data, epochs=2, verbose=0, callbacks=[recorder])
np.savez(
    sys.argv[1],
    first=first.history["loss"],
    second=second.history["loss"],
    **{f"end {name}": value for name, value in own_values(model).items()},
    **{f"seen {name}": value for name, value in recorder.seen.items()},
)
