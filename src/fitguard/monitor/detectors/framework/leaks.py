"""From growth to an alert: when memory ends, and whether it is time to act."""

from collections.abc import Sequence
from dataclasses import dataclass

from fitguard.monitor.detectors.framework.course import Course
from fitguard.monitor.detectors.framework.growth import Growth, Series, find_growth
from fitguard.monitor.detectors.framework.settings import Settings
from fitguard.monitor.detectors.framework.shapes import do_batches_grow
from fitguard.words import duration, size

HOUR = 3600.0


@dataclass(frozen=True)
class Memory:
    """One kind of memory, and how it is used.

    Args:
        warm: The least in use, after the warm-up; `hasty`: after a shorter one.
        most_bytes: In use at most in the last minutes.
        room_bytes: What can be had.
    """

    warm: Series
    hasty: Series
    course: Course
    most_bytes: float
    room_bytes: float

    def measure_left(self, growth: Growth) -> float:
        """Seconds until memory ends at this pace."""
        return max(0.0, self.room_bytes - self.most_bytes) / growth.per_second


@dataclass(frozen=True)
class Leak:
    """A growth that leads somewhere."""

    growth: Growth
    left_seconds: float
    act: bool
    numbers: dict[str, float]
    text: str


def find_leak(
    memory: Memory,
    spans: Sequence[float],
    least_bytes: float,
    longest_seconds: float,
    settings: Settings,
) -> Leak | None:
    """Growth over one of the spans; sooner where memory is about to end."""
    end = memory.warm.times[-1] if memory.warm.times else 0.0
    for span in spans:
        if do_batches_grow(memory.course.elements, end - span, end):
            continue
        growth = find_growth(memory.warm, span, memory.course, least_bytes)
        if growth is not None and memory.measure_left(growth) <= longest_seconds:
            return _describe(memory, growth, settings)
    return find_quick_leak(memory, least_bytes, settings)


def find_quick_leak(memory: Memory, least_bytes: float, settings: Settings) -> Leak | None:
    """Growth that ends memory in less than half of the time for which it was seen."""
    if memory.most_bytes < settings.quick_leak_share * memory.room_bytes:
        return None
    for span in settings.quick_leak_spans_seconds:
        growth = find_growth(memory.hasty, span, memory.course, least_bytes)
        if growth is not None and memory.measure_left(growth) <= span / 2:
            return _describe(memory, growth, settings)
    return None


def _describe(memory: Memory, growth: Growth, settings: Settings) -> Leak:
    left = memory.measure_left(growth)
    numbers = {
        "bytes_per_hour": growth.per_second * HOUR,
        "bytes_per_thousand_steps": growth.per_thousand_steps,
        "rise_bytes": growth.rise_bytes,
        "seen_seconds": growth.seconds,
        "used_bytes": memory.most_bytes,
        "room_bytes": memory.room_bytes,
        "left_seconds": left,
    }
    by_steps = f", {size(round(growth.per_thousand_steps))} in 1,000 steps" if growth.steps else ""
    text = (
        f"What is in use between steps grew by {size(round(growth.rise_bytes))} in the last "
        f"{duration(growth.seconds)}{by_steps}. {size(round(memory.most_bytes))} of "
        f"{size(round(memory.room_bytes))} are in use at most: at this pace, memory ends in "
        f"{duration(left)}."
    )
    act = (
        growth.seconds >= 0.9 * settings.act_span_seconds
        and left < settings.act_seconds
        and memory.most_bytes >= settings.act_share * memory.room_bytes
    )
    return Leak(growth, left, act, numbers, text)
