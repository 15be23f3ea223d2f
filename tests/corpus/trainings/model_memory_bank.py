"""Contrastive training with a memory bank in a variable, and a place in it.

Announced: RandomStandardNormal
"""

import keras
import numpy as np
import tensorflow as tf
from keeping import keep
from keras import layers

keras.utils.set_random_seed(10)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]


class Contrast(keras.Model):
    def __init__(self):
        super().__init__()
        self.encoder = layers.Dense(3)
        self.bank = tf.Variable(tf.random.normal((24, 3)), trainable=False)
        self.at = tf.Variable(0, trainable=False)

    def call(self, inputs):
        return tf.math.l2_normalize(self.encoder(inputs), axis=1)

    def train_step(self, data):
        with tf.GradientTape() as tape:
            codes = self(data)
            near = self(data + 0.1 * tf.random.normal(tf.shape(data)))
            positive = tf.reduce_sum(codes * near, axis=1, keepdims=True)
            logits = tf.concat([positive, tf.matmul(codes, self.bank, transpose_b=True)], axis=1)
            loss = -tf.reduce_mean(tf.nn.log_softmax(logits)[:, 0])
        weights = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        rows = (self.at + tf.range(tf.shape(codes)[0])) % 24
        self.bank.scatter_nd_update(rows[:, None], codes)
        self.at.assign((self.at + tf.shape(codes)[0]) % 24)
        return {"loss": loss}


model = Contrast()
model.compile(keras.optimizers.SGD(0.1))
history = model.fit(x, batch_size=8, epochs=4, verbose=0)
keep(history=history, bank=model.bank, at=model.at, model=model)
