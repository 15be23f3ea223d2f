"""TensorBoard shows each scalar once, however many files there are.

Uses: tensorboard
"""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(68)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
history = model.fit(
    x,
    y,
    batch_size=8,
    epochs=4,
    verbose=0,
    validation_split=0.25,
    callbacks=[keras.callbacks.TensorBoard("logs", update_freq="epoch")],
)
keep(history=history, model=model)
