"""How the cost of a computation grows with its input, which does not depend on the machine."""

import math
import time
from collections.abc import Callable

_TIMES = 4
_TRIES, _MOST_TRIES = 3, 12
_SECONDS = 0.05
"""What is cheaper than that cannot be measured well, and need not be."""


def is_linear(work: Callable[[int], object], size: int) -> bool:
    """Whether four times the input costs less than eight times as much; a square costs 16 times.

    Others may be busy on the machine, and in its caches: the least cost of some counts, and what
    seems too slow is tried again.
    """
    small = large = math.inf
    for tried in range(1, _MOST_TRIES + 1):
        small, large = min(small, _cost(work, size)), min(large, _cost(work, _TIMES * size))
        if tried >= _TRIES and large < 2 * _TIMES * small + _SECONDS:
            return True
    return False


def _cost(work: Callable[[int], object], size: int) -> float:
    """In time of the processor."""
    started = time.process_time()
    work(size)
    return time.process_time() - started
