"""Main memory is nearly full."""

from fitguard.monitor.detectors.framework.course import find_last
from fitguard.monitor.detectors.framework.registry import Alert, detector
from fitguard.monitor.detectors.framework.room import choose_column
from fitguard.monitor.detectors.framework.settings import Settings
from fitguard.monitor.detectors.gpu_pressure import is_full
from fitguard.monitor.flight_record import FlightRecord
from fitguard.schema.finding import Evidence, Fix
from fitguard.words import percent, size


@detector("FG414", "host-pressure", cause="host-oom")
def host_pressure(record: FlightRecord, settings: Settings) -> Alert | None:
    """
    ## What it means
    More than 90 % of the main memory is in use that the container or the machine has. When it ends,
    the kernel kills the largest process, which is the training.

    ## How it is judged
    By what counts against the limit of the container, or what the whole machine uses, without what
    the kernel can drop; where that is not known, by the resident memory of the training. Half of
    the last minute must be above 90 %.

    ## How to fix it
    Use smaller shuffle buffers, less prefetching, fewer workers, and no `cache()` without a file.
    Or raise the limit of the container.

    ## When this is wrong
    Other programs on the machine may use the memory, and give it back.

    ## References
    - Linux: memory.current and memory.stat of cgroup version 2
    """
    room = find_last(record.get("host_limit_bytes"))
    used = choose_column(record, "cgroup_bytes", "host_bytes")
    if not room or not is_full(used, settings.pressure_share * room, settings):
        return None
    most = max(used.since(used.times[-1] - settings.pressure_seconds).high)
    own = find_last(record.get("host_bytes"))
    text = f"{size(round(most))} of {size(round(room))} are in use" + (
        f", {size(round(own))} of them by the training." if own else "."
    )
    return Alert(
        severity="warning",
        title=f"Main memory is {percent(round(most), round(room))} full",
        evidence=(Evidence(text, "flight record"),),
        fix=Fix(
            "Use smaller shuffle buffers, less prefetching, fewer workers, no cache() without a "
            "file; or raise the memory limit."
        ),
        numbers={"used_bytes": most, "room_bytes": room},
    )
