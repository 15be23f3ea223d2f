"""The best weights are loaded at the end, and trained on."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(15)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

labels = (y > 0).astype("float32")
model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1, "sigmoid")])
model.compile(keras.optimizers.Adam(0.03), "binary_crossentropy", metrics=["accuracy"])
best = keras.callbacks.ModelCheckpoint(
    "best.weights.h5",
    monitor="val_accuracy",
    mode="max",
    save_best_only=True,
    save_weights_only=True,
)
first = model.fit(
    x, labels, validation_split=0.25, batch_size=8, epochs=5, verbose=0, callbacks=[best]
)
model.load_weights("best.weights.h5")
second = model.fit(x, labels, batch_size=8, epochs=2, verbose=0)
keep(first=first, second=second, best=best.best, model=model)
