"""How a batch is parted."""

import math

import pytest

from fitguard.schema.batch_parts import even_part, smaller_part


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
