"""tf.data: shuffled without a seed of its own, cached, batched, repeated; steps by number."""

import keras
import numpy as np
import tensorflow as tf

x = np.random.normal(size=(200, 5)).astype("float32")
data = tf.data.Dataset.from_tensor_slices((x, x.sum(axis=1))).cache().shuffle(100)
data = data.repeat().batch(16).prefetch(tf.data.AUTOTUNE)
model = keras.Sequential([keras.layers.Dense(6, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(
    data, steps_per_epoch=9, epochs=4, validation_data=data.take(3), validation_steps=2, verbose=0
)
