"""Class weights, sample weights, and a last batch that is not full."""

import keras
import numpy as np

x = np.random.normal(size=(203, 7)).astype("float32")
y = np.random.randint(0, 3, 203)
model = keras.Sequential([keras.layers.Dense(9, "selu"), keras.layers.Dense(3)])
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile("nadam", loss, metrics=["accuracy"], weighted_metrics=["accuracy"])
model.fit(x, y, batch_size=50, epochs=3, class_weight={0: 1.0, 1: 3.0, 2: 0.5}, verbose=0)
weights = np.random.random(203).astype("float32")
model.fit(x, y, batch_size=50, epochs=2, sample_weight=weights, verbose=0)
