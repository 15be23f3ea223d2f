"""A stateful LSTM, reset by a callback at each epoch."""

import keras
import numpy as np
from keeping import keep
from keras import layers

keras.utils.set_random_seed(27)
x = np.random.normal(size=(48, 3, 2)).astype("float32")
y = x.sum(axis=(1, 2))[:, None]
inputs = keras.Input(batch_shape=(8, 3, 2))
rnn = layers.LSTM(4, stateful=True)
model = keras.Model(inputs, layers.Dense(1)(rnn(inputs)))
model.compile("adam", "mse")


class Reset(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        if epoch % 2 == 0:
            rnn.reset_states() if hasattr(rnn, "reset_states") else rnn.reset_state()


history = model.fit(x, y, batch_size=8, epochs=4, verbose=0, shuffle=False, callbacks=[Reset()])
keep(history=history, states=[np.asarray(state) for state in rnn.states], model=model)
