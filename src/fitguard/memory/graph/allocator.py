"""TensorFlow's best-fit allocator with coalescing, with a limit, on paper."""

from bisect import bisect_left, insort

LEAST = 256
LARGEST_WASTE_BYTES = 128 * 2**20
"""A free block is given whole to a smaller wish, unless it is twice as large, or larger by this."""


class OutOfMemory(Exception):
    """No free block is large enough.

    Args:
        wanted_bytes: What was asked for, as the allocator rounds it.
        free_bytes: What is free, in pieces.
    """

    def __init__(self, wanted_bytes: int, free_bytes: int) -> None:
        super().__init__(wanted_bytes, free_bytes)
        self.wanted_bytes, self.free_bytes = wanted_bytes, free_bytes


def round_size(size_bytes: int) -> int:
    """As the allocator rounds."""
    return max(-(-size_bytes // LEAST) * LEAST, LEAST)


class Allocator:
    """One region of memory that is divided into blocks."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes // LEAST * LEAST
        self.in_use_bytes = 0
        self._free = [(self.limit_bytes, 0)]  # size and address, in order
        self._starts = {0: self.limit_bytes}  # free blocks by address
        self._ends = {self.limit_bytes: 0}
        self._used: dict[int, int] = {}

    def allocate(self, size_bytes: int) -> int:
        """The address of a block.

        Raises:
            OutOfMemory: where no free block is large enough.
        """
        return self.allocate_rounded(round_size(size_bytes))

    def allocate_rounded(self, wanted: int) -> int:
        """The same for a size that the allocator would not round."""
        place = bisect_left(self._free, (wanted, -1))
        if place == len(self._free):
            raise OutOfMemory(wanted, self.limit_bytes - self.in_use_bytes)
        size, address = self._free.pop(place)
        del self._starts[address], self._ends[address + size]
        if size >= 2 * wanted or size - wanted >= LARGEST_WASTE_BYTES:
            self._give_back(address + wanted, size - wanted)
            size = wanted
        self._used[address] = size
        self.in_use_bytes += size
        return address

    def free(self, address: int) -> None:
        """The block joins free neighbours."""
        size = self._used.pop(address)
        self.in_use_bytes -= size
        after = self._starts.get(address + size)
        if after is not None:
            self._take(address + size, after)
            size += after
        before = self._ends.get(address)
        if before is not None:
            self._take(before, address - before)
            address, size = before, size + address - before
        self._give_back(address, size)

    def _take(self, address: int, size: int) -> None:
        self._free.pop(bisect_left(self._free, (size, address)))
        del self._starts[address], self._ends[address + size]

    def _give_back(self, address: int, size: int) -> None:
        insort(self._free, (size, address))
        self._starts[address], self._ends[address + size] = size, address
