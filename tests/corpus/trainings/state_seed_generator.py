"""A SeedGenerator of Keras in a layer and another in a callback.

Needs: 3.5
"""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(54)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]


class Noise(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.seeds = keras.random.SeedGenerator(6)

    def call(self, inputs):
        return inputs + 0.1 * keras.random.normal(keras.ops.shape(inputs), seed=self.seeds)


class Jitter(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.seeds = keras.random.SeedGenerator(7)

    def on_epoch_begin(self, epoch, logs=None):
        rate = keras.random.uniform((), 0.001, 0.02, seed=self.seeds)
        self.model.optimizer.learning_rate = float(rate)


noise, jitter = Noise(), Jitter()
model = keras.Sequential([keras.layers.Dense(8, "relu"), noise, keras.layers.Dense(1)])
model.compile("adam", "mse")
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0, callbacks=[jitter])
keep(history=history, seeds=[noise.seeds.state, jitter.seeds.state], model=model)
