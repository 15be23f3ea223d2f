"""First the head, then all of it with a smaller rate."""

import keras
import numpy as np
from keeping import keep
from keras import layers

keras.utils.set_random_seed(83)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

base = keras.Sequential([keras.Input((4,)), layers.Dense(8, "relu"), layers.BatchNormalization()])
base.trainable = False
inputs = keras.Input((4,))
model = keras.Model(inputs, layers.Dense(1)(base(inputs, training=False)))
model.compile(keras.optimizers.Adam(0.02), "mse")
first = model.fit(x, y, batch_size=8, epochs=3, verbose=0)
base.trainable = True
model.compile(keras.optimizers.Adam(0.002), "mse")
second = model.fit(x, y, batch_size=8, initial_epoch=first.epoch[-1], epochs=6, verbose=0)
keep(first=first, second=second, model=model)
