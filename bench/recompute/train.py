"""A short `fit` of one network: weights and times in a file, JSON on stdout.

.venv/bin/fitguard run bench/recompute/train.py resnet50 weights.npz
"""

import argparse
import json
import os
import time

import keras
import numpy as np
import tensorflow as tf
from models import MODELS, draw_batch, make

BATCHES = 4
"""In each epoch, all different."""


class Clock(keras.callbacks.Callback):
    """When each step ended."""

    def __init__(self):
        super().__init__()
        self.ends = []

    def on_train_batch_end(self, batch, logs=None):  # noqa: ARG002
        self.ends.append(time.perf_counter())


class Batches(keras.utils.PyDataset):
    """Images lie in memory of Python's own until they are wanted, as with a GPU: in arrays that
    `fit` is given, they would lie in that of TensorFlow's allocator, all of them.
    """

    def __init__(self, x, y, rows):
        super().__init__()
        self.x, self.y, self.rows = x, y, rows

    def __len__(self):
        return len(self.x) // self.rows

    def __getitem__(self, index):
        chosen = slice(index * self.rows, (index + 1) * self.rows)
        return self.x[chosen], self.y[chosen]


def take_limit_in_one_piece():
    """As on a GPU: else the allocator gets it in pieces, none of which may hold a large tensor."""
    limit_mib = int(os.environ.get("TF_CPU_BFC_MEM_LIMIT_IN_MB", "0"))
    if limit_mib:
        tf.zeros(int(0.9 * limit_mib) * 2**18)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("weights", help="where the weights go at the end")
    parser.add_argument("--side", type=int, default=96)
    parser.add_argument("--rows", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--parts", type=int, default=1, help="Keras' own accumulation over so many")
    parser.add_argument("--begin", help="where the weights go before the first step")
    parser.add_argument("--jit", action="store_true")
    parser.add_argument("--limit-mib", type=int, help="of the GPU, for TensorFlow")
    given = parser.parse_args()
    gpus = tf.config.list_physical_devices("GPU")
    if given.limit_mib:
        limit = tf.config.LogicalDeviceConfiguration(memory_limit=given.limit_mib)
        tf.config.set_logical_device_configuration(gpus[0], [limit])
    elif gpus:
        tf.config.experimental.set_memory_growth(gpus[0], True)
    take_limit_in_one_piece()
    model = make(given.model, given.side, jit=given.jit, parts=given.parts)
    if given.begin:
        np.savez(given.begin, *model.get_weights())
    x, y = draw_batch(given.model, given.side, BATCHES * given.rows)
    clock = Clock()
    batches = Batches(x, y, given.rows // given.parts)
    model.fit(batches, shuffle=False, verbose=2, epochs=given.epochs, callbacks=[clock])
    steps = np.diff(clock.ends)[given.parts :]
    np.savez(given.weights, *model.get_weights())
    device = "GPU:0" if gpus else "CPU:0"
    peak = tf.config.experimental.get_memory_info(device)["peak"]
    print(json.dumps({"peak_bytes": peak, "seconds": float(np.median(steps)) * given.parts}))


if __name__ == "__main__":
    main()
