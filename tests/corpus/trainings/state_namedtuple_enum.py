"""A named tuple and an enum, both replaced by others."""

import collections
import enum

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(70)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
Best = collections.namedtuple("Best", "epoch loss")


class Phase(enum.Enum):
    WARM = 1
    HOT = 2


class Watch(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.best, self.phase = Best(-1, 1e9), Phase.WARM

    def on_epoch_end(self, epoch, logs=None):
        if logs["loss"] < 0.9 * self.best.loss:
            self.best = Best(epoch, logs["loss"])
        self.phase = Phase.HOT if epoch - self.best.epoch > 0 else Phase.WARM
        self.model.optimizer.learning_rate = 0.01 / self.phase.value


watch = Watch()
history = model.fit(x, y, batch_size=8, epochs=6, verbose=0, callbacks=[watch])
keep(
    history=history, best=watch.best, kind=type(watch.best).__name__, phase=watch.phase, model=model
)
