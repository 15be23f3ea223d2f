"""The training waits for its data."""

import statistics

from fitguard.monitor.detectors.framework.course import find_first_step
from fitguard.monitor.detectors.framework.registry import Alert, detector
from fitguard.monitor.detectors.framework.settings import Settings
from fitguard.monitor.flight_record import FlightRecord
from fitguard.schema.finding import Evidence, Fix
from fitguard.words import duration, percent

_MOST_OF_THE_TIME = 0.8
_FEWEST = 5


@detector("FG510", "slow-input")
def slow_input(record: FlightRecord, settings: Settings) -> Alert | None:
    """
    ## What it means
    Steps wait for their data, and the GPU with them. The training could be faster by that share.

    ## How it is judged
    By the time that a step waits for its batch, as a share of the time of the step: more than 30 %
    in 80 % of the last 5 minutes. The first 2 minutes after the first step do not count, so that a
    shuffle buffer may fill.

    ## How to fix it
    Add `.prefetch(tf.data.AUTOTUNE)` at the end of the dataset, and `num_parallel_calls` to its
    `map`. Keep decoded data with `cache("/path")`. For a `PyDataset`, use more `workers`. `fitguard
    data` looks for what is missing.

    ## When this is wrong
    On the CPU, data and steps share the same cores: then waiting less does not help. A wait inside
    of TensorFlow's own runtime, with several steps in one execution, is not seen.

    ## References
    - TensorFlow: Better performance with the tf.data API
    """
    first_step = find_first_step(record)
    if first_step is None:
        return None
    begin = record.last_time - settings.wait_seconds
    if begin < first_step + settings.warm_up_seconds:
        return None
    waits = record.get("input_seconds").since(begin)
    steps = record.get("step_seconds")
    took = dict(zip(steps.times, steps.last, strict=True))
    # The two are measured on different steps: one may wait for longer than others take.
    pairs = [
        (min(wait, took[time]), took[time])
        for time, wait in zip(waits.times, waits.last, strict=True)
        if took.get(time)
    ]
    shares = [wait / step for wait, step in pairs]
    if len(shares) < max(_FEWEST, len(steps.since(begin)) / 2):
        return None
    if sum(share > settings.wait_share for share in shares) < _MOST_OF_THE_TIME * len(shares):
        return None
    share = statistics.median(shares)
    wait, step = (statistics.median(part) for part in zip(*pairs, strict=True))
    shown = percent(round(1000 * share), 1000)
    text = (
        f"In the last {duration(settings.wait_seconds)}, a step waited {wait * 1000:,.1f} of its "
        f"{step * 1000:,.1f} ms for its data."
    )
    return Alert(
        severity="warning",
        title=f"Steps wait for their data for {shown} of the time",
        evidence=(Evidence(text, "flight record"),),
        fix=Fix(
            "Add .prefetch(tf.data.AUTOTUNE) at the end of the dataset and num_parallel_calls to "
            "its map, or more workers to a PyDataset."
        ),
        numbers={"wait_share": share, "input_seconds": wait, "step_seconds": step},
    )
