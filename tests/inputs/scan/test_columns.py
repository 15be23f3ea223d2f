"""Columns that say nothing, or nothing new."""

import numpy as np
import pytest
from growth import is_linear
from inputs.scan.scanning import field_scan, scanned

from fitguard.schema.data import Columns


def columns(array: np.ndarray) -> Columns | None:
    return scanned(array, columns=True).columns


def table(rows: int = 1000, width: int = 6) -> np.ndarray:
    return np.random.default_rng(1).standard_normal((rows, width)).astype(np.float32)


def test_a_healthy_table() -> None:
    assert columns(table()) == Columns()


def test_constant_columns_with_their_value() -> None:
    values = table()
    values[:, 1], values[:, 4] = 7, 0
    assert columns(values) == Columns(constant=((1, 7.0), (4, 0.0)))


def test_equal_columns_name_the_first() -> None:
    values = table()
    values[:, 3] = values[:, 5] = values[:, 1]
    assert columns(values) == Columns(duplicate=((3, 1), (5, 1)))


def test_constant_columns_are_not_duplicates() -> None:
    values = table()
    values[:, [0, 2]] = 1
    assert columns(values) == Columns(constant=((0, 1.0), (2, 1.0)))


@pytest.mark.parametrize("row", [0, 123_456, 399_999])
def test_one_row_clears_a_column(row: int) -> None:
    values = table(400_000, 4)
    values[:, 0] = 5
    values[:, 2] = values[:, 1]
    assert columns(values) == Columns(constant=((0, 5.0),), duplicate=((2, 1),))
    values[row, 0] += 1
    values[row, 2] += 1
    assert columns(values) == Columns()


def test_columns_that_differ_from_the_first_but_not_from_each_other() -> None:
    values = np.zeros((300_000, 4), np.int8)
    values[:, 3] = np.arange(300_000) % 100
    values[200_001, [1, 2]] = 1
    assert columns(values) == Columns(constant=((0, 0.0),), duplicate=((2, 1),), from_zero=3)


def test_batches() -> None:
    scan = field_scan(columns=True)
    scan.add(np.array([[1, 2, 2], [1, 3, 3]]), 2, 1)
    scan.add(np.array([[1, 4, 4], [1, 5, 6]]), 0, 0)
    assert scan.result().columns == Columns(constant=((0, 1.0),))


def test_one_row_tells_nothing() -> None:
    assert columns(np.ones((1, 3))) is None


@pytest.mark.parametrize("array", [np.ones(5), np.ones((5, 2, 2)), np.full((5, 2), "a")])
def test_what_is_no_table(array: np.ndarray) -> None:
    assert columns(array) is None


def test_batches_of_another_width_end_the_search() -> None:
    scan = field_scan(columns=True)
    scan.add(np.ones((3, 2)), 0, 0)
    scan.add(np.ones((3, 4)), 3, 1)
    assert scan.result().columns == Columns()


def test_a_column_of_nans_is_not_constant() -> None:
    values = table()
    values[:, [0, 1]] = np.nan
    assert columns(values) == Columns(duplicate=((1, 0),))


def test_a_wide_table_of_sparse_columns_stays_cheap() -> None:
    def make_table(used: int) -> np.ndarray:
        values = np.zeros((1000, 5 * used), np.float32)
        values[np.arange(used) % 999, np.arange(used) * 5] = np.arange(1, used + 1)
        return values

    found = columns(make_table(2000))
    assert found is not None
    assert len(found.constant) == 8000
    assert found.duplicate == ()
    tables = {used: make_table(used) for used in (500, 2000)}
    assert is_linear(lambda used: columns(tables[used]), 500)
