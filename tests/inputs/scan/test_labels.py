"""What is counted of labels."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from inputs.scan.scanning import field_scan, scanned

from fitguard.inputs.scan.labels import MOST_DISTINCT
from fitguard.schema.data import Labels


def labels(array: np.ndarray) -> Labels:
    found = scanned(array, role="y", labels=True).labels
    assert found is not None
    return found


def counted(found: Labels) -> dict[float | str, int]:
    return {entry.value: entry.count for entry in found.counts}


@pytest.mark.parametrize(
    "dtype", ["i1", "u1", "i8", "u8", "f2", "f4", "f8", ">i4", ml_dtypes.bfloat16], ids=str
)
def test_whole_numbers(dtype: Any) -> None:
    found = labels(np.array([0, 1, 2, 1, 1, 0], dtype))
    assert found.integral is True
    assert found.one_hot is False
    assert found.distinct == 3
    assert [(entry.value, entry.count) for entry in found.counts] == [(1, 3), (0, 2), (2, 1)]


def test_truth_values() -> None:
    found = labels(np.array([[True], [False], [True]]))
    assert counted(found) == {1: 2, 0: 1}
    assert found.integral is True


def test_negative_numbers_and_far_ones() -> None:
    assert counted(labels(np.array([-1, 1, -1]))) == {-1: 2, 1: 1}
    far = labels(np.array([2**63 - 1, -(2**63), 2**63 - 2]))
    assert far.distinct == 3
    assert far.integral is True
    assert labels(np.array([2**64 - 1, 2**64 - 2], np.uint64)).distinct == 2


def test_fractions_are_not_whole() -> None:
    found = labels(np.array([0.1, 0.9, 0.9], np.float32))
    assert found.integral is False
    assert found.distinct == 2


def test_what_is_not_finite_is_no_label() -> None:
    found = labels(np.array([1.0, np.nan, np.inf, 0.0]))
    assert found.integral is True
    assert counted(found) == {0: 1, 1: 1}


@pytest.mark.parametrize("dtype", ["f4", "i4", "?", "f2", ml_dtypes.bfloat16], ids=str)
def test_one_hot(dtype: Any) -> None:
    found = labels(np.eye(4)[[0, 3, 3, 1]].astype(dtype))
    assert found.one_hot is True
    assert found.integral is True
    assert found.distinct == 3
    assert counted(found) == {3: 2, 0: 1, 1: 1}


def test_one_hot_along_the_last_axis_of_images() -> None:
    found = labels(np.eye(3)[np.array([[[0, 1], [1, 1]], [[2, 2], [2, 1]]])])
    assert found.one_hot is True
    assert counted(found) == {1: 4, 2: 3, 0: 1}


@pytest.mark.parametrize(
    "rows", [[[1, 1], [0, 0]], [[0, 0], [1, 0]], [[2, 0], [1, 0]], [[1, -1], [0, 1]], [[1], [1]]]
)
def test_rows_that_are_not_one_hot(rows: list[list[int]]) -> None:
    assert labels(np.array(rows)).one_hot is False


def test_several_labels_at_once_after_one_hot_batches() -> None:
    scan = field_scan(role="y", labels=True)
    scan.add(np.eye(3), 0, 0)
    scan.add(np.array([[1, 1, 0]]), 3, 1)
    found = scan.result().labels
    assert found is not None
    assert found.one_hot is False
    assert counted(found) == {0: 7, 1: 5}


def test_text() -> None:
    found = labels(np.array(["cat", "dog", "cat"]))
    assert found.integral is None
    assert counted(found) == {"cat": 2, "dog": 1}
    assert counted(labels(np.array([b"cat"]))) == {"cat": 1}


def test_objects_with_and_without_a_hash() -> None:
    assert counted(labels(np.array(["a", None, 3, "a"], object))) == {"a": 2, "None": 1, 3: 1}
    lists = np.empty(2, object)
    lists[:] = [[1], [1]]
    assert counted(labels(lists)) == {"[1]": 2}


def test_of_many_labels_only_the_ends_are_listed() -> None:
    found = labels(np.repeat(np.arange(1000), np.arange(1, 1001)))
    assert found.distinct == 1000
    assert len(found.counts) == 20
    assert (found.counts[0].value, found.counts[0].count) == (999, 1000)
    assert (found.counts[-1].value, found.counts[-1].count) == (0, 1)


def test_quantities_are_not_counted() -> None:
    found = labels(np.random.default_rng(1).random(2 * MOST_DISTINCT))
    assert found.distinct is None
    assert found.counts == ()
    assert found.integral is False


def test_changes_from_sample_to_sample() -> None:
    sorted_ones = labels(np.repeat([0, 1], 50))
    assert (sorted_ones.neighbours, sorted_ones.changes) == (99, 1)
    column = labels(np.array([[0], [1], [0]]))
    assert (column.neighbours, column.changes) == (2, 2)
    one_hot = labels(np.eye(2)[[0, 0, 1]])
    assert (one_hot.neighbours, one_hot.changes) == (2, 1)
    several = labels(np.array([[1, 1], [0, 1]]))
    assert (several.neighbours, several.changes) == (0, 0)
