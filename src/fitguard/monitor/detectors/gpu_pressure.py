"""GPU memory is nearly full."""

from fitguard.monitor.detectors.framework.registry import Alert, detector
from fitguard.monitor.detectors.framework.room import choose_column, find_gpu_room, name_memory
from fitguard.monitor.detectors.framework.settings import Settings
from fitguard.monitor.detectors.framework.trend import find_steady_rise
from fitguard.monitor.flight_record import Column, FlightRecord
from fitguard.schema.finding import Evidence, Fix
from fitguard.words import duration, percent, size


@detector("FG412", "gpu-pressure", cause="gpu-oom")
def gpu_pressure(record: FlightRecord, settings: Settings) -> Alert | None:
    """
    ## What it means
    The steps of the training take more than 90 % of the GPU memory that can be had. A larger batch,
    a longer sequence or another process on the card is enough for an out-of-memory error.

    ## How it is judged
    By the peak of the steps in the last minute: half of the 5 seconds of it must be above 90 %.
    What can be had is the limit of TensorFlow's allocator, or what the training holds and nobody
    else does, where that is less. What nvidia-smi shows does not count: TensorFlow reserves nearly
    all of the memory at its start.

    ## How to fix it
    Smaller micro-batches keep the batch: `fitguard run --micro-batch N`. Where layers look at the
    batch as a whole, as BatchNormalization does, it must not be split: compute part of the step
    twice instead, with `fitguard.keras.recompute(model, share=0.5)`. `fitguard plan` says which
    layers take most. Give long sequences a limit.

    `fitguard run` acts only where the peak has risen steadily for 10 minutes and reaches the end
    within 5: it takes a snapshot, and continues with smaller micro-batches.

    ## When this is wrong
    A training with even batches can run at 99 % for days. And a step of TensorFlow takes more than
    it needs while there is room, so the peak alone does not mean that memory runs short.

    ## References
    - TensorFlow: `tf.config.experimental.get_memory_info`
    """
    room = find_gpu_room(record)
    peaks = choose_column(record, "allocator_peak_bytes", "allocator_bytes")
    if not room or not is_full(peaks, settings.pressure_share * room, settings):
        return None
    most = max(peaks.since(peaks.times[-1] - settings.pressure_seconds).high)
    left = _measure_left(record, peaks, room, settings)
    rising = f" At the pace of its rise, memory ends in {duration(left)}." if left else ""
    text = (
        f"Steps take up to {size(round(most))} of {size(round(room))} "
        f"({percent(round(most), round(room))}).{rising}"
    )
    return Alert(
        severity="warning",
        title=f"{name_memory(record)} is {percent(round(most), round(room))} full",
        evidence=(Evidence(text, "flight record"),),
        fix=Fix(
            "Use smaller micro-batches, which keep the batch: fitguard run --micro-batch N. Where "
            "layers look at the batch as a whole (BatchNormalization), call "
            "fitguard.keras.recompute(model, share=0.5) before fit instead."
        ),
        numbers={
            "used_bytes": most,
            "room_bytes": room,
            **({"left_seconds": left} if left else {}),
        },
        act=left is not None and left < settings.act_seconds,
    )


def is_full(column: Column, least: float, settings: Settings) -> bool:
    """Half of the last minute is above a limit."""
    if not len(column) or column.times[-1] - column.times[0] < settings.pressure_seconds:
        return False
    recent = column.since(column.times[-1] - settings.pressure_seconds).high
    return sum(high >= least for high in recent) >= max(1, len(recent) / 2)


def _measure_left(
    record: FlightRecord, peaks: Column, room: float, settings: Settings
) -> float | None:
    """Seconds until the peaks reach the end; None where they do not rise, or all else does too."""
    begin = peaks.times[-1] - settings.act_span_seconds
    recent, low = peaks.since(begin), record.get("allocator_low_bytes").since(begin)
    if recent.times[-1] - recent.times[0] < 0.95 * settings.act_span_seconds:
        return None
    rise = find_steady_rise(list(zip(recent.times, recent.high, strict=True)))
    leak = find_steady_rise(list(zip(low.times, low.low, strict=True)))
    if rise is None or (leak is not None and leak.rise > rise.rise / 2):
        return None
    return max(0.0, room - max(recent.high)) / rise.per_second
