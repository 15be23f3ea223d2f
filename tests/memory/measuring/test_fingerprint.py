"""The same step has the same fingerprint, whatever it is called; another one has another."""

from dataclasses import replace

import keras
import pytest
import tensorflow as tf
import tf_keras
from memory.small_models import convolutional, training

from fitguard.memory.measuring.fingerprint import fingerprint
from fitguard.memory.training import Training


def dense(library=keras, *, units=8, optimizer=None, loss="mse", skip=False, dtype=None, rate=0.1):
    given = library.Input((8,))
    value = library.layers.Dense(units, dtype=dtype)(given)
    value = library.layers.Dropout(rate, seed=units)(value)
    value = library.layers.Dense(8, activation="relu")(given if skip else value)
    model = library.Model(given, value)
    model.compile(optimizer or "adam", loss)
    spec = tf.TensorSpec((None, 8), tf.float32)
    return Training(model=model, data=(spec, spec), jit_compile=False)


def mark(given, **surrounding):
    return fingerprint(given, surrounding)


@pytest.mark.parametrize("library", [keras, tf_keras])
def test_a_model_that_is_made_twice(library):
    one = training(convolutional(library), library)
    other = training(convolutional(library), library)
    assert one.model.name != other.model.name
    assert mark(one) == mark(other)


def test_what_does_not_change_memory_does_not_count():
    faster = dense(optimizer=keras.optimizers.Adam(0.5))
    assert mark(dense()) == mark(faster) == mark(dense(), LANG="de")


def test_what_changes_memory_counts():
    plain = dense()
    other_data = (tf.TensorSpec((None, 8), tf.int32), plain.data[1])
    marks = [
        mark(plain),
        mark(dense(units=9)),
        mark(dense(optimizer="sgd")),
        mark(dense(optimizer=keras.optimizers.Adam(amsgrad=True))),
        mark(dense(loss="mae")),
        mark(dense(dtype="mixed_float16")),
        mark(dense(skip=True)),
        mark(dense(tf_keras)),
        mark(replace(plain, data=other_data)),
        mark(replace(plain, jit_compile=True)),
        mark(replace(plain, replicas=2)),
        mark(plain, TF_GPU_ALLOCATOR="cuda_malloc_async"),
    ]
    assert len(set(marks)) == len(marks)


def test_the_code_of_the_users_own_classes_and_losses_counts():
    class Own(keras.Model):
        def call(self, x):
            return 2.0 * x

    first = Own

    class Own(keras.Model):
        def call(self, x):
            return keras.ops.concatenate([x, x])

    def loss(y, output):
        return keras.ops.mean(y - output)

    def squared(y, output):
        return keras.ops.mean((y - output) ** 2)

    squared.__name__ = squared.__qualname__ = "loss"
    data = tf.TensorSpec((None, 8), tf.float32)
    made = []
    for cls, function in ((first, loss), (first, loss), (Own, loss), (first, squared)):
        model = cls()
        model.compile("sgd", function)
        made.append(mark(Training(model=model, data=(data, data), jit_compile=False)))
    assert made[0] == made[1]
    assert len(set(made)) == 3


def test_a_function_does_not_tell():
    assert mark(Training(model=None, data=(), jit_compile=False, step=print)) is None
