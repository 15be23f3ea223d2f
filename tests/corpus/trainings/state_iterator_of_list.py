"""A callback takes the rates from an iterator over a list."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(51)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Rates(keras.callbacks.Callback):
    def __init__(self, rates):
        super().__init__()
        self.rates = iter(rates)

    def on_epoch_begin(self, epoch, logs=None):
        self.model.optimizer.learning_rate = next(self.rates)


rates = Rates([0.02, 0.015, 0.01, 0.005, 0.001, 0.0005])
history = model.fit(x, y, batch_size=8, epochs=5, verbose=0, callbacks=[rates])
keep(history=history, left=list(rates.rates), model=model)
