"""A GAN with two optimizers; keras.random draws in its train_step."""

import keras
import numpy as np
import tensorflow as tf
from keras import layers


class Gan(keras.Model):
    def __init__(self):
        super().__init__()
        self.maker = keras.Sequential([keras.Input((4,)), layers.Dense(8, "relu"), layers.Dense(6)])
        self.judge = keras.Sequential([keras.Input((6,)), layers.Dense(8, "relu"), layers.Dense(1)])
        self.seeds = keras.random.SeedGenerator()
        self.losses_seen = [keras.metrics.Mean(name="maker"), keras.metrics.Mean(name="judge")]

    def compile(self, maker_optimizer, judge_optimizer):
        super().compile()
        self.maker_optimizer, self.judge_optimizer = maker_optimizer, judge_optimizer
        self.loss_fn = keras.losses.BinaryCrossentropy(from_logits=True)

    @property
    def metrics(self):
        return self.losses_seen

    def train_step(self, real):
        rows = tf.shape(real)[0]
        made = self.maker(keras.random.normal((rows, 4), seed=self.seeds))
        labels = tf.concat([tf.ones((rows, 1)), tf.zeros((rows, 1))], 0)
        labels += 0.05 * tf.random.uniform(tf.shape(labels))
        with tf.GradientTape() as tape:
            lost = self.loss_fn(labels, self.judge(tf.concat([made, real], 0)))
        weights = self.judge.trainable_weights
        self.judge_optimizer.apply(tape.gradient(lost, weights), weights)
        with tf.GradientTape() as tape:
            made = self.maker(keras.random.normal((rows, 4), seed=self.seeds))
            fooled = self.loss_fn(tf.zeros((rows, 1)), self.judge(made))
        weights = self.maker.trainable_weights
        self.maker_optimizer.apply(tape.gradient(fooled, weights), weights)
        for metric, loss in zip(self.losses_seen, (fooled, lost), strict=True):
            metric.update_state(loss)
        return {metric.name: metric.result() for metric in self.losses_seen}


gan = Gan()
gan.compile(keras.optimizers.Adam(1e-3), keras.optimizers.RMSprop(1e-3))
data = np.random.normal(size=(160, 6)).astype("float32")
gan.fit(tf.data.Dataset.from_tensor_slices(data).shuffle(100).batch(16), epochs=3, verbose=0)
