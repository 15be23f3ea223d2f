"""A global number that two fits change, and the code between them."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(72)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
seen = 0


def count(batch, logs):
    global seen
    seen += len(x) // 6


callbacks = [keras.callbacks.LambdaCallback(on_batch_end=count)]
first = model.fit(x, y, batch_size=8, epochs=3, verbose=0, callbacks=callbacks)
between = seen
seen += 1000
second = model.fit(x, y, batch_size=8, epochs=3, verbose=0, callbacks=callbacks)
keep(first=first, second=second, between=between, seen=seen, model=model)
