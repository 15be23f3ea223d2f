"""Two inputs and two outputs, in lists."""

import keras
import numpy as np
from keeping import keep
from keras import layers

keras.utils.set_random_seed(33)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

first, second = keras.Input((4,)), keras.Input((4,))
shared = layers.Dense(6, "relu")
outputs = [layers.Dense(1)(shared(first)), layers.Dense(1)(shared(second))]
model = keras.Model([first, second], outputs)
model.compile("adam", ["mse", "mae"], loss_weights=[1.0, 0.5])
history = model.fit([x, x * 2], [y, -y], batch_size=8, epochs=4, verbose=0)
keep(history=history, model=model)
