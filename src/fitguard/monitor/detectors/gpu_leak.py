"""GPU memory grows from step to step."""

from fitguard.monitor.detectors.framework.course import (
    Course,
    find_first_step,
    list_epochs,
    list_traces,
)
from fitguard.monitor.detectors.framework.growth import build_series
from fitguard.monitor.detectors.framework.leaks import HOUR, Memory, find_leak
from fitguard.monitor.detectors.framework.registry import Alert, detector
from fitguard.monitor.detectors.framework.room import (
    choose_column,
    find_gpu_room,
    find_most,
    name_memory,
)
from fitguard.monitor.detectors.framework.settings import Settings
from fitguard.monitor.detectors.framework.shapes import do_sizes_change
from fitguard.monitor.flight_record import FlightRecord
from fitguard.schema.finding import Evidence, Fix
from fitguard.words import size


@detector("FG410", "gpu-leak", cause="gpu-memory-leak")
def gpu_leak(record: FlightRecord, settings: Settings) -> Alert | None:
    """
    ## What it means
    Something on the GPU is kept in each step or epoch, and never given back. The finding says how
    much that is in 1,000 steps, and when memory ends.

    ## How it is judged
    By what TensorFlow's allocator has in use *between* two steps of the training, so that the
    memory of a step itself and of an evaluation does not count. The first 2 minutes after the first
    step are left out, and what came with a new trace. What goes up and down with the size of the
    batches is taken out by least squares; while batches become larger, nothing is said.

    Two statistics are computed, and one of them must speak. Equal phases: each 5 seconds are
    compared with the same step of the epoch before, with the same size of the batch. The growth
    must be positive in 90 % of them, the same to a factor of 2 in each of two epochs or more, and
    twice its own median deviation. Windows: the lowest values of 12 equal windows are compared. 90
    % of all pairs must rise, the last third must rise at 70 % of the slope (by Theil and Sen) of
    all, the rise must be 4 times the noise, the lowest values of epochs must rise too, and the
    training must hold more than in 98 % of the time before.

    It looks at the last 12 minutes, the last hour, and the last 4 hours. Memory must have grown by
    0.1 % of what can be had, and end within a week. Where memory ends sooner than in half of the
    time of growth, and two thirds are in use, one minute is enough.

    ## How to fix it
    Look for what your code keeps: lists of tensors or losses in a callback (`float(loss)` keeps a
    number instead), models or optimizers made in a loop, functions with `tf.function` that are made
    anew each time. `fitguard run` takes a snapshot and restarts in a fresh process before memory
    ends.

    ## When this is wrong
    An epoch of more than a quarter of an hour, in which memory is kept until its end: in the first
    such epoch that cannot be told from a leak. The same for a cache on the GPU that takes as long
    to fill. A leak while batches still grow is found after that only.

    ## References
    - Theil-Sen estimator
    - TensorFlow: `tf.config.experimental.get_memory_info`
    """
    column = choose_column(record, "allocator_low_bytes", "allocator_bytes")
    room, first_step = find_gpu_room(record), find_first_step(record)
    if room is None or first_step is None:
        return None
    sizes = record.get("batch_elements")
    elements = dict(zip(sizes.times, sizes.last, strict=True))
    traces = [time for time in list_traces(record) if not do_sizes_change(elements, time)]
    memory = Memory(
        warm=build_series(column, first_step + settings.warm_up_seconds, traces),
        hasty=build_series(column, first_step + settings.quick_warm_up_seconds, traces),
        course=Course(
            epochs=list_epochs(record),
            elements=elements,
        ),
        most_bytes=find_most(
            choose_column(record, "allocator_peak_bytes", "allocator_bytes"), settings.act_seconds
        ),
        room_bytes=room,
    )
    least = max(settings.least_leak_bytes, settings.least_leak_share * room)
    leak = find_leak(
        memory, settings.leak_spans_seconds, least, settings.longest_leak_seconds, settings
    )
    if leak is None:
        return None
    rate = size(round(leak.growth.per_second * HOUR))
    return Alert(
        severity="error" if leak.left_seconds < HOUR else "warning",
        title=f"{name_memory(record)} leaks {rate} an hour",
        evidence=(Evidence(leak.text, "flight record"),),
        fix=Fix(
            "Look for what your code keeps in each step: lists of tensors in a callback "
            "(keep float(loss) instead), models made in a loop, tf.function made anew each time."
        ),
        numbers=leak.numbers,
        act=leak.act,
    )
