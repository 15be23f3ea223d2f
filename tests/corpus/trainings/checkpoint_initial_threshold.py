"""ModelCheckpoint that saves nothing before the loss is below a threshold."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(52)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.Adam(0.05), "mse")
good = keras.callbacks.ModelCheckpoint(
    "good.weights.h5",
    monitor="loss",
    save_best_only=True,
    save_weights_only=True,
    initial_value_threshold=2.0,
)
history = model.fit(x, y, batch_size=8, epochs=6, verbose=0, callbacks=[good])
keep(history=history, best=good.best, model=model)
