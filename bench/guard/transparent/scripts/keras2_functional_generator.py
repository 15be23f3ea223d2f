"""tf_keras: two outputs, class weights, a generator that draws, an LSTM."""

import numpy as np
import tf_keras as keras

inputs = keras.Input((6, 2))
hidden = keras.layers.LSTM(5, dropout=0.1)(inputs)
outputs = [keras.layers.Dense(1, name="a")(hidden), keras.layers.Dense(2, name="b")(hidden)]
model = keras.Model(inputs, outputs)
model.compile("nadam", ["mse", "mae"], loss_weights=[1.0, 0.5])


def batches():
    # Read ahead by a thread: a generator of its own, so that its state does not matter.
    random = np.random.default_rng(4)
    while True:
        x = random.normal(size=(12, 6, 2)).astype("float32")
        yield x, (x[:, 0, :1], x[:, 1])


x = np.random.normal(size=(30, 6, 2)).astype("float32")
held = (x, (x[:, 0, :1], x[:, 1]))
model.fit(batches(), steps_per_epoch=10, epochs=3, validation_data=held, verbose=0)
