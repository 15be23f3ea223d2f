"""A Sequential model on arrays, which Keras shuffles."""

import keras
import numpy as np
from keras import layers

x = np.random.normal(size=(400, 12)).astype("float32")
y = (x.sum(axis=1) > 0).astype("float32")
model = keras.Sequential(
    [layers.Dense(16, activation="relu"), layers.Dropout(0.3), layers.Dense(1)]
)
model.compile("adam", keras.losses.BinaryCrossentropy(from_logits=True), metrics=["accuracy"])
model.fit(x, y, epochs=4, batch_size=32, validation_split=0.2, verbose=0)
model.evaluate(x, y, verbose=0)
