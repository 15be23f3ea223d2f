"""A train step in Python with its own counter and list; run_eagerly."""

import keras
import numpy as np
import tensorflow as tf
from keeping import keep
from keras import layers

keras.utils.set_random_seed(22)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]


class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = layers.Dense(1)
        self.seen = {"steps": 0, "losses": []}

    def call(self, inputs):
        return self.inner(inputs)

    def train_step(self, data):
        inputs, target = data
        self.seen["steps"] += 1
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(inputs) - target) ** 2) / self.seen["steps"]
        weights = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        self.seen["losses"] = [*self.seen["losses"], float(loss)][-3:]
        return {"loss": loss}


model = Own()
model.compile(keras.optimizers.SGD(0.1), run_eagerly=True)
history = model.fit(x, y, batch_size=12, epochs=4, verbose=0)
keep(history=history, steps=model.seen["steps"], losses=list(model.seen["losses"]), model=model)
