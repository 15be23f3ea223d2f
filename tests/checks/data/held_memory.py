"""What TensorFlow holds while it reads data, by the books of its own allocator.

The memory of the process says less: what malloc keeps, gives back or shares with earlier tests
depends on the machine. TensorFlow counts only when it starts with `TF_CPU_ALLOCATOR_USE_BFC`, so
each case runs in a child: `held_bytes("shuffle_of_all")`.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

MIB = 2**20
ELEMENTS = 128


def held_bytes(*cases: str) -> list[int]:
    """For each case, what is held after its elements were read and thrown away."""
    done = subprocess.run(
        [sys.executable, __file__, *cases],
        env=os.environ | {"TF_CPU_ALLOCATOR_USE_BFC": "1"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return list(json.loads(done.stdout))


def made(number: Any) -> Any:
    """One MiB that is computed, and lies nowhere before."""
    import tensorflow as tf

    return tf.fill((MIB // 4,), tf.cast(number, tf.float32))


def elements(count: int = ELEMENTS) -> Any:
    import tensorflow as tf

    return tf.data.Dataset.range(count).map(made)


def in_use() -> int:
    import tensorflow as tf

    return int(tf.config.experimental.get_memory_info("CPU:0")["current"])


def after_reading(pipeline: Any, count: int = ELEMENTS) -> int:
    before = in_use()
    iterator = iter(pipeline)
    for _ in range(count):
        next(iterator)
    return in_use() - before


def while_fitting(*data: Any, **fitting: Any) -> int:
    """The most after one of a few small steps."""
    import keras

    model = keras.Sequential([keras.Input((MIB // 4,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(1e-6), "mse")
    before, seen = in_use(), []
    watch = keras.callbacks.LambdaCallback(
        on_train_batch_end=lambda *_, **__: seen.append(in_use() - before)
    )
    model.fit(*data, steps_per_epoch=3, verbose=0, callbacks=[watch], **fitting)
    return max(seen)


def memory_map(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """As many MiB in a file as there are elements, and a label for each."""
    written = np.memmap(folder / "x", "float32", "w+", shape=(ELEMENTS, MIB // 4))
    written[:] = np.linspace(-1, 1, MIB // 4, dtype="float32")
    written[:, 0] = np.arange(ELEMENTS)
    written.flush()
    x = np.memmap(folder / "x", "float32", "r", shape=written.shape)
    return x, np.arange(ELEMENTS, dtype="float32")[:, np.newaxis]


def slices(x: np.ndarray, y: np.ndarray) -> Any:
    """The same, a sample at a time."""
    import keras

    class Slices(keras.utils.PyDataset):  # type: ignore[misc]
        def __len__(self) -> int:
            return len(x)

        def __getitem__(self, number: int) -> tuple[np.ndarray, np.ndarray]:
            return x[number : number + 1], y[number : number + 1]

    return Slices()


CASES: dict[str, Callable[[Path], int]] = {
    "cache": lambda _: after_reading(elements().cache()),
    "cache_on_disk": lambda folder: after_reading(elements().cache(str(folder / "cache"))),
    "cache_behind_repeat": lambda _: after_reading(elements(1).repeat().cache(), 2 * ELEMENTS),
    "cache_before_repeat": lambda _: after_reading(elements(1).cache().repeat(), 2 * ELEMENTS),
    "shuffle_of_all": lambda _: after_reading(elements().shuffle(ELEMENTS), 1),
    "shuffle_of_two": lambda _: after_reading(elements().shuffle(2), 1),
    "fit_of_memory_map": lambda folder: while_fitting(*memory_map(folder), batch_size=1),
    "fit_of_slices": lambda folder: while_fitting(slices(*memory_map(folder))),
}

if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        json.dump([CASES[case](Path(folder)) for case in sys.argv[1:]], sys.stdout)
