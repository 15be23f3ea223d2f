"""Arrays of all kinds, and arguments of all types: `check_data` answers, or says what is wrong."""

import os
import re
import time

import keras
import ml_dtypes
import numpy as np
import pandas as pd
import pytest
import tensorflow as tf
from inputs import trainings
from programs import LONGEST_SECONDS

import fitguard

X, Y = trainings.arrays()
"""For a budget of half a second, on a machine that is busy with other tests."""


def check(x, y=None, **options):
    return fitguard.check_data(trainings.model(), x, y, **options)


def source(report):
    return report.facts.sources[0]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"batch_size": "32"}, "Received batch_size='32'. Expected a whole number"),
        ({"epochs": 2.5}, "Received epochs=2.5. Expected a whole number"),
        ({"epochs": None}, "Received epochs=None"),
        ({"validation_split": "0.2"}, "Expected a number between 0 and 1"),
        ({"validation_split": np.array([0.1, 0.2])}, "Expected a number between 0 and 1"),
        ({"class_weight": [1, 2]}, "Expected a dict: a weight for each class"),
        ({"class_weight": {"cat": 1}}, "Received class_weight with the key 'cat'"),
        ({"class_weight": {0: None}}, "Received class_weight with None for class 0"),
        ({"validation_data": ()}, "validation_data: Received 0 parts"),
        ({"budget_seconds": float("nan")}, "Expected a positive number"),
        ({"select": 5}, "Received 5 to select or ignore"),
    ],
)
def test_arguments_that_fit_does_not_take(options, told):
    with pytest.raises(fitguard.UsageError, match=re.escape(told)):
        check(X, Y, **options)


def test_numbers_of_numpy_are_numbers():
    report = check(
        X,
        Y,
        batch_size=np.int64(8),
        epochs=np.int32(2),
        validation_split=np.float32(0.25),
        class_weight={np.int64(0): np.float32(1), 1.0: 2},
        budget_seconds=np.float32(1),
    )
    training = report.facts.training
    assert (training.batch_size, training.epochs, training.class_weight) == (8, 2, {0: 1.0, 1: 2.0})
    assert {type(training.batch_size), type(training.epochs)} == {int}


@pytest.mark.parametrize("seconds", [1e-9, float("inf"), 10**400])
def test_a_budget_of_any_size(seconds):
    assert source(check(X, Y, budget_seconds=seconds)).samples_seen == len(X)


class Broken:
    """Says that it is an array, and is none."""

    shape = (67, 6)

    def __array__(self, *_, **__):
        raise RuntimeError("the file is gone")


class Hostile:
    """To ask it for an array raises."""

    def __getattr__(self, name):
        raise ValueError if name == "__array__" else AttributeError


def itself():
    made = [X]
    made.append(made)
    return made


@pytest.mark.parametrize(
    ("x", "y", "told"),
    [
        (np.float32(1), Y, "Received x, a numpy.float32 with a single value"),
        (X, np.array(1), "Received y, a numpy.ndarray with a single value"),
        (tf.constant(1.0), Y, "Received x, a tf.Tensor with a single value"),
        (X, [0] * 67, "Received y[0], a int, in a list"),
        (X, "labels.npy", "Received y, a str"),
        (X, tf.data.Dataset.range(3), "Received y, a _"),
        (Broken(), Y, "NumPy cannot read (RuntimeError: the file is gone)"),
        (keras.Input((6,)), Y, "that NumPy cannot read"),
        (Hostile(), Y, "Received x, a Hostile that cannot be looked into (ValueError)"),
        (itself(), Y, "more than 50 deep"),
    ],
)
def test_what_is_no_array(x, y, told):
    with pytest.raises(fitguard.UsageError, match=re.escape(told)):
        check(x, y)
    with pytest.raises(fitguard.UsageError, match=r"Received .*Expected"):
        check(x, y, validation_split=0.2)


class Shy(np.ndarray):
    """A subclass whose own methods raise."""

    def __len__(self):
        raise RuntimeError("no length")

    def __getitem__(self, index):
        raise RuntimeError("no items")


class Unspeakable:
    """It cannot be written, hashed or compared."""

    def __repr__(self):
        raise ValueError

    __str__ = __repr__

    def __hash__(self):
        raise OverflowError


SMALL = [ml_dtypes.int4, ml_dtypes.uint2, ml_dtypes.float8_e5m2, ml_dtypes.bfloat16]


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (X[:0], Y[:0]),
        (X[:1], Y[:1]),
        (X[:, :0], Y),
        (np.ma.masked_array(X, X > 0), Y),
        (X[::-1, ::-1], Y[::-1]),
        (np.broadcast_to(np.float32(1), X.shape), np.broadcast_to(1, len(X))),
        (np.zeros(67, [("a", "f4"), ("b", "i4", 3)]), Y),
        (np.zeros((67, 6), "M8[s]"), np.full(67, np.datetime64("NaT"))),
        (X.astype("complex64"), X[:, 0].astype("clongdouble")),
        *[(np.ones((67, 6)).astype(dtype), np.ones(67).astype(dtype)) for dtype in SMALL],
        (np.full((67, 6), "a", np.dtypes.StringDType()), np.full(67, "\udcff", object)),
        (np.full((67, 6), 2**64 - 1, "u8"), np.full(67, 2**64 - 1, "u8")),
        (np.full((67, 6), 10**400, object), np.full(67, 10**5000, object)),
        (np.array([Unspeakable()] * 67), np.array([Unspeakable()] * 67)),
        (pd.DataFrame(X).assign(kind=pd.Categorical(["a"] * 67)), pd.Series(Y, dtype="Int64")),
        (pd.DataFrame(X).astype(pd.SparseDtype("float32", 0)), pd.Series(Y).astype("category")),
        (tf.ragged.constant([[[1.0] * k for k in range(n % 3)] for n in range(67)]), Y),
        (tf.sparse.from_dense(X), Y),
        ({0: X, "1": X, None: X, ("a", 2): X}, Y),
        ({"\x1b[31m\x00\u202e<b>": X, "n" * 10_000: X}, Y),
    ],
)
@pytest.mark.parametrize("share", [0.0, 0.3])
def test_odd_arrays(x, y, share):
    report = check(x, y, validation_split=share)
    assert not [skipped for skipped in report.skipped if skipped.broken]
    assert report._repr_html_()


def test_a_subclass_whose_methods_raise():
    assert source(check(X.view(Shy), Y.view(Shy))).complete
    with pytest.raises(fitguard.UsageError, match="which cannot be split"):
        check(X.view(Shy), Y, validation_split=0.2)


def test_a_map_of_a_file_that_was_shortened(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.zeros((100_000, trainings.FEATURES), "float32"))
    x = np.load(path, mmap_mode="r")
    os.truncate(path, 10_000)
    # Without the look at its length, reading would end this process with SIGBUS.
    with pytest.raises(fitguard.UsageError, match="its file has 10,000 bytes now"):
        check(x[100:], np.zeros(len(x) - 100))


def test_a_map_that_is_larger_than_any_memory(tmp_path):
    path = tmp_path / "x"
    path.touch()
    os.truncate(path, 100_000_000_000)
    x = np.memmap(path, "float32", "r", shape=(4_000_000_000, trainings.FEATURES))
    started = time.monotonic()
    report = check(x, np.broadcast_to(1, len(x)), budget_seconds=0.5)
    assert time.monotonic() - started < LONGEST_SECONDS
    assert not source(report).complete


def test_a_large_table_of_pandas_is_not_copied():
    samples = 2_000_000
    table = pd.DataFrame({name: np.arange(samples, dtype="float64") for name in "abcde"})
    table["f"] = ["text"] * samples
    started = time.monotonic()
    report = check(table, np.zeros(samples, int), budget_seconds=0.5)
    assert time.monotonic() - started < LONGEST_SECONDS
    assert report.facts.fields[0].container == "pandas.DataFrame"
    assert 0 < source(report).samples_seen < samples


def test_sparse_batches_are_counted_by_samples():
    x = X.copy()
    x[33, 2] = np.nan
    batches = tf.data.Dataset.from_tensor_slices((tf.sparse.from_dense(x), Y))
    report = check(batches.map(lambda sparse, y: (sparse, y)).batch(10))
    [seen, _] = report.facts.fields
    assert (seen.samples, seen.shape) == (67, (trainings.FEATURES,))
    assert [(place.sample, place.batch) for place in seen.nans.places] == [(33, 3)]
