"""A stateful LSTM, reset by a callback; not shuffled."""

import keras
import numpy as np
from keras import layers

x = np.random.normal(size=(80, 5, 2)).astype("float32")


class Reset(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        self.model.layers[0].reset_states()


model = keras.Sequential(
    [keras.Input(batch_shape=(8, 5, 2)), layers.LSTM(4, stateful=True), layers.Dense(1)]
)
model.compile("adam", "mse")
model.fit(x, x[:, 0, :1], batch_size=8, epochs=3, shuffle=False, callbacks=[Reset()], verbose=0)
