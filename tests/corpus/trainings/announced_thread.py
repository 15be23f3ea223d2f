"""A thread of the script's own counts beside the training.

Announced: thread
"""

import threading

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(36)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Beside(keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.ticks, self.over = 0, threading.Event()
        self.thread = threading.Thread(target=self.count, daemon=True)
        self.thread.start()

    def count(self):
        while not self.over.wait(0.02):
            self.ticks += 1

    def on_epoch_end(self, epoch, logs=None):
        self.model.optimizer.learning_rate = 0.01 / (1 + self.ticks)

    def on_train_end(self, logs=None):
        self.over.set()


history = model.fit(x, y, batch_size=8, epochs=4, verbose=0, callbacks=[Beside()])
keep(history=history, model=model)
