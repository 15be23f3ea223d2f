"""The logs of several workers → one diagnosis: that of the worker that failed first."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import msgspec

from fitguard.causes.derived.fallout import OUT_OF_ORDER
from fitguard.crash.judging import Circumstances, judge, tell_story
from fitguard.crash.questions import KERNEL_LOG
from fitguard.crash.reader import Reading
from fitguard.crash.several import WorkerLog
from fitguard.crash.silent import describe_silent
from fitguard.crash.workers import Answer, Telling, find_first, read_worker
from fitguard.schema.diagnosis import (
    Diagnosis,
    Question,
    WorkerEnd,
    WorkerPart,
    Workers,
)
from fitguard.schema.finding import Fix

_SAYS_NOTHING = (None, "none")
_NO_FAILURE = "Its log ends without a failure."


def explain_workers(
    workers: Sequence[WorkerLog],
    mute: Sequence[WorkerLog],
    beside: Sequence[Reading],
    around: Circumstances,
    notes: Iterable[str],
) -> Diagnosis:
    """Explain each worker, and join: what the first one failed of.

    Args:
        mute: Workers whose logs tell nothing.
        beside: The kernel log and the flight record; they are of the worker that failed first, as
            are the exit code and the signal that the user gave.
    """
    alone = replace(around, exit_code=None, signal=None)
    tellings = [_explain_alone(worker, alone) for worker in workers]
    answer = find_first(tellings, mute)
    if answer.first is None:
        found = _take_fallout(tellings, answer)
    else:
        found = _explain_first(answer.first, tellings, beside, around)
    line_count = sum(worker.line_count for worker in workers)
    return msgspec.structs.replace(
        found,
        notes=tuple(dict.fromkeys((*found.notes, *notes))),
        lines=line_count + sum(reading.line_count for reading in beside),
        workers=_describe_all(tellings, answer, found),
    )


def _explain_alone(worker: WorkerLog, around: Circumstances) -> Telling:
    own = replace(around, exit_code=worker.exit_code, signal=worker.signal)
    story, unread = tell_story(worker.lines, worker.line_count, own)
    return read_worker(worker, story, judge(story, unread, worker.lines, own))


def _explain_first(
    first: Telling,
    tellings: Sequence[Telling],
    beside: Sequence[Reading],
    around: Circumstances,
) -> Diagnosis:
    """With all that is known beside its log; where that says nothing, what the others saw of it."""
    worker = first.worker
    if around.exit_code is None and around.signal is None:
        around = replace(around, exit_code=worker.exit_code, signal=worker.signal)
    lines = (*worker.lines, *(line for reading in beside for line in reading.lines))
    story, unread = tell_story(lines, worker.line_count, around)
    found = judge(story, unread, lines, around)
    is_killed = first.story.has("rank-killed") and found.primary in (*_SAYS_NOTHING, "unknown")
    if not is_killed and (first.part == "first" or found.primary not in _SAYS_NOTHING):
        return found
    cause = describe_silent(first, tellings)
    return msgspec.structs.replace(
        found,
        primary=cause.cause,
        causes=(cause,),
        questions=_ask_how_it_ended(first) if cause.cause == "unknown" else (),
    )


def _ask_how_it_ended(first: Telling) -> tuple[Question, ...]:
    if first.part == "well":
        return ()
    return (
        Question(
            f"How {first.name} ended",
            "Add the exit code of that worker as `--exit-code N`; 137 means SIGKILL.",
        ),
        Question("What the kernel of its machine logged meanwhile", KERNEL_LOG),
    )


def _take_fallout(tellings: Sequence[Telling], answer: Answer) -> Diagnosis:
    """No log shows the first failure: what they tell of it, and whose log is needed."""
    shown = next((one for one in tellings if one.part == "fallout"), tellings[0])
    found = shown.diagnosis
    if not found.causes or not found.causes[0].fallout:
        return found
    cause = found.causes[0]
    fallout = shown.fallout
    if fallout is not None and fallout.name in OUT_OF_ORDER:
        summary = "The workers were not at the same step."
        text = (
            "Start all workers again together, from the same checkpoint. If it comes again, look "
            "for what only some workers do: an `if` on the number of the worker, data of another "
            "length."
        )
    else:
        what = "tells nothing" if answer.is_mute else "is not among these"
        summary = f"Another worker failed first, and its log {what}."
        whose = "of the workers that are missing"
        whose = whose if answer.missing is None else f"of worker {answer.missing}"
        text = f"Give the log {whose}, too: why it failed stands there, and in none of these."
        if answer.is_mute:
            text = (
                f"Find out how worker {answer.missing} ended: its exit code (137: SIGKILL), what "
                "else it wrote, the kernel log of its machine, the scheduler's events."
            )
    fixed = msgspec.structs.replace(cause, summary=summary, fix=Fix(text))
    return msgspec.structs.replace(found, causes=(fixed, *found.causes[1:]))


def _describe_all(tellings: Sequence[Telling], answer: Answer, found: Diagnosis) -> Workers:
    ends = tuple(
        _describe_first(telling, found) if telling is answer.first else _describe_end(telling)
        for telling in tellings
    )
    first = answer.first.name if answer.first is not None else None
    return Workers(first=first, told_by=answer.told_by, ends=ends)


def _describe_first(telling: Telling, found: Diagnosis) -> WorkerEnd:
    cause = found.causes[0] if found.causes else None
    evidence = cause.evidence[:1] if cause else ()
    summary = cause.summary if cause and found.primary else ""
    return WorkerEnd(
        name=telling.name,
        part="first",
        cause=found.primary,
        summary=_NO_FAILURE if telling.part == "silent" else summary,
        evidence=evidence or ((telling.moment,) if telling.moment else ()),
        time=_write_time(telling),
    )


def _describe_end(telling: Telling) -> WorkerEnd:
    part: WorkerPart = "later" if telling.part == "first" else telling.part
    causes = telling.diagnosis.causes
    summaries = {
        "fallout": "It only reports that another worker is gone or stuck.",
        "silent": _NO_FAILURE,
        "well": "It ended well.",
    }
    if telling.fallout is not None and telling.fallout.name in OUT_OF_ORDER:
        summaries["fallout"] = "It only reports that another worker is at another step."
    own = causes[0].summary if causes and telling.diagnosis.primary else "It failed later."
    return WorkerEnd(
        name=telling.name,
        part=part,
        cause=telling.diagnosis.primary if part in ("later", "fallout") else None,
        summary=summaries.get(part, own),
        evidence=(telling.moment,) if telling.moment else (),
        time=_write_time(telling),
    )


def _write_time(telling: Telling) -> str:
    """Where the line itself has a time."""
    stamps = list(telling.stamps.values())
    return stamps[0].text if telling.is_exact and stamps else ""
