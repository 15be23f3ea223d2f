"""What Keras 3 expects of all batches of a generator or PyDataset, by the first two."""

from typing import NamedTuple

from fitguard.schema.data import Source
from fitguard.schema.model import Shape


class OddBatch(NamedTuple):
    """The first batch of another shape than the first two promise.

    Args:
        expected: Axes in which the first two differ are open, and so is the batch axis.
    """

    batch: int
    shape: Shape
    expected: Shape


def odd_batch(source: Source) -> OddBatch | None:
    """The first such batch; None where there is none, or where the first two were not both read."""
    if source.kind not in ("generator", "pydataset") or not _first_two_read(source):
        return None
    seen = sorted(zip(source.shapes_from, source.batch_shapes, strict=True))
    if not seen or seen[0][0] != 0:
        return None
    first = seen[0][1]
    second = next((shape for batch, shape in seen if batch == 1), first)
    if len(first) != len(second):
        return None
    expected = (None, *_common(first[1:], second[1:]))
    for batch, shape in seen:
        if batch > 1 and not _agrees(shape, expected):
            return OddBatch(batch, shape, expected)
    return None


def _first_two_read(source: Source) -> bool:
    """A PyDataset that was not read whole is read here and there."""
    return bool(source.shapes_from) and (source.kind == "generator" or source.complete)


def _common(first: Shape, second: Shape) -> Shape:
    return tuple(one if one == other else None for one, other in zip(first, second, strict=True))


def _agrees(shape: Shape, expected: Shape) -> bool:
    return len(shape) == len(expected) and all(
        want is None or have is None or have == want
        for have, want in zip(shape, expected, strict=True)
    )
