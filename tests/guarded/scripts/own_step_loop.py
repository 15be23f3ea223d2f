"""A loop of its own, whose step needs more memory than its share: `… OUT KIND [KILLED]`.

In step KILLED of the first process it is killed.
"""

import os
import signal
import sys
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from keras import layers

from fitguard.keras import Guard

out, kind, *killed = sys.argv[1:]
keras.utils.set_random_seed(12)
ROWS, STEPS = 64, 6


def network():
    """Blocks with connections around them; "rows": none of them looks at several rows."""
    given = value = keras.Input((32, 32, 3))
    for number in range(10):
        new = layers.Conv2D(12, 3, padding="same")(value)
        new = layers.BatchNormalization()(new) if kind == "whole" else new
        new = layers.Dropout(0.1)(layers.ReLU()(new))
        value = layers.Add()([value, new]) if number else new
    value = layers.GlobalAveragePooling2D()(value)
    return keras.Model(given, layers.Dense(1, activation="sigmoid")(value))


model, optimizer = network(), keras.optimizers.SGD(0.02, momentum=0.9)
mean = keras.metrics.Mean()


@tf.function
def train_step(images, wanted):
    with tf.GradientTape() as tape:
        found = model(images, training=True)[:, 0]
        loss = tf.reduce_mean(tf.square(found - wanted))
    weights = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
    mean.update_state(loss)
    return loss


guard = Guard(model, optimizer=optimizer, mean=mean)
step_of_loop = guard.step(train_step)
mark = Path(out).with_suffix(".killed")
for step in range(guard.start, STEPS):
    if killed and step == int(killed[0]) and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    random = np.random.default_rng(step)
    images = random.random((ROWS, 32, 32, 3), dtype="float32")
    step_of_loop(images, (images.mean(axis=(1, 2, 3)) > 0.5).astype("float32"))
    guard.step_done(step)
guard.finish(STEPS)
np.savez(out, *model.get_weights(), mean=mean.result())
