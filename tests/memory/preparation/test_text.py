"""Models that take text: it stays on the host, and what comes out of it is counted."""

import keras
import numpy as np
import pytest
import tf_keras

import fitguard

LIBRARIES = pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])
WORDS, LENGTH, WIDTH, BATCH = 500, 40, 256, 1024
LOSS = "sparse_categorical_crossentropy"


def vectorizing(library):
    layers = library.layers
    words = layers.TextVectorization(max_tokens=WORDS, output_sequence_length=LENGTH, name="cut")
    words.adapt(np.array(["one two three", "four five"]))
    text = library.Input((1,), dtype="string")
    return library.Model(text, behind(layers, words(text)))


def indexed(library):
    numbers = library.Input((LENGTH,), dtype="int64")
    return library.Model(numbers, behind(library.layers, numbers))


def behind(layers, numbers):
    x = layers.Embedding(WORDS, WIDTH)(numbers)
    x = layers.Dense(WIDTH, activation="relu")(x)
    return layers.Dense(2, activation="softmax")(layers.GlobalAveragePooling1D()(x))


def looking_up(library, kind):
    layers = library.layers
    given = library.Input((4,), dtype="string" if kind == "StringLookup" else "int64")
    vocabulary = ["a", "b"] if kind == "StringLookup" else [5, 7]
    found = getattr(layers, kind)(vocabulary=vocabulary, name="found")(given)
    x = layers.Flatten()(layers.Embedding(4, 8)(found))
    return library.Model(given, layers.Dense(2, activation="softmax")(x))


def planned(model, **options):
    return fitguard.plan(model, batch_size=BATCH, optimizer="sgd", loss=LOSS, **options)


@LIBRARIES
def test_what_is_behind_the_text_is_counted_as_for_numbers(library):
    text = planned(vectorizing(library), jit_compile=False).comfortable_bytes.low
    numbers = planned(indexed(library), jit_compile=False).comfortable_bytes.low
    assert text == pytest.approx(numbers, rel=0.05)


@LIBRARIES
def test_what_lies_on_the_host_is_said(library):
    (said,) = (note for note in planned(vectorizing(library)).assumptions if "CPU" in note)
    assert said.startswith("cut: runs on the CPU")
    assert "vocabulary in host memory" in said


@LIBRARIES
@pytest.mark.parametrize("kind", ["StringLookup", "IntegerLookup"])
def test_lookups(library, kind):
    plan = planned(looking_up(library, kind))
    assert plan.step.parameters == 4 * 8 + 4 * 8 * 2 + 2
    assert any(note.startswith("found: runs on the CPU") for note in plan.assumptions)


@LIBRARIES
def test_a_model_is_left_as_it_was(library):
    model = vectorizing(library)
    planned(model)
    assert "call" not in vars(model.get_layer("cut"))


@LIBRARIES
def test_data_may_be_given(library):
    x, y = np.array([["one two"]] * BATCH, dtype=object), np.zeros(BATCH, "int32")
    assert planned(vectorizing(library), x=x, y=y).mode == "graph"
