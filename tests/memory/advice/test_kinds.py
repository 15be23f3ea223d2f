"""What each kind of advice says of its own."""

import dataclasses

import keras
import numpy as np
import pytest
import tensorflow as tf
import tf_keras
from memory.linear_estimator import Linear
from memory.small_models import convolutional, sequential, training

from fitguard.memory.advice import Question, micro_batch_size
from fitguard.memory.advice.free_memory import free_memory
from fitguard.memory.advice.micro_batch import batch_layers, count_held_bytes, micro_batch
from fitguard.memory.advice.optimizer import less_state
from fitguard.memory.advice.other_mode import other_mode
from fitguard.memory.advice.precision import mixed_precision
from fitguard.memory.advice.smaller_batch import smaller_batch
from fitguard.memory.cards import card
from fitguard.memory.variants.optimizer import count_gradient_bytes

MIB = 2**20
GIB = 2**30


def question(model, library=keras, *, batch_size=64, each=100 * MIB, fixed=0, **fields):
    given = training(model, library)
    return Question(
        **{
            "training": given,
            "batch_size": batch_size,
            "estimator": Linear(fixed, each),
            "estimator_of": lambda _: Linear(fixed, each // 2),
            "card": card(gpu_memory="8GiB"),
        }
        | fields
    )


def test_micro_batches_are_equal_parts_with_what_accumulation_holds():
    asked = question(sequential(keras))
    given = micro_batch(asked)
    assert given.title == "Micro-batches of 32, with accumulated gradients"
    held = count_gradient_bytes(asked.training.model) + 64 * (16 * 16 * 3 * 4 + 4)
    assert count_held_bytes(asked.training, 64) == held
    assert given.required_bytes == 32 * 100 * MIB + held
    assert (given.enough, given.changes_results) == (True, False)
    assert "gradient_accumulation_steps=2" in given.code
    assert "batch_size=32" in given.code


def test_the_code_for_micro_batches_trains_like_the_whole_batch():
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input((5,)), keras.layers.Dense(3, activation="softmax")])
    twin = keras.models.clone_model(model)
    twin.set_weights(model.get_weights())
    loss = "sparse_categorical_crossentropy"
    model.compile(optimizer=keras.optimizers.Adam(0.1), loss=loss)
    twin.compile(optimizer=keras.optimizers.Adam(0.1, gradient_accumulation_steps=4), loss=loss)
    x = np.random.default_rng(0).normal(size=(8, 5)).astype("float32")
    y = np.arange(8) % 3
    model.fit(x, y, batch_size=8, shuffle=False, verbose=0)
    twin.fit(x, y, batch_size=2, shuffle=False, verbose=0)
    for one, other in zip(model.get_weights(), twin.get_weights(), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_layers_that_see_the_batch_are_named():
    given = micro_batch(question(convolutional(keras)))
    assert "norm_0, norm_1, norm_2 then normalise over 32 samples, not over 64." in given.text
    assert given.changes_results


@pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])
def test_frozen_layers_do_not_learn_from_the_batch(library):
    model = convolutional(library)
    assert batch_layers(model) == ["norm_0", "norm_1", "norm_2"]
    model.get_layer("norm_1").trainable = False
    assert batch_layers(model) == ["norm_0", "norm_2"]


@pytest.mark.parametrize(
    ("batch_size", "usable", "expected"),
    [
        (64, 64, 64),  # fits
        (64, 63, 32),  # equal parts
        (64, 31, 16),
        (96, 40, 32),
        (61, 40, 31),  # a prime: nearly equal parts
        (1, 0.5, None),
        (64, 0.5, None),
    ],
)
def test_micro_batch_size(batch_size, usable, expected):
    given = training(sequential(keras))
    estimator = Linear(0, GIB)
    usable_bytes = int(1.1 * usable * GIB) + 64 * MIB
    assert micro_batch_size(given, estimator, batch_size, usable_bytes) == expected


def test_uneven_parts_are_said_and_have_no_code():
    given = micro_batch(question(sequential(keras), batch_size=61, each=120 * MIB))
    assert "The last part is smaller" in given.text
    assert given.code == ""


def test_keras_2_accumulates_in_words_only():
    assert micro_batch(question(sequential(tf_keras), tf_keras)).code == ""


def test_several_gpus_are_told_their_whole_batch():
    asked = question(sequential(keras))
    spread = dataclasses.replace(asked, training=dataclasses.replace(asked.training, replicas=4))
    assert "Micro-batches of 128," in micro_batch(spread).title
    assert "batch_size=128" in micro_batch(spread).code
    one, four = smaller_batch(asked), smaller_batch(spread)
    assert four.largest_batch_size == 4 * one.largest_batch_size


def test_memory_that_others_hold():
    asked = question(sequential(keras), card=card("RTX 3070", free="4GiB"))
    given = free_memory(asked)
    empty = card("RTX 3070")
    assert given.saved_bytes == empty.free_bytes - 4 * GIB
    assert given.required_bytes == asked.required.likely
    assert not given.enough
    small = dataclasses.replace(asked, batch_size=45)
    assert free_memory(small).enough
    assert free_memory(question(sequential(keras), card=empty)) is None
    assert free_memory(question(sequential(keras), card=None)) is None


def test_the_other_mode_is_told_only_where_it_needs_less():
    asked = question(sequential(keras))
    given = other_mode(asked)
    assert (given.title, given.code) == (
        "Compile the step with XLA", "model.compile(..., jit_compile=True)",
    )  # fmt: skip
    compiled = dataclasses.replace(
        asked, training=dataclasses.replace(asked.training, jit_compile=True)
    )
    assert other_mode(compiled).code == "model.compile(..., jit_compile=False)"
    worse = dataclasses.replace(asked, estimator_of=lambda _: Linear(0, 99 * MIB))
    assert other_mode(worse) is None


@pytest.mark.parametrize(
    ("gpu", "told"),
    [("GTX 1080", None), ("Tesla T4", "scales"), ("RTX 3070", "mixed_bfloat16"), (None, "7.0")],
)
def test_mixed_precision_is_for_cards_that_gain_by_it(gpu, told):
    asked = question(sequential(keras), card=None if gpu is None else card(gpu))
    given = mixed_precision(asked)
    assert (given is None) == (told is None)
    if given is not None:
        assert told in given.text
        assert given.code.startswith('keras.mixed_precision.set_global_policy("mixed_float16")')


def test_a_model_that_is_mixed_already_gets_no_such_advice():
    keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        model = sequential(keras)
    finally:
        keras.mixed_precision.set_global_policy("float32")
    assert mixed_precision(question(model)) is None


@pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])
def test_an_optimizer_with_less_state(library):
    model = library.Sequential([library.Input((100,)), library.layers.Dense(1000)])
    asked = question(model, library, batch_size=2, each=MIB, estimator_of=None)
    given = less_state(asked)
    assert given.saved_bytes == pytest.approx(count_gradient_bytes(model), abs=64)
    assert "The state of Adam takes 789.1 KiB, that of Lion or of SGD with momentum 394.5" in (
        given.text
    )
    assert given.changes_results
    model.compile(optimizer=library.optimizers.SGD(momentum=0.9), loss="mse")
    assert less_state(asked) is None


def test_a_smaller_batch():
    asked = question(sequential(keras))
    given = smaller_batch(asked)
    largest = given.largest_batch_size
    assert given.title == f"A batch of {largest}"
    assert 110 * MIB * largest <= asked.card.usable_bytes < 110 * MIB * (largest + 1)
    assert (given.enough, given.changes_results) == (True, True)
    none = dataclasses.replace(asked, estimator=Linear(100 * GIB, MIB))
    assert smaller_batch(none) is None


def test_data_of_unknown_length_can_be_held():
    given = training(sequential(keras))
    loose = dataclasses.replace(given, data=(tf.TensorSpec((None, None, 8), tf.float32),))
    assert count_held_bytes(loose, 4) == count_gradient_bytes(given.model) + 4 * 8 * 4
