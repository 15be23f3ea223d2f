"""Steps for so many seconds: `speed.py OUT small|resnet50 SECONDS [--graph]`."""

# ruff: noqa: E402 - the time of the imports is measured

import json
import sys
import time
from pathlib import Path

began = time.time()
import keras
import numpy as np
import tensorflow as tf
from keras import layers

imported = time.time()
out, kind, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
graph = "--graph" in sys.argv
keras.utils.set_random_seed(4)
random = np.random.default_rng(4)
if kind == "small":
    x = random.random((25_600, 32, 32, 3), dtype="float32")
    y = random.integers(0, 10, 25_600)
    body = [
        layers.Conv2D(32, 3, activation="relu"),
        layers.MaxPooling2D(2),
        layers.Conv2D(64, 3, activation="relu"),
        layers.MaxPooling2D(2),
        layers.Flatten(),
        layers.Dense(128, activation="relu"),
        layers.Dropout(0.3),
        layers.Dense(10, activation="softmax"),
    ]
    model = keras.Sequential([keras.Input((32, 32, 3)), *body])
    arguments = {"x": x, "y": y, "batch_size": 128}
else:
    x = random.random((640, 224, 224, 3), dtype="float32")
    y = random.integers(0, 10, 640)
    model = keras.applications.ResNet50(weights=None, classes=10)
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(64).cache().repeat(5).prefetch(4)
    arguments = {"x": data}


class Clock(keras.callbacks.Callback):
    """Counts epochs behind the first, and stops when the time is over."""

    first = 0.0
    ends = ()

    def on_train_batch_end(self, *_):
        self.first = self.first or time.time()

    def on_epoch_end(self, *_):
        self.ends = (*self.ends, time.time())
        if self.ends[-1] - self.ends[0] > seconds:
            self.model.stop_training = True


more = {"jit_compile": False} if graph else {}
model.compile("adam", "sparse_categorical_crossentropy", **more)
clock = Clock()
begins = time.time()
model.fit(**arguments, epochs=100_000, verbose=0, callbacks=[clock])
ended = time.time()
steps = 200 if kind == "small" else 50
epochs = np.diff(clock.ends)
found = {
    "began": began,
    "imported": imported,
    "fit": begins,
    "first_step": clock.first,
    "fit_ended": ended,
    "epochs": len(epochs),
    "ms_per_step": 1000 * float(epochs.sum()) / (steps * len(epochs)),
    "ms_median": 1000 * float(np.median(epochs)) / steps,
    "ms_min": 1000 * float(epochs.min()) / steps,
}
Path(out).write_text(json.dumps(found))
