"""tf_keras: a lazily built model with its own train_step, on a dataset that is shuffled."""

import numpy as np
import tensorflow as tf
import tf_keras as keras


class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = keras.layers.Dense(6, activation="relu")
        self.noise = keras.layers.GaussianNoise(0.2)
        self.end = keras.layers.Dense(1)
        self.seen = keras.metrics.Mean(name="loss")

    def call(self, x, training=False):
        return self.end(self.noise(self.hidden(x), training=training))

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
        self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
        self.seen.update_state(loss)
        return {"loss": self.seen.result()}


x = np.random.normal(size=(130, 4)).astype("float32")
data = tf.data.Dataset.from_tensor_slices((x, x[:, :1])).shuffle(60).batch(16)
model = Own()
model.compile(keras.optimizers.legacy.Adam(0.01))
model.fit(data, epochs=3, verbose=0)
