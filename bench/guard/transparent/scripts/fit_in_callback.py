"""A second model that is trained inside of a callback of the first, also batch by batch."""

import random

import keras
import numpy as np

x = np.random.normal(size=(90, 4)).astype("float32")


def made():
    model = keras.Sequential([keras.layers.Dense(4), keras.layers.Dropout(0.2)])
    model.add(keras.layers.Dense(1))
    model.compile("adam", "mse")
    return model


class Student(keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.student = made()

    def on_train_batch_end(self, batch, logs=None):
        if random.random() < 0.3:
            self.model.train_on_batch(x[:8], x[:8, :1])

    def on_epoch_end(self, epoch, logs=None):
        self.student.fit(x, self.model.predict(x, verbose=0), epochs=1, verbose=0)


teacher = made()
teacher.fit(x, x[:, :1], epochs=3, callbacks=[Student()], verbose=0)
