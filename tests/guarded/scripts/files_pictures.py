"""Makes its folder at the top, as the Keras example of a GAN does, and writes into it."""

import os
import sys

import keras
import numpy as np

os.makedirs("celeba_gan")
keras.utils.set_random_seed(3)
x = np.random.default_rng(3).normal(size=(320, 8)).astype("float32")


class Pictures(keras.callbacks.Callback):
    """A picture of each epoch, none of which may be there yet, and a line in a log."""

    def on_epoch_end(self, epoch, logs=None):
        os.mkdir(f"celeba_gan/{epoch}")
        with open(f"celeba_gan/{epoch}/picture.txt", "x") as picture:
            picture.write(str(logs["loss"]))
        with open("celeba_gan/log.txt", "a") as log:
            log.write(f"{epoch}: {logs['loss']}\n")


model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(8)])
model.compile("adam", "mse")
history = model.fit(x, x, batch_size=8, epochs=40, verbose=2, callbacks=[Pictures()])
losses = history.history["loss"]
lines = [f"{epoch}: {loss}\n" for epoch, loss in enumerate(losses)]
with open("celeba_gan/log.txt") as log:
    assert log.readlines() == lines
for epoch, loss in enumerate(losses):
    with open(f"celeba_gan/{epoch}/picture.txt") as picture:
        assert picture.read() == str(loss)
np.savez(sys.argv[1], *model.get_weights())
