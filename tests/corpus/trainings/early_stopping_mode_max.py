"""EarlyStopping that waits for an accuracy to grow, with min_delta."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(31)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

labels = (y > 0).astype("float32")
model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1, "sigmoid")])
model.compile(keras.optimizers.Adam(0.02), "binary_crossentropy", metrics=["accuracy"])
stop = keras.callbacks.EarlyStopping("val_accuracy", mode="max", min_delta=0.05, patience=2)
history = model.fit(
    x, labels, validation_split=0.25, batch_size=8, epochs=10, verbose=0, callbacks=[stop]
)
keep(history=history, stopped=stop.stopped_epoch, wait=stop.wait, best=stop.best, model=model)
