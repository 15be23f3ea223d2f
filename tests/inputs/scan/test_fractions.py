import numpy as np
import pytest

from fitguard.inputs.scan.fractions import FractionScan


def scanned(block, first_sample=0, batch=None):
    scan = FractionScan()
    scan.add(block, first_sample, batch)
    return scan.result()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_fractions_are_counted_and_placed(dtype):
    block = np.zeros((8, 3), dtype)
    block[2, 1], block[5, 0] = 0.5, -1.25
    found = scanned(block, first_sample=100, batch=4)
    assert found.count == 2
    assert [place.sample for place in found.places] == [102, 105]
    assert [place.position for place in found.places] == [(1,), (0,)]
    assert found.places[0].value == "0.5"
    assert found.places[0].batch == 4


def test_whole_numbers_nan_and_infinities_are_no_fractions():
    assert scanned(np.array([0.0, -3.0, np.nan, np.inf, 2.0**60])).count == 0


@pytest.mark.parametrize("dtype", ["int32", "bool", "<U3", "complex64"])
def test_what_has_no_fractions_is_passed_over(dtype):
    assert scanned(np.zeros(4, dtype)).count == 0


def test_only_the_first_places_are_kept():
    found = scanned(np.full((1000, 2), 0.1, "float32"))
    assert found.count == 2000
    assert [(place.sample, place.position) for place in found.places][:2] == [(0, (0,)), (0, (1,))]
    assert len(found.places) == 5
