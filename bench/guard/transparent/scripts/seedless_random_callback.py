"""Callbacks that draw from `random` at each of their moments, on a PyDataset that fit shuffles."""

import random

import keras
import numpy as np


class Rows(keras.utils.PyDataset):
    def __len__(self):
        return 9

    def __getitem__(self, index):
        x = np.random.default_rng(index).normal(size=(8, 3)).astype("float32")
        return x, x.sum(axis=1)


class Jitter(keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.seen = [random.random()]

    def on_epoch_begin(self, epoch, logs=None):
        self.seen.append(random.random())

    def on_train_batch_begin(self, batch, logs=None):
        self.model.optimizer.learning_rate = 0.01 * random.random()

    def on_train_batch_end(self, batch, logs=None):
        self.seen.append(np.random.random())

    def on_epoch_end(self, epoch, logs=None):
        self.seen.append(random.random())


jitter = Jitter()
model = keras.Sequential([keras.layers.Dense(5, activation="tanh"), keras.layers.Dense(1)])
model.compile("rmsprop", "mse")
model.fit(Rows(), epochs=4, callbacks=[jitter], verbose=0)
np.save("seen.npy", np.array(jitter.seen))
