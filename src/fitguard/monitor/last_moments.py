"""What the flight record tells of the last minutes of an attempt, in sentences."""

from collections.abc import Iterator
from typing import NamedTuple

from fitguard.facts.gpu import THROTTLE_BITS
from fitguard.monitor.flight_record import Column, FlightRecord, read_flight_records
from fitguard.monitor.run_folder import RunFolder
from fitguard.monitor.samples import list_flight_records
from fitguard.words import count, size

LOOK_BACK_SECONDS = 90.0
_FULL = 0.9
_LEAST_RISE = 0.1
"""Of the limit."""
_FEW_BYTES = 64 << 20
_MOST_FILES = 0.95
_SLOWED = ("hw-slowdown", "sw-thermal", "hw-thermal", "hw-power-brake")

_COLUMNS = frozenset(
    (
        *("attempt", "cgroup_bytes", "host_limit_bytes", "host_bytes"),
        *("allocator_limit_bytes", "allocator_peak_bytes", "allocator_bytes"),
        *("allocation_failures", "gpu_xid", "gpu_ecc_uncorrected", "gpu_throttle_reasons"),
        *("gpu_temperature", "open_files", "open_files_limit", "shm_free_bytes", "disk_free_bytes"),
    )
)


class Moment(NamedTuple):
    """One thing that was measured last.

    Args:
        is_notable: Whether it tells of trouble; else it says that there was none.
    """

    text: str
    is_notable: bool


def read_last_moments(folder: RunFolder, attempt: int) -> list[Moment]:
    """The same of a run folder."""
    paths = list_flight_records(folder.flight_records)
    return describe_last_moments(read_flight_records(paths, _COLUMNS), attempt)


def describe_last_moments(record: FlightRecord, attempt: int) -> list[Moment]:
    """The last minutes of an attempt; nothing where they were not measured."""
    attempts = record.get("attempt")
    known = zip(attempts.times, attempts.last, strict=True)
    own = [time for time, value in known if value == attempt]
    if not own:
        return []
    begin, end = max(own[0], own[-1] - LOOK_BACK_SECONDS), own[-1]
    recent, lasted = record.between(begin, end), f"in the last {end - begin:.0f} s"
    return [
        *_describe_main_memory(recent, lasted),
        *_describe_allocator(recent, lasted),
        *_describe_gpus(recent),
        *_describe_host(recent),
    ]


def _describe_main_memory(recent: FlightRecord, lasted: str) -> Iterator[Moment]:
    used, limit = recent.get("cgroup_bytes"), recent.get("host_limit_bytes")
    if not used or not limit or limit.last[-1] <= 0:
        return
    share = used.last[-1] / limit.last[-1]
    sizes = f"{_size(used.last[-1])} of {_size(limit.last[-1])}"
    text = f"main memory was at {share * 100:.0f} % of its limit at the end ({sizes})"
    yield Moment(text, share >= _FULL)
    # Before the first step, a training loads its libraries and its data.
    held = recent.get("host_bytes")
    held = held.pick([i for i, steps in enumerate(held.steps) if steps > 0])
    if held and held.last[-1] - held.low[0] >= _LEAST_RISE * limit.last[-1]:
        rise = f"from {_size(held.low[0])} to {_size(held.last[-1])}"
        yield Moment(f"main memory of the training rose {rise} {lasted}", is_notable=True)


def _describe_allocator(recent: FlightRecord, lasted: str) -> Iterator[Moment]:
    limit = recent.get("allocator_limit_bytes")
    held = recent.get("allocator_peak_bytes") or recent.get("allocator_bytes")
    if held and limit and limit.last[-1] > 0:
        most = max(held.high)
        rose = "rose to" if most - held.low[0] >= _LEAST_RISE * limit.last[-1] else "was at most"
        sizes = f"{_size(most)} of {_size(limit.last[-1])}"
        text = f"what TensorFlow's allocator held {rose} {sizes} {lasted}"
        yield Moment(text, most / limit.last[-1] >= _FULL)
    if failures := _rise(recent.get("allocation_failures")):
        retried = count(failures, "allocation")
        yield Moment(f"TensorFlow could not serve {retried} at once {lasted}", is_notable=True)


def _describe_gpus(recent: FlightRecord) -> Iterator[Moment]:
    for gpu in recent.list_gpus():
        if xids := recent.get(f"gpu_xid:{gpu}"):
            yield Moment(f"GPU {gpu} reported Xid {xids.last[-1]:.0f}", is_notable=True)
        if errors := _rise(recent.get(f"gpu_ecc_uncorrected:{gpu}")):
            yield Moment(f"GPU {gpu} had {count(errors, 'memory error')}", is_notable=True)
        reasons = recent.get(f"gpu_throttle_reasons:{gpu}")
        bits = int(reasons.last[-1]) if reasons else 0
        words = [word for bit, word in THROTTLE_BITS.items() if bits & bit and word in _SLOWED]
        heat = recent.get(f"gpu_temperature:{gpu}")
        if words:
            at = f" at {heat.last[-1]:.0f} °C" if heat else ""
            yield Moment(f"GPU {gpu} ran slower{at}: {', '.join(words)}", is_notable=True)


def _describe_host(recent: FlightRecord) -> Iterator[Moment]:
    files, most = recent.get("open_files"), recent.get("open_files_limit")
    if files and most and files.last[-1] >= _MOST_FILES * most.last[-1]:
        numbers = f"{files.last[-1]:,.0f} of {most.last[-1]:,.0f}"
        yield Moment(f"the training had {numbers} open files", is_notable=True)
    for what, where in (("shm", "/dev/shm"), ("disk", "the disk of the run")):
        free = recent.get(f"{what}_free_bytes")
        if free and free.last[-1] < _FEW_BYTES:
            yield Moment(f"{where} had {_size(free.last[-1])} left", is_notable=True)


def _rise(counter: Column) -> int:
    return int(counter.last[-1] - counter.low[0]) if counter else 0


def _size(value: float) -> str:
    return size(int(value))
