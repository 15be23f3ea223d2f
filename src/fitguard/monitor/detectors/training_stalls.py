"""The training gives no sign of life."""

import statistics
from itertools import pairwise

from fitguard.monitor.detectors.framework.course import find_last
from fitguard.monitor.detectors.framework.registry import Alert, detector
from fitguard.monitor.detectors.framework.settings import Settings
from fitguard.monitor.flight_record import FlightRecord
from fitguard.schema.finding import Evidence, Fix
from fitguard.words import duration

_FIRST_BEATS = 3
"""Until then steps are compiled, which takes as long as it takes."""
_STEPS_KEPT = 100


@detector("FG517", "training-stalls", cause="hang")
def training_stalls(record: FlightRecord, settings: Settings) -> Alert | None:
    """
    ## What it means
    Nothing moves inside of `fit`: no step, no batch of an evaluation. It may hang.

    ## How it is judged
    By the signs of life that a guarded training gives at each step and each batch of an evaluation:
    none for 2 minutes, for 10 times what a step usually takes, and for twice the longest pause that
    there was. Before the third step, and outside of `fit`, nothing is said.

    ## How to fix it
    `py-spy dump --pid PID` shows what its threads do. Common reasons are data that come from a
    network or a queue, workers that wait for each other, and a GPU that does not answer. If it goes
    on, `fitguard run` ends the training with the stacks of all threads, and restarts.

    ## When this is wrong
    A callback that works for minutes, for the first time.

    ## References
    - `fitguard explain hang`
    """
    beats = record.get("beats")
    if len(beats) < 2 or not find_last(record.get("fitting")):
        return None
    moved = [0, *(i for i in range(1, len(beats)) if beats.last[i] != beats.last[i - 1])]
    newest = moved[-1]
    if beats.last[newest] - beats.last[0] < _FIRST_BEATS:
        return None
    quiet = beats.times[-1] - beats.times[newest]
    pauses = [beats.times[late] - beats.times[early] for early, late in pairwise(moved)]
    took = record.get("step_seconds").last[-_STEPS_KEPT:]
    usual = statistics.median(took) if len(took) else 0.0
    limit = max(
        settings.stall_seconds,
        settings.stall_steps * usual,
        settings.stall_pauses * max(pauses, default=0.0),
    )
    if quiet <= limit:
        return None
    text = f"No step and no batch for {duration(quiet)}. A step usually takes {duration(usual)}."
    return Alert(
        severity="warning",
        title="The training gives no sign of life",
        evidence=(Evidence(text, "flight record"),),
        fix=Fix(
            "Look what its threads do (py-spy dump --pid PID): data from a network or a queue, "
            "workers that wait for each other, a GPU that does not answer."
        ),
        numbers={"quiet_seconds": quiet, "step_seconds": usual},
    )
