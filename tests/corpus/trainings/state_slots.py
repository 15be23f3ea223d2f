"""An object with slots."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(14)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Meter:
    __slots__ = ("count", "total")

    def __init__(self):
        self.count = self.total = 0


class Measure(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.meter = Meter()

    def on_train_batch_end(self, batch, logs=None):
        self.meter.count += 1
        self.meter.total += float(logs["loss"])
        self.model.optimizer.learning_rate = 0.002 * self.meter.total / self.meter.count


measure = Measure()
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0, callbacks=[measure])
keep(history=history, meter=measure.meter, model=model)
