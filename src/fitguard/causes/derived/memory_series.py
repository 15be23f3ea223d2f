"""Numbers on memory that a program prints again and again: do they grow?"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from fitguard.schema.crash import Signal, Story

_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_GROUPS = ("size", "number", "used", "plain")
_FEWEST = 4
_RISING = 0.7
"""So many of the steps go up. A program that has warmed up stays where it is."""
_MUCH, _MUCH_IF_EVER_RISING = 1.1, 1.05
_TWO_READINGS = 1.5
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Series:
    """Lines that are alike but for their numbers, and whose memory grows."""

    first: Signal
    last: Signal
    count: int
    growth: float

    @property
    def told(self) -> str:
        """In one sentence."""
        return (
            f"{self.count} lines of one kind print the memory in use, and it grows from line to "
            f"line, to {self.growth:.1f} times of what it was."
        )


def growing_series(story: Story) -> Series | None:
    """The series that grows most."""
    return max(_growing(story), key=lambda series: series.growth, default=None)


def find_memory_growth(story: Story) -> Signal | None:
    """A text that gives two readings of one memory, the later one much larger."""
    told = story.first("words-two-readings")
    if told is None:
        return None
    grown = float(told.values["after"]) >= _TWO_READINGS * float(told.values["before"])
    return told if grown else None


def _growing(story: Story) -> Iterator[Series]:
    alike: dict[tuple[str, str | None], list[Signal]] = {}
    for signal in story.all("memory-reading"):
        alike.setdefault((_NUMBER.sub("#", signal.text), signal.worker), []).append(signal)
    for signals in alike.values():
        values = [_value(signal) for signal in signals]
        if len(values) >= _FEWEST and _grows(values):
            yield Series(signals[0], signals[-1], len(values), values[-1] / values[0])


def _grows(values: list[float]) -> bool:
    rising = [after > before for before, after in pairwise(values)]
    return (
        values[0] > 0
        and values[-1] >= (_MUCH_IF_EVER_RISING if all(rising) else _MUCH) * values[0]
        and values[-1] >= 0.95 * max(values)
        and sum(rising) >= _RISING * len(rising)
    )


def _value(signal: Signal) -> float:
    values = signal.values
    number = next((values[name] for name in _GROUPS if name in values), "0")
    return float(number) * _UNITS.get(values.get("unit", "")[:1].upper(), 1)
