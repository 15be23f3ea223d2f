"""A small training that does something with memory for some time: `uses_memory.py OUT KIND`.

leaks       a callback keeps a tensor of each step, until nothing is left after two minutes
fragments   every second of many tensors is kept, then one is asked for that is larger than a gap
grows       sequences become longer; nothing is kept
"""

import contextlib
import os
import sys
import time

import keras
import numpy as np
import tensorflow as tf

kind = sys.argv[2]
LIMIT_BYTES = int(os.environ["TF_CPU_BFC_MEM_LIMIT_IN_MB"]) << 20
SECONDS = 130.0
MIB_OF_FLOATS = 2**18
began = time.monotonic()


class Leaks(keras.callbacks.Callback):
    def on_train_begin(self, *_, **__):
        self.kept, self.before = [], time.monotonic()

    def on_train_batch_end(self, *_, **__):
        share = (time.monotonic() - self.before) / SECONDS
        self.before = time.monotonic()
        self.kept.append(tf.zeros([1 + int(LIMIT_BYTES * share / 4)]))


class Fragments(keras.callbacks.Callback):
    def on_train_begin(self, *_, **__):
        pieces = LIMIT_BYTES // 2**20 - 40
        self.kept = [tf.zeros([MIB_OF_FLOATS]) for _ in range(pieces)][::2]

    def on_train_batch_end(self, batch, *_, **__):
        if batch == 200:
            with contextlib.suppress(tf.errors.ResourceExhaustedError):
                tf.zeros([60 * MIB_OF_FLOATS])


def make_batches():
    """Without an end, but for the ones that grow."""
    random = np.random.default_rng(1)
    while (passed := time.monotonic() - began) < SECONDS or kind != "grows":
        length = 50 + int(400 * passed / SECONDS) if kind == "grows" else 50
        x = random.normal(size=(64, length, 32)).astype("float32")
        yield x, x.sum((1, 2))[:, None]


callbacks = {"leaks": [Leaks()], "fragments": [Fragments()], "grows": []}[kind]
keras.utils.set_random_seed(1)
inputs = keras.Input((None, 32))
hidden = keras.layers.Dense(128, activation="relu")(inputs)
outputs = keras.layers.Dense(1)(keras.layers.GlobalAveragePooling1D()(hidden))
model = keras.Model(inputs, outputs)
model.compile("adam", "mse", jit_compile=False)
signature = (tf.TensorSpec((None, None, 32)), tf.TensorSpec((None, 1)))
data = tf.data.Dataset.from_generator(make_batches, output_signature=signature)
model.fit(data, verbose=0, callbacks=callbacks)
