"""ModelCheckpoint by number of steps, which is not that of an epoch."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(58)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
often = keras.callbacks.ModelCheckpoint(
    "step-{epoch:02d}-{batch:02d}.weights.h5", save_freq=4, save_weights_only=True
)
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0, callbacks=[often])
keep(history=history, model=model)
