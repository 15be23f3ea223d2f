"""What the reader gives: the elements of one pass, and errors as they are."""

import contextlib
import itertools
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inputs.pipelines.cases import CASES, lengths, numbers, slices

from fitguard.inputs.pipelines.reading import open_dataset
from fitguard.inputs.pipelines.twins import Unreadable
from fitguard.state.keep import COPIED_BYTES


def read(dataset: Any, limit: int | None = None) -> list[Any]:
    reading = open_dataset(dataset)
    assert reading.unread == ""
    with contextlib.closing(reading.batches()) as batches:
        return list(itertools.islice(batches, limit))


DRAWN = {
    "counting_variable",
    "from_generator",
    "generator_with_its_own_rng",
    "generator_object",
    "ragged_from_generator",
    "iterator_of_the_user",
    "numpy_function",
    "py_function",
    "hdf5_file",
    "sampled",
    "resampled",
    "windows",
    "repeated_finite",
    "shuffled_twice",
    "filtered",
    "filtered_and_repeated",
    "scanned",
    "sharded",
    "random_operations",
    "cached_random",
    "cached_generator",
    "random_generator",
    "keras_layers",
    "keras_random",
    "tf_keras_layer",
    "random_source",
    "chosen",
}
"""What they give depends on chance, on the order, or on how often they were read."""


def flat_sorted(elements: list[Any]) -> list[list[Any]]:
    """The values of each component over all elements, sorted: the order does not matter."""
    import tensorflow as tf

    flat = [tf.nest.flatten(element, expand_composites=True) for element in elements]
    columns = zip(*flat, strict=True)
    return [sorted(v for part in column for v in np.asarray(part).ravel()) for column in columns]


@pytest.mark.parametrize(
    "name", sorted(CASES.keys() - DRAWN - {"padded", "ragged", "sparse", "zipped"})
)
def test_the_twin_gives_the_same_samples(name: str, files: Path) -> None:
    dataset = CASES[name](files)

    assert flat_sorted(read(dataset)) == flat_sorted(list(dataset))


def test_samples_come_in_the_order_of_the_source() -> None:
    assert read(numbers(5).shuffle(5).prefetch(1)) == [0, 1, 2, 3, 4]


def test_an_endless_dataset_is_read_once() -> None:
    reading = open_dataset(slices().shuffle(12).repeat().batch(5))

    assert reading.endless is True
    assert reading.elements == 3
    assert [len(y) for _, y in reading.batches()] == [5, 5, 5]


def test_an_endless_dataset_of_unknown_length_is_read_once_in_full_batches() -> None:
    dataset = numbers(12).filter(lambda n: n < 11).repeat().batch(4)
    reading = open_dataset(dataset)

    assert reading.elements is None
    assert [batch.tolist() for batch in reading.batches()] == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_zipped_endless_datasets_are_read_for_the_longest_pass() -> None:
    import tensorflow as tf

    dataset = tf.data.Dataset.zip((numbers(3).repeat(), numbers(7).shuffle(3).repeat())).batch(2)
    reading = open_dataset(dataset)

    assert reading.elements == 4
    assert sum(len(a) for a, _ in reading.batches()) == 8


def test_a_finite_dataset_is_not_endless() -> None:
    reading = open_dataset(numbers(10).batch(3, drop_remainder=True))

    assert reading.endless is False
    assert len(list(reading.batches())) == reading.elements == 3


def test_elements_are_arrays_in_their_structure() -> None:
    import tensorflow as tf

    dataset = tf.data.Dataset.from_tensor_slices(({"a": [1.0, 2.0]}, [b"x", b"y"])).batch(2)
    features, labels = read(dataset)[0]

    assert features["a"].dtype == np.float32
    assert labels.tolist() == [b"x", b"y"]


def test_ragged_and_sparse_stay_tensors() -> None:
    import tensorflow as tf

    assert isinstance(read(lengths().ragged_batch(3), 1)[0], tf.RaggedTensor)
    assert isinstance(read(lengths().sparse_batch(3, [4]), 1)[0], tf.SparseTensor)


def test_an_error_of_the_pipeline_comes_through_and_state_is_put_back() -> None:
    import tensorflow as tf

    count = tf.Variable(0, dtype=tf.int64)

    def fail_at_three(n: Any) -> Any:
        tf.debugging.assert_less(n, tf.constant(3, tf.int64), "three is bad")
        return n + count.assign_add(1)

    batches = open_dataset(numbers(5).map(fail_at_three)).batches()

    assert [next(batches) for _ in range(3)] == [1, 3, 5]
    with pytest.raises(tf.errors.InvalidArgumentError, match="three is bad"):
        next(batches)
    assert count.numpy() == 0


def test_reading_runs_not_ahead_and_leaves_no_thread(tmp_path: Path) -> None:
    import tensorflow as tf

    log = tmp_path / "log"

    def slow(n: Any) -> Any:
        with log.open("a") as file:
            file.write("x")
        return n

    dataset = (
        numbers(1000)
        .map(lambda n: tf.numpy_function(slow, [n], tf.int64), num_parallel_calls=16)
        .prefetch(500)
    )
    before = threading.active_count()

    read(dataset, 2)

    assert log.read_text() == "xx"
    assert threading.active_count() == before


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    dataset = slices().shuffle(4).batch(5).prefetch(1)
    capfd.readouterr()

    read(dataset)

    assert capfd.readouterr() == ("", "")


def test_a_large_array_is_guarded_while_python_runs() -> None:
    import tensorflow as tf

    data = np.arange(COPIED_BYTES // 8 + 1, dtype="float64")

    def generate() -> Any:
        yield from data[:2]
        data[::-1].sort()
        yield 0.0

    dataset = tf.data.Dataset.from_generator(
        generate, output_signature=tf.TensorSpec((), tf.float64)
    )
    batches = open_dataset(dataset).batches()

    assert [next(batches), next(batches)] == [0.0, 1.0]
    with pytest.raises(Unreadable, match="too large"):
        next(batches)
    assert (data[:-1] < data[1:]).all()
    assert data.flags.writeable


def test_an_unknown_stage_is_not_read() -> None:
    from tensorflow.python.data.ops import dataset_ops

    class Strange(dataset_ops.UnaryUnchangedStructureDataset):
        def __init__(self, source: Any) -> None:
            super().__init__(source, source._variant_tensor)

    reading = open_dataset(Strange(numbers()))

    assert "Strange" in reading.unread
    assert reading.pipeline.opaque == ("Strange",)


@pytest.mark.parametrize("attribute", ["_batch_size", "_drop_remainder", "_flat_structure"])
def test_a_tensorflow_made_otherwise_is_not_read(attribute: str) -> None:
    dataset = numbers().batch(4)
    other = type(type(dataset).__name__, (type(dataset),), {attribute: property(_missing)})
    dataset.__dict__.pop(attribute, None)
    dataset.__class__ = other

    reading = open_dataset(dataset)

    assert reading.unread
    assert reading.pipeline.stages[-1].name == "batch"


def _missing(_: Any) -> Any:
    raise AttributeError("not in this TensorFlow")
