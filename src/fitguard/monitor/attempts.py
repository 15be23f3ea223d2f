"""The attempts of a run, as its document shows them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fitguard.monitor.attempt_events import AttemptEvents
from fitguard.schema.run import Attempt, MemorySample, Outcome, Place


@dataclass
class Peak:
    """The most memory that the samples of an attempt show."""

    host_bytes: int = 0
    gpu_bytes: int = 0


def attempts(
    records: Mapping[int, AttemptEvents], samples: Iterable[MemorySample], *, alive: bool
) -> tuple[Attempt, ...]:
    """All attempts, the first one first.

    Args:
        alive: Whether the newest one that has not ended may still run.
    """
    peaks = _peaks(samples)
    lost = _steps_lost(list(records.values()))
    newest = max(records, default=0)
    return tuple(
        _attempt(record, peaks.get(number, Peak()), lost[number], alive and number == newest)
        for number, record in records.items()
    )


def _attempt(record: AttemptEvents, peak: Peak, lost: int, may_run: bool) -> Attempt:
    ended = record.ended
    outcome: Outcome = ended.outcome if ended else "running" if may_run else "lost"
    return Attempt(
        number=record.number,
        started=record.started.time if record.started else record.first_time,
        ended=ended.time if ended else None if may_run else record.last_time,
        pid=record.started.pid if record.started else 0,
        outcome=outcome,
        exit_code=ended.exit_code if ended else None,
        signal=ended.signal if ended else None,
        cause=ended.cause if ended else "",
        confidence=ended.confidence if ended else None,
        why=ended.why if ended else "",
        evidence=ended.evidence if ended else (),
        action=record.decided.action if record.decided else "",
        first=record.first or Place(),
        last=record.last,
        steps_done=record.steps_done,
        steps_lost=lost,
        peak_host_bytes=max(peak.host_bytes, ended.peak_host_bytes if ended else 0),
        peak_gpu_bytes=max(peak.gpu_bytes, ended.peak_gpu_bytes if ended else 0),
        card=record.started.card if record.started else "",
    )


def _steps_lost(records: list[AttemptEvents]) -> dict[int, int]:
    """By attempt: steps that a later one takes again, because it begins the `fit` before them."""
    earliest: dict[int, int] = {}
    lost: dict[int, int] = {}
    for record in reversed(records):
        lost[record.number] = sum(
            max(0, span.reached - max(span.begun, earliest.get(fit, span.reached)))
            for fit, span in record.spans.items()
        )
        for fit, span in record.spans.items():
            earliest[fit] = min(span.begun, earliest.get(fit, span.begun))
    return lost


def _peaks(samples: Iterable[MemorySample]) -> dict[int, Peak]:
    peaks: dict[int, Peak] = {}
    for sample in samples:
        peak = peaks.setdefault(sample.attempt, Peak())
        peak.host_bytes = max(peak.host_bytes, sample.host_bytes or 0)
        peak.gpu_bytes = max(peak.gpu_bytes, sample.gpu_bytes or 0)
    return peaks
