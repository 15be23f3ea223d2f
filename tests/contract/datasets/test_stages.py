"""The stages of a dataset, as all rooms see them."""

from typing import Any

import pytest

from fitguard.contract.datasets.stages import DatasetStage


@pytest.fixture(autouse=True)
def no_seed() -> None:
    import tensorflow as tf

    tf.random.set_seed(None)


def numbers() -> Any:
    import tensorflow as tf

    return tf.data.Dataset.range(8)


def unseeded(dataset: Any) -> set[str]:
    return {kind for f in DatasetStage(dataset).functions.values() for kind in f.unseeded}


def test_each_stage_is_seen_once() -> None:
    import tensorflow as tf

    source = numbers()
    both = tf.data.Dataset.zip((source.map(lambda n: n + 1), source))

    assert [stage.name for stage in DatasetStage(both).pipeline()] == ["range", "map", "zip"]


def test_a_dataset_of_tensorflow_1_is_seen_through() -> None:
    import tensorflow as tf

    dataset = tf.compat.v1.data.Dataset.range(4).shuffle(2, seed=1)

    assert [stage.name for stage in DatasetStage(dataset).pipeline()] == ["range", "shuffle"]
    assert DatasetStage(dataset).seeded


def test_files_that_are_read_at_once() -> None:
    import tensorflow as tf

    plain = DatasetStage(tf.data.TFRecordDataset(["a", "b"]))
    at_once = DatasetStage(tf.data.TFRecordDataset(["a", "b"], num_parallel_reads=2))

    assert (plain.name, plain.calls_at_once) == ("TFRecordDataset", False)
    assert (at_once.name, at_once.calls_at_once) == ("TFRecordDataset", True)
    assert not at_once.reorders(allowed=True), "TensorFlow gives them in order, whatever is allowed"


@pytest.mark.parametrize(
    ("deterministic", "allowed", "reorders"),
    [(None, True, True), (None, False, False), (True, True, False), (False, False, True)],
)
def test_order(deterministic: bool | None, allowed: bool, reorders: bool) -> None:
    mapped = numbers().map(lambda n: n, num_parallel_calls=2, deterministic=deterministic)

    assert DatasetStage(mapped).reorders(allowed) is reorders


@pytest.mark.parametrize(("calls", "at_once"), [(None, False), (1, False), (2, True), (-1, True)])
def test_calls_at_once(calls: int | None, at_once: bool) -> None:
    assert DatasetStage(numbers().map(lambda n: n, calls)).calls_at_once is at_once


def test_what_functions_draw_without_a_seed() -> None:
    import tensorflow as tf

    def nested(n: Any) -> Any:
        return tf.cond(n > 3, lambda: tf.random.normal(()), lambda: 0.0)

    assert unseeded(numbers().map(nested)) == {"RandomStandardNormal"}
    assert unseeded(numbers().map(lambda _: tf.random.normal((), seed=1))) == set()
    assert unseeded(numbers().flat_map(lambda _: numbers().shuffle(8))) == {"ShuffleDatasetV3"}
    assert unseeded(numbers().flat_map(lambda _: numbers().shuffle(8, seed=1))) == set()
    assert unseeded(numbers().flat_map(lambda _: tf.data.Dataset.random().take(2))) == {
        "RandomDataset"
    }


def test_a_stage_whose_inputs_cannot_be_found_is_opaque() -> None:
    dataset = numbers().shuffle(3, seed=1)
    assert not DatasetStage(dataset).opaque

    del dataset._input_dataset
    assert DatasetStage(dataset).opaque
    assert [stage.name for stage in DatasetStage(dataset).pipeline()] == ["shuffle"]
