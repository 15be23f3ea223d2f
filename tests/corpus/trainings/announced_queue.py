"""A callback keeps what it will need in a queue.Queue.

Announced: Queue
"""

import queue

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(92)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Later(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.queue = queue.Queue()

    def on_epoch_end(self, epoch, logs=None):
        self.queue.put(logs["loss"])
        if self.queue.qsize() > 2:
            self.model.optimizer.learning_rate = 0.002 * self.queue.get()


history = model.fit(x, y, batch_size=8, epochs=5, verbose=0, callbacks=[Later()])
keep(history=history, model=model)
