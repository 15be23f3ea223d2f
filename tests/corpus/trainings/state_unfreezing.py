"""A callback makes a layer trainable after two epochs, and compiles again."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(27)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.layers[0].trainable = False
model.compile(keras.optimizers.Adam(0.01), "mse")


class Unfreeze(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        if epoch == 2:
            self.model.layers[0].trainable = True


first = model.fit(x, y, batch_size=8, epochs=4, verbose=0, callbacks=[Unfreeze()])
model.compile(keras.optimizers.Adam(0.01), "mse")
second = model.fit(x, y, batch_size=8, epochs=2, verbose=0)
keep(first=first, second=second, model=model)
