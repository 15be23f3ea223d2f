"""steps_per_execution, in epochs that it does not divide."""

import keras
import numpy as np
import tensorflow as tf

x = np.random.normal(size=(190, 4)).astype("float32")
data = tf.data.Dataset.from_tensor_slices((x, x[:, :1])).shuffle(50).batch(10)
model = keras.Sequential([keras.layers.Dense(4, "relu"), keras.layers.Dropout(0.5)])
model.add(keras.layers.Dense(1))
model.compile("adam", "mse", steps_per_execution=4)
model.fit(x, x[:, :1], batch_size=10, epochs=3, verbose=0)
model.fit(data, epochs=2, verbose=0)
model.fit(data.repeat(), steps_per_epoch=8, epochs=2, verbose=0)
