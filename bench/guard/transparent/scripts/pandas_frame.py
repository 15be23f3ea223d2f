"""Columns of a pandas frame, adapted by Normalization and StringLookup."""

import keras
import numpy as np
import pandas as pd
from keras import layers

frame = pd.DataFrame(
    {"age": np.random.randint(18, 80, 150), "income": np.random.lognormal(10, 1, 150)}
)
label = (frame["age"] > 40).astype("float32")
normalization = layers.Normalization()
normalization.adapt(frame.to_numpy().astype("float32"))
model = keras.Sequential([normalization, layers.Dense(6, "relu"), layers.Dense(1, "sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
model.fit(frame.astype("float32"), label, epochs=3, verbose=0)
model.fit(frame.astype("float32"), label, epochs=2, validation_split=0.2, verbose=0)
