"""The worker that failed first has no error in its log: what the others saw of its end."""

from collections.abc import Sequence

from fitguard.causes.derived.fallout import LATE, SILENT
from fitguard.crash.workers import Telling
from fitguard.schema.crash import Signal
from fitguard.schema.diagnosis import CauseSlug, FoundCause
from fitguard.schema.finding import Confidence, Evidence, Fix

_FIND_OUT = (
    "Find out how it ended. Its exit code (137: SIGKILL) and the kernel log of its machine tell "
    "whether memory ran out there; the scheduler's events, whether it was preempted."
)
_FIND_KILL = ("sudo dmesg -T | grep -i -E 'killed process|oom|xid'",)
_IS_TAKEN_FOR_CRASHED = "tasks have crashed"
_Account = tuple[CauseSlug, Confidence, str, str, Fix]
"""The cause, how sure it is, the summary, why, and what to do."""


def describe_silent(first: Telling, tellings: Sequence[Telling]) -> FoundCause:
    """The cause, as far as the others or the launcher tell it."""
    lost = [line for telling in tellings if (line := telling.fallout) is not None]
    killed = first.story.first("rank-killed")
    cause, confidence, summary, why, fix = _give_account(first, tellings, lost, killed)
    own = (killed.evidence,) if killed is not None else _quote_last_line(first)
    return FoundCause(
        cause=cause,
        summary=summary,
        confidence=confidence,
        evidence=(*own, *(line.evidence for line in lost[:2])),
        why=why,
        fix=fix,
    )


def _give_account(
    first: Telling, tellings: Sequence[Telling], lost: Sequence[Signal], killed: Signal | None
) -> _Account:
    name = first.name
    kinds = {line.name for line in lost}
    if killed is not None:
        return (
            "unknown",
            "medium",
            f"{name} ended first: it was killed, and no line says by whom.",
            "Its launcher tells that SIGKILL ended it, and its log breaks off without an error.",
            Fix(_FIND_OUT, _FIND_KILL),
        )
    if first.part == "well":
        return (
            "unknown",
            "medium",
            f"{name} ended before the others, without an error.",
            "It left while the others still waited for it in a step that all do together.",
            Fix(
                "Give every worker the same number of steps: `steps_per_epoch`, and a dataset that "
                "repeats. A worker whose data end earlier leaves the others alone."
            ),
        )
    if kinds & {*LATE}:
        return _tell_of_stuck(name)
    if kinds & {*SILENT} and not _lost_connection(tellings):
        return _tell_of_unheard(name, is_taken_for_crashed=_is_taken_for_crashed(tellings))
    return (
        "unknown",
        "medium",
        f"{name} ended first, and its log does not say why: most likely it was killed.",
        "The others lost the connection to it, and its log breaks off without an error.",
        Fix(_FIND_OUT, _FIND_KILL),
    )


def _tell_of_stuck(name: str) -> _Account:
    return (
        "hang",
        "medium",
        f"{name} got stuck: it did not come to a step that the others were in.",
        "The others waited for it until their time was up, and its log tells of no error.",
        Fix(
            "See where it hangs: `py-spy dump --pid PID` on its machine, in the process of that "
            "worker. Often it waits for its data, or takes another way through the script than "
            "the others: an `if` on the number of the worker around something all must do."
        ),
    )


def _tell_of_unheard(name: str, *, is_taken_for_crashed: bool) -> _Account:
    if is_taken_for_crashed:
        return (
            "unknown",
            "low",
            f"{name} ended first, and its log does not say why: most likely it was killed, or it "
            "was frozen.",
            "The others got no heartbeats from it and take it for crashed, which TensorFlow says "
            "of a frozen worker too. Its log tells of no error.",
            Fix(
                f"{_FIND_OUT} If its process is still there, it is frozen: stopped (SIGSTOP, a "
                "suspended container), or its machine swaps.",
                _FIND_KILL,
            ),
        )
    return (
        "hang",
        "low",
        f"{name} stopped answering: it was frozen, or its machine or network is gone.",
        "The others got no heartbeats from it, and its log tells of no error.",
        Fix(
            "Look at its machine: is it up, does it swap, was the process stopped (SIGSTOP, a "
            "suspended container), was the machine taken back (spot, preemption)?"
        ),
    )


def _lost_connection(tellings: Sequence[Telling]) -> bool:
    """Whether a connection to it broke off: that of a frozen worker stays."""
    return any(telling.story.has("peer-gone") for telling in tellings if telling.fallout)


def _is_taken_for_crashed(tellings: Sequence[Telling]) -> bool:
    return any(
        _IS_TAKEN_FOR_CRASHED in line.text
        for telling in tellings
        if telling.fallout
        for line in telling.worker.lines
    )


def _quote_last_line(telling: Telling) -> tuple[Evidence, ...]:
    last = telling.worker.lines[-1:]
    return tuple(Evidence(line.text, line.source, line.number) for line in last)
