"""EarlyStopping with min_delta: Keras flips the number when it derives the comparison."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(47)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.Adam(0.05), "mse")
stop = keras.callbacks.EarlyStopping("loss", min_delta=0.2, patience=1)
history = model.fit(x, y, batch_size=8, epochs=12, verbose=0, callbacks=[stop])
keep(history=history, stopped=stop.stopped_epoch, wait=stop.wait, best=stop.best, model=model)
