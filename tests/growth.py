"""How the cost of a computation grows with its input, which does not depend on the machine."""

import time
from collections.abc import Callable

_TIMES = 4
_SECONDS = 0.05
"""What is cheaper than that cannot be measured well, and need not be."""


def is_linear(work: Callable[[int], object], size: int) -> bool:
    """Whether four times the input costs less than eight times as much; a square costs 16 times."""
    return _cost(work, _TIMES * size) < 2 * _TIMES * _cost(work, size) + _SECONDS


def _cost(work: Callable[[int], object], size: int) -> float:
    """In time of the processor, the least of some: others may be busy on the machine."""
    costs = []
    for _ in range(3):
        started = time.process_time()
        work(size)
        costs.append(time.process_time() - started)
    return min(costs)
