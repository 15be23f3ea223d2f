"""ReduceLROnPlateau down to min_lr, watching the validation."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(82)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.SGD(0.3), "mse")
plateau = keras.callbacks.ReduceLROnPlateau(
    "val_loss", factor=0.1, patience=1, min_lr=0.01, min_delta=0.5, verbose=1
)
history = model.fit(
    x, y, batch_size=8, epochs=7, verbose=0, validation_split=0.25, callbacks=[plateau]
)
keep(history=history, wait=plateau.wait, best=plateau.best, model=model)
