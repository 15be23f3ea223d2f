"""The memory of the GPU makes errors."""

from collections.abc import Iterator
from itertools import pairwise

from fitguard.monitor.detectors.framework.registry import Alert, detector
from fitguard.monitor.detectors.framework.settings import Settings
from fitguard.monitor.flight_record import Column, FlightRecord
from fitguard.schema.finding import Evidence, Fix
from fitguard.words import count

_HOUR = 3600.0


@detector("FG415", "ecc-errors", cause="hardware-fault")
def ecc_errors(record: FlightRecord, settings: Settings) -> Iterator[Alert]:
    """
    ## What it means
    ECC found flipped bits in the memory of the GPU. It corrects single ones, and results stay
    right. One that cannot be corrected ends the training, or has damaged its numbers.

    ## How it is judged
    By the counters of NVML: an uncorrected error is reported at once, corrected ones if there are
    10 or more in an hour. What was counted before the training does not count.

    ## How to fix it
    Corrected errors: look at heat and power first, and at `nvidia-smi -q -d ECC,ROW_REMAPPER`. If
    they go on, have the card replaced. Uncorrected ones: reset the GPU or restart the machine
    before you train on it again.

    ## When this is wrong
    Cards without ECC make errors too, and count none.

    ## References
    - NVIDIA: GPU memory error management
    """
    for index in record.list_gpus():
        uncorrected = _count_new(record.get(f"gpu_ecc_uncorrected:{index}"), None)
        corrected = _count_new(record.get(f"gpu_ecc_corrected:{index}"), _HOUR)
        if uncorrected > 0:
            yield _build_alert(
                index,
                "error",
                f"GPU {index} had {count(uncorrected, 'memory error')} that ECC could not correct",
                f"{count(uncorrected, 'uncorrected error')} since the training began.",
                "Reset the GPU or restart the machine, then resume. If it happens again, have the "
                "card replaced.",
                uncorrected,
            )
        elif corrected >= settings.corrected_errors:
            yield _build_alert(
                index,
                "warning",
                f"GPU {index} corrects more and more memory errors",
                f"{count(corrected, 'corrected error')} in the last hour.",
                "Look at heat and power. If it goes on, have the card replaced.",
                corrected,
            )


def _build_alert(index: int, severity: str, title: str, text: str, fix: str, errors: int) -> Alert:
    return Alert(
        severity="error" if severity == "error" else "warning",
        subject=f"GPU {index}",
        title=title,
        evidence=(Evidence(text, "flight record"),),
        fix=Fix(fix, commands=(f"nvidia-smi -i {index} -q -d ECC,ROW_REMAPPER",)),
        numbers={"errors": errors},
    )


def _count_new(column: Column, seconds: float | None) -> int:
    """How far a counter rose; where it was set back, since then."""
    values = column.last
    if seconds is not None and len(column):
        values = column.since(column.times[-1] - seconds).last
    rises = (max(0.0, late - early) for early, late in pairwise(values))
    return round(sum(rises))
