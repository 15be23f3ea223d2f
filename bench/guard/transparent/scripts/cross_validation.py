"""A model for each fold, clear_session between, the best one loaded again and trained on."""

import random

import keras
import numpy as np

x = np.random.normal(size=(120, 5)).astype("float32")
y = (x[:, 0] > 0).astype("float32")
rows = list(range(120))
random.shuffle(rows)
for fold in range(3):
    keras.backend.clear_session()
    held = rows[fold::3]
    kept = [row for row in rows if row not in held]
    model = keras.Sequential([keras.layers.Dense(6, "relu"), keras.layers.Dense(1, "sigmoid")])
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    model.fit(x[kept], y[kept], epochs=2, validation_data=(x[held], y[held]), verbose=0)
    model.save(f"fold{fold}.keras")
loaded = keras.models.load_model("fold1.keras")
loaded.fit(x, y, epochs=2, verbose=0)
