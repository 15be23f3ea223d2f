"""ModelCheckpoint writes a whole model whenever it is better than ever.

Needs: 3
"""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(21)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.Adam(0.3), "mse")
best = keras.callbacks.ModelCheckpoint("best.keras", monitor="val_loss", save_best_only=True)
history = model.fit(
    x, y, batch_size=8, epochs=6, verbose=0, validation_split=0.25, callbacks=[best]
)
keep(history=history, best=best.best, model=model)
