"""A VAE: a sampling layer with its own generator, and add_loss."""

import keras
import numpy as np
from keras import layers, ops


class Sampling(layers.Layer):
    def __init__(self):
        super().__init__()
        self.seed_generator = keras.random.SeedGenerator(7)

    def call(self, parts):
        mean, spread = parts
        self.add_loss(0.01 * ops.mean(ops.square(mean) + ops.exp(spread) - spread - 1))
        noise = keras.random.normal(ops.shape(mean), seed=self.seed_generator)
        return mean + ops.exp(0.5 * spread) * noise


inputs = keras.Input((10,))
hidden = layers.Dense(8, activation="relu")(inputs)
code = Sampling()([layers.Dense(2)(hidden), layers.Dense(2)(hidden)])
model = keras.Model(inputs, layers.Dense(10)(layers.Dense(8, activation="relu")(code)))
model.compile("adamax", "mse")
x = np.random.random((180, 10)).astype("float32")
model.fit(x, x, epochs=4, batch_size=30, verbose=0)
