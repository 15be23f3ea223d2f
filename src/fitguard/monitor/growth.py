"""Memory that grows until the training dies: seen in time for a planned restart.

A false alarm costs a restart and the user's trust, so much must come together: growth that has been
steady for ten minutes at the lower edge (between steps, after collections), that does not slow
down, that has left behind all that the training ever held before, and that reaches the limit within
the hour. A cache that fills during the first epoch looks the same until it is full; it is reported
only where it is about to reach the limit.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

from fitguard.monitor.trend import Point, steady_rise
from fitguard.schema.run import MemorySample

What = Literal["host", "allocator", "fragmentation"]

_WARM_UP_SECONDS = 120.0
_STEADY_SECONDS = 600.0
_LOOK_BACK_SECONDS = 3600.0
_MOMENT_SECONDS = 60.0
"""Some steps long: holds the quiet and the busy part of a step."""
_HORIZON_SECONDS = 3600.0
_URGENT_SECONDS = 300.0
_URGENT_SHARE = 0.8
"""Of the limit, that must be in use before a restart is advised."""
_LEAST_RISE_BYTES = 32 * 2**20
_LEAST_FALL = 0.3
"""Of the largest free block at first, that must be gone before it counts as fragmentation."""
_LEAST_LEFT = 0.1
"""Of the largest free block at first: with less, no step can be expected to run."""
_MIB = 2**20
_NAMES: dict[What, str] = {
    "host": "Main memory grows by {rate} MiB a minute and reaches its limit",
    "allocator": "GPU memory in use grows by {rate} MiB a minute and reaches its limit",
    "fragmentation": "The largest free block of GPU memory shrinks by {rate} MiB a minute and "
    "becomes too small",
}


class Growth(msgspec.Struct, frozen=True, kw_only=True):
    """A steady growth, and where it leads.

    Args:
        what: `host`, `allocator`, or `fragmentation`: the largest free block shrinks.
        bytes_per_second: How fast.
        left_seconds: Until the limit is reached.
        advised: Whether a planned restart should come now.
    """

    what: What
    bytes_per_second: float
    left_seconds: float
    advised: bool

    @property
    def cause(self) -> Literal["gpu-memory-leak", "gpu-fragmentation"]:
        """As the vocabulary of causes names it; a leak of main memory is of the same kind."""
        return "gpu-fragmentation" if self.what == "fragmentation" else "gpu-memory-leak"

    @property
    def text(self) -> str:
        """One sentence."""
        rate = f"{self.bytes_per_second * 60 / _MIB:,.0f}"
        minutes = max(1, round(self.left_seconds / 60))
        return f"{_NAMES[self.what].format(rate=rate)} in about {minutes} min."


def forecast(samples: Sequence[MemorySample]) -> Growth | None:
    """The most urgent growth that the samples of one attempt show; None where all is well.

    Args:
        samples: Of the attempt that runs, in the order of time. The limits are in them.
    """
    trained = [sample for sample in samples if sample.total_steps > 0]
    if not trained:
        return None
    begin = trained[0].time + _WARM_UP_SECONDS
    warm = [sample for sample in trained if sample.time >= begin]
    found = (
        _growth("host", _series(warm, "host_bytes"), _last(warm, "host_limit_bytes")),
        _growth(
            "allocator", _series(warm, "allocator_bytes"), _last(warm, "allocator_limit_bytes")
        ),
        _fragmentation(warm),
    )
    return min(
        (growth for growth in found if growth is not None),
        key=lambda growth: growth.left_seconds,
        default=None,
    )


def _last(samples: Sequence[MemorySample], field: str) -> int | None:
    limits: list[int] = [limit for sample in samples if (limit := getattr(sample, field))]
    return limits[-1] if limits else None


def _series(samples: Sequence[MemorySample], field: str) -> list[Point]:
    values = ((sample.time, getattr(sample, field)) for sample in samples)
    return [(seconds, float(value)) for seconds, value in values if value is not None]


def _growth(what: What, points: Sequence[Point], limit_bytes: int | None) -> Growth | None:
    recent = _recent(points)
    if not recent or not limit_bytes:
        return None
    trend = steady_rise(recent)
    if trend is None or trend.rise < _LEAST_RISE_BYTES:
        return None
    before = [value for seconds, value in points if seconds < recent[0][0]]
    last = [value for seconds, value in recent if seconds > recent[-1][0] - _MOMENT_SECONDS]
    if before and min(last) < max(before):
        return None
    left_seconds = max(0.0, limit_bytes - max(last)) / trend.per_second
    if left_seconds > _HORIZON_SECONDS:
        return None
    full = max(last) >= _URGENT_SHARE * limit_bytes
    return Growth(
        what=what,
        bytes_per_second=trend.per_second,
        left_seconds=left_seconds,
        advised=full and left_seconds < _URGENT_SECONDS,
    )


def _fragmentation(samples: Sequence[MemorySample]) -> Growth | None:
    """The largest free block falls, although no more is in use.

    It is too small once it is smaller than what a step took of it at first.
    """
    free = _recent(_series(samples, "largest_free_bytes"))
    used = _recent(_series(samples, "allocator_bytes"))
    if not free or not used or steady_rise(used) is not None:
        return None
    # Between steps the block is at its largest: what it loses then is lost for good.
    falling = steady_rise([(seconds, -value) for seconds, value in free])
    first = [value for seconds, value in free if seconds < free[0][0] + _MOMENT_SECONDS]
    if falling is None or falling.rise < _LEAST_FALL * max(first):
        return None
    now = max(value for seconds, value in free if seconds > free[-1][0] - _MOMENT_SECONDS)
    needed = max(_LEAST_LEFT * max(first), max(first) - min(first))
    left_seconds = max(0.0, now - needed) / falling.per_second
    if left_seconds > _HORIZON_SECONDS:
        return None
    return Growth(
        what="fragmentation",
        bytes_per_second=falling.per_second,
        left_seconds=left_seconds,
        advised=left_seconds < _URGENT_SECONDS,
    )


def _recent(points: Sequence[Point]) -> list[Point]:
    """The last hour; empty where that is too short to judge."""
    if not points or points[-1][0] - points[0][0] < _STEADY_SECONDS:
        return []
    begin = points[-1][0] - _LOOK_BACK_SECONDS
    return [point for point in points if point[0] >= begin]
