"""ReduceLROnPlateau that rests after each change."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(15)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.Adam(0.3), "mse")
plateau = keras.callbacks.ReduceLROnPlateau(
    "loss", factor=0.3, patience=1, cooldown=2, min_delta=0.3
)
history = model.fit(x, y, batch_size=8, epochs=10, verbose=0, callbacks=[plateau])
keep(
    history=history,
    wait=plateau.wait,
    cooldown=plateau.cooldown_counter,
    best=plateau.best,
    model=model,
)
