"""Padding in sequences."""

from typing import Any

import numpy as np
import pytest
from inputs.scan.scanning import indices, scanned

from fitguard.schema.data import Padding


def padding(array: Any, mask_value: float = 0.0) -> Padding:
    found = scanned(np.asarray(array), mask_value=mask_value).padding
    assert found is not None
    return found


def test_right_padding_is_fine() -> None:
    found = padding([[1, 2, 0, 0], [3, 4, 5, 6], [7, 0, 0, 0]])
    assert found == Padding()


def test_samples_of_padding_only() -> None:
    found = padding([[1, 2], [0, 0], [3, 0], [0, 0]])
    assert found.all_masked.count == 2
    assert indices(found.all_masked) == [(1,), (3,)]
    assert found.left_padded.count == 0


def test_padding_in_front_and_between() -> None:
    found = padding([[0, 1, 2], [1, 0, 2], [1, 2, 0]])
    assert indices(found.left_padded) == [(0,), (1,)]


def test_a_step_is_padding_where_all_features_are() -> None:
    sequences = np.ones((3, 4, 2), np.float32)
    sequences[0, 0] = -1
    sequences[1, 0, 0] = -1
    sequences[2] = -1
    found = padding(sequences, -1.0)
    assert indices(found.left_padded) == [(0,)]
    assert indices(found.all_masked) == [(2,)]


def test_the_mask_value_is_rounded_as_the_values_are() -> None:
    assert padding(np.full((2, 3), 0.1, np.float32), 0.1).all_masked.count == 2


@pytest.mark.parametrize("mask_value", [-1.0, 0.5, 256.0])
def test_a_mask_value_that_the_dtype_cannot_hold(mask_value: float) -> None:
    assert padding(np.array([[255, 0]], np.uint8), mask_value) == Padding()


@pytest.mark.parametrize("array", [np.zeros(3), np.zeros((3, 0)), np.array([["a", "b"]])])
def test_what_is_no_sequence(array: np.ndarray) -> None:
    assert padding(array) == Padding()


def test_places_in_a_large_array() -> None:
    sequences = np.ones((200_000, 20), np.int32)
    sequences[150_000] = 0
    sequences[199_999, 3] = 0
    found = padding(sequences)
    assert indices(found.all_masked) == [(150_000,)]
    assert indices(found.left_padded) == [(199_999,)]
