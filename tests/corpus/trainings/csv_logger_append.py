"""CSVLogger that adds the second fit to the file of the first."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(42)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
first = model.fit(
    x, y, batch_size=8, epochs=3, verbose=0, callbacks=[keras.callbacks.CSVLogger("log.csv")]
)
second = model.fit(
    x,
    y,
    batch_size=8,
    initial_epoch=3,
    epochs=6,
    verbose=0,
    callbacks=[keras.callbacks.CSVLogger("log.csv", append=True)],
)
keep(first=first, second=second, model=model)
