"""A small training with a seed: `small.py OUT SEED EPOCHS`."""

import sys

import keras
import numpy as np

out, seed, epochs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
keras.utils.set_random_seed(seed)
x = np.random.default_rng(seed).normal(size=(400, 16)).astype("float32")
model = keras.Sequential(
    [
        keras.Input((16,)),
        keras.layers.Dense(32, activation="relu"),
        keras.layers.Dropout(0.2),
        keras.layers.Dense(1),
    ]
)
model.compile("adam", "mse")
history = model.fit(x, x[:, :1], batch_size=20, epochs=epochs, verbose=0)
np.savez(out, *model.get_weights(), **history.history)
