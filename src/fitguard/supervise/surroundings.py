"""What was measured around a moment of a run, in sentences."""

from collections.abc import Iterator

from fitguard.facts.gpu import THROTTLE_BITS
from fitguard.monitor.flight_record import Column, FlightRecord, read_flight_records
from fitguard.monitor.run_folder import RunFolder
from fitguard.monitor.samples import list_flight_records
from fitguard.words import count

_AROUND_SECONDS = 60.0
_MEGAHERTZ = 1e6


def describe_surroundings(folder: RunFolder, moment: float) -> tuple[str, ...]:
    """A sentence for each GPU: heat, clocks, power, why it was slowed, memory errors, Xids.

    Args:
        moment: Seconds since 1970; a minute before and after it counts.
    """
    paths = list_flight_records(folder.flight_records)
    record = read_flight_records(paths).between(moment - _AROUND_SECONDS, moment + _AROUND_SECONDS)
    return tuple(_describe(record, gpu, moment) for gpu in record.list_gpus())


def _describe(record: FlightRecord, gpu: int, moment: float) -> str:
    def read(name: str) -> Column:
        return record.get(f"{name}:{gpu}")

    parts = [
        _show_range(read("gpu_temperature"), moment, "°C"),
        _show_range(read("gpu_clock"), moment, "MHz", _MEGAHERTZ),
        _show_range(read("gpu_power"), moment, "W"),
        *_list_slowing(read("gpu_throttle_reasons")),
        *_list_counters(read("gpu_ecc_corrected"), "corrected memory error"),
        *_list_counters(read("gpu_ecc_uncorrected"), "uncorrected memory error"),
        *(f"Xid {value:.0f}" for value in dict.fromkeys(read("gpu_xid").last) if value),
    ]
    return f"GPU {gpu} in the minute around it: {', '.join(part for part in parts if part)}."


def _show_range(column: Column, moment: float, unit: str, scale: float = 1.0) -> str:
    """`71 °C (64 to 72)`: then, and around it."""
    if not column:
        return ""
    nearest = min(range(len(column)), key=lambda i: abs(column.times[i] - moment))
    at, low, high = (
        round(value / scale) for value in (column.last[nearest], min(column.low), max(column.high))
    )
    return f"{at:,} {unit}" + (f" ({low:,} to {high:,})" if low < high else "")


def _list_slowing(reasons: Column) -> Iterator[str]:
    bits = 0
    for value in reasons.last:
        bits |= int(value)
    words = " and ".join(word for bit, word in THROTTLE_BITS.items() if bits & bit)
    if reasons:
        yield f"slowed by {words}" if words else "not slowed"


def _list_counters(counter: Column, noun: str) -> Iterator[str]:
    if counter:
        new, whole = int(counter.last[-1] - counter.low[0]), int(counter.last[-1])
        yield f"{count(new, noun)} more, {whole:,} in all" if whole else f"no {noun}"
