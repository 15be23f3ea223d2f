"""The clock of the GPU falls below what the training had before."""

import statistics
from collections.abc import Iterator

from fitguard.monitor.detectors.framework.course import find_first_step
from fitguard.monitor.detectors.framework.registry import Alert, detector
from fitguard.monitor.detectors.framework.settings import Settings
from fitguard.monitor.flight_record import FlightRecord
from fitguard.schema.finding import Evidence, Fix
from fitguard.words import duration

_BUSY = 0.5
_MHZ = 1e6


@detector("FG512", "clocks-falling")
def clocks_falling(record: FlightRecord, settings: Settings) -> Iterator[Alert]:
    """
    ## What it means
    A GPU that works as before has a lower clock than before. The training is slower by about as
    much.

    ## How it is judged
    Only while the GPU is busy for half of the time or more. The median of the last 5 minutes must
    be 15 % below the median of the run's own past, of which 15 minutes must be there.

    ## How to fix it
    Look for the reason: heat that builds up over hours, a neighbor who started, a person who set
    the clocks. `nvidia-smi -q -d CLOCK,PERFORMANCE` shows both.

    ## When this is wrong
    A phase of the training that uses the GPU less lets the clock fall too, though it is no fault.

    ## References
    - NVIDIA NVML reference: `nvmlDeviceGetClockInfo`
    """
    first_step = find_first_step(record)
    if first_step is None:
        return
    for index in record.list_gpus():
        clocks = record.get(f"gpu_clock:{index}").since(first_step + settings.warm_up_seconds)
        busy = record.get(f"gpu_busy_ratio:{index}")
        ratios = dict(zip(busy.times, busy.last, strict=True))
        points = [
            (time, clock)
            for time, clock in zip(clocks.times, clocks.last, strict=True)
            if ratios.get(time, 1.0) >= _BUSY
        ]
        begin = record.last_time - settings.slow_seconds
        past = [clock for time, clock in points if time < begin]
        recent = [clock for time, clock in points if time >= begin]
        fewest = settings.slow_seconds / settings.bucket_seconds / 2
        if len(recent) < fewest or len(past) < settings.past_seconds / settings.bucket_seconds:
            continue
        before, now = statistics.median(past), statistics.median(recent)
        if now < (1 - settings.clock_fall_share) * before:
            text = (
                f"Its clock under load is {now / _MHZ:,.0f} MHz in the last "
                f"{duration(settings.slow_seconds)}. Before that it was {before / _MHZ:,.0f} MHz."
            )
            yield Alert(
                severity="warning",
                subject=f"GPU {index}",
                title=f"The clock of GPU {index} fell by {1 - now / before:.0%}",
                evidence=(Evidence(text, "flight record"),),
                fix=Fix(
                    "Look for heat, a lower power limit, or clocks that somebody set.",
                    commands=(f"nvidia-smi -i {index} -q -d CLOCK,PERFORMANCE,TEMPERATURE",),
                ),
                numbers={"hertz": now, "was_hertz": before},
            )
