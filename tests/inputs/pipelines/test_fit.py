"""Training after the reader gives the same weights, bit for bit."""

import contextlib
import itertools
from pathlib import Path
from typing import Any

import pytest
from inputs.pipelines.cases import Feed, slices

from fitguard.inputs.pipelines.reading import open_dataset


def augmented(_: Path) -> Any:
    import keras

    flip = keras.layers.RandomFlip(seed=3)
    return slices().cache().shuffle(12).batch(5).map(lambda x, y: (flip(x, training=True), y))


def endless(_: Path) -> Any:
    return slices().shuffle(12).repeat().batch(4).prefetch(-1)


def generated(_: Path) -> Any:
    import numpy as np
    import tensorflow as tf

    feed = Feed()

    def generate() -> Any:
        for value in feed():
            yield np.full((2, 2, 1), value), int(np.random.randint(3))

    signature = (tf.TensorSpec((2, 2, 1), tf.float32), tf.TensorSpec((), tf.int64))
    return tf.data.Dataset.from_generator(generate, output_signature=signature).batch(2)


def through_the_reader(dataset: Any, limit: int | None) -> None:
    with contextlib.closing(open_dataset(dataset).batches()) as batches:
        assert list(itertools.islice(batches, limit))


def plainly(dataset: Any, limit: int | None) -> None:
    assert list(itertools.islice(dataset, limit))


def train(build: Any, folder: Path, look: Any, limit: int | None) -> list[bytes]:
    import keras

    Feed.calls = 0
    keras.utils.set_random_seed(3)
    dataset = build(folder)
    if look is not None:
        look(dataset, limit)
    model = keras.Sequential(
        [
            keras.Input((2, 2, 1)),
            keras.layers.Flatten(),
            keras.layers.Dropout(0.3),
            keras.layers.Dense(3),
        ]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss)
    model.fit(dataset, epochs=2, steps_per_epoch=3 if build is endless else None, verbose=0)
    return [weight.numpy().tobytes() for weight in model.weights]


@pytest.mark.parametrize("build", [augmented, endless, generated])
def test_the_weights_are_the_same(build: Any, tmp_path: Path) -> None:
    expected = train(build, tmp_path, None, None)

    assert train(build, tmp_path, through_the_reader, 1) == expected
    assert train(build, tmp_path, through_the_reader, None) == expected
    # What is compared does depend on what the dataset gives.
    assert train(build, tmp_path, plainly, 1) != expected
