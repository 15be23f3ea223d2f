"""ModelCheckpoint with epoch and loss in the names of its files."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(55)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
each = keras.callbacks.ModelCheckpoint(
    "saved/e{epoch:02d}-{loss:.4f}.weights.h5", save_weights_only=True
)
history = model.fit(x, y, batch_size=8, epochs=5, verbose=0, callbacks=[each])
keep(history=history, model=model)
