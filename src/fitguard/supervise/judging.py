"""From what is left of an attempt to its end as the journal tells it: outcome, cause, evidence."""

from collections.abc import Sequence
from typing import NamedTuple

from fitguard.monitor.journal import now
from fitguard.schema.diagnosis import Diagnosis, FoundCause
from fitguard.schema.finding import Confidence
from fitguard.schema.hardware import Xid
from fitguard.schema.journal import OWN_FAULT, AnyEvent, AttemptEnded, Failed
from fitguard.schema.run import Outcome
from fitguard.supervise.attempt import Result
from fitguard.supervise.explaining import Answer, Request, explained
from fitguard.supervise.outcomes import failure, outcome

_MEANT: tuple[Outcome, ...] = ("finished", "interrupted", "preempted", "planned", "exited")
"""Nothing is to be explained."""
_UNDECIDED = (None, "unknown", "none")
_MOST_EVIDENCE = 8
_LONGEST = 500


class Judged(NamedTuple):
    """The end of an attempt.

    Args:
        failed: To be written down for a child that could not do it itself.
        found: The cause as `explain` tells it, with its fix; None where nothing decides.
    """

    event: AttemptEnded
    failed: Failed | None = None
    found: FoundCause | None = None
    xids: tuple[Xid, ...] = ()


class Cause(NamedTuple):
    """Why it ended, in the words of the journal."""

    cause: str = ""
    confidence: Confidence | None = None
    why: str = ""
    evidence: tuple[str, ...] = ()


def judge(
    result: Result, attempt: int, events: Sequence[AnyEvent], *, killed_by_kernel: int | None
) -> Judged:
    """How an attempt ended, and why.

    Args:
        events: The journal so far.
        killed_by_kernel: How many processes of our cgroup the OOM killer ended meanwhile; None
            where nobody counts.
    """
    known = failure(events, attempt)
    how = outcome(result.ended, result.reason, known, result.forwarded)
    answer = Answer()
    own = known.error if known is not None and known.kind == OWN_FAULT else ""
    # The child knows what is to be changed in its script: what the log looks like is no news.
    remedy = known.remedy if known is not None else ""
    if how not in _MEANT and not result.reader_gone and not own and not remedy:
        answer = explained(_request(result))
    found = _primary(answer.diagnosis)
    cause = _meant(result, how)
    if remedy:
        cause = Cause("unknown", None, remedy)
    elif how not in _MEANT:
        cause = _cause(result, how, found, killed_by_kernel)
    if own:
        cause = Cause("unknown", None, own, result.evidence)
    written = _autotuning_failure(result, attempt) if how == "out-of-memory" and not known else None
    event = AttemptEnded(
        time=now(),
        attempt=attempt,
        outcome=how,
        exit_code=result.ended.exit_code,
        signal=result.ended.signal,
        last=result.place,
        cause=cause.cause,
        confidence=cause.confidence,
        why=cause.why,
        evidence=tuple(line[:_LONGEST] for line in cause.evidence[:_MOST_EVIDENCE]),
        peak_host_bytes=result.peak_host_bytes,
        peak_gpu_bytes=result.peak_gpu_bytes,
    )
    told = found if found is not None and found.cause == cause.cause else None
    return Judged(event, written, told, answer.xids)


def _request(result: Result) -> Request:
    # A signal that we sent ourselves says nothing of the cause.
    by_us = result.reason is not None
    return Request(
        output=result.output,
        exit_code=None if by_us else result.ended.exit_code,
        signal=None if by_us else result.ended.signal,
        since_seconds=result.since_seconds,
        numbers=result.numbers,
    )


def _primary(diagnosis: Diagnosis) -> FoundCause | None:
    if diagnosis.primary in _UNDECIDED or not diagnosis.causes:
        return None
    return diagnosis.causes[0]


def _meant(result: Result, how: Outcome) -> Cause:
    """Of an end that was wanted: what would have ended it otherwise."""
    if how != "planned" or not result.foreseen:
        return Cause()
    return Cause(result.foreseen, "medium", "It stopped before memory ran out.", result.evidence)


def _cause(
    result: Result, how: Outcome, found: FoundCause | None, killed_by_kernel: int | None
) -> Cause:
    if result.reader_gone:
        return Cause("", None, "Nothing reads the output anymore: the pipe is broken.")
    if how == "killed" and result.ended.signal == "SIGKILL" and killed_by_kernel is not None:
        return _of_counter(found, killed_by_kernel)
    if found is not None:
        quoted = tuple(evidence.text for evidence in found.evidence)
        return Cause(found.cause, found.confidence, found.why, (*result.evidence, *quoted))
    if how == "hung":
        why = "It made no progress for much longer than a step takes."
        return Cause("hang", "high", why, result.evidence)
    if how == "out-of-memory":
        return Cause(
            "gpu-oom",
            "medium",
            "The training itself reported that memory ran out.",
            result.evidence,
        )
    return Cause("unknown", None, "", result.evidence)


def _of_counter(found: FoundCause | None, kills: int) -> Cause:
    """SIGKILL, where the kernel counts what it ended for want of memory: that decides."""
    quoted = tuple(evidence.text for evidence in found.evidence) if found else ()
    if kills:
        why = "The kernel killed a process of this group because memory ran out."
        return Cause(
            "host-oom",
            "high",
            why,
            (f"the oom_kill counter of the cgroup rose by {kills}", *quoted),
        )
    if found is not None and found.cause != "host-oom":
        return Cause(found.cause, found.confidence, found.why, quoted)
    why = "Something killed the process, and it was not the kernel's out-of-memory killer."
    return Cause("unknown", None, why, ("the oom_kill counter of the cgroup did not rise",))


def _autotuning_failure(result: Result, attempt: int) -> Failed | None:
    """What the child could not say when its autotuning was cut short."""
    if result.reason != "out-of-memory":
        return None
    return Failed(
        time=now(),
        attempt=attempt,
        kind="out-of-memory",
        place=result.place,
        error=result.evidence[-1] if result.evidence else "",
        mode="xla",
    )
