"""A train step with metrics of the model's own, and a counter in a variable."""

import keras
import numpy as np
import tensorflow as tf
from keeping import keep
from keras import layers

keras.utils.set_random_seed(65)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]


class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = layers.Dense(1)
        self.mean, self.worst = keras.metrics.Mean("loss"), keras.metrics.Mean("worst")
        self.steps = tf.Variable(0.0, trainable=False)

    def call(self, inputs):
        return self.inner(inputs)

    @property
    def metrics(self):
        return [self.mean, self.worst]

    def train_step(self, data):
        inputs, target = data
        self.steps.assign_add(1.0)
        with tf.GradientTape() as tape:
            error = (self(inputs) - target) ** 2
            loss = tf.reduce_mean(error) / tf.sqrt(self.steps)
        weights = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        self.mean.update_state(loss)
        self.worst.update_state(tf.reduce_max(error))
        return {metric.name: metric.result() for metric in self.metrics}


model = Own()
model.compile(keras.optimizers.SGD(0.05))
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0)
keep(history=history, steps=model.steps, model=model)
