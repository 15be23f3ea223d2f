"""Pages of a memory map are given back, and nothing that a user wrote is lost."""

from pathlib import Path

import numpy as np
import pytest
from inputs.scan.scanning import scanned

from fitguard.inputs.scan.mapped_pages import find_mapped_pages

VALUES = 25_000_000


def resident_bytes() -> int:
    """Of files alone, also of those in a `tmpfs`: what malloc keeps depends on the machine."""
    lines = Path("/proc/self/status").read_text().splitlines()
    fields = dict(line.split(":", 1) for line in lines)
    return sum(int(fields[name].split()[0]) * 1024 for name in ("RssFile", "RssShmem"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "values"
    np.ones(VALUES, np.float32).tofile(file)
    return file


@pytest.mark.parametrize("mode", ["r", "r+"])
def test_a_scan_leaves_no_pages_behind(path: Path, mode: str) -> None:
    array = np.memmap(path, np.float32, mode)  # type: ignore[call-overload]
    before = resident_bytes()
    scanned(array)
    assert resident_bytes() - before < array.nbytes / 4
    array.sum()
    assert resident_bytes() - before > array.nbytes / 2


def test_the_pages_of_a_fortran_map_are_given_back(path: Path) -> None:
    array = np.memmap(path, np.float32, "r", shape=(VALUES // 100, 100), order="F")
    before = resident_bytes()
    scanned(array)
    assert resident_bytes() - before < array.nbytes / 4


@pytest.mark.parametrize("mode", ["r+", "c"])
def test_changes_are_kept(path: Path, mode: str) -> None:
    array = np.memmap(path, np.float32, mode)  # type: ignore[call-overload]
    array[::1000] = 5
    scanned(array)
    assert (array[::1000] == 5).all()
    assert np.count_nonzero(array == 5) == VALUES // 1000


@pytest.mark.parametrize("view", [lambda a: a, lambda a: a[5:], np.asarray, lambda a: a[::2]])
def test_a_private_copy_is_left_alone(path: Path, view: object) -> None:
    assert callable(view)
    assert find_mapped_pages(view(np.memmap(path, np.float32, "r"))) is not None
    assert find_mapped_pages(view(np.memmap(path, np.float32, "c"))) is None


def test_arrays_in_memory_have_no_pages() -> None:
    assert find_mapped_pages(np.zeros(5)) is None
    assert find_mapped_pages(np.zeros(5)[1:]) is None
    assert find_mapped_pages(np.frombuffer(b"1234", np.uint8)) is None
