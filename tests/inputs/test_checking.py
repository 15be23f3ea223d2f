"""`check_data` over all kinds of data: what it sees, how much, and what it refuses."""

import re
import time

import numpy as np
import pandas as pd
import pytest
import tensorflow as tf
from inputs import trainings
from programs import LONGEST_SECONDS

import fitguard
from fitguard.inputs.sources.generators import HELD_BYTES
from fitguard.schema.data import Failure


def check(x, y=None, **options):
    return fitguard.check_data(trainings.model(), x, y, **options)


def field(report, name, split="training"):
    [found] = [one for one in report.facts.fields if (one.name, one.split) == (name, split)]
    return found


def with_nan(sample, column):
    x, y = trainings.arrays()
    x[sample, column] = np.nan
    return x, y


def source(report, split="training"):
    [found] = [one for one in report.facts.sources if one.split == split]
    return found


def mapped(x, tmp_path):
    np.save(tmp_path / "x.npy", x)
    return np.load(tmp_path / "x.npy", mmap_mode="r")


@pytest.mark.parametrize(
    ("container", "make"),
    [
        ("numpy.ndarray", lambda x, _: x),
        ("numpy.memmap", mapped),
        ("tf.Tensor", lambda x, _: tf.constant(x)),
        ("tf.Variable", lambda x, _: tf.Variable(x)),
        ("pandas.DataFrame", lambda x, _: pd.DataFrame(x)),
        ("numpy.ndarray", lambda x, _: np.asfortranarray(x)),
        ("numpy.ndarray", lambda x, _: x.astype(">f4")),
    ],
)
def test_arrays_of_all_kinds(container, make, tmp_path):
    x, y = with_nan(41, 3)
    report = check(make(x, tmp_path), y)
    seen = field(report, "x")
    assert seen.container == container
    assert seen.nans.count == 1
    [place] = seen.nans.places
    assert (place.sample, place.position) == (41, (3,))
    assert source(report).complete
    assert "sample 41, column 3" in report.findings[0].evidence[0].text


def test_a_ragged_tensor():
    rows = tf.ragged.constant([[1.0, 2.0], [], [3.0, float("nan"), 4.0]])
    report = check(rows, np.zeros(3))
    assert field(report, "x").samples == 3
    assert [place.sample for place in field(report, "x").nans.places] == [2]


def test_a_sparse_tensor():
    sparse = tf.sparse.from_dense([[0.0, 1.0], [0.0, 0.0], [float("inf"), 0.0]])
    report = check(sparse, np.zeros(3))
    assert [place.sample for place in field(report, "x").infinities.places] == [2]


def test_a_dataset_of_arrays_is_seen_whole():
    data = tf.data.Dataset.from_tensor_slices(with_nan(66, 5)).shuffle(10).batch(8)
    report = check(data)
    assert source(report).complete
    assert (source(report).samples, source(report).batches) == (67, 9)
    assert (source(report).batch_size, source(report).last_batch_size) == (8, 3)
    [place] = field(report, "x").nans.places
    assert (place.sample, place.position) == (66, (5,))


def test_a_mapped_dataset_is_read_in_batches():
    data = tf.data.Dataset.from_tensor_slices(with_nan(66, 5)).map(lambda x, y: (x * 2, y)).batch(8)
    report = check(data)
    [place] = field(report, "x").nans.places
    assert (place.sample, place.position, place.batch) == (66, (5,), 8)
    assert source(report).last_batch_size == 3


def test_single_samples_are_no_batches():
    data = tf.data.Dataset.from_tensor_slices(trainings.arrays())
    report = check(data)
    assert source(report).batched is False
    assert field(report, "x").shape == (trainings.FEATURES,)
    assert "dataset-not-batched" in {finding.slug for finding in report.findings}


def test_a_pydataset_that_fails_at_one_batch():
    class Failing(trainings.Augmenting):
        def __getitem__(self, index):
            if index == 3:
                raise OSError("shard 3 is gone")
            return super().__getitem__(index)

    report = check(Failing())
    assert source(report).failure.batch == 3
    assert "OSError: shard 3 is gone" in source(report).failure.error


def test_a_generator_that_fails_hands_its_batches_back():
    def failing():
        yield from (trainings.arrays() for _ in range(2))
        raise KeyError("label")

    report = check(failing())
    assert source(report).failure == Failure(2, "KeyError: 'label'")
    with pytest.raises(KeyError):
        list(report.x)


def test_a_slow_stream_ends_with_the_budget():
    def slow():
        while True:
            time.sleep(0.05)
            yield trainings.arrays()

    started = time.monotonic()
    report = check(slow(), budget_seconds=0.5)
    assert time.monotonic() - started < LONGEST_SECONDS
    assert 1 <= source(report).batches_seen <= 10
    assert not source(report).complete
    assert report.budget_seconds == 0.5


def test_the_budget_is_kept_for_a_large_array():
    x = np.zeros((80_000_000, trainings.FEATURES), "float32")  # untouched pages take no memory
    started = time.monotonic()
    report = check(x, np.zeros(len(x), "int8"), budget_seconds=0.1, ignore="FG678")
    assert time.monotonic() - started < LONGEST_SECONDS
    assert 0 < field(report, "x").samples_seen < len(x)
    assert not source(report).complete


def test_an_endless_generator_read_fully_stops_where_nothing_more_can_be_kept():
    def endless():
        x = np.zeros((1_000_000, trainings.FEATURES), "float32")
        while True:
            yield x, np.zeros(len(x), "int64")

    report = check(endless(), full=True)
    assert source(report).batches_seen == -(-HELD_BYTES // 32_000_000)
    assert not source(report).complete


@pytest.mark.parametrize("steps", [None, 5])
def test_an_endless_dataset_read_fully(steps):
    data = tf.data.Dataset.counter().map(lambda n: (tf.zeros((4, trainings.FEATURES)), [n % 3] * 4))
    report = check(data, full=True, steps_per_epoch=steps, epochs=2)
    assert not source(report).complete
    assert source(report).batches_seen == 10 if steps else source(report).batches_seen > 10


def test_progress_is_told():
    told = []
    x, y = trainings.arrays()
    check(x, y, progress=lambda *what: told.append(what))
    assert ("x", 67, 67) in told
    assert ("y", 67, 67) in told


def test_validation_split_is_as_in_fit():
    x, y = with_nan(60, 1)
    report = check(x, y, validation_split=0.2)
    assert (source(report).samples, source(report, "validation").samples) == (53, 14)
    assert field(report, "x").nans.count == 0
    assert [place.sample for place in field(report, "x", "validation").nans.places] == [7]


def test_names_of_many_inputs():
    x, y = trainings.arrays()
    report = fitguard.check_data(trainings.model(2), {"part0": x, "part1": x + 1}, y)
    assert field(report, "x['part1']").target == "part1"


@pytest.mark.parametrize(
    ("x", "options", "told"),
    [
        (None, {}, "Received no x"),
        ([1, 2, 3], {}, "Received x[0], a int, in a list"),
        (iter([1]), {}, "an iterator (list_iterator)"),
        ("path.npy", {}, "Received str"),
        (np.zeros((4, 6)), {"budget_seconds": 0}, "Expected a positive number"),
        (np.zeros((4, 6)), {"budget_seconds": "2"}, "Received budget_seconds='2'"),
        (np.zeros((4, 6)), {"validation_split": 1.5}, "Expected a number between 0 and 1"),
        (np.zeros((4, 6)), {"select": "FG999"}, "which no check bears"),
    ],
)
def test_what_is_refused(x, options, told):
    with pytest.raises(fitguard.UsageError, match=re.escape(told)):
        check(x, **options)


def test_labels_beside_a_dataset_are_refused():
    data = tf.data.Dataset.from_tensor_slices(trainings.arrays()).batch(4)
    with pytest.raises(fitguard.UsageError, match=r"Received y beside a .*Expected them in"):
        check(data, np.zeros(67))
    with pytest.raises(fitguard.UsageError, match="give validation_data instead"):
        check(data, validation_split=0.2)


def test_what_is_no_model():
    with pytest.raises(fitguard.UsageError, match="Received"):
        fitguard.check_data(np.zeros(3), trainings.model())


def test_a_notebook_shows_a_page():
    report = check(*trainings.arrays())
    assert "<h1>fitguard data</h1>" in report._repr_html_()
