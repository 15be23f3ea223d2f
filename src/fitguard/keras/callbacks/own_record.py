"""A flight record in memory: lowest, highest and last value of each five seconds, four hours."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from fitguard.monitor.flight_record import RINGS, Column, FlightRecord

_RING = RINGS[1]


@dataclass
class _Slot:
    number: int
    time: float = 0.0
    steps: float = 0.0
    low: dict[str, float] = field(default_factory=dict)
    high: dict[str, float] = field(default_factory=dict)
    last: dict[str, float] = field(default_factory=dict)


class OwnRecord:
    """Takes samples, and gives what detectors look at."""

    def __init__(self) -> None:
        self._slots: deque[_Slot] = deque(maxlen=_RING.slots)

    def add(self, time: float, steps: float, values: Mapping[str, float]) -> None:
        """Take a sample."""
        number = int(time // _RING.seconds)
        if not self._slots or self._slots[-1].number != number:
            self._slots.append(_Slot(number))
        slot = self._slots[-1]
        slot.time, slot.steps = time, steps
        for name, value in values.items():
            slot.low[name] = min(value, slot.low.get(name, value))
            slot.high[name] = max(value, slot.high.get(name, value))
            slot.last[name] = value

    def build(self) -> FlightRecord:
        """All of it."""
        names = {name for slot in self._slots for name in slot.last}
        return FlightRecord({name: self._build_column(name) for name in names})

    def _build_column(self, name: str) -> Column:
        slots = [slot for slot in self._slots if name in slot.last]
        return Column(
            [slot.time for slot in slots],
            [slot.steps for slot in slots],
            [slot.low[name] for slot in slots],
            [slot.high[name] for slot in slots],
            [slot.last[name] for slot in slots],
        )
