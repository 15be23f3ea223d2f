"""Four steps in one call of the train function; 30 steps an epoch are no multiple of it.

steps_per_execution.py OUT [FILE]: slowly, until that file is there.
"""

import sys
import time
from pathlib import Path

import keras
import numpy as np
from keras import layers

out, *until = sys.argv[1:]


class Slowly(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):  # noqa: ARG002
        if not all(Path(file).exists() for file in until):
            time.sleep(0.3)


keras.utils.set_random_seed(8)
random = np.random.default_rng(8)
x = random.normal(size=(1800, 64)).astype("float32")
y = x[:, :4].prod(axis=1, keepdims=True)

model = keras.Sequential(
    [
        keras.Input((64,)),
        layers.Dense(512, activation="relu", kernel_regularizer="l2"),
        layers.Dropout(0.2),
        layers.Dense(512, activation="relu"),
        layers.Dense(1),
    ]
)
model.compile("adam", "mse", steps_per_execution=4)
history = model.fit(
    x, y, batch_size=60, epochs=4, validation_split=0.1, verbose=2, callbacks=[Slowly()]
)
np.savez(out, *model.get_weights(), **history.history)
