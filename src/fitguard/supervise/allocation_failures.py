"""Allocations that TensorFlow could not serve at once, as its log tells them.

The allocator then frees what it can and tries again, or waits; the training goes on as long as that
helps. Nothing in Python tells of it.
"""

import re

_WORDS = (
    rb"[Rr]an out of memory trying to allocate",
    rb"Garbage collection: deallocate free memory regions",
    rb"cuMemAllocAsync failed to allocate",
)
_FAILURE = re.compile(b"|".join(_WORDS))
_LONGEST = 100


class AllocationFailures:
    """Counts them in the output of one child."""

    def __init__(self) -> None:
        self.count = 0
        self._begun = b""

    def hear(self, data: bytes) -> None:
        """Called with all output, in any pieces."""
        text = self._begun + data
        self._begun = text[-_LONGEST:]
        for found in _FAILURE.finditer(text):
            self.count += 1
            self._begun = text[max(found.end(), len(text) - _LONGEST) :]
