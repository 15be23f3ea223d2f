"""A loop of its own with `train_on_batch`: two lines for fitguard."""

import sys

import keras
import numpy as np
from keras import layers

from fitguard.keras import Guard

keras.utils.set_random_seed(10)
random = np.random.default_rng(10)
x = random.normal(size=(1600, 64)).astype("float32")
y = np.sin(x[:, :3].sum(axis=1, keepdims=True))

model = keras.Sequential(
    [
        keras.Input((64,)),
        layers.Dense(512, activation="relu"),
        layers.Dropout(0.2),
        layers.Dense(512, activation="relu"),
        layers.Dense(1),
    ]
)
model.compile("adam", "mse")

guard = Guard(model)
for step in range(guard.start, 120):
    rows = np.random.permutation(1600)[:100]
    model.train_on_batch(x[rows], y[rows])
    guard.step_done(step)
np.savez(sys.argv[1], *model.get_weights())
