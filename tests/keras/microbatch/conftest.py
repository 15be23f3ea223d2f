"""Two equal models: one takes whole batches, the other micro-batches."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest


@dataclass
class Compared:
    """How far the two are apart after some steps, with micro-batches of so many rows.

    `weights`: the largest distance of a variable, relative to its norm; optimizer state included.
    `logs`: the largest relative difference of a figure in the logs.
    `counters`: whether whole numbers (seeds, steps) are equal.
    """

    weights: float
    logs: float
    counters: bool
    notes: list[str]
    whole: Any
    micro: Any


@pytest.fixture
def compare() -> Callable[..., Compared]:
    return _compare


def _compare(
    make: Callable[[], Any],
    x: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    rows: tuple[int, ...] = (4, 4, 3),
    jit: bool = False,
    share: float | None = None,
) -> Compared:
    import keras

    from fitguard.keras.microbatch import MicroTrainStep

    keras.utils.set_random_seed(1)
    whole = make()
    keras.utils.set_random_seed(1)
    micro = make()
    for model in (whole, micro):
        model.jit_compile = jit
    # To trace the known step as well would take as long as all the rest.
    whole.run_eagerly = not jit
    step = MicroTrainStep(micro, share=share)
    for each in rows:
        expected = whole.train_on_batch(x, y, sample_weight, return_dict=True)
        micro.reset_metrics()
        logs = step((x, y, sample_weight), each)
    assert set(logs) == set(expected)
    pairs = list(zip(_values(whole), _values(micro), strict=True))
    return Compared(
        weights=max(_distance(a, b) for a, b in pairs if a.dtype.kind not in "iu"),
        logs=max(_distance(expected[name], logs[name]) for name in expected),
        counters=all((a == b).all() for a, b in pairs if a.dtype.kind in "iu"),
        notes=step.notes,
        whole=whole,
        micro=micro,
    )


def _values(model: Any) -> list[Any]:
    return [variable.numpy() for variable in [*model.variables, *model.optimizer.variables]]


def _distance(expected: Any, found: Any) -> float:
    expected, found = np.asarray(expected, float), np.asarray(found, float)
    return float(np.linalg.norm(expected - found) / max(np.linalg.norm(expected), 1e-12))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture
def table(rng: np.random.Generator) -> tuple[Any, Any]:
    """Ten rows of six numbers, and a class of three for each."""
    return rng.normal(size=(10, 6)).astype("float32"), rng.integers(0, 3, (10,))


@pytest.fixture
def sentences(rng: np.random.Generator) -> tuple[Any, Any]:
    """Ten rows of seven words, many of them padding, and a number for each word.

    The first micro-batch of four rows has one word only.
    """
    words = rng.integers(1, 11, (10, 7)) * (rng.random((10, 7)) < 0.6)
    words[:4] = 0
    words[1, 2] = 5
    return words, rng.normal(size=(10, 7, 1)).astype("float32")
