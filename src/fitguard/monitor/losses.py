"""What Keras logged, thinned out so that a page can show it."""

import math
from collections.abc import Iterable, Sequence

from fitguard.schema.journal import AnyEvent, Logged
from fitguard.schema.run import LossPoint

MOST_SHOWN = 2000


def losses(events: Iterable[AnyEvent], most: int = MOST_SHOWN) -> tuple[LossPoint, ...]:
    """At most so many points, in their order; the ends of epochs are the last to go."""
    points = [_point(event) for event in events if isinstance(event, Logged)]
    if len(points) <= most:
        return tuple(points)
    ends = _spread([index for index, point in enumerate(points) if point.epoch_end], most)
    between = _spread(
        [index for index, point in enumerate(points) if not point.epoch_end], most - len(ends)
    )
    return tuple(points[index] for index in sorted((*ends, *between)))


def _point(event: Logged) -> LossPoint:
    return LossPoint(
        time=event.time,
        attempt=event.attempt,
        place=event.place,
        # JSON has no word for nan: a reader would refuse the whole document.
        logs={name: value for name, value in event.logs.items() if math.isfinite(value)},
        epoch_end=event.epoch_end,
    )


def _spread(indices: Sequence[int], most: int) -> list[int]:
    """At equal distances, the first and the last among them."""
    if len(indices) <= most:
        return list(indices)
    if most < 2:
        return list(indices[-most:]) if most else []
    return [indices[round(n * (len(indices) - 1) / (most - 1))] for n in range(most)]
