"""How a batch is parted: equal parts where that can be had, so that all weigh the same."""

import math


def even_part(batch_size: int, most: int) -> int:
    """Rows of a part: equal parts of at most `most`, unless they were less than half of it."""
    equal = next(part for part in range(most, 0, -1) if batch_size % part == 0)
    return equal if 2 * equal > most else math.ceil(batch_size / math.ceil(batch_size / most))


def smaller_part(rows: int, batch_size: int) -> int | None:
    """About half of the rows that did not fit; None where there is nothing left to halve."""
    most = min(rows, batch_size) // 2
    return even_part(batch_size, most) if most else None
