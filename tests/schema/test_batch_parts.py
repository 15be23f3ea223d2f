"""How a batch is parted."""

import math

import pytest

from fitguard.schema.batch_parts import compiled_part, even_part, large_part, smaller_part


@pytest.mark.parametrize(
    ("batch_size", "most", "part"),
    [(2048, 1024, 1024), (100, 49, 25), (96, 50, 48), (97, 48, 33), (10, 3, 2), (7, 1, 1)],
)
def test_parts_are_equal_where_that_costs_little(batch_size, most, part):
    assert even_part(batch_size, most) == part


def test_halving_ends_at_one_row_for_every_batch():
    for batch_size in range(1, 300):
        rows: int | None = batch_size
        halvings = 0
        while (smaller := smaller_part(rows, batch_size)) is not None:
            assert 1 <= smaller <= rows // 2
            rows = smaller
            halvings += 1
        assert rows == 1
        assert halvings <= 2 * math.log2(batch_size) + 1


def test_one_row_cannot_be_halved():
    assert smaller_part(1, 64) is None
    assert smaller_part(64, 1) is None


@pytest.mark.parametrize("batch_size", [2, 7, 64, 256, 1000, 2048])
def test_large_parts_are_as_few_as_can_be_but_for_a_tenth(batch_size):
    for most in range(1, batch_size + 1):
        rows = large_part(batch_size, most)
        assert 1 <= rows <= most
        needed = math.ceil(batch_size / most)
        assert math.ceil(batch_size / rows) <= 1.1 * needed


def test_a_little_more_memory_changes_no_part():
    assert {large_part(2048, most) for most in range(120, 128)} == {120}


@pytest.mark.parametrize(
    ("batch_size", "most", "part"),
    [(256, 128, 128), (100, 26, 25), (100, 40, 40), (100, 60, 50), (97, 48, 33), (8, 1, 1)],
)
def test_parts_that_are_compiled_are_equal_where_these_are_about_as_few(batch_size, most, part):
    assert compiled_part(batch_size, most) == part
