"""A few steps with XLA: `autotuned.py OUT cnn|transformer|lstm [--dies]`.

Each process adds a line to .rows.jsonl beside OUT: the seconds from its start to its first step,
and with `--dies`, which kills the first process after 20 steps, those from the kill. The file is
hidden, so that a restart does not put it back.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

import keras
import numpy as np
import psutil
from keras import layers

out, kind = sys.argv[1:3]
mark, rows = (Path(out).with_name(name) for name in (".died", ".rows.jsonl"))


def build():
    if kind == "cnn":
        body = [
            layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPooling2D(2),
            layers.Conv2D(64, 3, activation="relu"),
            layers.Flatten(),
            layers.Dense(10),
        ]
        return keras.Sequential([keras.Input((32, 32, 3)), *body]), (32, 32, 3)
    if kind == "lstm":
        return keras.Sequential([keras.Input((64, 32)), layers.LSTM(128), layers.Dense(10)]), (
            64,
            32,
        )
    x = inputs = keras.Input((256, 192))
    for _ in range(4):
        x = layers.Add()([x, layers.MultiHeadAttention(4, 48)(x, x)])
        y = layers.Dense(768, activation="gelu")(layers.LayerNormalization()(x))
        x = layers.Add()([x, layers.Dense(192)(y)])
    pooled = layers.GlobalAveragePooling1D()(x)
    return keras.Model(inputs, layers.Dense(10)(pooled)), (256, 192)


class Clock(keras.callbacks.Callback):
    steps = 0

    def on_train_batch_end(self, *_, **__):
        self.steps += 1
        if self.steps == 1:
            self.write(time.time())
        if self.steps == 20 and "--dies" in sys.argv and not mark.exists():
            mark.write_text(str(time.time()))
            os.kill(os.getpid(), signal.SIGKILL)

    def write(self, now):
        row = {"to_first_step": round(now - psutil.Process().create_time(), 2)}
        if mark.exists():
            row["since_kill"] = round(now - float(mark.read_text()), 2)
        row["flags"] = os.environ.get("XLA_FLAGS", "")
        with rows.open("a") as file:
            file.write(json.dumps(row) + "\n")


keras.utils.set_random_seed(5)
random = np.random.default_rng(5)
model, shape = build()
x = random.random((2048, *shape), dtype="float32")
y = random.integers(0, 10, 2048)
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile("adam", loss, jit_compile=True)
model.fit(x, y, batch_size=32, epochs=1, verbose=0, callbacks=[Clock()])
