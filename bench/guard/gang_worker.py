"""One of two workers for `gang_recovery.py`: small steps of a known length; one gets stuck once.

python gang_worker.py LIBRARY STEPS [STUCK-STEP]
"""

import importlib
import json
import os
import sys
import time
from pathlib import Path

import numpy as np
import tensorflow as tf

STEP_SECONDS = 0.1

keras = importlib.import_module(sys.argv[1])
stuck_at = int(sys.argv[3]) if len(sys.argv) > 3 else -1
worker = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
progress = Path(f"progress-{worker}")
strategy = tf.distribute.MultiWorkerMirroredStrategy()


class Progress(keras.callbacks.Callback):
    """Tells how far it is, by a clock that all processes share."""

    steps = 0

    def on_train_batch_end(self, batch, logs=None):  # noqa: ARG002
        time.sleep(STEP_SECONDS)
        self.steps += 1
        with progress.open("a") as file:
            file.write(f"{time.monotonic()} {os.getpid()} {self.steps}\n")
        if worker == 1 and self.steps == stuck_at and not Path("stuck").exists():
            Path("stuck").touch()
            time.sleep(1e6)


with strategy.scope():
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(4), keras.layers.Dense(1)])
    model.compile("adam", "mse")
data = tf.data.Dataset.from_tensor_slices((np.ones((16, 4)), np.ones((16, 1)))).repeat().batch(4)
model.fit(data, steps_per_epoch=int(sys.argv[2]), epochs=1, verbose=0, callbacks=[Progress()])
