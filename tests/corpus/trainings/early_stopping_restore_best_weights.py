"""EarlyStopping gives back the weights of the best epoch, which another attempt trained."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(12)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.Adam(0.3), "mse")
stop = keras.callbacks.EarlyStopping("val_loss", patience=3, restore_best_weights=True)
history = model.fit(
    x, y, batch_size=8, epochs=8, verbose=0, validation_split=0.25, callbacks=[stop]
)
keep(
    history=history,
    stopped=stop.stopped_epoch,
    best=stop.best,
    best_epoch=stop.best_epoch,
    model=model,
)
