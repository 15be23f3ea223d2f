"""Half precision: the loss is scaled, and the scale moves."""

import sys

import keras
import numpy as np
from keras import layers

keras.utils.set_random_seed(7)
keras.mixed_precision.set_global_policy("mixed_float16")
random = np.random.default_rng(7)
x = random.normal(size=(900, 48)).astype("float32")
y = random.integers(0, 5, 900)
weight = random.random(900).astype("float32")

model = keras.Sequential(
    [
        keras.Input((48,)),
        layers.Dense(128, activation="relu"),
        layers.Dropout(0.1),
        layers.Dense(128, activation="relu"),
        layers.Dense(5),
        layers.Activation("softmax", dtype="float32"),
    ]
)
# A scale so high that the first steps overflow, and that grows again soon.
optimizer = keras.optimizers.LossScaleOptimizer(
    keras.optimizers.Adam(), initial_scale=2.0**30, dynamic_growth_steps=20
)
model.compile(optimizer, "sparse_categorical_crossentropy", weighted_metrics=["accuracy"])
history = model.fit(x, y, sample_weight=weight, batch_size=50, epochs=6, verbose=2)
np.savez(sys.argv[1], *model.get_weights(), **history.history)
