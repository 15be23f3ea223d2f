"""How much memory can really be had: less than a limit says where others hold it."""

from fitguard.monitor.detectors.framework.course import find_last
from fitguard.monitor.flight_record import Column, FlightRecord


def find_gpu_room(record: FlightRecord) -> float | None:
    """What TensorFlow's allocator can have, in bytes: its limit, or what the card has left."""
    limits = [find_last(record.get("allocator_limit_bytes"))]
    for index in record.list_gpus():
        own = find_last(record.get(f"gpu_process_bytes:{index}"))
        total = find_last(record.get(f"gpu_total_bytes:{index}"))
        used = find_last(record.get(f"gpu_used_bytes:{index}"))
        if own and total and used:
            limits.append(own + max(0.0, total - used))
    known = [limit for limit in limits if limit]
    return min(known) if known and limits[0] else None


def name_memory(record: FlightRecord) -> str:
    """What TensorFlow's allocator has: it may be the one of the CPU, with a limit."""
    return "GPU memory" if record.list_gpus() else "TensorFlow's memory"


def choose_column(record: FlightRecord, *names: str) -> Column:
    """The first that was measured."""
    return next((record.get(name) for name in names if len(record.get(name))), Column())


def find_most(column: Column, seconds: float) -> float:
    """The highest value of the last so many seconds; 0 without one."""
    if not len(column):
        return 0.0
    begin = column.times[-1] - seconds
    return max(high for time, high in zip(column.times, column.high, strict=True) if time >= begin)
