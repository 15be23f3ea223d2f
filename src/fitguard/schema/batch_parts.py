"""How a batch is parted: equal parts where that can be had, so that all weigh the same."""

import math

_STEP = 8
"""Rows that the units of a GPU take at once."""
_WORTH = 1.1
"""So many times as many parts cost less than another size that XLA must compile."""


def even_part(batch_size: int, most: int) -> int:
    """Rows of a part: equal parts of at most `most`, unless they were less than half of it."""
    equal = next(part for part in range(most, 0, -1) if batch_size % part == 0)
    return equal if 2 * equal > most else math.ceil(batch_size / math.ceil(batch_size / most))


def large_part(batch_size: int, most: int) -> int:
    """Rows of a part: few parts, about alike, in steps that suit a GPU.

    At most a tenth more parts than are needed, so that a little more or less of memory changes
    nothing where they are many.

    Example:
        >>> large_part(256, 100)  # 88, 88 and 80 rows; equal ones would have 64
        88
    """
    number = math.ceil(batch_size / most)
    coarse = 1 << max(number.bit_length() - 4, 0)
    rows = math.ceil(batch_size / (math.ceil(number / coarse) * coarse))
    return min(math.ceil(rows / _STEP) * _STEP, most)


def compiled_part(batch_size: int, most: int) -> int:
    """Rows of a part where each number of rows is compiled anew."""
    equal, large = even_part(batch_size, most), large_part(batch_size, most)
    few = math.ceil(batch_size / equal) <= _WORTH * math.ceil(batch_size / large)
    return equal if few else large


def smaller_part(rows: int, batch_size: int) -> int | None:
    """About half of the rows that did not fit; None where there is nothing left to halve."""
    most = min(rows, batch_size) // 2
    return even_part(batch_size, most) if most else None
