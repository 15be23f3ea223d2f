"""A callback keeps its state in a JSON file, and reads it again at each epoch."""

import json
from pathlib import Path

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(99)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
Path("state.json").write_text('{"rate": 0.02, "epochs": []}')


class Kept(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        state = json.loads(Path("state.json").read_text())
        state["rate"] *= 0.8
        state["epochs"].append(epoch)
        self.model.optimizer.learning_rate = state["rate"]
        Path("state.json").write_text(json.dumps(state))


history = model.fit(x, y, batch_size=8, epochs=5, verbose=0, callbacks=[Kept()])
keep(history=history, model=model)
