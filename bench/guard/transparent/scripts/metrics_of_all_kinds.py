"""Metrics that keep much: AUC, F1, recall at precision, confusion."""

import keras
import numpy as np

x = np.random.normal(size=(150, 5)).astype("float32")
y = np.eye(3, dtype="float32")[np.random.randint(0, 3, 150)]
model = keras.Sequential([keras.layers.Dense(6, "relu"), keras.layers.Dense(3, "softmax")])
metrics = [
    keras.metrics.AUC(),
    keras.metrics.F1Score(average="macro"),
    keras.metrics.RecallAtPrecision(0.4),
    keras.metrics.OneHotMeanIoU(3),
    keras.metrics.TopKCategoricalAccuracy(2),
]
model.compile("adam", keras.losses.CategoricalFocalCrossentropy(), metrics=metrics)
model.fit(x, y, epochs=3, validation_split=0.2, verbose=0)
