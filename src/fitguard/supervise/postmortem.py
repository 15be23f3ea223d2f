"""From what was seen of an attempt to its end as the journal tells it: outcome, cause, evidence."""

from collections.abc import Sequence
from typing import NamedTuple

from fitguard.crash.explaining import Answer, Request, explain_in_child
from fitguard.monitor.journal import now
from fitguard.schema.diagnosis import Diagnosis, FoundCause
from fitguard.schema.finding import Confidence
from fitguard.schema.hardware import Xid
from fitguard.schema.journal import OWN_FAULT, AnyEvent, AttemptEnded, Failed
from fitguard.schema.run import Outcome
from fitguard.supervise.alarm import LEAK
from fitguard.supervise.live_attempt import Observation
from fitguard.supervise.outcomes import classify_end, find_failure
from fitguard.words import count, size

_LEAKS_BEFORE = {"gpu-oom": "FG410", "host-oom": "FG413"}
"""By cause of an end, the alert that explains it."""
_MEANT: tuple[Outcome, ...] = (
    *("finished", "interrupted", "preempted", "planned", "followed", "exited"),
)
"""Nothing is to be explained."""
_UNDECIDED = (None, "unknown", "none")
_MOST_EVIDENCE = 8
_LONGEST = 500


class Postmortem(NamedTuple):
    """How and why an attempt ended.

    Args:
        failed: To be written down for a child that could not do it itself.
        found: The cause as `explain` tells it, with its fix; None where nothing decides.
        distrusted: What XLA began with, where that may be the reason; empty otherwise.
    """

    event: AttemptEnded
    failed: Failed | None = None
    found: FoundCause | None = None
    xids: tuple[Xid, ...] = ()
    distrusted: str = ""


class CauseOfEnd(NamedTuple):
    """Why it ended, in the words of the journal."""

    cause: str = ""
    confidence: Confidence | None = None
    why: str = ""
    evidence: tuple[str, ...] = ()
    fallout: bool = False


def examine_end(
    seen: Observation, attempt: int, events: Sequence[AnyEvent], *, killed_by_kernel: int | None
) -> Postmortem:
    """How an attempt ended, and why.

    Args:
        events: The journal so far.
        killed_by_kernel: How many processes of our cgroup the OOM killer ended meanwhile; None
            where nobody counts.
    """
    known = find_failure(events, attempt)
    how = classify_end(
        seen.exit_status, seen.reason, known, seen.forwarded, told_to_end=seen.told_to_end
    )
    answer = Answer()
    own = known.error if known is not None and known.kind == OWN_FAULT else ""
    # The child knows what is to be changed in its script: what the log looks like is no news.
    remedy = known.remedy if known is not None else ""
    if how not in _MEANT and not seen.reader_gone and not own and not remedy:
        answer = explain_in_child(_build_request(seen))
    found = _select_primary(answer.diagnosis)
    cause = _explain_wanted_end(seen, how)
    if remedy:
        cause = CauseOfEnd("unknown", None, remedy)
    elif how not in _MEANT:
        cause = _join_leak(seen, _find_cause(seen, how, found, killed_by_kernel), events)
    if own:
        cause = CauseOfEnd("unknown", None, own, seen.evidence)
    unsaid = how == "out-of-memory" and not known
    written = _build_autotuning_failure(seen, attempt) if unsaid else None
    measured = () if how in _MEANT else _select_notable(seen, cause.evidence)
    event = AttemptEnded(
        time=now(),
        attempt=attempt,
        outcome=how,
        exit_code=seen.exit_status.exit_code,
        signal=seen.exit_status.signal,
        last=seen.place,
        cause=cause.cause,
        confidence=cause.confidence,
        why=cause.why,
        evidence=tuple(line[:_LONGEST] for line in cause.evidence[:_MOST_EVIDENCE]) + measured,
        fallout=cause.fallout,
        peak_host_bytes=seen.peak_host_bytes,
        peak_gpu_bytes=seen.peak_gpu_bytes,
    )
    told = found if found is not None and found.cause == cause.cause else None
    return Postmortem(event, written, told, answer.xids, _take_autotuned(seen, how, events))


def _take_autotuned(seen: Observation, how: Outcome, events: Sequence[AnyEvent]) -> str:
    """Keep what XLA has found; what it began with, where an error may have come from that."""
    if seen.autotuned is None:
        return ""
    ends = {event.outcome for event in events if isinstance(event, AttemptEnded)}
    short_of_memory = "out-of-memory" in ends
    failed = seen.autotuned.take(how, stepped=seen.stepped, short_of_memory=short_of_memory)
    return str(seen.autotuned) if failed and how == "exception" else ""


def _select_notable(seen: Observation, quoted: Sequence[str]) -> tuple[str, ...]:
    """What was measured last, and is not quoted already."""
    notable = [moment.text for moment in seen.last_moments if moment.is_notable]
    return tuple(text for text in notable if text not in quoted)


def _build_request(seen: Observation) -> Request:
    # A signal that we sent ourselves says nothing of the cause.
    by_us = seen.reason is not None
    return Request(
        output=seen.output,
        exit_code=None if by_us else seen.exit_status.exit_code,
        signal=None if by_us else seen.exit_status.signal,
        since_seconds=seen.since_seconds,
        numbers=seen.numbers,
        measured=(*_tell_limit(seen), *(moment.text for moment in seen.last_moments)),
    )


def _tell_limit(seen: Observation) -> tuple[str, ...]:
    """A pool that is small because it was made so was not left over by other processes."""
    if seen.memory_limit_bytes is None:
        return ()
    return (f"fitguard allowed TensorFlow {size(seen.memory_limit_bytes)} of each GPU",)


def _select_primary(diagnosis: Diagnosis) -> FoundCause | None:
    if diagnosis.primary in _UNDECIDED or not diagnosis.causes:
        return None
    return diagnosis.causes[0]


def _explain_wanted_end(seen: Observation, how: Outcome) -> CauseOfEnd:
    """Of an end that was wanted: what would have ended it otherwise."""
    if how != "planned" or not seen.foreseen:
        return CauseOfEnd()
    return CauseOfEnd(seen.foreseen, "medium", "It stopped before memory ran out.", seen.evidence)


def _find_cause(
    seen: Observation, how: Outcome, found: FoundCause | None, killed_by_kernel: int | None
) -> CauseOfEnd:
    if seen.reader_gone:
        return CauseOfEnd("", None, "Nothing reads the output anymore: the pipe is broken.")
    if how == "killed" and seen.exit_status.signal == "SIGKILL" and killed_by_kernel is not None:
        return _read_kill_counter(found, killed_by_kernel)
    if found is not None:
        quoted = tuple(evidence.text for evidence in found.evidence)
        told = (*seen.evidence, *quoted)
        return CauseOfEnd(found.cause, found.confidence, found.why, told, found.fallout)
    if how == "hung":
        why = "It made no progress for much longer than a step takes."
        return CauseOfEnd("hang", "high", why, seen.evidence)
    if how == "out-of-memory":
        return CauseOfEnd(
            "gpu-oom",
            "medium",
            "The training itself reported that memory ran out.",
            seen.evidence,
        )
    return CauseOfEnd("unknown", None, "", seen.evidence)


def _join_leak(seen: Observation, cause: CauseOfEnd, events: Sequence[AnyEvent]) -> CauseOfEnd:
    """Memory that ran out because it had leaked: a smaller batch would leak as well."""
    leak = seen.leaks.get(_LEAKS_BEFORE.get(cause.cause, ""))
    earlier = (event for event in events if isinstance(event, AttemptEnded))
    if leak is None and cause.cause in _LEAKS_BEFORE and any(one.cause == LEAK for one in earlier):
        why = (
            "Memory leaked in an earlier attempt, and ran out again: what your own objects hold, a "
            "restart brings back."
        )
        return CauseOfEnd(LEAK, "medium", why, cause.evidence)
    if leak is None:
        return cause
    why = "Memory had been leaking until it ran out."
    return CauseOfEnd(LEAK, "high", why, (leak, *cause.evidence))


def _read_kill_counter(found: FoundCause | None, kills: int) -> CauseOfEnd:
    """SIGKILL, where the kernel counts what it ended for want of memory: that decides."""
    quoted = tuple(evidence.text for evidence in found.evidence) if found else ()
    if kills:
        why = "The kernel killed a process of this group because memory ran out."
        return CauseOfEnd(
            "host-oom",
            "high",
            why,
            (f"the kernel counts {count(kills, 'such kill')} since the attempt began", *quoted),
        )
    if found is not None and found.cause != "host-oom":
        return CauseOfEnd(found.cause, found.confidence, found.why, quoted, found.fallout)
    why = "Something killed the process, and it was not the kernel's out-of-memory killer."
    return CauseOfEnd("unknown", None, why)


def _build_autotuning_failure(seen: Observation, attempt: int) -> Failed | None:
    """What the child could not say when its autotuning was cut short."""
    if seen.reason != "out-of-memory":
        return None
    return Failed(
        time=now(),
        attempt=attempt,
        kind="out-of-memory",
        place=seen.place,
        error=seen.evidence[-1] if seen.evidence else "",
        mode="xla",
    )
