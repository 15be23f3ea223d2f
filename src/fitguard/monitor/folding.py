"""The journal of a run into its document.

The journal may be torn: a parent or a machine that died leaves attempts without an end, a full disk
leaves gaps. Whatever is there gives a document. What came first is told by the order of its lines:
clocks are put back.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import PurePath

import msgspec

from fitguard.monitor.attempt_events import group_by_attempt
from fitguard.monitor.attempts import attempts
from fitguard.monitor.decisions import decisions
from fitguard.monitor.fits import fits
from fitguard.monitor.losses import losses
from fitguard.schema.journal import (
    Alerted,
    AnyEvent,
    AttemptStarted,
    Noted,
    Profiled,
    RunEnded,
    RunStarted,
    SnapshotFailed,
    SnapshotWritten,
)
from fitguard.schema.run import (
    MemorySample,
    Run,
    RunAlert,
    RunNote,
    RunProfile,
    RunState,
    SnapshotMark,
    SnapshotTotals,
)

MOST_MARKS = 1000
MOST_ALERTS = 100


def fold(
    events: Sequence[AnyEvent], samples: Sequence[MemorySample], *, folder: str, alive: bool
) -> Run:
    """The document of a run.

    Args:
        folder: Of the run; its last part is the id where the journal lost it.
        alive: Whether a parent guards the run now: the lock is held.
    """
    told = list(events)
    measured = sorted(samples, key=lambda sample: sample.time)
    starts = [event for event in told if isinstance(event, RunStarted)]
    end = _end(told)
    started = told[0].time if told else 0.0
    return Run(
        id=starts[-1].id if starts else PurePath(folder).name,
        command=starts[-1].command if starts else (),
        folder=folder,
        started=started,
        ended=end.time if end else None,
        seconds=_sum_seconds(told, () if end else measured),
        state=_state(end, alive),
        exit_code=end.exit_code if end else None,
        memory_limit_bytes=_find_limit(told),
        peak_allocator_bytes=max((one.allocator_peak_bytes or 0 for one in measured), default=0),
        fitguard=starts[-1].fitguard if starts else "",
        attempts=attempts(group_by_attempt(told), measured, alive=alive and end is None),
        fits=fits(told),
        decisions=decisions(told),
        alerts=_collect_alerts(told),
        profiles=_collect_profiles(told),
        notes=_notes(told),
        losses=losses(told),
        samples=tuple(measured),
        snapshots=_snapshots(told),
        saved=_collect_snapshot_marks(told),
    )


def _sum_seconds(told: Sequence[AnyEvent], measured: Sequence[MemorySample]) -> float:
    """From the first sign to the last; where the clock was put back, that gap is not known."""
    times = [event.time for event in told]
    times += [sample.time for sample in measured[-1:] if not times or sample.time > times[-1]]
    return sum(max(0.0, later - earlier) for earlier, later in pairwise(times))


def _end(told: Sequence[AnyEvent]) -> RunEnded | None:
    """How the run ended, unless it went on after that."""
    for event in reversed(told):
        if isinstance(event, RunEnded):
            return event
        if isinstance(event, RunStarted | AttemptStarted):
            return None
    return None


def _find_limit(told: Sequence[AnyEvent]) -> int | None:
    """The one that counted last."""
    orders = [event.orders for event in told if isinstance(event, AttemptStarted)]
    return orders[-1].memory_limit_bytes if orders else None


def _state(end: RunEnded | None, alive: bool) -> RunState:
    if end is not None:
        return end.state
    return "running" if alive else "lost"


def _collect_alerts(told: Sequence[AnyEvent]) -> tuple[RunAlert, ...]:
    found = [event for event in told if isinstance(event, Alerted)]
    return tuple(RunAlert(**msgspec.structs.asdict(event)) for event in found[-MOST_ALERTS:])


def _collect_profiles(told: Sequence[AnyEvent]) -> tuple[RunProfile, ...]:
    found = [event for event in told if isinstance(event, Profiled)]
    return tuple(RunProfile(**msgspec.structs.asdict(event)) for event in found)


def _notes(told: Sequence[AnyEvent]) -> tuple[RunNote, ...]:
    """Each once: every attempt says the same again."""
    notes: dict[tuple[str, str], RunNote] = {}
    for event in told:
        if isinstance(event, Noted):
            note = RunNote(time=event.time, attempt=event.attempt, kind=event.kind, text=event.text)
            notes.setdefault((event.kind, event.text), note)
    return tuple(notes.values())


def _snapshots(told: Sequence[AnyEvent]) -> SnapshotTotals:
    written = [event for event in told if isinstance(event, SnapshotWritten)]
    return SnapshotTotals(
        count=len(written),
        failed=sum(isinstance(event, SnapshotFailed) for event in told),
        bytes=sum(event.bytes for event in written),
        taking_seconds=sum(event.taking_seconds for event in written),
        writing_seconds=sum(event.writing_seconds for event in written),
    )


def _collect_snapshot_marks(told: Sequence[AnyEvent]) -> tuple[SnapshotMark, ...]:
    written = [event for event in told if isinstance(event, SnapshotWritten)]
    return tuple(
        SnapshotMark(time=event.time, attempt=event.attempt, place=event.place, bytes=event.bytes)
        for event in written[-MOST_MARKS:]
    )
