"""What was read from a generator comes back: the same, in order, with the error at its place."""

import threading
import time

import numpy as np
import pytest

from fitguard.inputs.sources.generators import ReadAhead, ReusedArrays, map_leaves, size_bytes


def batches(count, raising=None):
    for number in range(count):
        if number == raising:
            raise OSError("disk gone")
        yield np.full((2, 3), number), np.full(2, number)


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("read", [0, 1, 3, 5, 9])
def test_nothing_is_lost_and_the_order_stays(read):
    ahead = ReadAhead(batches(5))
    for _, batch in zip(range(read), ahead.batches(), strict=False):
        assert isinstance(batch, tuple)
    back = list(ahead.hand_back())
    assert len(back) == 5
    assert all(same(one, other) for one, other in zip(back, batches(5), strict=True))


def reusing():
    buffer = np.zeros(4)
    for number in range(5):
        buffer[:] = number
        yield (buffer,)


def held_two_at_once(batches):
    """As Keras does: it looks at two batches before it trains on the first."""
    first, second = next(batches), next(batches)
    return [first[0][0], second[0][0], *(batch[0][0] for batch in batches)]


def test_a_generator_that_fills_one_array_again_and_again():
    ahead = ReadAhead(reusing())
    assert len(list(ahead.batches())) == 5
    assert [batch[0][0] for batch in ahead.hand_back()] == [0, 1, 2, 3, 4]


def test_such_a_generator_behaves_as_before():
    ahead = ReadAhead(reusing())
    for _, _ in zip(range(3), ahead.batches(), strict=False):
        pass
    assert held_two_at_once(ahead.hand_back()) == held_two_at_once(reusing()) == [1, 1, 2, 3, 4]


@pytest.mark.parametrize("blocks_at", [0, 3, 5])
def test_a_generator_that_blocks_is_not_waited_for_and_loses_nothing(blocks_at):
    go_on = threading.Event()

    def blocking():
        for number, batch in enumerate(batches(5)):
            if number == blocks_at:
                go_on.wait()
            yield batch
        go_on.wait()

    ahead = ReadAhead(blocking())
    assert len(list(ahead.batches(time.monotonic() + 0.2))) == blocks_at
    assert ahead.is_late
    go_on.set()
    back = list(ahead.hand_back())
    assert len(back) == 5
    assert all(same(one, other) for one, other in zip(back, batches(5), strict=True))


def test_an_error_comes_again_where_it_was():
    ahead = ReadAhead(batches(5, raising=2))
    with pytest.raises(OSError, match="disk gone"):
        list(ahead.batches())
    back = ahead.hand_back()
    assert [next(back)[1][0], next(back)[1][0]] == [0, 1]
    with pytest.raises(OSError, match="disk gone"):
        next(back)


def test_reading_stops_where_there_is_no_room_to_keep_more():
    ahead = ReadAhead(batches(1000), held_bytes=10 * 64)
    read = len(list(ahead.batches()))
    assert read == 10
    assert ahead.full
    assert len(list(ahead.hand_back())) == 1000


def test_closing_what_was_handed_back_closes_the_generator():
    closed = []

    def closing():
        try:
            while True:
                yield np.zeros(1)
        finally:
            closed.append(True)

    ahead = ReadAhead(closing())
    next(ahead.batches())
    back = ahead.hand_back()
    next(back)
    next(back)
    back.close()
    assert closed == [True]


def test_copies_keep_structure_order_and_type():
    fortran = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    given = ({"a": fortran, "b": [np.arange(2, dtype="int8")]}, None)
    made = map_leaves(given, ReusedArrays().keep_copy)
    assert made[0]["a"] is not fortran
    assert made[0]["a"].flags.f_contiguous
    assert np.array_equal(made[0]["a"], fortran)
    assert made[0]["b"][0].dtype == "int8"
    assert made[1] is None
    assert size_bytes(given[0]) == 50
