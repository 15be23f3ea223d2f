"""A callback that freezes a layer in the middle, and stops another fit early."""

import keras
import numpy as np

x = np.random.normal(size=(100, 4)).astype("float32")


class Freezing(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        if epoch == 2:
            self.model.layers[0].trainable = False
            self.model.make_train_function(force=True)

    def on_train_batch_end(self, batch, logs=None):
        if self.params["epochs"] == 9 and batch == 3:
            self.model.stop_training = True


model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(4), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(x, x[:, :1], epochs=4, callbacks=[Freezing()], verbose=0)
model.fit(x, x[:, :1], epochs=9, batch_size=10, callbacks=[Freezing()], verbose=0)
