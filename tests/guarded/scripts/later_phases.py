"""A training whose later part needs more memory than its first: `later_phases.py OUT KIND`."""

import sys

import keras
import numpy as np
import tensorflow as tf
from keras import layers

out, kind = sys.argv[1:3]
keras.utils.set_random_seed(3)
ROWS = 64


def network(*, normalized):
    """Blocks with connections around them."""
    given = value = keras.Input((32, 32, 3))
    for number in range(10):
        new = layers.Conv2D(12, 3, padding="same")(value)
        new = layers.BatchNormalization()(new) if normalized else new
        new = layers.Dropout(0.1)(layers.ReLU()(new))
        value = layers.Add()([value, new]) if number else new
    value = layers.GlobalAveragePooling2D()(value)
    return keras.Model(given, layers.Dense(1, activation="sigmoid")(value))


def memory():
    """What it has read, it remembers for the next batch."""
    return keras.Sequential(
        [
            keras.Input(batch_shape=(ROWS, 60, 8)),
            layers.LSTM(128, stateful=True, return_sequences=True),
            layers.GRU(128, stateful=True, return_sequences=True),
            layers.Dense(1),
        ]
    )


def reader():
    """For sequences of any length."""
    given = value = keras.Input((None, 8))
    for number in range(8):
        new = layers.Conv1D(24, 5, padding="same", activation="relu")(value)
        value = layers.Add()([value, new]) if number else new
    return keras.Model(given, layers.Dense(1)(layers.GlobalAveragePooling1D()(value)))


def sequences():
    for number, length in enumerate([100] * 4 + [800] * 2 + [100, 800, 400]):
        x = np.random.default_rng(number).random((ROWS, length, 8), dtype="float32")
        yield x, x.mean(axis=(1, 2)).reshape(-1, 1)


def images(rows, seed=0):
    x = np.random.default_rng(seed).random((rows, 32, 32, 3), dtype="float32")
    return x, (x.mean(axis=(1, 2, 3)) > 0.5).astype("float32")


def compile(model):
    model.compile(keras.optimizers.SGD(0.02, momentum=0.9), "mse", jit_compile=False)


class Unfreeze(keras.callbacks.Callback):
    """From the third epoch on, all layers learn."""

    def on_epoch_begin(self, epoch, logs=None):  # noqa: ARG002
        if epoch == 2:
            for layer in self.model.layers:
                layer.trainable = True
            compile(self.model)
            self.model.make_train_function(force=True)


found = {}
if kind == "unfreeze":
    model = network(normalized=True)
    for layer in model.layers[:-2]:
        layer.trainable = False
    compile(model)
    model.fit(*images(160), batch_size=ROWS, epochs=4, verbose=2, callbacks=[Unfreeze()])
elif kind == "validation":
    model = network(normalized=False)
    compile(model)
    history = model.fit(
        *images(48),
        batch_size=16,
        epochs=2,
        verbose=2,
        validation_data=images(2200, 5),
        validation_batch_size=2000,
    )
    found = history.history
elif kind == "on_batch":
    model = network(normalized=False)
    compile(model)
    for step in range(8):
        found[f"loss_{step}"] = model.train_on_batch(*images(16 if step < 4 else ROWS, step))
elif kind == "longer":
    model = reader()
    model.compile(keras.optimizers.SGD(0.001), "mse", jit_compile=False)
    signature = (tf.TensorSpec((None, None, 8)), tf.TensorSpec((None, 1)))
    data = tf.data.Dataset.from_generator(sequences, output_signature=signature)
    found = model.fit(data, epochs=2, verbose=2).history
else:  # "stateful"
    model = memory()
    compile(model)
    x = np.random.default_rng(1).random((ROWS * 3, 60, 8), dtype="float32")
    y = np.cumsum(x.mean(-1, keepdims=True) - 0.5, axis=1)
    history = model.fit(x, y, batch_size=ROWS, epochs=2, verbose=2, shuffle=False)
    found = {**history.history, "next": model.predict(x[:ROWS], batch_size=ROWS, verbose=0)}
np.savez(out, *model.get_weights(), **found)
