"""Main memory grows until it ends."""

from fitguard.monitor.detectors.framework.course import (
    Course,
    find_first_step,
    find_last,
    list_epochs,
)
from fitguard.monitor.detectors.framework.growth import build_series
from fitguard.monitor.detectors.framework.leaks import HOUR, Memory, find_leak, find_quick_leak
from fitguard.monitor.detectors.framework.registry import Alert, detector
from fitguard.monitor.detectors.framework.room import find_most
from fitguard.monitor.detectors.framework.settings import Settings
from fitguard.monitor.flight_record import FlightRecord
from fitguard.schema.finding import Evidence, Fix
from fitguard.words import size


@detector("FG413", "host-leak", cause="gpu-memory-leak")
def host_leak(record: FlightRecord, settings: Settings) -> Alert | None:
    """
    ## What it means
    The training and its helpers use more and more main memory (RAM). When it ends, the kernel kills
    the training, without a word in its output.

    ## How it is judged
    As a leak of GPU memory (`fitguard explain FG410`), by resident memory, over the last hour and
    the last 4 hours. It must have grown by 0.5 % of what the container or the machine has, and end
    it within 6 hours. Data that are kept in memory while they are read for the first time look the
    same; so nothing is said in the first epoch, unless memory is about to end: two thirds are in
    use, and the rest lasts for less than half of the time of growth.

    ## How to fix it
    Look for what your code keeps in each step or epoch: lists in a callback, histories, generators
    that keep what they gave, models made in a loop without `keras.backend.clear_session()`. If it
    is `cache()` of tf.data, give it a file: `cache("/path")`. `fitguard run` takes a snapshot and
    restarts in a fresh process before memory ends.

    ## When this is wrong
    Data that are drawn at random from a file in memory (`numpy.memmap`) fill it for many epochs;
    the kernel drops them when it needs room.

    ## References
    - Theil-Sen estimator
    - Linux: `/proc/PID/status`, VmRSS
    """
    column = record.get("host_bytes")
    room, first_step = find_last(record.get("host_limit_bytes")), find_first_step(record)
    if not room or first_step is None or not len(column):
        return None
    epochs = list_epochs(record)
    second_epoch = epochs[1].time if len(epochs) > 1 else None
    warm_from = first_step + settings.warm_up_seconds
    memory = Memory(
        warm=build_series(column, max(warm_from, second_epoch or warm_from)),
        hasty=build_series(column, first_step + settings.quick_warm_up_seconds),
        course=Course(epochs),
        most_bytes=find_most(column, settings.act_seconds),
        room_bytes=room,
    )
    least = settings.least_host_leak_share * room
    if epochs and second_epoch is None:
        leak = find_quick_leak(memory, least, settings)
    else:
        spans, longest = settings.host_leak_spans_seconds, settings.longest_host_leak_seconds
        leak = find_leak(memory, spans, least, longest, settings)
    if leak is None:
        return None
    rate = size(round(leak.growth.per_second * HOUR))
    return Alert(
        severity="error" if leak.left_seconds < HOUR else "warning",
        confidence="medium",
        title=f"Main memory grows by {rate} an hour",
        evidence=(Evidence(leak.text, "flight record"),),
        fix=Fix(
            "Look for what your code keeps in each step or epoch: lists in a callback, models made "
            'in a loop, cache() of tf.data without a file (cache("/path") has one).'
        ),
        numbers=leak.numbers,
        act=leak.act,
    )
