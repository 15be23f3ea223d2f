"""Asks an allocator for several blocks."""

from fitguard.memory.graph.allocator import Allocator, OutOfMemory


def fits(allocator: Allocator, sizes: list[int]) -> bool:
    """Whether it has room for all of them."""
    try:
        for size in sizes:
            allocator.allocate(size)
    except OutOfMemory:
        return False
    return True
