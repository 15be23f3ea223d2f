"""Memory that is taken for the first two epochs: `taken_for_a_while.py OUT MEBIBYTES`."""

import sys

import keras
import numpy as np
import tensorflow as tf

ROWS, WIDTH = 64, 64

out, mebibytes = sys.argv[1], int(sys.argv[2])
held = []


class Taken(keras.callbacks.Callback):
    """Gives it back when the third epoch begins."""

    def on_epoch_begin(self, epoch, logs=None):  # noqa: ARG002
        if epoch == 2:
            held.clear()


keras.utils.set_random_seed(1)
model = keras.Sequential(
    [
        keras.Input((WIDTH, WIDTH, 3)),
        *(keras.layers.Conv2D(16, 3, padding="same", activation="relu") for _ in range(6)),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(10, activation="softmax"),
    ]
)
model.compile(keras.optimizers.SGD(0.01), "sparse_categorical_crossentropy", jit_compile=False)
random = np.random.default_rng(1)
x = random.normal(size=(4 * ROWS, WIDTH, WIDTH, 3)).astype("float32")
y = random.integers(0, 10, 4 * ROWS)
held.append(tf.ones((mebibytes, 2**18)))
model.fit(x, y, batch_size=ROWS, epochs=4, shuffle=False, verbose=2, callbacks=[Taken()])
np.savez(out, *model.get_weights())
