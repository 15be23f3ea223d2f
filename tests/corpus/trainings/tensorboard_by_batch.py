"""TensorBoard by batches, with a scalar that a callback writes.

Uses: tensorboard
"""

import keras
import numpy as np
import tensorflow as tf
from keeping import keep

keras.utils.set_random_seed(28)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
writer = tf.summary.create_file_writer("logs/own")


class Rate(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        with writer.as_default():
            tf.summary.scalar("rate", 0.1 / (epoch + 1), step=epoch)


history = model.fit(
    x,
    y,
    batch_size=8,
    epochs=3,
    verbose=0,
    callbacks=[keras.callbacks.TensorBoard("logs", update_freq=2), Rate()],
)
writer.flush()
keep(history=history, model=model)
