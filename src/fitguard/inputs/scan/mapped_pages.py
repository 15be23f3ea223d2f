"""Gives back the memory of file pages that were read through a memory map.

The kernel counts the pages of a mapped file as memory of the process for as long as they are
mapped. A scan would so seem to take as much memory as the file is long. The pages stay in the file
cache: reading them again is quick.
"""

import mmap
from typing import Any

import numpy as np

from fitguard.inputs.scan.blocks import Blocks
from fitguard.inputs.scan.pieces import Array

# Maps that share their pages with the file: what was written to them is in the file cache, not
# only in the map. In a private copy (mode "c"), giving pages back would lose the user's changes.
SHARED_MODES = ("r", "r+", "w+")


class MappedPages:
    """The pages of one map."""

    def __init__(self, pages: mmap.mmap) -> None:
        self._pages = pages
        self._address = np.frombuffer(pages, np.uint8).__array_interface__["data"][0]

    def give_back(self, block: Array) -> None:
        """Unmap the pages on which a block lies, but those that it shares with its neighbours."""
        start, end = _bounds(block)
        page = mmap.PAGESIZE
        start = -((self._address - start) // page) * page
        length = (end - self._address) // page * page - start
        if start >= 0 and length > 0:
            self._pages.madvise(mmap.MADV_DONTNEED, start, length)


def find_mapped_pages(array: Array | Blocks) -> MappedPages | None:
    """The map that an array lies in; None where there is none, or where it must be left alone."""
    found: Any = array
    mode = None
    while isinstance(found, np.ndarray):
        mode = getattr(found, "mode", mode)
        found = found.base
    if isinstance(found, mmap.mmap) and mode in SHARED_MODES and hasattr(mmap, "MADV_DONTNEED"):
        return MappedPages(found)
    return None


def _bounds(block: Array) -> tuple[int, int]:
    """The addresses of the first byte of a block, and of the one after its last."""
    address = block.__array_interface__["data"][0]
    reach = [
        (length - 1) * stride for length, stride in zip(block.shape, block.strides, strict=True)
    ]
    low = address + sum(step for step in reach if step < 0)
    return low, address + sum(step for step in reach if step > 0) + block.itemsize
