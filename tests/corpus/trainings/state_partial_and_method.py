"""Callables of all kinds: a partial, a bound method, an object that can be called."""

import functools

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(24)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Decay:
    def __init__(self):
        self.rate = 0.02

    def step(self, epoch, logs):
        self.rate *= 0.8

    def __call__(self, epoch):
        return self.rate


def note(seen, epoch, logs):
    seen.append(logs["loss"])


decay, seen = Decay(), []
callbacks = [
    keras.callbacks.LearningRateScheduler(decay),
    keras.callbacks.LambdaCallback(on_epoch_end=decay.step),
    keras.callbacks.LambdaCallback(on_epoch_end=functools.partial(note, seen)),
]
history = model.fit(x, y, batch_size=8, epochs=5, verbose=0, callbacks=callbacks)
keep(history=history, rate=decay.rate, seen=seen, model=model)
