"""Small trainings with every kind of input, each made anew from the same seed."""

import types
from typing import Any, NamedTuple

import keras
import numpy as np
import pandas as pd
import tensorflow as tf

SAMPLES, FEATURES, CLASSES = 67, 6, 3


class Given(NamedTuple):
    """A model, and what `fit` is given for it."""

    model: Any
    arguments: dict[str, Any]


def arrays():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(SAMPLES, FEATURES)).astype("float32")
    return x, rng.integers(0, CLASSES, SAMPLES)


def model(inputs=1, library=keras):
    """With dropout and random augmentation, so that random states count."""
    library.utils.set_random_seed(7)
    layers = library.layers
    given = [layers.Input((FEATURES,), name=f"part{number}") for number in range(inputs)]
    hidden = layers.Concatenate()(given) if inputs > 1 else given[0]
    hidden = layers.GaussianNoise(0.1)(layers.Dense(8, activation="relu")(hidden))
    answer = layers.Dense(CLASSES, activation="softmax")(layers.Dropout(0.3)(hidden))
    made = library.Model(given if inputs > 1 else given[0], answer)
    made.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return made


def augmented(x, y):
    return x + tf.random.normal(tf.shape(x), stddev=0.1), y


class Augmenting(keras.utils.PyDataset):
    """Draws from a generator of its own and from NumPy's global one, and shuffles by itself."""

    def __init__(self):
        super().__init__()
        self.x, self.y = arrays()
        self.rng = np.random.default_rng(1)
        self.order = self.rng.permutation(SAMPLES)

    def __len__(self):
        return 7

    def __getitem__(self, index):
        chosen = self.order[index * 10 : (index + 1) * 10]
        noise = self.rng.normal(size=(len(chosen), FEATURES)) + np.random.normal(scale=0.01)
        return (self.x[chosen] + 0.1 * noise).astype("float32"), self.y[chosen]

    def on_epoch_end(self):
        self.order = self.rng.permutation(SAMPLES)


def endless_batches(permutation=np.random.permutation):
    x, y = arrays()
    while True:
        chosen = permutation(SAMPLES)[:10]
        yield x[chosen], y[chosen]


def dataset():
    return tf.data.Dataset.from_tensor_slices(arrays())


# What each kind gives to fit. Made after the seeds are set.
def numpy_arrays():
    x, y = arrays()
    return {"x": x, "y": y, "batch_size": 10}


def weighted_and_split():
    x, y = arrays()
    weight = np.linspace(0.5, 1.5, SAMPLES)
    return {"x": x, "y": y, "sample_weight": weight, "validation_split": 0.2}


def held_out():
    x, y = arrays()
    return {
        "x": x,
        "y": y,
        "validation_data": (x[:10] + 1, y[:10]),
        "class_weight": {0: 1.0, 1: 2.0, 2: 1.0},
    }


def tensors():
    x, y = arrays()
    return {"x": tf.constant(x), "y": tf.constant(y)}


def frames():
    x, y = arrays()
    return {"x": pd.DataFrame(x), "y": pd.Series(y)}


def shuffled():
    return {"x": dataset().shuffle(SAMPLES, seed=2).batch(10)}


def shuffled_without_seed():
    return {"x": dataset().shuffle(20).batch(10, drop_remainder=True).prefetch(2)}


def random_map():
    return {"x": dataset().map(augmented).shuffle(30).batch(10).prefetch(tf.data.AUTOTUNE)}


def cached():
    return {"x": dataset().cache().shuffle(SAMPLES).batch(10).map(augmented)}


def repeated():
    return {"x": dataset().repeat().shuffle(50).batch(8), "steps_per_epoch": 5}


def from_python():
    def rows():
        x, y = arrays()
        for index in np.random.permutation(SAMPLES):
            yield x[index], y[index]

    spec = (tf.TensorSpec((FEATURES,)), tf.TensorSpec((), tf.int64))
    return {"x": tf.data.Dataset.from_generator(rows, output_signature=spec).batch(10)}


def validated_by_a_dataset():
    x, y = arrays()
    return {"x": x, "y": y, "validation_data": dataset().shuffle(30).batch(16)}


def pydataset():
    return {"x": Augmenting()}


def generator():
    return {"x": endless_batches(), "steps_per_epoch": 4}


def two_generators():
    one, other = np.random.default_rng(1), np.random.default_rng(2)
    return {
        "x": endless_batches(one.permutation),
        "steps_per_epoch": 4,
        "validation_data": endless_batches(other.permutation),
        "validation_steps": 2,
    }


ONE_INPUT = [
    numpy_arrays, weighted_and_split, held_out, tensors, frames, shuffled, shuffled_without_seed,
    random_map, cached, repeated, from_python, validated_by_a_dataset, pydataset, generator,
    two_generators,
]  # fmt: skip


def two_arrays():
    x, y = arrays()
    return {"x": [x, x + 1], "y": y}


def named_arrays():
    x, y = arrays()
    return {"x": {"part0": x, "part1": x + 1}, "y": y}


def named_dataset():
    x, y = arrays()
    made = tf.data.Dataset.from_tensor_slices(({"part0": x, "part1": x + 1}, y))
    return {"x": made.shuffle(30).batch(10)}


TWO_INPUTS = [two_arrays, named_arrays, named_dataset]


def fresh(make: types.FunctionType, library=keras) -> Given:
    """Model and data as at the start of a program: after its seeds are set."""
    library.utils.set_random_seed(11)
    made = model(2 if make in TWO_INPUTS else 1, library)
    return Given(made, make())
