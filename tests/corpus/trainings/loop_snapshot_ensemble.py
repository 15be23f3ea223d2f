"""The weights at the end of each cycle of the rate make an ensemble."""

import math

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(64)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.SGD(0.1), "mse")


class Snapshots(keras.callbacks.Callback):
    def __init__(self, cycle):
        super().__init__()
        self.cycle, self.kept = cycle, []

    def on_epoch_begin(self, epoch, logs=None):
        part = (epoch % self.cycle) / self.cycle
        self.model.optimizer.learning_rate = 0.05 * (1 + math.cos(math.pi * part))

    def on_epoch_end(self, epoch, logs=None):
        if (epoch + 1) % self.cycle == 0:
            self.kept.append(self.model.get_weights())


snapshots = Snapshots(2)
history = model.fit(x, y, batch_size=8, epochs=6, verbose=0, callbacks=[snapshots])
outputs = []
for weights in snapshots.kept:
    model.set_weights(weights)
    outputs.append(model.predict(x[:4], verbose=0))
keep(history=history, kept=snapshots.kept, mean=np.mean(outputs, axis=0), model=model)
