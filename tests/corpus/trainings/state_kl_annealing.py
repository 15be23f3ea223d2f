"""A global tf.Variable in the loss, which a callback raises at each epoch."""

import keras
import numpy as np
import tensorflow as tf
from keeping import keep

keras.utils.set_random_seed(54)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

beta = tf.Variable(0.0, trainable=False)


def loss(target, output):
    return tf.reduce_mean((target - output) ** 2) + beta * tf.reduce_mean(output**2)


class Anneal(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        beta.assign(min(1.0, float(beta) + 0.2))


model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", loss)
history = model.fit(x, y, batch_size=8, epochs=5, verbose=0, callbacks=[Anneal()])
keep(history=history, beta=beta, model=model)
