"""A training that times itself: `step_cost.py OUT dense|cnn EPOCHS`."""

import sys
import time

import keras
import numpy as np
from keras import layers

out, kind, epochs = sys.argv[1], sys.argv[2], int(sys.argv[3])
keras.utils.set_random_seed(1)
random = np.random.default_rng(1)
if kind == "dense":
    x = random.random((16_000, 32), dtype="float32")
    body = [keras.Input((32,)), layers.Dense(64, activation="relu")]
else:
    x = random.random((3_200, 32, 32, 3), dtype="float32")
    body = [
        keras.Input((32, 32, 3)),
        layers.Conv2D(16, 3, activation="relu"),
        layers.MaxPooling2D(),
        layers.Conv2D(32, 3, activation="relu"),
        layers.BatchNormalization(),
        layers.GlobalAveragePooling2D(),
    ]
y = random.integers(0, 10, len(x))
model = keras.Sequential([*body, layers.Dropout(0.2), layers.Dense(10, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])

model.fit(x, y, epochs=1, verbose=0)  # traces
started = time.perf_counter()
model.fit(x, y, epochs=epochs, verbose=0)
seconds = time.perf_counter() - started
np.savez(out, *model.get_weights(), seconds=seconds, steps=epochs * -(-len(x) // 32))
