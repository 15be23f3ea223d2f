"""Ranges, nans, infinities and values outside, in all dtypes and layouts."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from inputs.scan.scanning import indices, scanned

FLOATS = ["f2", "f4", "f8", ">f2", ">f4", ">f8", "g", ml_dtypes.bfloat16, ml_dtypes.float8_e5m2]
WHOLE = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", ">u8"]

LAYOUTS = {
    "C": lambda array: array,
    "Fortran": np.asfortranarray,
    "reversed": lambda array: array[::-1],
    "strided": lambda array: np.repeat(array, 2, axis=1)[:, ::2],
    "turned": lambda array: np.ascontiguousarray(array.T).T,
    "read-only": lambda array: np.frombuffer(array.tobytes(), array.dtype).reshape(array.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [*FLOATS, *WHOLE], ids=str)
def test_the_range_in_all_dtypes_and_layouts(dtype: Any, layout: str) -> None:
    values = np.random.default_rng(1).integers(-100, 100, (300, 7))
    array = LAYOUTS[layout](values.astype(dtype))
    field = scanned(array)
    assert (field.minimum, field.maximum) == (float(array.min()), float(array.max()))
    assert field.samples_seen == 300
    assert field.shape == (7,)
    assert field.dtype == str(np.dtype(dtype))
    assert field.nans.count == field.infinities.count == field.outside.count == 0


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("values", [[1, 3, 2], [-1, -3, -2], [-1, 0, 4], [-0.0, 0.0], [-0.0, -2]])
def test_the_range_for_all_signs(values: list[float], dtype: Any) -> None:
    field = scanned(np.array(values, dtype))
    assert (field.minimum, field.maximum) == (min(values), max(values))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_places_of_nans_and_infinities(dtype: Any, layout: str) -> None:
    values = np.ones((40, 5, 3))
    values[7, 2, 1] = values[30, 0, 0] = np.nan
    values[8, 4, 2], values[39, 0, 1] = np.inf, -np.inf
    values[0, 0, 0], values[1, 1, 1] = -5, 8
    field = scanned(LAYOUTS[layout](values.astype(dtype)))
    turned = [39 - 30, 39 - 7] if layout == "reversed" else [7, 30]
    assert field.nans.count == 2
    assert [place.sample for place in field.nans.places] == turned
    assert {place.value for place in field.nans.places} == {"nan"}
    assert field.infinities.count == 2
    assert {place.value for place in field.infinities.places} == {"inf", "-inf"}
    if layout != "reversed":
        assert indices(field.nans) == [(7, 2, 1), (30, 0, 0)]
        assert indices(field.infinities) == [(8, 4, 2), (39, 0, 1)]
    assert (field.minimum, field.maximum) == (-5, 8)


def test_a_nan_with_a_sign_is_found() -> None:
    """0/0 gives one on x86 processors."""
    array = np.array([1, np.copysign(np.nan, -1), 2], np.float32)
    assert np.signbit(array[1])
    assert indices(scanned(array).nans) == [(1,)]


def test_nothing_but_nans() -> None:
    field = scanned(np.full((1000, 20), np.nan, np.float32))
    assert field.nans.count == 20_000
    assert indices(field.nans) == [(0, column) for column in range(5)]
    assert field.minimum is None
    assert field.maximum is None


def test_a_nan_late_in_a_large_array() -> None:
    array = np.zeros((3_000_000, 3), np.float32)
    array[2_999_998, 2] = np.nan
    array[1_500_000, 1] = -np.inf
    field = scanned(array)
    assert indices(field.nans) == [(2_999_998, 2)]
    assert indices(field.infinities) == [(1_500_000, 1)]


def test_complex_numbers_have_nans_but_no_range() -> None:
    array = np.array([1 + 2j, complex(np.nan, 1), complex(1, np.inf)], np.complex64)
    field = scanned(array)
    assert indices(field.nans) == [(1,)]
    assert indices(field.infinities) == [(2,)]
    assert field.minimum is None


def test_a_missing_time_counts_as_nan() -> None:
    field = scanned(np.array(["2020-01-01", "NaT"], "M8[s]"))
    assert field.nans.places[0].value == "NaT"
    assert field.minimum is None


def test_values_outside_with_their_places() -> None:
    array = np.array([[0, 9], [10, -1], [3, 4]])
    field = scanned(array, allowed=(0.0, 9.0))
    assert field.outside.count == 2
    assert [(place.sample, place.position, place.value) for place in field.outside.places] == [
        (1, (0,), "10"),
        (1, (1,), "-1"),
    ]
    assert field.allowed == (0.0, 9.0)


def test_infinities_and_nans_are_not_outside() -> None:
    array = np.array([np.inf, np.nan, 2, 7], np.float32)
    assert indices(scanned(array, allowed=(0, 5)).outside) == [(3,)]


@pytest.mark.parametrize("allowed", [(None, None), (None, 5.0), (-5.0, None), (-np.inf, np.inf)])
def test_open_limits(allowed: tuple[float | None, float | None]) -> None:
    assert scanned(np.array([-5.0, 5.0]), allowed=allowed).outside.count == 0


def test_a_limit_is_rounded_as_the_values_are() -> None:
    assert float(np.float32(0.1)) > 0.1
    assert scanned(np.array([0.1], np.float32), allowed=(None, 0.1)).outside.count == 0


def test_a_limit_that_the_dtype_cannot_write() -> None:
    assert scanned(np.array([6e4], np.float16), allowed=(None, 1e9)).outside.count == 0
    assert scanned(np.array([200], np.uint8), allowed=(-300.0, 300.0)).outside.count == 0
    assert scanned(np.array([200], np.uint8), allowed=(300.0, None)).outside.count == 1


def test_the_ignored_class_is_not_outside() -> None:
    labels = np.array([0, 255, 21, 255])
    field = scanned(labels, allowed=(0.0, 20.0), ignored=255)
    assert [place.value for place in field.outside.places] == ["21"]
    assert scanned(labels.astype(np.uint8), allowed=(0.0, 20.0), ignored=-1).outside.count == 3


def test_large_whole_numbers_keep_their_last_digit() -> None:
    edge = 2**53
    array = np.array([edge, edge + 1], np.int64)
    field = scanned(array, allowed=(0.0, float(edge)))
    assert [place.value for place in field.outside.places] == ["9007199254740993"]
    huge = scanned(np.array([2**64 - 1, 3], np.uint64), allowed=(0.0, 9.0))
    assert [place.value for place in huge.outside.places] == ["18446744073709551615"]
    low = scanned(np.array([-(2**63), 3], np.int64), allowed=(0.0, 9.0))
    assert [place.value for place in low.outside.places] == ["-9223372036854775808"]


@given(
    arrays.arrays(
        st.sampled_from([np.float16, np.float32, np.float64]),
        arrays.array_shapes(min_dims=1, max_dims=3, max_side=6),
    ),
    st.floats(-100, 0),
    st.floats(0, 100),
)
def test_it_agrees_with_numpy(array: np.ndarray, low: float, high: float) -> None:
    field = scanned(array, allowed=(low, high))
    finite = array[np.isfinite(array)]
    least, most = array.dtype.type(low), array.dtype.type(high)
    assert field.nans.count == np.isnan(array).sum()
    assert field.infinities.count == np.isinf(array).sum()
    assert field.outside.count == ((finite < least) | (finite > most)).sum()
    assert field.minimum == (float(finite.min()) if finite.size else None)
    assert field.maximum == (float(finite.max()) if finite.size else None)
    assert indices(field.nans) == [tuple(i) for i in np.argwhere(np.isnan(array))[:5].tolist()]
