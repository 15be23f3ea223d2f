"""A script that goes on by itself from its files; killed once, when the first epoch is saved."""

import json
import os
import signal
import sys
from pathlib import Path

import keras
import numpy as np

out = Path(sys.argv[1])
keras.utils.set_random_seed(73)
x = np.random.normal(size=(48, 4)).astype("float32")
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("adam", "mse")
state, weights = out.with_name("state.json"), out.with_name("state.weights.h5")
epoch = 0
if state.exists():
    epoch = json.loads(state.read_text())
    model.load_weights(weights)


class Save(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):  # noqa: ARG002
        self.model.save_weights(weights)
        state.write_text(json.dumps(epoch + 1))
        if epoch == 0:
            os.kill(os.getpid(), signal.SIGKILL)


history = model.fit(
    x, x[:, :1], batch_size=8, epochs=3, verbose=0, initial_epoch=epoch, callbacks=[Save()]
)
np.savez(out, epochs=history.epoch)
