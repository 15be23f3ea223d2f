"""Two towers with shared weights, pairs drawn at random by a PyDataset."""

import random

import keras
import numpy as np
from keeping import keep
from keras import layers

keras.utils.set_random_seed(47)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

PyDataset = getattr(keras.utils, "PyDataset", None) or keras.utils.Sequence


class Pairs(PyDataset):
    def __init__(self):
        super().__init__()
        self.random = random.Random(5)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        left = [self.random.randrange(48) for _ in range(8)]
        right = [self.random.randrange(48) for _ in range(8)]
        same = (y[left, 0] > 0) == (y[right, 0] > 0)
        return (x[left], x[right]), same.astype("float32")


tower = keras.Sequential([keras.Input((4,)), layers.Dense(6, "relu"), layers.Dense(3)])
left, right = keras.Input((4,)), keras.Input((4,))
output = layers.Dense(1, "sigmoid")(layers.Subtract()([tower(left), tower(right)]))
model = keras.Model([left, right], output)
model.compile("adam", "binary_crossentropy")
history = model.fit(Pairs(), epochs=4, verbose=0, shuffle=False)
keep(history=history, model=model)
