"""A callback asks for its rates over a socket, and the other side counts.

Announced: socket
"""

import socket

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(68)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
ours, theirs = socket.socketpair()


class Ask(keras.callbacks.Callback):
    def __init__(self, wire):
        super().__init__()
        self.wire = wire

    def on_epoch_begin(self, epoch, logs=None):
        theirs.send(bytes([epoch + 1]))
        self.model.optimizer.learning_rate = 0.01 / self.wire.recv(1)[0]


history = model.fit(x, y, batch_size=8, epochs=4, verbose=0, callbacks=[Ask(ours)])
keep(history=history, model=model)
