"""Two inputs and two outputs by name, with loss weights and sample weights."""

import keras
import numpy as np
from keras import layers

a, b = keras.Input((6,), name="a"), keras.Input((3,), name="b")
hidden = layers.Dense(12, activation="relu")(layers.concatenate([a, b]))
price = layers.Dense(1, name="price")(hidden)
kind = layers.Dense(4, activation="softmax", name="kind")(hidden)
model = keras.Model({"a": a, "b": b}, {"price": price, "kind": kind})
model.compile(
    "adam",
    {"price": "mse", "kind": "sparse_categorical_crossentropy"},
    loss_weights={"price": 0.3, "kind": 1.0},
    metrics={"kind": ["accuracy"], "price": ["mae"]},
)
x = {"a": np.random.normal(size=(250, 6)), "b": np.random.normal(size=(250, 3))}
y = {"price": np.random.normal(size=(250, 1)), "kind": np.random.randint(0, 4, 250)}
model.fit(x, y, epochs=3, batch_size=32, validation_split=0.2, verbose=0)
