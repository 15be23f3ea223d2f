"""A callback that tells and takes its state itself."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(95)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Walk(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.at = 0.01

    def get_state(self):
        return {"at": self.at}

    def set_state(self, state):
        self.at = state["at"]

    def on_train_batch_begin(self, batch, logs=None):
        self.at *= 0.97
        self.model.optimizer.learning_rate = self.at


walk = Walk()
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0, callbacks=[walk])
keep(history=history, at=walk.at, model=model)
