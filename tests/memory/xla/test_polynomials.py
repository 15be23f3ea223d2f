"""Sizes that follow the batch."""

import pytest

from fitguard.memory.xla.sizes import NotAffine, dimension, evaluate, product


def test_a_dimension_is_constant_or_grows_with_the_batch() -> None:
    assert dimension(64, 64, (11, 13)) == (64,)
    assert dimension(22, 26, (11, 13)) == (0, 2)
    assert dimension(12, 14, (11, 13)) == (1, 1)


def test_a_dimension_that_is_no_line_is_refused() -> None:
    with pytest.raises(NotAffine, match="5 at batch 11"):
        dimension(5, 6, (11, 13))


def test_an_array_of_batch_by_batch_grows_with_its_square() -> None:
    square = product([(4,), (0, 1), (0, 1)])
    assert evaluate(square, 100) == 4 * 100 * 100


def test_a_size_is_never_negative() -> None:
    assert evaluate((-50, 2), 3) == 0
