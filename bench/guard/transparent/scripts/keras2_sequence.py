"""tf_keras: a Sequence that fit shuffles with Python's `random`, and draws in a callback."""

import random

import numpy as np
import tf_keras as keras


class Rows(keras.utils.Sequence):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        x = np.random.default_rng(index).normal(size=(8, 4)).astype("float32")
        return x, x[:, :1]


class Drawing(keras.callbacks.Callback):
    def on_train_batch_begin(self, batch, logs=None):
        keras.backend.set_value(self.model.optimizer.learning_rate, 0.01 * random.random())


model = keras.Sequential([keras.layers.Dense(5, activation="tanh"), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(Rows(), epochs=3, callbacks=[Drawing()], verbose=0)
