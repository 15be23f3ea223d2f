"""Cuts a block into pieces that fit into the processor's cache, without a copy."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

PIECE_BYTES = 1 << 20
"""Two passes over a piece read the memory once: the second one finds it in the L2 cache."""

SLAB_VALUES = 1 << 18
"""For what makes copies: few enough that they stay small, enough that numpy's calls cost little."""

Origin = tuple[int, ...]
"""Where a piece begins in its block: one number in a flat block, else one for each axis."""


def pieces(block: Array, piece_bytes: int = PIECE_BYTES) -> Iterator[tuple[Array, Origin]]:
    """All values of a block, each once, in pieces that lie close together in memory."""
    most = max(1, piece_bytes // max(1, block.itemsize))
    if block.flags.c_contiguous:
        flat = block.reshape(-1)
        for start in range(0, flat.size, most):
            yield flat[start : start + most], (start,)
    elif block.size:
        for corner in _corners(block, most):
            yield block[corner], tuple(part.start for part in corner)


def _corners(block: Array, most: int) -> Iterator[tuple[slice, ...]]:
    """Slices along the axes with the largest strides: what is left lies together in memory."""
    order = sorted(range(block.ndim), key=lambda axis: -abs(block.strides[axis]))
    inner, depth = block.size, -1
    while inner > most or depth < 0:
        depth += 1
        inner //= block.shape[order[depth]]
    cut, step = order[depth], max(1, most // inner)
    for outer in np.ndindex(*(block.shape[axis] for axis in order[:depth])):
        corner = [slice(0, length) for length in block.shape]
        for axis, index in zip(order[:depth], outer, strict=True):
            corner[axis] = slice(index, index + 1)
        for start in range(0, block.shape[cut], step):
            corner[cut] = slice(start, start + step)
            yield tuple(corner)


def first_indices(mask: Array, origin: Origin, shape: tuple[int, ...], most: int) -> list[Origin]:
    """The indices in the block, in order, of the first values that a mask of a piece marks."""
    if len(origin) == 1:
        flat = np.flatnonzero(mask)[:most] + origin[0]
        axes = np.unravel_index(flat, shape)
    else:
        axes = tuple(
            found[:most] + start for found, start in zip(np.nonzero(mask), origin, strict=True)
        )
    return [tuple(int(number) for number in index) for index in zip(*axes, strict=True)]


def slabs(block: Array, most: int = SLAB_VALUES) -> Iterator[tuple[int, Array]]:
    """Whole samples, so many that they have about `most` values; each with its first number."""
    step = max(1, most // max(1, math.prod(block.shape[1:])))
    for start in range(0, len(block), step):
        yield start, block[start : start + step]
