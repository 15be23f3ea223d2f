"""EarlyStopping told that less is better, verbose, with weights restored at the end."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(96)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.RMSprop(0.05), "mae")
stop = keras.callbacks.EarlyStopping(
    "loss", mode="min", min_delta=0.1, patience=1, verbose=1, restore_best_weights=True
)
history = model.fit(x, y, batch_size=8, epochs=8, verbose=0, callbacks=[stop])
keep(history=history, stopped=stop.stopped_epoch, wait=stop.wait, best=stop.best, model=model)
