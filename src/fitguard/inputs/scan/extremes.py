"""The lowest and the highest of some numbers, in as few passes as their dtype allows.

The bits of a float, read as a whole number, keep its order: among the values without a sign the
larger number is the larger float, infinity stands above all finite ones, and nan above infinity.
The values with a sign stand above those without, in reverse. So one pass for the largest unsigned
number tells whether anything is negative, infinite or nan; and whole numbers are quick to compare
in all widths, where float16 and bfloat16 are not.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np

from fitguard.inputs.scan.pieces import Array

Range = tuple[Any, Any]


class Order(Protocol):
    """How to find the range of values of one dtype.

    Ranges are made of keys, which are quick to compare; `value` makes a value of a key.
    """

    def prepare(self, block: Array) -> Array:
        """A view of the block to cut into pieces."""

    def read(self, piece: Array, zero_seen: bool) -> Range | None:
        """The keys of the lowest and the highest value of a piece; None where some are not finite.

        Where zero, or something lower, was seen before, and nothing in the piece is negative, its
        lowest value is not looked for: it is given as zero.
        """

    def key(self, value: float) -> Any:
        """The key of a value."""

    def value(self, key: Any) -> Any:
        """The value of a key."""


@dataclass(frozen=True)
class FloatBits:
    """Floats by their bits; the key of a negative one is its bits without the sign, negated.

    Args:
        infinity: The bits of infinity.
    """

    dtype: np.dtype[Any]
    unsigned: np.dtype[Any]
    signed: np.dtype[Any]
    infinity: int
    sign: int

    def prepare(self, block: Array) -> Array:
        """The bits."""
        return block.view(self.unsigned)

    def read(self, piece: Array, zero_seen: bool) -> Range | None:
        """The keys of the range: one pass where 0 was seen and nothing is negative, else two."""
        top = int(np.maximum.reduce(piece, axis=None))
        if top < self.sign:
            if top >= self.infinity:
                return None
            if zero_seen:
                return 0, top
            return int(np.minimum.reduce(piece, axis=None)), top
        if top >= self.sign + self.infinity:
            return None
        highest = int(np.maximum.reduce(piece.view(self.signed), axis=None))
        if highest >= self.infinity:
            return None
        if highest < 0:
            highest = self.sign - int(np.minimum.reduce(piece, axis=None))
        return self.sign - top, highest

    def key(self, value: float) -> int:
        """The key of a value; one too large for the dtype has that of infinity."""
        with np.errstate(over="ignore"):
            bits = int(np.array(value, self.dtype).view(self.unsigned)[()])
        return bits if bits < self.sign else self.sign - bits

    def value(self, key: int) -> float:
        """The value of a key."""
        bits = key if key >= 0 else self.sign - key
        return float(np.array(bits, self.unsigned).view(self.dtype)[()])


@dataclass(frozen=True)
class PlainNumbers:
    """Whole numbers, and floats that only numpy itself can compare: each is its own key."""

    def prepare(self, block: Array) -> Array:
        """Truth values as 0 and 1, all else as it is."""
        return block.view(np.uint8) if block.dtype.kind == "b" else block

    def read(self, piece: Array, zero_seen: bool) -> Range | None:
        """The range; the lowest unsigned number need not be looked for where 0 was seen."""
        high = np.maximum.reduce(piece, axis=None).item()
        if zero_seen and piece.dtype.kind == "u":
            return 0, high
        low = np.minimum.reduce(piece, axis=None).item()
        if piece.dtype.kind == "f" and not (np.isfinite(low) and np.isfinite(high)):
            return None
        return low, high

    def key(self, value: float) -> float:
        """The value."""
        return value

    def value(self, key: Any) -> Any:
        """The key."""
        return key


@dataclass(frozen=True)
class SmallNumbers:
    """float8, int4 and the like: as float32, which holds each of their values."""

    wide: FloatBits

    def prepare(self, block: Array) -> Array:
        """The block itself: only pieces of it are converted."""
        return block

    def read(self, piece: Array, zero_seen: bool) -> Range | None:
        """The keys, those of float32."""
        return self.wide.read(self.wide.prepare(piece.astype(np.float32)), zero_seen)

    def key(self, value: float) -> int:
        """The key of a value."""
        return self.wide.key(value)

    def value(self, key: int) -> float:
        """The value of a key."""
        return self.wide.value(key)


def is_number(dtype: np.dtype[Any]) -> bool:
    """Whether the values are numbers on one line: no complex ones, no times, no text."""
    return dtype.kind in "biuf" or is_small(dtype)


def is_small(dtype: np.dtype[Any]) -> bool:
    """bfloat16, float8, int4 and the like, which the package ml_dtypes adds to numpy."""
    return dtype.type.__module__ == "ml_dtypes" and "complex" not in dtype.name


def in_numpy(values: Array) -> Array:
    """The values in a dtype that all of numpy works on: bfloat16 and float8 are strange to it."""
    return values.astype(np.float32) if is_small(values.dtype) else values


def round_to_dtype(value: float, dtype: np.dtype[Any]) -> Any:
    """A value to compare with others of a dtype, rounded as they are; exact for whole numbers."""
    if dtype.kind in "biu":
        return int(value) if value == int(value) else value
    return dtype.type(value)


@cache
def order(dtype: np.dtype[Any]) -> Order | None:
    """The order of the values of a dtype; None where they have none."""
    if dtype.name in INFINITIES and dtype.isnative:
        return _float_bits(dtype)
    if is_small(dtype):
        return SmallNumbers(_float_bits(np.dtype(np.float32)))
    return PlainNumbers() if dtype.kind in "biuf" else None


INFINITIES = {
    "float16": 0x7C00,
    "bfloat16": 0x7F80,
    "float32": 0x7F80_0000,
    "float64": 0x7FF0_0000_0000_0000,
}


def _float_bits(dtype: np.dtype[Any]) -> FloatBits:
    width = dtype.itemsize
    return FloatBits(
        dtype=dtype,
        unsigned=np.dtype(f"u{width}"),
        signed=np.dtype(f"i{width}"),
        infinity=INFINITIES[dtype.name],
        sign=1 << (8 * width - 1),
    )
