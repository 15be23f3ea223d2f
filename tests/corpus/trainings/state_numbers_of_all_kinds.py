"""Fractions, decimals, complex numbers, bytes, and numbers of NumPy."""

import decimal
import fractions

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(13)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Numbers(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.part, self.exact = fractions.Fraction(1, 3), decimal.Decimal("0.1")
        self.turn, self.raw = 1 + 0j, bytearray(b"\0")
        self.small, self.big = np.float16(1.5), 2**70

    def on_epoch_end(self, epoch, logs=None):
        self.part += fractions.Fraction(1, epoch + 2)
        self.exact *= 3
        self.turn *= 1j
        self.raw.append(epoch)
        self.small = np.float16(self.small * 1.1)
        self.big += 1
        self.model.optimizer.learning_rate = 0.01 / float(self.part + 1)


numbers = Numbers()
history = model.fit(x, y, batch_size=8, epochs=5, verbose=0, callbacks=[numbers])
told = [repr(one) for one in (numbers.part, numbers.exact, numbers.turn, numbers.raw, numbers.big)]
keep(history=history, told=told, small=numbers.small, model=model)
