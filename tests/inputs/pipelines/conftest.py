from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with images, texts, records and a table, as pipelines read them."""
    import h5py
    import tensorflow as tf

    folder = tmp_path_factory.mktemp("files")
    for label in ("cat", "dog"):
        (folder / "images" / label).mkdir(parents=True)
        (folder / "texts" / label).mkdir(parents=True)
        for n in range(4):
            pixels = np.full((5, 5, 3), 20 * n + len(label), "uint8")
            image = folder / "images" / label / f"{n}.png"
            image.write_bytes(tf.io.encode_png(pixels).numpy())
            (folder / "texts" / label / f"{n}.txt").write_text(f"{label} {n}")
    for number in range(3):
        with tf.io.TFRecordWriter(str(folder / f"{number}.tfrecord")) as writer:
            for record in range(3):
                writer.write(f"{number}-{record}".encode())
    with h5py.File(folder / "data.h5", "w") as file:
        file["x"] = np.arange(48, dtype="float32").reshape(12, 2, 2, 1)
    (folder / "lines.csv").write_text("a,b\n" + "".join(f"{n},{n % 2}\n" for n in range(6)))
    return folder


@pytest.fixture
def epochs() -> Callable[[Any, int], list[list[bytes]]]:
    """Iterates a dataset as training does; gives the bytes of all tensors."""

    def run(dataset: Any, count: int = 2) -> list[list[bytes]]:
        return [[_bytes(element) for element in dataset] for _ in range(count)]

    return run


def _bytes(element: Any) -> bytes:
    import tensorflow as tf

    parts = []
    for tensor in tf.nest.flatten(element, expand_composites=True):
        array = np.asarray(tensor)
        parts.append(b"|".join(array.ravel()) if array.dtype == object else array.tobytes())
    return b"/".join(parts)
