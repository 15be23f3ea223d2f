"""Reading a dataset changes nothing of what training gets after it."""

import contextlib
import itertools
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inputs.pipelines.cases import CASES, REFUSED

from fitguard.inputs.pipelines.reading import open_dataset
from fitguard.inputs.pipelines.twins import Unreadable

SEEDS = [None, 7]


def build(name: str, folder: Path, seed: int | None) -> Any:
    import tensorflow as tf
    from tensorflow.python.eager import context

    np.random.seed(1)
    random.seed(1)
    if seed is None:
        # There is no call that takes a global seed back.
        context.context()._seed = None
    else:
        tf.random.set_seed(seed)
    return (CASES | REFUSED)[name](folder)


def states() -> tuple[Any, ...]:
    from tensorflow.python.eager import context

    counter = getattr(context.context(), "_rng", None)
    return (
        random.getstate(),
        repr(np.random.get_state(legacy=False)["state"]),
        counter.getstate() if counter is not None else None,
        context.global_seed(),
    )


def written(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if not path.name.startswith("made-"))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", sorted(CASES))
def test_training_gets_the_same(name: str, seed: int | None, files: Path, epochs: Any) -> None:
    expected = epochs(build(name, files, seed))
    dataset = build(name, files, seed)
    before, on_disk = states(), written(files)

    reading = open_dataset(dataset)
    assert reading.unread == ""
    for limit in (1, None):
        with contextlib.closing(reading.batches()) as batches:
            assert sum(1 for _ in itertools.islice(batches, limit)) > 0

    assert states() == before
    assert written(files) == on_disk
    assert epochs(dataset) == expected


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_cannot_be_put_back_is_not_read(
    name: str, seed: int | None, files: Path, epochs: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    dataset = build(name, files, seed)
    before, on_disk = states(), written(files)
    capfd.readouterr()

    reading = open_dataset(dataset)

    assert reading.unread.endswith(".")
    with pytest.raises(Unreadable, match=re.escape(reading.unread)):
        next(reading.batches())
    assert reading.pipeline.stages
    assert states() == before
    assert written(files) == on_disk
    assert capfd.readouterr() == ("", "")
    if name != "prints":
        assert len(epochs(dataset, 1)[0]) > 0


MOVED_BY_READING = [
    "usual",
    "shuffled_with_the_global_seed",
    "random_generator",
    "keras_layers",
    "captured_dataset",
    "from_generator",
    "generator_with_its_own_rng",
    "generator_object",
    "ragged_from_generator",
    "numpy_function",
    "py_function",
    "random_source",
    "counting_variable",
    "iterator_of_the_user",
]


@pytest.mark.parametrize("name", MOVED_BY_READING)
def test_plain_iteration_would_change_it(name: str, files: Path, epochs: Any) -> None:
    """The test above can fail: without the reader, these pipelines give something else after."""
    expected = epochs(build(name, files, 7))
    dataset = build(name, files, 7)

    for _ in dataset:
        pass

    assert epochs(dataset) != expected


def test_debug_mode_runs_functions_as_python() -> None:
    import tensorflow as tf
    from tensorflow.python.data.ops import debug_mode

    rng = np.random.default_rng(3)

    def jitter(n: Any) -> Any:
        return n + int(rng.integers(1000))

    tf.data.experimental.enable_debug_mode()
    try:
        dataset = tf.data.Dataset.range(5).map(jitter)
        drawing = tf.data.Dataset.range(5).map(lambda _: tf.random.uniform([]))
        read = list(open_dataset(dataset).batches())
    finally:
        debug_mode.DEBUG_MODE = False

    assert list(dataset.as_numpy_iterator()) == read
    assert list(dataset.as_numpy_iterator()) != read
    assert "eager" in open_dataset(drawing).unread
