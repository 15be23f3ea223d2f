"""A last batch that is smaller, and BatchNormalization."""

import keras
import numpy as np
from keeping import keep
from keras import layers

keras.utils.set_random_seed(33)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential(
    [layers.Dense(8), layers.BatchNormalization(), layers.ReLU(), layers.Dense(1)]
)
model.compile("adam", "mse")
history = model.fit(x, y, batch_size=7, epochs=4, verbose=0, validation_data=(x[:10], y[:10]))
keep(history=history, model=model)
