"""Random numbers that are drawn while Keras reads the first batches of Python data."""

import random
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from fitguard.keras.position.drawing import SharedDraws


class Flip:
    def __init__(self) -> None:
        self.chance = random.Random(3)

    def __call__(self, rows: Any) -> Any:
        return rows[::-1] if self.chance.random() < 0.5 else rows


class Rows(keras.utils.PyDataset):
    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind
        self.rows = np.arange(8)
        self.rng = np.random.default_rng(3)
        self.old_rng = np.random.RandomState(3)
        self.flip = Flip()

    def __getitem__(self, number: int) -> Any:
        return WAYS[self.kind](self, number)

    def on_epoch_end(self) -> None:
        np.random.shuffle(self.rows)
        self.rng.shuffle(self.rows)


class OfTensorFlow(Rows):
    def __getitem__(self, number: int) -> Any:
        return tf.random.uniform((number,))


WAYS: dict[str, Any] = {
    "numpy": lambda data, number: data.rows[number] + np.random.rand(),
    "python": lambda _, number: random.uniform(0, number),
    "own generator": lambda data, _: data.rng.normal(),
    "own old generator": lambda data, _: data.old_rng.rand(),
    "held by another object": lambda data, _: data.flip(data.rows),
    "a library": lambda data, _: keras.ops.convert_to_numpy(np.random.permutation(data.rows)),
    "no draw": lambda data, number: data.rows[number : number + 2],
    "seeded with its number": lambda _, number: (
        np.random.default_rng(number).normal() + random.Random(number).random()
    ),
}
DO_NOT = ("no draw", "seeded with its number")


@pytest.mark.parametrize("kind", WAYS)
def test_what_draws_is_seen(kind: str) -> None:
    data = Rows(kind)
    drawing = SharedDraws(data)
    with drawing:
        data[1]
    assert drawing.seen is (kind not in DO_NOT)


def test_tensorflows_own_generator_is_seen_in_the_code() -> None:
    assert SharedDraws(OfTensorFlow("")).seen


def test_other_data_are_not_looked_at() -> None:
    drawing = SharedDraws(np.zeros(3))
    with drawing:
        np.random.rand()
    assert not drawing.seen
