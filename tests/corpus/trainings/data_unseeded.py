"""No seed anywhere: the order of rows, the weights, the dropout, a shuffle of tf.data.

Unseeded
"""

import keras
import numpy as np
import tensorflow as tf
from keeping import keep
from keras import layers

x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2
model = keras.Sequential([layers.Dense(8, "relu"), layers.Dropout(0.3), layers.Dense(1)])
model.compile("adam", "mse")
first = model.fit(x, y, batch_size=8, epochs=3, verbose=0)
dataset = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(48).batch(8)
second = model.fit(dataset, epochs=3, verbose=0)
keep(first=first, second=second, model=model)
