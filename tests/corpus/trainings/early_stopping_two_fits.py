"""One EarlyStopping object for two fits: the second begins anew."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(45)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.SGD(0.2), "mse")
stop = keras.callbacks.EarlyStopping("loss", patience=1, min_delta=0.05)
first = model.fit(x, y, batch_size=8, epochs=6, verbose=0, callbacks=[stop])
second = model.fit(x, -y, batch_size=8, epochs=6, verbose=0, callbacks=[stop])
keep(first=first, second=second, stopped=stop.stopped_epoch, best=stop.best, model=model)
