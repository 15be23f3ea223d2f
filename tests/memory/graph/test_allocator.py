"""The allocator on paper, alone and beside the real one."""

import json
import os
import random
import subprocess
import sys
from copy import deepcopy
from pathlib import Path

import pytest

from fitguard.memory.graph.allocator import Allocator, OutOfMemory, rounded

MIB = 2**20
FIRST_REGION_MIB = 2
"""What TensorFlow's allocator takes for the first small block; the rest becomes one region."""
REGION_MIB = 600

Action = tuple[str | None, int | None]


@pytest.mark.parametrize(("wanted", "given"), [(0, 256), (1, 256), (256, 256), (257, 512)])
def test_sizes_are_rounded_up(wanted: int, given: int) -> None:
    assert rounded(wanted) == given


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
    assert (refused.value.wanted_bytes, refused.value.free_bytes) == (257, 4 * 256)
    assert allocator.in_use_bytes == 4 * 256


def test_the_smallest_block_that_is_large_enough_is_taken() -> None:
    allocator = Allocator(100 * 256)
    places = [allocator.allocate(size * 256) for size in (30, 1, 10, 1, 20)]
    for place in places[::2]:
        allocator.free(place)
    assert allocator.allocate(8 * 256) == places[2]


def test_tensorflow_gives_and_refuses_the_same() -> None:
    """Random training-like traffic; each round ends with the smallest block that does not fit."""
    rounds, expected = zip(*(traffic(seed) for seed in range(2)), strict=True)
    assert real_answers(list(rounds)) == [[*in_use, True] for in_use in expected]


def traffic(seed: int) -> tuple[list[Action], list[int]]:
    """Actions, and what is in use after each on paper; free memory is in pieces at the end."""
    chance = random.Random(seed)
    allocator = Allocator(REGION_MIB * MIB)
    places: dict[str, int] = {}
    actions: list[Action] = []
    in_use: list[int] = []
    for number in range(200):
        size = int(chance.choice((3, 5, 9, 20, 60)) * MIB * chance.uniform(1, 1.6))
        if not places or (chance.random() < 0.7 and fits(deepcopy(allocator), [size])):
            places[str(number)] = allocator.allocate(size)
            actions.append((str(number), size))
        else:
            name = chance.choice(sorted(places))
            allocator.free(places.pop(name))
            actions.append((name, None))
        in_use.append(allocator.in_use_bytes)
    most = largest_free(allocator)
    assert most < (REGION_MIB * MIB - allocator.in_use_bytes) * 0.9, "free memory in one piece"
    allocator.free(allocator.allocate(most))
    actions += [("most", most), ("most", None), (None, most + 1)]
    in_use += [allocator.in_use_bytes + most, allocator.in_use_bytes]
    return actions, in_use


def largest_free(allocator: Allocator) -> int:
    """By trying."""
    fails = REGION_MIB * MIB // 256 + 1
    runs = 0
    while fails - runs > 1:
        middle = (fails + runs) // 2
        if fits(deepcopy(allocator), [middle * 256]):
            runs = middle
        else:
            fails = middle
    return runs * 256


def fits(allocator: Allocator, sizes: list[int]) -> bool:
    try:
        for size in sizes:
            allocator.allocate(size)
    except OutOfMemory:
        return False
    return True


def real_answers(rounds: list[list[Action]]) -> list[list[int | bool]]:
    script = Path(__file__).with_name("real_allocator.py")
    settings = {
        "TF_CPU_ALLOCATOR_USE_BFC": "1",
        "TF_CPU_BFC_MEM_LIMIT_IN_MB": str(FIRST_REGION_MIB + REGION_MIB),
    }
    answer = subprocess.run(
        [sys.executable, str(script)],
        input=json.dumps({"region_bytes": REGION_MIB * MIB, "rounds": rounds}),
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return json.loads(answer.stdout)
