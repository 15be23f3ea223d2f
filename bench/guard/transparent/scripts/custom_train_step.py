"""train_step, test_step, metrics of its own, and a loss that is added by a layer."""

import keras
import numpy as np
import tensorflow as tf
from keras import layers


class Regressor(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = layers.Dense(16, "relu", kernel_regularizer="l2", activity_regularizer="l1")
        self.drop = layers.Dropout(0.25)
        self.end = layers.Dense(1)
        self.error = keras.metrics.Mean(name="error")

    @property
    def metrics(self):
        return [self.error]

    def call(self, x, training=False):
        return self.end(self.drop(self.hidden(x), training=training))

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            found = self(x, training=True)
            loss = keras.ops.mean(keras.losses.huber(y, found)) + sum(self.losses)
        gradients = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_weights, strict=True))
        self.error.update_state(loss)
        return {"error": self.error.result()}

    def test_step(self, data):
        x, y = data
        self.error.update_state(keras.losses.huber(y, self(x)))
        return {"error": self.error.result()}


x = np.random.normal(size=(150, 4)).astype("float32")
model = Regressor()
model.compile(optimizer="adam")
model.fit(x, x[:, 1:2], epochs=3, batch_size=20, validation_data=(x, x[:, 1:2]), verbose=0)
