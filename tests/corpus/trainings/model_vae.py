"""A VAE that draws in a layer of its own and adds its own loss.

Announced: RandomStandardNormal
"""

import keras
import numpy as np
import tensorflow as tf
from keeping import keep
from keras import layers

keras.utils.set_random_seed(30)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]


class Draw(layers.Layer):
    def call(self, inputs):
        mean, log = inputs
        self.add_loss(-0.05 * tf.reduce_mean(1 + log - mean**2 - tf.exp(log)))
        return mean + tf.exp(0.5 * log) * tf.random.normal(tf.shape(mean))


inputs = keras.Input((4,))
hidden = layers.Dense(8, "relu")(inputs)
code = Draw()([layers.Dense(2)(hidden), layers.Dense(2)(hidden)])
model = keras.Model(inputs, layers.Dense(4)(code))
model.compile("adam", "mse")
history = model.fit(x, x, batch_size=8, epochs=5, verbose=0)
keep(history=history, model=model)
