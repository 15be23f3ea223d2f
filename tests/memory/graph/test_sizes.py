"""Sizes that depend on the batch."""

import pytest

from fitguard.memory.graph.sizes import Size, size_of


@pytest.mark.parametrize(
    ("shape", "size"),
    [
        ((10, 20), Size(800, 0)),
        ((1009, 20), Size(80, 1)),
        ((1009 * 7, 20), Size(560, 1)),
        ((1009, 3, 1009), Size(12, 2)),
        ((), Size(4, 0)),
        ((0, 1009), Size(0, 0)),
    ],
)
def test_the_prime_stands_for_the_batch(shape: tuple[int, ...], size: Size) -> None:
    assert size_of(shape, 4, prime=1009) == size


def test_a_size_for_any_batch() -> None:
    assert [Size(3, power).at(10) for power in range(3)] == [3, 30, 300]


def test_a_batch_of_one_is_no_factor() -> None:
    assert size_of((1, 20), 4, prime=1) == Size(80, 0)
