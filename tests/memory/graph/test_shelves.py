"""Shelves: what is small lies there, and not between what is large."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fitguard.memory.graph.allocator import Allocator
from fitguard.memory.graph.buffers import Buffer, Event
from fitguard.memory.graph.fitting import least_bytes, peak_bytes, runs_within
from fitguard.memory.graph.shelves import NO_SHELVES, Shelves, list_kinds
from fitguard.memory.graph.sizes import Size
from fitguard.memory.graph.step import Run

MIB = 2**20
SHELVES = Shelves(4, 64 * 1024)


def between_large_ones() -> Run:
    """Small values that stay are made one by one, each beside a large one that goes."""
    small = [Buffer(Size(40 * 1024), "activations") for _ in range(4)]
    large = [Buffer(Size(8 * MIB), "activations") for _ in range(4)]
    last = Buffer(Size(30 * MIB), "activations")
    events: list[Event] = []
    for one, other in zip(large, small, strict=True):
        events += [(one, True, None), (other, True, None)]
    events += [(one, False, None) for one in large]
    events += [(last, True, None), (last, False, None)]
    events += [(one, False, None) for one in small]
    return Run([], [], [], events, complete=True)


def test_without_shelves_small_values_leave_only_pieces() -> None:
    run = between_large_ones()
    assert peak_bytes(run, 1) < 33 * MIB
    assert least_bytes(run, run, 1) > 50 * MIB


def test_with_shelves_it_needs_little_more_than_is_in_use() -> None:
    run = between_large_ones()
    assert least_bytes(run, run, 1, shelves=SHELVES) < 34 * MIB
    assert runs_within(run, 34 * MIB, SHELVES)
    assert not runs_within(run, 34 * MIB, NO_SHELVES)


def test_what_they_take_themselves_is_counted() -> None:
    """Much larger ones than are needed are no help: they must fit, too."""
    run = between_large_ones()
    assert not runs_within(run, 34 * MIB, Shelves(4, MIB))
    assert not runs_within(run, MIB, Shelves(4, MIB))


def test_blocks_are_a_shelf_between_two_pins() -> None:
    blocks = list(Shelves(2, 800).list_blocks())
    assert blocks == [(100, True), (800, False), (100, True), (800, False), (100, True)]
    assert list(NO_SHELVES.list_blocks()) == []


def test_what_is_larger_than_a_shelf_goes_elsewhere() -> None:
    allocator = Allocator(MIB)
    blocks = [(allocator.allocate(size), stays) for size, stays in SHELVES.list_blocks()]
    for address, stays in blocks:
        if not stays:
            allocator.free(address)
    last = blocks[-1][0]
    assert allocator.allocate(10 * 1024) < last
    assert allocator.allocate(100 * 1024) > last


def test_none_is_the_first_kind_to_be_tried() -> None:
    assert list_kinds(100 * MIB)[0] == NO_SHELVES
    assert all(kind.number * kind.each_bytes < 15 * MIB for kind in list_kinds(100 * MIB))


@pytest.mark.parametrize(("shelves", "ends"), [(NO_SHELVES, False), (Shelves(4, 600 * 1024), True)])
def test_so_it_is_in_the_real_allocator(shelves: Shelves, ends: bool) -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("shelved.py"))],
        input=json.dumps([shelves.number, shelves.each_bytes]),
        env={
            **os.environ,
            "TF_CPU_ALLOCATOR_USE_BFC": "1",
            "TF_CPU_BFC_MEM_LIMIT_IN_MB": "44",
            "TF_CPP_MIN_LOG_LEVEL": "3",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) is ends
