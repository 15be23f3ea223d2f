"""EarlyStopping that looks away for the first epochs."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(87)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.SGD(0.3), "mse")
stop = keras.callbacks.EarlyStopping("val_loss", start_from_epoch=2, patience=1, min_delta=0.001)
history = model.fit(
    x, y, batch_size=8, epochs=9, verbose=0, validation_split=0.25, callbacks=[stop]
)
keep(history=history, stopped=stop.stopped_epoch, best=stop.best, model=model)
