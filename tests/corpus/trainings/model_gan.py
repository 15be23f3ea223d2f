"""A GAN with two optimizers in its own train step.

Announced: RandomStandardNormal
"""

import keras
import numpy as np
import tensorflow as tf
from keeping import keep
from keras import layers

keras.utils.set_random_seed(81)
real = np.random.normal(2.0, 0.5, size=(48, 2)).astype("float32")


class GAN(keras.Model):
    def __init__(self):
        super().__init__()
        self.generator = keras.Sequential(
            [keras.Input((3,)), layers.Dense(8, "relu"), layers.Dense(2)]
        )
        self.critic = keras.Sequential(
            [keras.Input((2,)), layers.Dense(8, "relu"), layers.Dense(1)]
        )
        self.g_loss = keras.metrics.Mean("g_loss")
        self.c_loss = keras.metrics.Mean("c_loss")

    def compile(self, g_optimizer, c_optimizer):
        super().compile()
        self.g_optimizer, self.c_optimizer = g_optimizer, c_optimizer

    def call(self, noise):
        return self.generator(noise)

    @property
    def metrics(self):
        return [self.g_loss, self.c_loss]

    def train_step(self, data):
        noise = tf.random.normal((tf.shape(data)[0], 3))
        with tf.GradientTape() as tape:
            c_loss = tf.reduce_mean(self.critic(self.generator(noise))) - tf.reduce_mean(
                self.critic(data)
            )
        weights = self.critic.trainable_variables
        self.c_optimizer.apply_gradients(zip(tape.gradient(c_loss, weights), weights))
        with tf.GradientTape() as tape:
            g_loss = -tf.reduce_mean(self.critic(self.generator(noise)))
        weights = self.generator.trainable_variables
        self.g_optimizer.apply_gradients(zip(tape.gradient(g_loss, weights), weights))
        self.g_loss.update_state(g_loss)
        self.c_loss.update_state(c_loss)
        return {metric.name: metric.result() for metric in self.metrics}


gan = GAN()
gan.compile(keras.optimizers.Adam(0.01), keras.optimizers.RMSprop(0.01))
history = gan.fit(real, batch_size=8, epochs=4, verbose=0)
optimizers = [gan.g_optimizer, gan.c_optimizer]
keep(history=history, optimizers=optimizers, parts=[gan.generator, gan.critic])
