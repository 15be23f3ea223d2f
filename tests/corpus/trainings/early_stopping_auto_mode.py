"""EarlyStopping that finds out by itself that an accuracy should grow."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(63)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

labels = (y > 0).astype("float32")
model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1, "sigmoid")])
model.compile(keras.optimizers.Adam(0.1), "binary_crossentropy", metrics=["accuracy"])
stop = keras.callbacks.EarlyStopping("accuracy", patience=1)
history = model.fit(x, labels, batch_size=8, epochs=9, verbose=0, callbacks=[stop])
keep(history=history, stopped=stop.stopped_epoch, wait=stop.wait, best=stop.best, model=model)
