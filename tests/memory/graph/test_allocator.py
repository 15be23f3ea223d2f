"""The allocator on paper; `test_reality.py` has it beside the real one."""

import pytest
from memory.graph.served import fits

from fitguard.memory.graph.allocator import Allocator, OutOfMemory, round_size

MIB = 2**20


@pytest.mark.parametrize(("wanted", "given"), [(0, 256), (1, 256), (256, 256), (257, 512)])
def test_sizes_are_rounded_up(wanted: int, given: int) -> None:
    assert round_size(wanted) == given


def test_a_block_of_less_than_twice_the_wish_is_given_whole() -> None:
    allocator = Allocator(1000 * 256)
    allocator.allocate(501 * 256)
    assert allocator.in_use_bytes == 1000 * 256
    assert fits(Allocator(1000 * 256), [500 * 256, 500 * 256])


def test_no_more_than_128_mib_are_wasted_on_a_wish() -> None:
    allocator = Allocator(600 * MIB)
    allocator.allocate(400 * MIB)
    assert allocator.in_use_bytes == 400 * MIB
    other = Allocator(500 * MIB)
    other.allocate(400 * MIB)
    assert other.in_use_bytes == 500 * MIB


def test_free_neighbours_become_one_block() -> None:
    allocator = Allocator(8 * 256)
    places = [allocator.allocate(256) for _ in range(8)]
    for place in (2, 4, 3):
        allocator.free(places[place])
    assert allocator.in_use_bytes == 5 * 256
    assert allocator.allocate(3 * 256) == places[2]


def test_holes_are_of_no_use_to_a_larger_wish() -> None:
    allocator = Allocator(8 * 256)
    places = [allocator.allocate(256) for _ in range(8)]
    for place in places[::2]:
        allocator.free(place)
    with pytest.raises(OutOfMemory) as refused:
        allocator.allocate(257)
    assert (refused.value.wanted_bytes, refused.value.free_bytes) == (2 * 256, 4 * 256)
    assert allocator.in_use_bytes == 4 * 256


def test_the_smallest_block_that_is_large_enough_is_taken() -> None:
    allocator = Allocator(100 * 256)
    places = [allocator.allocate(size * 256) for size in (30, 1, 10, 1, 20)]
    for place in places[::2]:
        allocator.free(place)
    assert allocator.allocate(8 * 256) == places[2]
