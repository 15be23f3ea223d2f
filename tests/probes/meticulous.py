"""A bench that puts comparisons themselves to the test."""

from typing import Any

import numpy as np

from fitguard.probes.target.bench import Bench, WrongResult

BITS = {"float32": (30, 23, 22), "float16": (14, 10, 9)}
"""The highest and the lowest bit of the exponent, the highest of the mantissa."""


class MeticulousBench(Bench):
    """Asks of each comparison that it has room, and that it would see a single wrong bit."""

    def require_close(self, got: Any, expected: Any, bound: float, what: str) -> float:
        error = super().require_close(got, expected, bound, what)
        assert error < bound / 2, f"{what}: the error {error} is close to the bound {bound}"
        stored = got.astype("float32") if got.dtype == "float64" else got
        sizes = np.argsort(np.abs(stored), axis=None)[np.sum(stored == 0) :]
        middle = int(sizes[sizes.size // 2])
        for bit in BITS[stored.dtype.name]:
            try:
                super().require_close(_flip(stored, middle, bit), expected, bound, what)
            except WrongResult:
                continue
            raise AssertionError(f"{what}: bit {bit} of element {middle} was wrong, and not seen")
        return error


def _flip(array: Any, element: int, bit: int) -> Any:
    flipped = np.ascontiguousarray(array).copy()
    words = flipped.reshape(-1).view(f"uint{8 * flipped.itemsize}")
    words[element] ^= words.dtype.type(1 << bit)
    return flipped
