"""Flight records made for tests: a value for each 5 seconds, of a time or always the same."""

from array import array
from collections.abc import Callable

from fitguard.monitor.detectors.framework.registry import Alert, detect
from fitguard.monitor.flight_record import Column, FlightRecord

BEGAN = 1e9
PACE = 5.0
GIB = 2.0**30
LIMIT = 16 * GIB

Curve = Callable[[float], float] | float


def make_record(minutes: float, *, step_seconds: float = 0.5, **curves: Curve) -> FlightRecord:
    """Seconds to values; `gpu0_clock` stands for `gpu_clock:0`. Steps are taken all the time."""
    times = [number * PACE for number in range(int(minutes * 60 / PACE))]
    steps = array("d", (time / step_seconds for time in times))
    columns = {}
    for name, curve in ({"step_seconds": step_seconds} | curves).items():
        column = f"gpu_{name[5:]}:{name[3]}" if name.startswith(("gpu0", "gpu1")) else name
        values = array("d", (curve(time) if callable(curve) else curve for time in times))
        clock = array("d", (BEGAN + time for time in times))
        columns[column] = Column(clock, steps, values, values, values)
    return FlightRecord(columns)


def find(code: str, record: FlightRecord) -> list[Alert]:
    """The alerts with a code."""
    return [alert for alert in detect(record) if alert.code == code]


def find_one(code: str, record: FlightRecord) -> Alert:
    """The only alert with a code."""
    [alert] = find(code, record)
    return alert
