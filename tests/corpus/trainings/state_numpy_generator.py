"""A NumPy generator in a global, which a callback draws from."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(97)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
rng = np.random.default_rng(8)


class Jitter(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        self.model.optimizer.learning_rate = float(rng.uniform(0.001, 0.02))


history = model.fit(x, y, batch_size=8, epochs=5, verbose=0, callbacks=[Jitter()])
keep(history=history, rng=rng, model=model)
