"""How long `fitguard.check_data` takes with its default budget, for data as people have them.

    make bench

The target is the budget itself: 2 seconds, and no more. A training takes hours, so what it took is
also given as a share of one. Each case is checked as it would be before `fit`; making the data and
importing TensorFlow do not count, the first call is not counted either.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import keras
import numpy as np
import pandas as pd
import tensorflow as tf
from memory_use import available_bytes, memory_bytes, reset_peak, verdict

import fitguard

TARGET_SECONDS = 2.0
HOUR_SECONDS = 3600
LARGE_BYTES, MAPPED_BYTES = 4_000_000_000, 100_000_000_000
SPARE_BYTES = 3_000_000_000
MOST_MEMORY_BYTES = 300_000_000
FEATURES, CLASSES = 100, 3


class Case(NamedTuple):
    """Data to check.

    Args:
        make: Gives the arguments of `check_data`, without the model.
        inputs: The shape of one sample; a dict of shapes for several inputs.
    """

    name: str
    make: Callable[[], dict[str, Any]]
    inputs: Any = (FEATURES,)


class Taken(NamedTuple):
    """What a check took, and how much it saw."""

    seconds: float
    memory_bytes: int
    seen: str


def main() -> None:
    """Measure, print, exit with 1 where a target is missed."""
    fitguard.check_data(model((4,)), np.zeros((8, 4), "float32"), np.zeros(8, int))
    print(f"target: {TARGET_SECONDS} s")
    with tempfile.TemporaryDirectory() as folder:
        met = [report(case) for case in cases(Path(folder))]
    sys.exit(not all(met))


def cases(folder: Path) -> Iterator[Case]:
    """One after the other, so that only one of them fills the memory."""
    yield Case("array", large_array)
    yield Case("array, split", lambda: {**large_array(), "validation_split": 0.2})
    yield Case("mapped file", lambda: mapped_file(folder / "values"))
    yield Case("50 fields", fifty_fields, {f"part{number}": (20,) for number in range(50)})
    yield Case("pandas table", mixed_table, (50,))
    yield Case("generator, 1 ms", lambda: {"x": generator(0.001), "steps_per_epoch": 100_000})
    yield Case("PyDataset, 50 ms", lambda: {"x": Slow(0.05)})
    yield Case("tf.data, JPEG", jpegs, (224, 224, 3))
    yield Case("tf.data, arrays", tensors)


def labels(samples: int) -> np.ndarray:
    """Classes in no order."""
    return np.random.default_rng(1).integers(0, CLASSES, samples)


def values(samples: int, features: int = FEATURES) -> np.ndarray:
    """Standard normal rows; the same million values again and again, which no scan can tell."""
    rows = np.random.default_rng(2).standard_normal((1_000_000 // features, features), np.float32)
    return np.resize(rows, (samples, features))


def large_array() -> dict[str, Any]:
    """As much of 4 GB as there is room for."""
    size = min(LARGE_BYTES, available_bytes() - SPARE_BYTES)
    x = values(size // (4 * FEATURES))
    return {"x": x, "y": labels(len(x))}


def mapped_file(path: Path) -> dict[str, Any]:
    """100 GB of which the disk holds nothing: the file is all holes."""
    path.touch()
    os.truncate(path, MAPPED_BYTES)
    x = np.memmap(path, np.float32, "r", shape=(MAPPED_BYTES // (4 * FEATURES), FEATURES))
    # Keras would copy it into memory, which is an error of its own.
    return {"x": x, "y": labels(len(x)), "ignore": "FG678"}


def fifty_fields() -> dict[str, Any]:
    """A dict of arrays, 1 GB in all."""
    return {
        "x": {f"part{number}": values(250_000, 20) for number in range(50)},
        "y": labels(250_000),
    }


def mixed_table() -> dict[str, Any]:
    """40 columns of floats and 10 of whole numbers, 800 MB."""
    samples = 2_000_000
    floats = pd.DataFrame(values(samples, 40).astype("float64"))
    whole = pd.DataFrame(np.random.default_rng(3).integers(0, 100, (samples, 10)))
    return {"x": pd.concat([floats, whole], axis=1), "y": labels(samples)}


def generator(seconds: float) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Without end; each batch takes its time."""
    x, y = values(64), labels(64)
    while True:
        time.sleep(seconds)
        yield x, y


class Slow(keras.utils.PyDataset):
    """Ten thousand batches that take their time."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds
        self.x, self.y = values(64), labels(64)

    def __len__(self) -> int:
        return 10_000

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        time.sleep(self.seconds)
        return self.x, self.y


def jpegs() -> dict[str, Any]:
    """Images that are decoded and resized, as from a folder of files."""
    pixels = np.random.default_rng(4).integers(0, 256, (375, 500, 3), dtype=np.uint8)
    encoded = tf.io.encode_jpeg(pixels)

    def decoded(number: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        image = tf.image.resize(tf.io.decode_jpeg(encoded, channels=3), (224, 224)) / 255
        return image, number % CLASSES

    numbers = tf.data.Dataset.range(1_000_000).shuffle(10_000)
    return {"x": numbers.map(decoded, num_parallel_calls=tf.data.AUTOTUNE).batch(32).prefetch(2)}


def tensors() -> dict[str, Any]:
    """What `from_tensor_slices` holds, 400 MB, is looked at as it lies there."""
    slices = tf.data.Dataset.from_tensor_slices((values(1_000_000), labels(1_000_000)))
    return {"x": slices.shuffle(100_000).batch(64).prefetch(2)}


def model(inputs: Any) -> keras.Model:
    """The smallest that takes them."""
    shapes = inputs if isinstance(inputs, dict) else {"only": inputs}
    given = {name: keras.Input(shape, name=name) for name, shape in shapes.items()}
    flat = [keras.layers.Flatten()(each) for each in given.values()]
    joined = keras.layers.Concatenate()(flat) if len(flat) > 1 else flat[0]
    answer = keras.layers.Dense(CLASSES, activation="softmax")(joined)
    made = keras.Model(given if len(flat) > 1 else given["only"], answer)
    made.compile("sgd", "sparse_categorical_crossentropy")
    return made


def report(case: Case) -> bool:
    """Measure and print one case; whether it meets the targets."""
    taken = measure(case)
    quick, small = taken.seconds <= TARGET_SECONDS, taken.memory_bytes <= MOST_MEMORY_BYTES
    print(
        f"{case.name:17} {taken.seconds:5.2f} s ({verdict(quick)}), "
        f"{taken.seconds / HOUR_SECONDS:.3%} of an hour, "
        f"memory +{taken.memory_bytes / 1e6:.0f} MB ({verdict(small)}), {taken.seen}",
        flush=True,
    )
    return quick and small


def measure(case: Case) -> Taken:
    """One check: a second one would find the file cache warm and functions traced."""
    checked, arguments = model(case.inputs), case.make()
    before = reset_peak()
    started = time.perf_counter()
    found = fitguard.check_data(checked, **arguments)
    seconds = time.perf_counter() - started
    memory = memory_bytes("VmHWM") - before
    if not found.ok:
        raise SystemExit(f"Received {found.findings[0].title}. Expected healthy data")
    source = found.facts.sources[0]
    of_all = f" of {source.samples:,}" if source.samples else ""
    return Taken(seconds, memory, f"{source.samples_seen:,}{of_all} samples seen")


if __name__ == "__main__":
    main()
