"""Sizes as people write them."""

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fitguard.memory.sizes import LEAST_BYTES, MOST_BYTES, size_bytes
from fitguard.schema.exit_codes import UsageError


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("8GiB", 8 * 2**30),
        ("8G", 8 * 2**30),
        ("8 gib", 8 * 2**30),
        ("8GB", 8 * 10**9),
        ("6.5GB", 6_500_000_000),
        ("6.5GiB", 6_979_321_856),
        (".5g", 2**29),
        ("8192MiB", 8 * 2**30),
        ("800MB", 800_000_000),
        ("1T", 2**40),
        ("4096KiB", 4 * 2**20),
        (" 800000000 ", 800_000_000),
        ("800000000B", 800_000_000),
        (800_000_000, 800_000_000),
        (8e9, 8_000_000_000),
        (np.int64(2**33), 2**33),
    ],
)
def test_sizes(written: str | int | float, expected: int) -> None:
    size = size_bytes(written, "gpu_memory")
    assert size == expected
    assert type(size) is int


@pytest.mark.parametrize(
    "wrong",
    ["", "GiB", "8 apples", "8GiBs", "-8GiB", "8,5GiB", "1e9", "8iB", "8GiB 4", "inf", True,
     None, 2.5e9 + 0.5, float("nan"), float("inf"), [8], "2EiB", "1152921504606846977"],
)  # fmt: skip
def test_what_is_no_size_is_refused(wrong: object) -> None:
    with pytest.raises(UsageError, match=r"Received gpu_memory=.*Expected a size such as 8GiB"):
        size_bytes(wrong, "gpu_memory")


@given(
    st.one_of(
        st.text(max_size=12),
        st.from_regex(r"-?[0-9]{1,30}(\.[0-9]{1,30})? ?[kmgtKMGT]?i?[bB]?", fullmatch=True),
        st.integers(),
        st.floats(),
    )
)
def test_anything_is_a_size_or_a_clear_error(anything: object) -> None:
    with contextlib.suppress(UsageError):
        assert LEAST_BYTES <= size_bytes(anything, "free") <= MOST_BYTES


@pytest.mark.parametrize("digits", [25, 400, 5000])
def test_a_size_that_no_machine_has_is_refused_in_few_words(digits: int) -> None:
    for wrong in ("9" * digits, "9" * digits + "GiB", 10**digits, -(10**digits)):
        with pytest.raises(UsageError) as error:
            size_bytes(wrong, "gpu_memory")
        assert len(str(error.value)) < 250


@pytest.mark.parametrize("small", ["8", 8, "1000 KiB", 0, -5, "0GiB"])
def test_a_number_without_its_unit_is_told(small: str | int) -> None:
    with pytest.raises(UsageError, match=r"Received free=.*, which is -?\d+ bytes. .*least 1MiB"):
        size_bytes(small, "free")
