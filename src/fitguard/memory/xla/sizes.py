"""Sizes as polynomials of the batch size: learned from two batch sizes, good for all others."""

from collections.abc import Iterable

Polynomial = tuple[int, ...]
"""Coefficients from the constant upwards: `(3, 2)` is 3 + 2·batch."""

ONE: Polynomial = (1,)


class NotAffine(ValueError):
    """A dimension that is no line through its values at the two batch sizes."""


def dimension(first: int, second: int, batches: tuple[int, int]) -> Polynomial:
    """The line through a dimension's value at two batch sizes."""
    if first == second:
        return (first,)
    slope, rest = divmod(second - first, batches[1] - batches[0])
    if rest:
        raise NotAffine(f"{first} at batch {batches[0]}, {second} at batch {batches[1]}")
    return (first - slope * batches[0], slope)


def product(factors: Iterable[Polynomial]) -> Polynomial:
    result = ONE
    for factor in factors:
        result = _times(result, factor)
    return result


def evaluate(polynomial: Polynomial, batch: int) -> int:
    """Its value, never below zero: a line through two points may cross zero before them."""
    value = 0
    for coefficient in reversed(polynomial):
        value = value * batch + coefficient
    return max(value, 0)


def _times(left: Polynomial, right: Polynomial) -> Polynomial:
    if len(left) == 1 and len(right) == 1:
        return (left[0] * right[0],)
    result = [0] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            result[i + j] += a * b
    return tuple(result)
