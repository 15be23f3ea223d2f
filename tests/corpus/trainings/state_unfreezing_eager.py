"""A callback makes a layer trainable in the middle, and with run_eagerly it counts at once."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(34)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.build((None, 4))
model.compile(keras.optimizers.SGD(0.01), "mse", run_eagerly=True)
model.optimizer.build(model.trainable_variables)
model.layers[0].trainable = False


class Unfreeze(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        self.model.layers[0].trainable = epoch >= 2


history = model.fit(x, y, batch_size=12, epochs=4, verbose=0, callbacks=[Unfreeze()])
keep(history=history, model=model)
