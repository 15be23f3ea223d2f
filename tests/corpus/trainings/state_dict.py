"""A callback with a dict of the best value of each metric."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(54)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.SGD(0.2), "mse", metrics=["mae"])


class Best(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.best = {}

    def on_epoch_end(self, epoch, logs=None):
        for name, value in logs.items():
            if value < self.best.get(name, (0, 1e9))[1]:
                self.best[name] = (epoch, value)


best = Best()
history = model.fit(
    x, y, batch_size=8, epochs=6, verbose=0, validation_split=0.25, callbacks=[best]
)
keep(history=history, best=best.best, model=model)
