"""A callback that counts steps, and lowers the rate every seven of them."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(52)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Lower(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.steps = 0

    def on_train_batch_end(self, batch, logs=None):
        self.steps += 1
        if self.steps % 7 == 0:
            self.model.optimizer.learning_rate = 0.001 / self.steps


lower = Lower()
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0, callbacks=[lower])
keep(history=history, steps=lower.steps, model=model)
