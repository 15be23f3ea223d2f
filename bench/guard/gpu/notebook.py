"""As a notebook does: `fitguard.fit` with a callback that segfaults once, and a next cell."""
# ruff: noqa: E402 - TensorFlow must be loaded behind what %load_ext fitguard does

import subprocess
import sys
import time

from fitguard.notebook.kernel_gpu import leave_gpu_memory

leave_gpu_memory()  # what %load_ext fitguard does

import keras
import numpy as np
from keras import layers

import fitguard


def used():
    asked = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader"]
    try:
        return subprocess.run(asked, capture_output=True, text=True).stdout.strip()
    except OSError:
        return "no nvidia-smi"


out = sys.argv[1]
print("GPU before anything", used(), flush=True)
keras.utils.set_random_seed(6)
random = np.random.default_rng(6)
x = random.random((20_000, 32, 32, 3), dtype="float32")
y = random.integers(0, 10, 20_000)
body = [
    layers.Conv2D(32, 3, activation="relu"),
    layers.Flatten(),
    layers.Dense(10, activation="softmax"),
]
model = keras.Sequential([keras.Input((32, 32, 3)), *body])
model.compile("adam", "sparse_categorical_crossentropy", jit_compile=False)


class Segfault(keras.callbacks.Callback):
    def __init__(self, mark):
        super().__init__()
        self.mark = mark

    def on_train_batch_end(self, batch, *_):
        import ctypes
        import pathlib

        mark = pathlib.Path(self.mark)
        if batch == 200 and not mark.exists():
            mark.touch()
            ctypes.string_at(0)


print("GPU with the model", used(), flush=True)
began = time.time()
history = fitguard.fit(
    model, x, y, epochs=2, batch_size=64, verbose=2, callbacks=[Segfault(out + ".mark")]
)
print("fit took", round(time.time() - began, 1), history.history, flush=True)
time.sleep(1)
print("GPU after fit", used(), flush=True)
print("next cell", model.evaluate(x, y, verbose=0), int(model.optimizer.iterations.numpy()))
np.savez(out, loss=history.history["loss"])
