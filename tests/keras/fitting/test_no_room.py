"""A training that no smaller step can save: which part is too large is said, and what would fit."""

import keras
import pytest
import tensorflow as tf
from guarded.attempts import attempt, events
from guarded.limited import limit, limited

from fitguard.keras.card import Card
from fitguard.keras.fitting.shortage import describe_no_room, find_state_shortage
from fitguard.schema.journal import Failed, NoRoom

MIB = 2**20


@pytest.fixture(autouse=True)
def _enough_memory():
    yield
    limit().assign(10**6)


def cpu(megabytes):
    return Card("CPU allocator", megabytes * MIB, megabytes * MIB, is_gpu=False)


def convolutional():
    layers = keras.layers
    image = value = keras.Input((256, 256, 3))
    for _ in range(8):
        value = layers.Conv2D(16, 3, padding="same", activation="tanh")(value)
    model = keras.Model(image, layers.Dense(10)(layers.GlobalAveragePooling2D()(value)))
    model.compile("adam", "mse", jit_compile=False)
    return model


def describe(model, megabytes, *, recomputed=None):
    batch = tf.zeros((4, 256, 256, 3)), tf.zeros((4, 10))
    return describe_no_room(model, batch, 4, 1, cpu(megabytes), plan=True, recomputed=recomputed)


def test_what_would_fit_is_told_with_the_bytes():
    text = describe(convolutional(), 55)
    assert text.startswith("Not even one sample fits: it needs ")
    assert "and 55.0 MiB can be used" in text
    assert "that the layers compute" in text
    assert "It would fit with one of these: " in text
    assert "Compute in mixed_float16 (needs " in text


def test_what_was_tried_is_no_advice():
    assert "Recompute" in describe(convolutional(), 55)
    text = describe(convolutional(), 55, recomputed=0.4)
    assert "Recompute" not in text
    assert "takes 60% less on paper, it did not fit either. " in text


def test_a_plan_that_thinks_it_fits_says_nothing():
    assert describe(convolutional(), 1000) == ""


def test_a_failed_plan_says_nothing():
    batch = tf.zeros((4, 5)), tf.zeros((4, 10))
    assert describe_no_room(convolutional(), batch, 4, 1, cpu(20), plan=True, recomputed=None) == ""


def test_weights_and_optimizer_that_are_larger_than_the_memory():
    model = keras.Sequential([keras.Input((1000,)), keras.layers.Dense(2000)])
    model.compile("adam", "mse", jit_compile=False)
    model.optimizer.build(model.trainable_variables)
    assert find_state_shortage(model, cpu(30)) is None
    assert find_state_shortage(model, None) is None
    # Variables of the host's memory take none of a GPU's.
    assert find_state_shortage(model, Card("Tesla T4", 16 * MIB, 16 * MIB)) is None
    found = find_state_shortage(model, cpu(20))
    assert (found.too_large, found.usable_bytes) == ("state", 20 * MIB)
    assert found.breakdown.optimizer == pytest.approx(2 * found.breakdown.weights, rel=0.01)
    batch = tf.zeros((4, 1000)), tf.zeros((4, 2000))
    assert describe_no_room(model, batch, 4, 1, cpu(20), plan=True, recomputed=None) == (
        "Not even one sample fits: weights 7.6 MiB and the optimizer's state 15.3 MiB take 22.9 MiB"
        " together, and 20.0 MiB can be used. Lion, or SGD with momentum, would keep 7.6 MiB in "
        "place of 15.3 MiB."
    )


def test_a_training_whose_state_alone_is_too_large_stops_at_once(tmp_path, monkeypatch):
    monkeypatch.setenv("TF_CPU_ALLOCATOR_USE_BFC", "1")
    monkeypatch.setenv("TF_CPU_BFC_MEM_LIMIT_IN_MB", "1")
    limit().assign(3)
    layers = keras.layers
    model = keras.Sequential(
        [keras.Input((100,)), layers.Dense(2000), limited(keras), layers.Dense(1)]
    )
    model.compile("adam", "mse", jit_compile=False)
    with attempt(tmp_path) as fits, pytest.raises(tf.errors.ResourceExhaustedError):
        model.fit(tf.zeros((8, 100)), tf.zeros((8, 1)), batch_size=8, verbose=0)
    assert len(events(fits, Failed)) == 1
    (told,) = events(fits, NoRoom)
    assert told.fit == 1
    assert told.text.startswith("Not even one sample fits: weights ")
    assert "1.0 MiB can be used" in told.text
