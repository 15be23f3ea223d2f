"""Pipelines of every kind that people build; each function makes one, the same at each call.

`CASES` can be read without a trace, `REFUSED` cannot. Results must not depend on chance, so what is
random has a seed of its own, and parallel maps draw nothing.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Build = Callable[[Path], Any]
CASES: dict[str, Build] = {}
REFUSED: dict[str, Build] = {}

X = np.arange(48, dtype="float32").reshape(12, 2, 2, 1)
Y = np.arange(12, dtype="int64") % 3


def case(build: Build) -> Build:
    CASES[build.__name__] = build
    return build


def refused(build: Build) -> Build:
    REFUSED[build.__name__] = build
    return build


def slices() -> Any:
    import tensorflow as tf

    return tf.data.Dataset.from_tensor_slices((X, Y))


def numbers(count: int = 12) -> Any:
    import tensorflow as tf

    return tf.data.Dataset.range(count)


def lengths() -> Any:
    """Vectors of different lengths."""
    import tensorflow as tf

    return numbers().map(lambda n: tf.fill([n % 4 + 1], n))
