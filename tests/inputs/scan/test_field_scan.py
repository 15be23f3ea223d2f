"""Blocks of a stream, odd arrays, and text."""

import numpy as np
import pytest
from inputs.scan.scanning import field_scan, indices, scanned


def test_batches_in_any_order() -> None:
    data = np.arange(24.0).reshape(12, 2)
    data[[1, 5, 7, 10], 1] = np.nan
    data[[2, 9], 0] = np.nan
    scan = field_scan()
    for batch in (2, 0, 1):
        scan.add(data[batch * 4 : batch * 4 + 4], batch * 4, batch)
    field = scan.result()
    assert field.nans.count == 6
    assert indices(field.nans) == [(1, 1), (2, 0), (5, 1), (7, 1), (9, 0)]
    assert [place.batch for place in field.nans.places] == [0, 0, 1, 1, 2]
    assert field.samples_seen == 12
    assert (field.minimum, field.maximum) == (0, 23)


def test_axes_that_differ_between_batches_are_open() -> None:
    scan = field_scan()
    scan.add(np.zeros((2, 5, 3)), 0, 0)
    scan.add(np.zeros((2, 7, 3)), 2, 1)
    assert scan.result().shape == (None, 3)
    scan.add(np.zeros((2, 7)), 4, 2)
    assert scan.result().shape == (None, None)


def test_batches_of_other_dtypes_do_not_round_the_range() -> None:
    scan = field_scan()
    scan.add(np.array([-0.1, 0.1]), 0, 0)
    scan.add(np.array([0.0], np.float16), 2, 1)
    scan.add(np.array([0], np.int8), 3, 2)
    assert (scan.result().minimum, scan.result().maximum) == (-0.1, 0.1)


def test_what_is_known_is_handed_on() -> None:
    field = field_scan(
        role="y", name="y[1]", target="age", split="validation", samples=5, size_bytes=40
    ).result()
    assert (field.role, field.name, field.target, field.split) == ("y", "y[1]", "age", "validation")
    assert (field.samples, field.size_bytes, field.samples_seen) == (5, 40, 0)
    assert field.dtype == "unknown"


@pytest.mark.parametrize("shape", [(0,), (0, 3), (4, 0)])
def test_nothing_in_it(shape: tuple[int, ...]) -> None:
    field = scanned(np.zeros(shape, np.float32), labels=True, columns=True, mask_value=0.0)
    assert field.samples_seen == shape[0]
    assert field.dtype == "float32"
    assert field.shape == shape[1:]
    assert field.minimum is None
    assert field.labels is not None
    assert field.labels.counts == ()


def test_a_single_value_counts_as_one_sample() -> None:
    field = scanned(np.array(3.5))
    assert (field.samples_seen, field.shape, field.minimum) == (1, (), 3.5)


def test_the_data_under_a_mask_are_looked_at() -> None:
    """Keras drops the mask of a masked array."""
    array = np.ma.masked_array([1.0, np.nan, 3.0], mask=[False, True, False])
    assert scanned(array).nans.count == 1


def test_structures_are_no_numbers() -> None:
    field = scanned(
        np.zeros(3, [("a", "f4")]), labels=True, columns=True, mask_value=0.0, fractions=True
    )
    assert field.minimum is None
    assert field.samples_seen == 3


def test_objects() -> None:
    array = np.array([1, None, "x", [1, 2], 2.5, float("nan"), "y", "z"], object)
    field = scanned(array)
    assert set(field.python_types) == {"int", "NoneType", "str", "list", "float"}
    assert field.python_types[0] == "str"
    assert field.examples == ("1", "None", "'x'", "[1, 2]", "2.5")
    assert indices(field.nans) == [(5,)]
    assert field.minimum is None


@pytest.mark.parametrize(
    ("dtype", "kind", "example"),
    [("U4", "str", "'cat'"), ("S4", "bytes", "b'cat'"), ("T", "str", "'cat'")],
)
def test_text(dtype: str, kind: str, example: str) -> None:
    field = scanned(np.array([["cat", "dog"], ["cat", "cow"]], dtype))
    assert field.python_types == (kind,)
    assert field.examples[0] == example
    assert len(field.examples) == 3
    assert field.shape == (2,)


def test_long_values_are_shortened() -> None:
    class Broken:
        def __repr__(self) -> str:
            raise ValueError

    field = scanned(np.array(["a" * 10_000, list(range(10_000)), Broken()], object))
    assert all(len(example) <= 70 for example in field.examples)
    assert len(field.examples) == 3


def test_fractions() -> None:
    array = np.array([[1.0, 2.5], [np.nan, -0.5]], np.float32)
    field = scanned(array, fractions=True)
    assert indices(field.fractions) == [(0, 1), (1, 1)]
    assert scanned(array).fractions.count == 0
    assert scanned(array.astype(np.float16), fractions=True).fractions.count == 2
    assert scanned(np.array([1, 2]), fractions=True).fractions.count == 0
