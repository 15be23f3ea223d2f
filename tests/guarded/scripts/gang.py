"""Two workers or more train one small model; each saves what is its own.

    python gang.py OUT-{worker}.npz LIBRARY [FAULT:WORKER:STEP]

Faults: `raise`, each time; `stuck`, once. A file `stuck-WORKER` has the same effect. `STEP_SECONDS`
makes steps slow. `BATCH` is the size of global batches, of which an epoch has eight; `MULTIPLIED`
makes it that of each worker. `KIND` is that of the model.
"""

import importlib
import json
import os
import sys
import time
from pathlib import Path

import numpy as np
import tensorflow as tf

keras = importlib.import_module(sys.argv[2])
fault, *at = sys.argv[3].split(":") if len(sys.argv) > 3 else ("", "0", "0")
worker = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
if keras.__name__ == "tf_keras":
    keras.backend.experimental.enable_tf_random_generator()
keras.utils.set_random_seed(7)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
random = np.random.default_rng(3)
batch = int(os.environ.get("BATCH", "8"))
x = random.normal(size=(8 * batch, 6)).astype("float32")
y = (x[:, 0] > 0).astype("int32")
options = tf.data.Options()
options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
if os.environ.get("MULTIPLIED"):
    batch *= strategy.num_replicas_in_sync
data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(64, seed=5).batch(batch)
data = data.with_options(options)


class Faulty(keras.callbacks.Callback):
    """Slow; and at one step it fails."""

    steps = 0

    def on_train_batch_begin(self, batch, logs=None):  # noqa: ARG002
        time.sleep(float(os.environ.get("STEP_SECONDS", "0")))
        if fault and [str(worker), str(self.steps)] == at:
            self.fail()
        wish = Path(f"stuck-{worker}")
        if wish.exists():
            wish.unlink()
            time.sleep(100_000)

    def on_train_batch_end(self, batch, logs=None):  # noqa: ARG002
        self.steps += 1

    def fail(self):
        if fault == "raise":
            raise ValueError(f"worker {worker} has had enough")
        if not Path("stuck").exists():
            Path("stuck").touch()
            time.sleep(100_000)


def attend():
    inputs = keras.Input((6, 1))
    attended = keras.layers.MultiHeadAttention(2, 4)(inputs, inputs)
    return [keras.Model(inputs, attended), keras.layers.Flatten()]


layers, sequence = keras.layers, keras.layers.Reshape((6, 1))
first = {
    "dense": lambda: [layers.Dense(8)],
    "conv": lambda: [sequence, layers.Conv1D(4, 3, padding="same")],
    "recurrent": lambda: [sequence, layers.GRU(6)],
    "attention": lambda: [sequence, *attend()],
}[os.environ.get("KIND", "dense")]
with strategy.scope():
    hidden = [*first(), layers.BatchNormalization(), layers.Dropout(0.3), layers.Flatten()]
    model = keras.Sequential([keras.Input((6,)), *hidden, layers.Dense(2)])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
history = model.fit(data, epochs=5, verbose=0, callbacks=[Faulty()])
own = [getattr(one, "value", one) if keras.__name__ == "keras" else one for one in model.weights]
arrays = {str(number): one.values[0].numpy() for number, one in enumerate(own)}
np.savez(sys.argv[1].format(worker=worker), loss=history.history["loss"], **arrays)
