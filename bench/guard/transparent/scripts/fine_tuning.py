"""Transfer: a frozen base, a new head, then unfrozen, compiled again and trained on."""

import keras
import numpy as np
from keras import layers

x = np.random.normal(size=(120, 8)).astype("float32")
base = keras.Sequential([keras.Input((8,)), layers.Dense(12, "relu"), layers.BatchNormalization()])
whole = keras.Sequential([base, layers.Dense(1)])
whole.compile("adam", "mse")
whole.fit(x, x[:, :1], epochs=2, verbose=0)
base.trainable = False
inputs = keras.Input((8,))
model = keras.Model(inputs, layers.Dense(3, activation="softmax")(base(inputs, training=False)))
model.compile(keras.optimizers.Adam(1e-2), "sparse_categorical_crossentropy")
labels = np.random.randint(0, 3, 120)
model.fit(x, labels, epochs=2, verbose=0)
base.trainable = True
model.compile(keras.optimizers.Adam(1e-4), "sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(x, labels, epochs=5, initial_epoch=2, verbose=0)
