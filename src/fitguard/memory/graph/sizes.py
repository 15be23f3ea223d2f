"""Sizes that depend on the batch."""

from collections.abc import Iterable
from typing import NamedTuple


class Size(NamedTuple):
    """A number of bytes: `factor` times the batch size to the power of `power`."""

    factor: int
    power: int = 0

    def at(self, batch_size: int) -> int:
        """The bytes for this batch."""
        return int(self.factor * batch_size**self.power)


NOTHING = Size(0)


def size_of(shape: Iterable[int], item_bytes: int, prime: int) -> Size:
    """The size of a tensor that was traced with `prime` as the batch."""
    elements = 1
    for axis in shape:
        elements *= axis
    power = 0
    while elements and prime > 1 and elements % prime == 0:
        elements, power = elements // prime, power + 1
    return Size(elements * item_bytes, power)
