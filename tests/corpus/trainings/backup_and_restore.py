"""BackupAndRestore in the script already."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(98)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.build((None, 4))
history = model.fit(
    x, y, batch_size=8, epochs=5, verbose=0, callbacks=[keras.callbacks.BackupAndRestore("backup")]
)
keep(history=history, model=model)
