"""How long a step takes on a card: what its operations move and compute, and their starts."""

from collections.abc import Iterable

from fitguard.knowledge import knowledge
from fitguard.memory.graph.nodes import Node
from fitguard.memory.graph.step import Step
from fitguard.memory.recomputing.estimating import clone_at
from fitguard.memory.recomputing.expense import expense

_START_SECONDS = 5e-6
"""Until an operation runs. On an H200, ResNet50 at 64 images took 0.56 of the time of 128 images,
and 0.57 by this count; without it, 0.50."""
_USUAL_GPU, _CPU = 600e9, 5e9
"""Bytes a second. A processor computes too slowly for what it could move."""


_PIECE_SECONDS = 0.013
"""What a part costs beside its operations: so on an H200, for a transformer in parts of 8 to 32."""


def guess_seconds(nodes: Iterable[Node], bytes_per_second: float) -> float:
    """Of one step of these nodes, where each operation takes as long as it moves its data."""
    least = _START_SECONDS * bytes_per_second
    return sum(max(least, cost) for node in nodes if (cost := expense(node))) / bytes_per_second


def weigh_parts(
    step: Step, batch_size: int, rows: int, bytes_per_second: float, extra: float = 0.0
) -> float:
    """How long a batch takes in parts of so many rows, beside the whole of it.

    Args:
        extra: What a part takes longer, as a part of its time.
    """

    def guess(size: int) -> float:
        return guess_seconds(clone_at(step, size), bytes_per_second) if size else 0.0

    whole, last = divmod(batch_size, rows)
    seconds = (whole * guess(rows) + guess(last)) * (1 + extra)
    return (seconds + (whole + bool(last)) * _PIECE_SECONDS) / guess(batch_size)


def find_speed(name: str, *, is_gpu: bool = True) -> float:
    """Bytes a second that a card reads and writes; of an unknown one, what is usual."""
    if not is_gpu:
        return _CPU
    known = [row.memory for row in knowledge().cards.find(name)]
    return min(known) * 1e9 if known else _USUAL_GPU
