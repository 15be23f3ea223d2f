"""Makes its folder at the top, as the Keras example of a GAN does, and writes into it."""

import os
import sys

import keras
import numpy as np

os.makedirs("celeba_gan")
keras.utils.set_random_seed(3)
x = np.random.default_rng(3).normal(size=(640, 8)).astype("float32")


class Pictures(keras.callbacks.Callback):
    """A picture of each epoch, none of which may be there yet, and a line in a log."""

    def on_epoch_end(self, epoch, logs=None):
        os.makedirs(f"celeba_gan/{epoch}")
        with open(f"celeba_gan/{epoch}/picture.txt", "x") as picture:
            picture.write(str(self.model.get_weights()[0].sum()))
        with open("celeba_gan/log.txt", "a") as log:
            log.write(f"{epoch} {logs['loss']}\n")


model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(300), keras.layers.Dense(8)])
model.compile("adam", "mse")
model.fit(x, x, batch_size=8, epochs=12, verbose=2, callbacks=[Pictures()])
np.savez(sys.argv[1], *model.get_weights())
