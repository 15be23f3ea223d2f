"""Whole arrays: all of them, or an even sample; memory maps; no copies."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from inputs.scan.scanning import field_scan, indices, scanned

from fitguard.inputs.scan import scan_array
from fitguard.inputs.scan.arrays import BLOCK_BYTES

PAST = 0.0
"""A deadline that was over before the machine was started."""


def test_past_the_deadline_only_the_first_block_is_read() -> None:
    array = np.zeros((4 * BLOCK_BYTES // 40, 10), np.float32)
    array[0, 0] = array[-1, 0] = np.nan
    scan = field_scan(samples=len(array))
    scan_array(scan, array, PAST)
    field = scan.result()
    assert field.samples_seen == BLOCK_BYTES // 40
    assert field.samples == len(array)
    assert indices(field.nans) == [(0, 0)]


def test_with_time_everything_is_read() -> None:
    array = np.ones(3 * BLOCK_BYTES // 4 + 17, np.float32)
    array[-1] = 5
    scan = field_scan()
    scan_array(scan, array, float("inf"))
    assert scan.result().samples_seen == len(array)
    assert scan.result().maximum == 5


def test_progress_ends_at_all() -> None:
    told: list[tuple[int, int]] = []
    array = np.zeros(3 * BLOCK_BYTES // 4 + 17, np.float32)
    scan_array(field_scan(), array, None, lambda done, total: told.append((done, total)))
    assert len(told) == 4
    assert told == sorted(told)
    assert told[-1] == (len(array), len(array))


def test_an_error_of_the_progress_ends_the_scan() -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt(done, total)

    with pytest.raises(KeyboardInterrupt):
        scan_array(field_scan(), np.zeros(BLOCK_BYTES, np.float32), None, stop)


@pytest.mark.parametrize("shape", [(400, 224, 224, 3), (3_000_000, 20), (60_000_000,)])
def test_no_copy_is_made(shape: tuple[int, ...]) -> None:
    array = np.zeros(shape, np.float32)
    tracemalloc.start()
    try:
        scanned(array, columns=True)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000 < array.nbytes / 10


def test_an_array_of_nans_takes_little_memory() -> None:
    array = np.full((20_000_000,), np.nan, np.float32)
    tracemalloc.start()
    try:
        field = scanned(array)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert field.nans.count == 20_000_000
    assert peak < 40_000_000


def test_a_sample_larger_than_a_block() -> None:
    array = np.zeros((2, BLOCK_BYTES // 2), np.float32)
    array[1, 12345] = np.inf
    assert indices(scanned(array).infinities) == [(1, 12345)]


def test_a_large_array_in_fortran_order() -> None:
    array = np.zeros((100, 100_000), np.float32, order="F")
    array[99, 77_777] = np.nan
    array[3, 5] = -4
    field = scanned(array)
    assert indices(field.nans) == [(99, 77_777)]
    assert field.minimum == -4


def test_a_broadcast_array() -> None:
    array = np.broadcast_to(np.arange(3.0), (100_000, 3))
    assert (scanned(array).minimum, scanned(array).maximum) == (0, 2)


def test_many_objects_past_the_deadline() -> None:
    array = np.array(["a"] * 200_000, object)
    scan = field_scan()
    scan_array(scan, array, PAST)
    assert 0 < scan.result().samples_seen < 200_000


def test_a_memory_map(tmp_path: Path) -> None:
    path = tmp_path / "values.npy"
    written = np.lib.format.open_memmap(path, "w+", np.float32, (3_000_000, 4))
    written[:] = 1
    written[2_999_999, 3] = np.nan
    del written
    assert indices(scanned(np.load(path, mmap_mode="r")).nans) == [(2_999_999, 3)]
