"""Steps take longer than before."""

import statistics

from fitguard.monitor.detectors.framework.course import find_first_step, list_new_sizes, list_traces
from fitguard.monitor.detectors.framework.registry import Alert, detector
from fitguard.monitor.detectors.framework.settings import Settings
from fitguard.monitor.flight_record import Column, FlightRecord
from fitguard.schema.finding import Evidence, Fix
from fitguard.words import duration

_MOST_OF_THE_TIME = 0.8
_LARGER = 1.05
"""Times the elements of a batch before: then it is no wonder."""


@detector("FG516", "slow-steps")
def slow_steps(record: FlightRecord, settings: Settings) -> Alert | None:
    """
    ## What it means
    The same steps take half as long again, or more, than they did before in this run.

    ## How it is judged
    The median of the last 5 minutes is 1.5 times the median of the run's own past, and 80 % of the
    5 minutes are above that. 15 minutes of past must be there; the first 2 minutes after the first
    step do not count. Nothing is said where batches have become larger, where a step was traced or
    compiled in these minutes, or in a later call of `fit` than the past.

    ## How to fix it
    Look what changed: the GPU (FG511, FG512), the data (FG510), another program on the machine, a
    full disk or a slow network. `fitguard run --profile` takes a trace of some slow steps.

    ## When this is wrong
    A callback that works longer and longer in each step slows the steps, though not the model.

    ## References
    - TensorFlow: Optimize TensorFlow performance using the Profiler
    """
    first_step = find_first_step(record)
    if first_step is None:
        return None
    begin = record.last_time - settings.slow_seconds
    steps = record.get("step_seconds").since(first_step + settings.warm_up_seconds)
    fits = record.get("fit")
    if len(fits):
        newest = [i for i, fit in enumerate(fits.last) if fit == fits.last[-1]]
        steps = steps.since(fits.times[newest[0]])
    past = [took for time, took in zip(steps.times, steps.last, strict=True) if time < begin]
    recent = steps.since(begin).last
    fewest = settings.slow_seconds / settings.bucket_seconds / 2
    if len(recent) < fewest or len(past) < settings.past_seconds / settings.bucket_seconds:
        return None
    before, now = statistics.median(past), statistics.median(recent)
    limit = settings.slow_ratio * before
    if now < limit or sum(took > limit for took in recent) < _MOST_OF_THE_TIME * len(recent):
        return None
    if _are_batches_larger(record.get("batch_elements"), begin):
        return None
    if any(time >= begin for time in (*list_new_sizes(record), *list_traces(record))):
        return None
    text = (
        f"A step takes {now * 1000:,.1f} ms in the last {duration(settings.slow_seconds)}. "
        f"Before that it took {before * 1000:,.1f} ms."
    )
    return Alert(
        severity="warning",
        title=f"Steps take {now / before:.1f} times as long as before",
        evidence=(Evidence(text, "flight record"),),
        fix=Fix(
            "Look what changed: clocks and heat of the GPU, the data, other programs on the "
            "machine. fitguard run --profile takes a trace of slow steps."
        ),
        numbers={"step_seconds": now, "was_seconds": before},
    )


def _are_batches_larger(elements: Column, begin: float) -> bool:
    past = [n for time, n in zip(elements.times, elements.last, strict=True) if time < begin]
    recent = elements.since(begin).last
    if not past or not len(recent):
        return False
    return statistics.median(recent) > _LARGER * statistics.median(past)
