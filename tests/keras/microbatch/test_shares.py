"""How the shares of replicas are cut: all replicas have as many pieces, and each row is in one."""

import itertools

import pytest

from fitguard.keras.microbatch import cutting
from fitguard.keras.microbatch.shares import rounds


def test_one_replica_is_cut_as_without_a_strategy():
    for whole, rows in itertools.product(range(1, 12), range(1, 13)):
        (found,) = zip(*rounds([whole], rows), strict=True)
        assert [piece[:2] for piece in found] == cutting.bounds(whole, rows)


@pytest.mark.parametrize("wholes", [[6, 5], [7, 6], [3, 3, 3, 1], [8, 8], [1, 1], [9, 2]])
@pytest.mark.parametrize("rows", [1, 2, 3, 4, 100])
def test_every_row_counts_once(wholes, rows):
    order = rounds(wholes, rows)
    for whole, pieces in zip(wholes, zip(*order, strict=True), strict=True):
        counted = [row for piece in pieces if not piece.idle for row in range(*piece[:2])]
        assert counted == list(range(whole))
        assert all(1 <= piece.stop - piece.start <= rows for piece in pieces)
        assert not pieces[0].idle


def test_a_replica_is_idle_only_where_it_has_fewer_rows_than_there_are_rounds():
    assert [[piece.idle for piece in each] for each in rounds([3, 1], 1)] == [
        [False, False],
        [False, True],
        [False, True],
    ]
    assert not any(piece.idle for each in rounds([7, 6], 3) for piece in each)
