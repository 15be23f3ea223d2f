"""The logging module of Python writes a file, also between two fits."""

import logging

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(97)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
logging.basicConfig(
    filename="train.log", format="%(levelname)s %(message)s", level=logging.INFO, force=True
)
log = logging.getLogger("train")
write = keras.callbacks.LambdaCallback(
    on_epoch_end=lambda epoch, logs: log.info("epoch %d: %.6f", epoch, logs["loss"])
)
first = model.fit(x, y, batch_size=8, epochs=3, verbose=0, callbacks=[write])
log.info("now the second one")
second = model.fit(x, y, batch_size=8, epochs=3, verbose=0, callbacks=[write])
keep(first=first, second=second, model=model)
