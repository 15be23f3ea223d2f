"""A training to be killed: `survivor.py OUT STEPS [BACKUP_FOLDER EVERY]`.

Each step leaves a byte in the file STEPS. With a folder, Keras' own BackupAndRestore is used.
"""

import os
import sys
import time

import keras
import numpy as np
from keras import layers

out, steps, *backup = sys.argv[1:]


class Steps(keras.callbacks.Callback):
    """Counts, also over the end of a process, and takes the time that a larger model would."""

    def on_train_batch_end(self, batch, logs=None):  # noqa: ARG002
        file = os.open(steps, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, b".")
        os.close(file)
        time.sleep(0.04)


keras.utils.set_random_seed(1)
random = np.random.default_rng(1)
x = random.normal(size=(4000, 64)).astype("float32")
y = (x[:, :8].sum(axis=1) + random.normal(size=4000) > 0).astype("float32")
model = keras.Sequential(
    [
        keras.Input((64,)),
        layers.Dense(512, activation="relu"),
        layers.BatchNormalization(),
        layers.Dropout(0.3),
        layers.Dense(512, activation="relu"),
        layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile("adam", "binary_crossentropy")
callbacks = [Steps()]
if backup:
    folder, every = backup
    frequency = every if every == "epoch" else int(every)
    callbacks.append(keras.callbacks.BackupAndRestore(folder, save_freq=frequency))
model.fit(x, y, batch_size=80, epochs=10, verbose=0, callbacks=callbacks)
np.savez(out, *model.get_weights())
