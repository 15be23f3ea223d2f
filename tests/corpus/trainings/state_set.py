"""A callback with a set of the epochs in which it did something."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(11)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Once(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.done = set()

    def on_train_batch_begin(self, batch, logs=None):
        key = (batch * 5) % 4
        if key not in self.done:
            self.done.add(key)
            self.model.optimizer.learning_rate = 0.01 / len(self.done)


once = Once()
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0, callbacks=[once])
keep(history=history, done=once.done, model=model)
