"""Two models, four `fit` calls, with evaluation and prediction in between."""

import sys

import keras
import numpy as np
from keras import layers

keras.utils.set_random_seed(5)
random = np.random.default_rng(5)
x = random.normal(size=(1200, 40)).astype("float32")
y = np.tanh(x[:, :5].sum(axis=1, keepdims=True))


def trained(model, target, epochs, **options):
    """Called for each part of the training."""
    return model.fit(x[:900], target[:900], batch_size=64, epochs=epochs, verbose=2, **options)


base = keras.Sequential([keras.Input((40,)), layers.Dense(500, activation="relu")])
teacher = keras.Sequential([base, layers.Dropout(0.2), layers.Dense(1)])

base.trainable = False
teacher.compile("adam", "mse")
first = trained(teacher, y, 2)
scores = [teacher.evaluate(x[900:], y[900:], verbose=0)]

base.trainable = True
teacher.compile(keras.optimizers.SGD(0.01, momentum=0.9), "mse", metrics=["mae"])
second = trained(teacher, y, 3, validation_data=(x[900:], y[900:]))
scores += teacher.evaluate(x[900:], y[900:], verbose=0)

student = keras.Sequential(
    [keras.Input((40,)), layers.GaussianNoise(0.1), layers.Dense(300, "relu"), layers.Dense(1)]
)
student.compile("nadam", "mse")
soft = teacher.predict(x, verbose=0)
third = trained(student, soft, 2)
fourth = trained(student, y, 4, initial_epoch=2)
scores.append(student.evaluate(x[900:], y[900:], verbose=0))

np.savez(
    sys.argv[1],
    *teacher.get_weights(),
    *student.get_weights(),
    scores=scores,
    losses=np.concatenate([h.history["loss"] for h in (first, second, third, fourth)]),
)
