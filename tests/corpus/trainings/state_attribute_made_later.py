"""Attributes that a callback makes only in the middle, and deletes again."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(60)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Late(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        if epoch == 1:
            self.reference = logs["loss"]
        if epoch == 3:
            del self.reference
        rate = 0.01 if not hasattr(self, "reference") else 0.002 * self.reference
        self.model.optimizer.learning_rate = rate


late = Late()
history = model.fit(x, y, batch_size=8, epochs=5, verbose=0, callbacks=[late])
keep(history=history, is_there=hasattr(late, "reference"), model=model)
