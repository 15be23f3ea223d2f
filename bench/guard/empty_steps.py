"""Steps in which nothing is computed: `empty_steps.py OUT STEPS EPOCHS`.

Keras' loop goes round a train function that does nothing. What such a step takes longer in a
guarded process is what fitguard costs in each step, hooks and all, and nothing else.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf


class Clock(keras.callbacks.Callback):
    """Processor time of this thread in each epoch."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:  # noqa: ARG002
        self.began = time.thread_time()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:  # noqa: ARG002
        self.seconds.append(time.thread_time() - self.began)


out, steps, epochs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
batch = np.ones((8, 8), "float32"), np.ones((8, 1), "float32")
data = tf.data.Dataset.from_tensors(batch).repeat()
model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(data, steps_per_epoch=2, verbose=0)
logs = {"loss": 0.0}
model.train_function = lambda _: logs
clock = Clock()
model.fit(data, steps_per_epoch=steps, epochs=epochs, verbose=0, callbacks=[clock])
Path(out).write_text(json.dumps([seconds / steps for seconds in clock.seconds]))
