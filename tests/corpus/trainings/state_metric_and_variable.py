"""A metric of Keras and a tf.Variable that only a callback holds."""

import keras
import numpy as np
import tensorflow as tf
from keeping import keep

keras.utils.set_random_seed(79)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Watch(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.mean = keras.metrics.Mean()
        self.steps = tf.Variable(0)

    def on_train_batch_end(self, batch, logs=None):
        self.mean.update_state(logs["loss"])
        self.steps.assign_add(1)
        if int(self.steps) % 4 == 0:
            self.model.optimizer.learning_rate = 0.002 * float(self.mean.result())


watch = Watch()
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0, callbacks=[watch])
keep(history=history, mean=watch.mean.result(), steps=watch.steps, model=model)
