"""Against a real GPU: TensorFlow 2.21, one NVIDIA H200, `train_on_batch` with jit_compile=True.

`need` is what XLA's buffer assignment for the GPU gives as total, with what the allocator's log
shows on top of it in the first step; `peak` is the allocator's highest peak of several runs, with
139 GiB free.
"""

from collections.abc import Callable
from functools import cache

import keras
import pytest
from memory.small_models import training

from fitguard.memory.estimate import Estimator
from fitguard.memory.xla import xla_estimator


def mlp() -> keras.Model:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((784,)),
            layers.Dense(4096, activation="relu"),
            layers.Dense(4096, activation="relu"),
            layers.Dense(10, activation="softmax"),
        ]
    )


def seed_cnn() -> keras.Model:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((100, 100, 3)),
            layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPooling2D(2),
            layers.Flatten(),
            layers.Dense(128, activation="relu"),
            layers.Dense(10, activation="softmax"),
        ]
    )


@cache
def estimator(build: Callable[[], keras.Model]) -> Estimator:
    return xla_estimator(training(build()))


@pytest.mark.parametrize(
    ("build", "batch", "need"),
    [
        (mlp, 256, 325_146_028 + 80_150_572),
        (mlp, 4096, 588_861_368 + 80_150_572),
        (seed_cnn, 64, 538_778_934 + 39_347_244),
    ],
)
def test_what_the_step_needs(build: Callable[[], keras.Model], batch: int, need: int) -> None:
    required = estimator(build).at(batch).required
    assert required.likely == pytest.approx(need, rel=0.08)
    assert required.low <= need <= required.high


@pytest.mark.parametrize(
    ("build", "batch", "peak"),
    [
        (mlp, 256, 497_026_048),
        (mlp, 4096, 824_056_320),
        (mlp, 32768, 2_656_053_248),
        (seed_cnn, 64, 770_940_160),
        (seed_cnn, 512, 4_592_191_232),
    ],
)
def test_what_it_takes_with_room(build: Callable[[], keras.Model], batch: int, peak: int) -> None:
    comfortable = estimator(build).at(batch).comfortable
    assert comfortable.high >= peak
    assert comfortable.likely == pytest.approx(peak, rel=0.12)
