"""The next smaller micro-batch."""

import pytest

from fitguard.keras.microbatch.sizes import halved


@pytest.mark.parametrize(
    ("rows", "of", "expected"),
    [
        (2048, 2048, 1024),
        (1024, 2048, 512),
        (4096, 2048, 1024),
        (10, 10, 5),
        (5, 10, 2),
        (2, 10, 1),
        (1, 10, None),
        (1, 1, None),
        (96, 96, 48),
        (100, 100, 50),
        (50, 100, 25),
        (25, 100, 10),
    ],
)
def test_halved(rows, of, expected):
    assert halved(rows, of) == expected


@pytest.mark.parametrize("of", [7, 97, 1000, 1023])
def test_always_gets_to_one_and_never_grows(of):
    rows: int | None = of
    steps = 0
    while rows is not None:
        smaller = halved(rows, of)
        assert smaller is None or rows / 4 <= smaller < rows
        rows, steps = smaller, steps + 1
    assert steps <= 2 * of.bit_length()


def test_no_rows():
    with pytest.raises(ValueError, match="Received: rows=0"):
        halved(0, 10)
