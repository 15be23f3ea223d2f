"""A model with a phase, which a callback sets and the train step reads."""

import keras
import numpy as np
import tensorflow as tf
from keeping import keep

keras.utils.set_random_seed(35)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]


class Phased(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = keras.layers.Dense(1)
        self.phase = "warm"
        self.changes = []

    def call(self, inputs):
        return self.inner(inputs)

    def train_step(self, data):
        inputs, target = data
        with tf.GradientTape() as tape:
            error = self(inputs) - target
            loss = tf.reduce_mean(tf.abs(error) if self.phase == "warm" else error**2)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


class Switch(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        self.model.phase = "hot" if epoch % 2 == 0 else "warm"
        self.model.changes.append(self.model.phase)


model = Phased()
model.compile(keras.optimizers.SGD(0.05), run_eagerly=True)
history = model.fit(x, y, batch_size=12, epochs=5, verbose=0, callbacks=[Switch()])
keep(history=history, phase=model.phase, changes=list(model.changes), model=model)
