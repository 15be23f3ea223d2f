"""Two callbacks share a list: one fills it, the other empties it."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(75)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Fill(keras.callbacks.Callback):
    def __init__(self, shared):
        super().__init__()
        self.shared = shared

    def on_train_batch_end(self, batch, logs=None):
        self.shared.append(float(logs["loss"]))


class Empty(keras.callbacks.Callback):
    def __init__(self, shared):
        super().__init__()
        self.shared, self.means = shared, []

    def on_epoch_end(self, epoch, logs=None):
        self.means.append(sum(self.shared) / len(self.shared))
        del self.shared[:-2]


shared = []
fill, empty = Fill(shared), Empty(shared)
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0, callbacks=[fill, empty])
keep(
    history=history,
    means=empty.means,
    one=fill.shared is empty.shared is shared,
    left=shared,
    model=model,
)
