"""A denoising autoencoder with tied noise, and its encoder used afterwards."""

import keras
import numpy as np
from keeping import keep
from keras import layers

keras.utils.set_random_seed(26)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

inputs = keras.Input((4,))
code = layers.Dense(2, "tanh")(layers.GaussianNoise(0.2)(inputs))
model = keras.Model(inputs, layers.Dense(4)(code))
encoder = keras.Model(inputs, code)
model.compile("adam", "mse")
history = model.fit(x, x, batch_size=8, epochs=5, verbose=0)
codes = encoder.predict(x, verbose=0)
head = keras.Sequential([layers.Dense(1)])
head.compile("adam", "mse")
second = head.fit(codes, y, batch_size=8, epochs=2, verbose=0)
keep(history=history, second=second, codes=codes, model=model, head=head)
