"""Arrays that Keras shuffles, layers with state of their own, and the stock callbacks."""

import sys
from pathlib import Path

import keras
import numpy as np
from keras import layers

out = Path(sys.argv[1])
keras.utils.set_random_seed(1)
random = np.random.default_rng(1)
x = random.normal(size=(2500, 64)).astype("float32")
y = (x[:, :8].sum(axis=1) + random.normal(size=2500) > 0).astype("float32")

model = keras.Sequential(
    [
        keras.Input((64,)),
        layers.Dense(640, activation="relu"),
        layers.BatchNormalization(),
        layers.Dropout(0.3),
        layers.Dense(640, activation="relu"),
        layers.Dropout(0.3),
        layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile("adam", "binary_crossentropy", metrics=["accuracy", keras.metrics.AUC()])
history = model.fit(
    x,
    y,
    batch_size=96,
    epochs=6,
    validation_split=0.2,
    verbose=2,
    callbacks=[
        keras.callbacks.EarlyStopping(patience=4, restore_best_weights=True),
        keras.callbacks.ReduceLROnPlateau(factor=0.5, patience=1),
        keras.callbacks.CSVLogger(out.with_suffix(".csv")),
    ],
)
np.savez(out, *model.get_weights(), **history.history)
