"""A model with its own `train_step`: two networks, two optimizers."""

import sys

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops

keras.utils.set_random_seed(6)


class GAN(keras.Model):
    """As in the guide to customising `fit`."""

    def __init__(self, discriminator, generator, latent):
        super().__init__()
        self.discriminator, self.generator, self.latent = discriminator, generator, latent
        self.seeds = keras.random.SeedGenerator(1337)
        self.d_tracker = keras.metrics.Mean(name="d_loss")
        self.g_tracker = keras.metrics.Mean(name="g_loss")

    def compile(self, d_optimizer, g_optimizer, loss):
        super().compile()
        self.d_optimizer, self.g_optimizer, self.loss_of = d_optimizer, g_optimizer, loss

    @property
    def metrics(self):
        return [self.d_tracker, self.g_tracker]

    def train_step(self, real):
        rows = ops.shape(real)[0]
        made = self.generator(keras.random.normal((rows, self.latent), seed=self.seeds))
        both = ops.concatenate([made, real], axis=0)
        truth = ops.concatenate([ops.ones((rows, 1)), ops.zeros((rows, 1))], axis=0)
        truth += 0.05 * keras.random.uniform(ops.shape(truth), seed=self.seeds)
        with tf.GradientTape() as tape:
            d_loss = self.loss_of(truth, self.discriminator(both, training=True))
        weights = self.discriminator.trainable_weights
        self.d_optimizer.apply(tape.gradient(d_loss, weights), weights)

        noise = keras.random.normal((rows, self.latent), seed=self.seeds)
        with tf.GradientTape() as tape:
            judged = self.discriminator(self.generator(noise), training=True)
            g_loss = self.loss_of(ops.zeros((rows, 1)), judged)
        weights = self.generator.trainable_weights
        self.g_optimizer.apply(tape.gradient(g_loss, weights), weights)
        self.d_tracker.update_state(d_loss)
        self.g_tracker.update_state(g_loss)
        return {metric.name: metric.result() for metric in self.metrics}


discriminator = keras.Sequential(
    [
        keras.Input((32,)),
        layers.Dense(400),
        layers.LeakyReLU(0.2),
        layers.Dropout(0.2),
        layers.Dense(1),
    ]
)
generator = keras.Sequential(
    [
        keras.Input((16,)),
        layers.Dense(400, activation="relu"),
        layers.BatchNormalization(),
        layers.Dense(32),
    ]
)
gan = GAN(discriminator, generator, 16)
gan.compile(
    keras.optimizers.Adam(1e-3),
    keras.optimizers.Adam(5e-4, beta_1=0.5),
    keras.losses.BinaryCrossentropy(from_logits=True),
)
points = np.random.default_rng(6).normal(2.0, 0.5, size=(2000, 32)).astype("float32")
history = gan.fit(points, batch_size=100, epochs=5, verbose=2)
np.savez(sys.argv[1], *gan.get_weights(), **history.history)
