"""Which points of a flight record TensorBoard gets: pure, a record in, scalars out.

The step of a point is that of the run. After a restart, steps that were trained before are trained
again: they get no second point, so that a curve goes on where it was, without a break or a loop.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fitguard.monitor.flight_record import FlightRecord
from fitguard.schema.metrics import split_column

_LEAST_SECONDS = 5.0
_SHARE = 1 / 2000
"""Of the time that passed: a week takes some ten thousand points, and an hour every one."""


@dataclass(frozen=True)
class Scalar:
    """One point of one curve."""

    tag: str
    value: float
    step: int
    time: float


class BoardScalars:
    """Picks what is new.

    Args:
        began: When the run did, in seconds since 1970.
        step: The last one that has a point already.
    """

    def __init__(self, began: float, step: float = 0.0) -> None:
        self._began = began
        self._step = step
        self._time = 0.0

    def pick(self, record: FlightRecord, *, is_last: bool = False) -> Iterator[Scalar]:
        """Points of a record that reaches up to now, for steps that have none.

        Args:
            is_last: Nothing comes after it: its end gets a point.
        """
        chosen = self._choose_moments(record, is_last)
        for name, column in record.columns.items():
            if split_column(name) is None or name == "attempt":
                continue
            tag = f"fitguard/{name.replace(':', '_')}"
            # A record has its columns from two processes, each with times of its own.
            at = 0
            for moment, step in chosen:
                while at + 1 < len(column) and _is_nearer(column.times, at, moment):
                    at += 1
                if len(column) and abs(moment - column.times[at]) <= 2 * _LEAST_SECONDS:
                    yield Scalar(tag, column.last[at], step, moment)

    def _choose_moments(self, record: FlightRecord, is_last: bool) -> list[tuple[float, int]]:
        """Times and steps, the oldest first."""
        known = {
            time: steps
            for column in record.columns.values()
            for time, steps in zip(column.times, column.steps, strict=True)
        }
        chosen = []
        end = max(known, default=0.0) if is_last else None
        for time, steps in sorted(known.items()):
            pause = max(_LEAST_SECONDS, (time - self._began) * _SHARE)
            if steps > self._step and (time - self._time >= pause or time == end):
                self._step, self._time = steps, time
                chosen.append((time, int(steps)))
        return chosen


def _is_nearer(times: Sequence[float], at: int, moment: float) -> bool:
    """Whether the next time is nearer to a moment than this one."""
    return abs(times[at + 1] - moment) <= abs(times[at] - moment)
