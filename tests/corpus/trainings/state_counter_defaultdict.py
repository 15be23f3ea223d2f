"""A Counter and a defaultdict of lists in a callback."""

import collections

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(25)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Tally(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.calls = collections.Counter()
        self.by_batch = collections.defaultdict(list)

    def on_train_batch_end(self, batch, logs=None):
        self.calls["steps"] += 1
        self.by_batch[batch].append(float(logs["loss"]))

    def on_epoch_end(self, epoch, logs=None):
        self.calls["epochs"] += 1


tally = Tally()
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0, callbacks=[tally])
tally.by_batch["never seen"].append(1.0)
keep(history=history, calls=tally.calls, by_batch=tally.by_batch, model=model)
