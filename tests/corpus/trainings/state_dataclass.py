"""A dataclass that a callback changes."""

import dataclasses

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(67)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


@dataclasses.dataclass
class Progress:
    best: float = 1e9
    epochs: list = dataclasses.field(default_factory=list)
    stale: int = 0


class Watch(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.progress = Progress()

    def on_epoch_end(self, epoch, logs=None):
        progress = self.progress
        if logs["loss"] < 0.9 * progress.best:
            progress.best, progress.stale = logs["loss"], 0
            progress.epochs.append(epoch)
        else:
            progress.stale += 1
        self.model.optimizer.learning_rate = 0.01 / (1 + progress.stale)


watch = Watch()
history = model.fit(x, y, batch_size=8, epochs=6, verbose=0, callbacks=[watch])
keep(history=history, progress=watch.progress, model=model)
