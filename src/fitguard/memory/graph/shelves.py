"""Places for small values, so that they do not lie between large ones.

TensorFlow's allocator gives the smallest free block that is large enough. A mean or the gradient of
a weight that is kept to the end of a step so comes to lie anywhere, and what is free on both sides
of it is too short for what is large. A shelf is a free block that is too small for anything large,
between two that are taken:

    [pin][ free shelf ][pin][ free shelf ][pin][ all the rest ... ]

What is small is put there by the allocator itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass

_PIN = 8
"""A pin has the size of a shelf divided by this: smaller ones would go into any small hole."""
_KINDS = ((16, 0.0025), (8, 0.005), (24, 0.005), (12, 0.01))
"""How many, and each as a part of the memory."""


@dataclass(frozen=True)
class Shelves:
    """So many, of so many bytes each."""

    number: int = 0
    each_bytes: int = 0

    def list_blocks(self) -> Iterator[tuple[int, bool]]:
        """Blocks to be allocated one after the other: bytes, and whether each stays taken."""
        if self.number:
            yield self.each_bytes // _PIN, True
        for _ in range(self.number):
            yield self.each_bytes, False
            yield self.each_bytes // _PIN, True


NO_SHELVES = Shelves()


def list_kinds(memory_bytes: int) -> list[Shelves]:
    """What is worth a try in so much memory; none first."""
    return [NO_SHELVES, *(Shelves(number, int(part * memory_bytes)) for number, part in _KINDS)]
