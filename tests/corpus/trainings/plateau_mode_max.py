"""ReduceLROnPlateau beside EarlyStopping, both on an accuracy that should grow."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(37)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

labels = (y > 0).astype("float32")
model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1, "sigmoid")])
model.compile(keras.optimizers.Adam(0.02), "binary_crossentropy", metrics=["accuracy"])
plateau = keras.callbacks.ReduceLROnPlateau(
    "accuracy", mode="max", factor=0.5, patience=1, min_delta=0.04
)
stop = keras.callbacks.EarlyStopping("accuracy", mode="max", patience=3, min_delta=0.04)
history = model.fit(x, labels, batch_size=8, epochs=10, verbose=0, callbacks=[plateau, stop])
keep(history=history, wait=plateau.wait, best=plateau.best, stopped=stop.stopped_epoch, model=model)
