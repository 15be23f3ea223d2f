"""How values are said."""

import pytest

from fitguard.words import (
    count,
    cut_middle,
    duration,
    number,
    percent,
    say,
    say_error,
    shape,
    short,
    size,
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(60000.0, "60,000"), (-1.0, "-1"), (0.1 + 0.2, "0.3"), (1e15, "1e+15"), (3.4e38, "3.4e+38"),
     (-0.0, "0"), (float("inf"), "inf"), (float("nan"), "nan")],
)  # fmt: skip
def test_numbers(value: float, expected: str) -> None:
    assert number(value) == expected


@pytest.mark.parametrize(
    ("part", "expected"),
    [(0, "0 %"), (1, "less than 0.1 %"), (99, "1.0 %"), (3100, "31 %"), (9999, "over 99 %"),
     (10_000, "100 %")],
)  # fmt: skip
def test_shares(part: int, expected: str) -> None:
    assert percent(part, 10_000) == expected


@pytest.mark.parametrize("value", [10**400, -(10**400), 10**4000], ids=["400", "-400", "4000"])
def test_numbers_that_no_machine_has_are_told_in_few_words(value: int) -> None:
    assert len(size(value)) < 40
    assert len(number(value)) < 40
    assert say("ram_bytes", value) == size(value)
    assert duration(-abs(value)) == "?"


def test_counts_shapes_and_short_names() -> None:
    assert count(1, "batch", "batches") == "1 batch"
    assert count(1204, "batch", "batches") == "1,204 batches"
    assert count(1204, "line") == "1,204 lines"
    assert shape((None, 28)) == "(None, 28)"
    assert shape((3,)) == "(3,)"
    assert shape(()) == "()"
    assert short("a\nb", 3) == "a b"
    assert short("abcd", 3) == "ab…"


def test_what_an_error_says_has_no_colors() -> None:
    assert say_error(ValueError("\x1b[1mbad\x1b[0m data\n\x1b]0;title\x07here")) == (
        "ValueError: bad data\nhere"
    )
    assert say_error(KeyError()) == "KeyError"


def test_the_middle_of_a_long_error_is_left_out() -> None:
    assert cut_middle("ValueError: no", 20) == "ValueError: no"
    cut = cut_middle(f"Error: {'x' * 5000} Received a label value of 99", 60)
    assert cut.startswith("Error: ")
    assert cut.endswith("Received a label value of 99")
    assert len(cut) == 60
