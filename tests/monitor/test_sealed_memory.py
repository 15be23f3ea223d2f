"""Memory that is found by where it is: never another one, and nothing else is opened."""

import os
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from fitguard.monitor.sealed_memory import Sealed, make_sealed, open_sealed

SIZE = 4096


@pytest.fixture
def sealed() -> Iterator[Sealed]:
    made = make_sealed(SIZE)
    assert made is not None
    yield made
    os.close(made.file)


def lead_to(file: int, mark: bytes = b"\0" * 16) -> bytes:
    return struct.pack("=qq16s", os.getpid(), file, mark)


def test_who_knows_where_it_is_has_the_same(sealed: Sealed) -> None:
    found = open_sealed(sealed.where)

    assert found is not None
    os.pwrite(found, b"told", 0)
    assert os.pread(sealed.file, 4, 0) == b"told"
    os.close(found)


@pytest.mark.parametrize("length", [0, 100, SIZE - 1, SIZE + 1])
def test_nobody_changes_its_size(sealed: Sealed, length: int) -> None:
    with pytest.raises(PermissionError):
        os.ftruncate(sealed.file, length)


def test_another_one_under_the_same_number_is_not_taken_for_it(sealed: Sealed) -> None:
    assert open_sealed(lead_to(sealed.file, b"x" * 16)) is None


def test_one_that_is_gone_is_not_found() -> None:
    made = make_sealed(SIZE)
    assert made is not None
    os.close(made.file)

    assert open_sealed(made.where) is None


def test_one_that_could_be_cut_short_is_not_used() -> None:
    file = os.memfd_create("fitguard", os.MFD_ALLOW_SEALING)
    os.ftruncate(file, SIZE)

    assert open_sealed(lead_to(file)) is None
    os.close(file)


def test_nothing_else_is_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    fifo = os.open(tmp_path / "fifo", os.O_RDWR)

    assert open_sealed(lead_to(fifo)) is None
    os.close(fifo)


@pytest.mark.parametrize(
    "where", [b"", bytes(31), bytes(32), b"\xff" * 32, struct.pack("=qq16s", 1, 0, bytes(16))]
)
def test_what_leads_nowhere_is_no_error(where: bytes) -> None:
    assert open_sealed(where) is None
