"""Free GPU memory falls into pieces that are too small."""

from fitguard.monitor.detectors.framework.course import find_first_step, find_last
from fitguard.monitor.detectors.framework.registry import Alert, detector
from fitguard.monitor.detectors.framework.room import choose_column, find_most, name_memory
from fitguard.monitor.detectors.framework.settings import Settings
from fitguard.monitor.detectors.framework.trend import find_steady_rise
from fitguard.monitor.flight_record import FlightRecord
from fitguard.schema.finding import Evidence, Fix
from fitguard.words import count, duration, size

_MOMENT_SECONDS = 60.0
_WAITING_SECONDS = 10.0
"""Before the allocator says that it failed."""
_LEAST_LEFT = 0.1
"""Of the largest free block at first: with less, no step can be expected to run."""
_FIX = Fix(
    "Give your inputs the same shape (pad them to a few lengths), so that freed pieces fit again. "
    "TF_GPU_ALLOCATOR=cuda_malloc_async chooses an allocator that suffers less from it."
)


@detector("FG411", "gpu-fragmenting", cause="gpu-fragmentation")
def gpu_fragmenting(record: FlightRecord, settings: Settings) -> Alert | None:
    """
    ## What it means
    Much of the GPU's memory is free, but in pieces. An allocation needs one piece, so a step can
    run out of memory that has enough of it.

    ## How it is judged
    Where the largest free block is known: it becomes steadily smaller over 10 minutes to an hour
    (see `fitguard explain FG410` for *steadily*), by 30 % at least, although what is in use does
    not rise. Otherwise by failures: an allocation failed and was tried again in the last minutes,
    although 20 % of the memory was free then, and at the peak of the steps after it.

    ## How to fix it
    Give your inputs the same shape, or a few shapes: pad them. Or set
    `TF_GPU_ALLOCATOR=cuda_malloc_async`, an allocator that can join pieces. `fitguard run` does
    that where memory is about to end, at a snapshot.

    ## When this is wrong
    TensorFlow does not tell the largest free block on every device, and failures are only counted
    where the allocator says them. Without both, this detector is blind: that nothing is reported
    does not prove that memory is in one piece. A failure may also mean that one allocation was
    larger than all that is free.

    ## References
    - TensorFlow: `bfc_allocator.cc`
    """
    return _judge_block(record, settings) or _judge_failures(record, settings)


def _judge_block(record: FlightRecord, settings: Settings) -> Alert | None:
    first_step = find_first_step(record)
    if first_step is None:
        return None
    begin = max(first_step + settings.warm_up_seconds, record.last_time - 3600.0)
    free = record.get("largest_free_bytes").since(begin)
    used = choose_column(record, "allocator_low_bytes", "allocator_bytes").since(begin)
    if not len(free) or free.times[-1] - free.times[0] < settings.act_span_seconds:
        return None
    if find_steady_rise(list(zip(used.times, used.low, strict=True))) is not None:
        return None
    # Between steps the block is at its largest: what it loses then is lost for good.
    falling = find_steady_rise([(t, -high) for t, high in zip(free.times, free.high, strict=True)])
    start = free.pick([i for i, t in enumerate(free.times) if t < free.times[0] + _MOMENT_SECONDS])
    first = max(start.high)
    if falling is None or falling.rise < settings.fall_share * first:
        return None
    now = find_most(free, _MOMENT_SECONDS)
    needed = max(_LEAST_LEFT * first, first - min(start.low))
    left = max(0.0, now - needed) / falling.per_second
    seconds = free.times[-1] - free.times[0]
    text = (
        f"The largest free block fell from {size(round(first))} to {size(round(now))} in "
        f"{duration(seconds)}, while no more was in use. It is too small for a step in "
        f"{duration(left)}."
    )
    return Alert(
        severity="warning",
        title=f"{name_memory(record)} is fragmenting",
        evidence=(Evidence(text, "flight record"),),
        fix=_FIX,
        numbers={"largest_free_bytes": now, "was_bytes": first, "left_seconds": left},
        act=left < settings.act_seconds,
    )


def _judge_failures(record: FlightRecord, settings: Settings) -> Alert | None:
    counted = record.get("allocation_failures").since(record.last_time - settings.act_seconds)
    limit = find_last(record.get("allocator_limit_bytes"))
    pairs = zip(counted.times, counted.last, strict=True)
    rises = [time for time, failures in pairs if failures > counted.last[0]]
    if not rises or not limit:
        return None
    # While an allocation waits, no step ends, and the peak is that of an earlier one.
    waiting = record.get("allocator_bytes").since(rises[0] - _WAITING_SECONDS)
    peaks = record.get("allocator_peak_bytes").since(rises[0] + settings.bucket_seconds)
    if not len(peaks):
        return None
    failures = counted.last[-1] - counted.last[0]
    free = limit - max([*peaks.high, *waiting.high])
    if free < settings.least_free_share * limit:
        return None
    text = (
        f"{count(round(failures), 'allocation')} failed in the last "
        f"{duration(settings.act_seconds)}, although {size(round(free))} of {size(round(limit))} "
        "were free at the peak."
    )
    return Alert(
        severity="warning",
        confidence="medium",
        title=f"Allocations fail although {name_memory(record)} is free",
        evidence=(Evidence(text, "flight record"),),
        fix=_FIX,
        numbers={"failures": failures, "free_bytes": free, "limit_bytes": limit},
    )
