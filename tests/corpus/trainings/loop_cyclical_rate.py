"""A triangle of rates by step, with a history of them."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(12)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.SGD(0.01), "mse")


class Triangle(keras.callbacks.Callback):
    def __init__(self, low, high, half):
        super().__init__()
        self.low, self.high, self.half = low, high, half
        self.iteration, self.history = 0, {}

    def on_train_batch_end(self, batch, logs=None):
        self.iteration += 1
        where = abs(self.iteration / self.half % 2 - 1)
        rate = self.low + (self.high - self.low) * (1 - where)
        self.model.optimizer.learning_rate = rate
        self.history.setdefault("rate", []).append(rate)


triangle = Triangle(0.001, 0.1, 5)
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0, callbacks=[triangle])
keep(history=history, rates=triangle.history, iteration=triangle.iteration, model=model)
