"""Weights for classes that are not alike in number."""

import keras
import numpy as np
from keeping import keep
from keras import layers

keras.utils.set_random_seed(14)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

labels = (x[:, 0] > 0.8).astype("int32")
model = keras.Sequential([layers.Dense(8, "relu"), layers.Dense(2, "softmax")])
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(x, labels, class_weight={0: 0.5, 1: 3.0}, batch_size=8, epochs=4, verbose=0)
keep(history=history, model=model)
