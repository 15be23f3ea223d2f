"""`fitguard.explain()`: why did it die, and what now?"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from fitguard.crash.breaking_off import find_broken_off, leave_open
from fitguard.crash.given import (
    AUTO,
    GivenLog,
    collect_logs,
    read_log,
    running_kernel_log,
)
from fitguard.crash.joining import explain_workers
from fitguard.crash.judging import FLIGHT_RECORD, Circumstances, judge, tell_story
from fitguard.crash.reader import Log, Reading
from fitguard.crash.several import (
    WorkerLog,
    describe_mute,
    set_mute_aside,
    speak_of_each_other,
    split_workers,
)
from fitguard.crash.signals import Recogniser
from fitguard.knowledge import knowledge
from fitguard.schema.crash import Ending
from fitguard.schema.diagnosis import Diagnosis, WorkerEnd
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence

KERNEL_LOG = "kernel log"


def explain(
    log: Log | Iterable[Log | GivenLog] | Mapping[str, Log] = (),
    *,
    exit_code: int | None = None,
    signal: str | None = None,
    kernel_log: Log | None = None,
    facts: Facts | str | Path | None = None,
    what_if: Mapping[str, str] | None = None,
    command: Sequence[str] = (),
    batch_size: int | None = None,
    guarded: bool = False,
    measured: Sequence[str] = (),
) -> Diagnosis:
    """Say why a run died.

    Args:
        log: What the run wrote: a path, an open file, bytes, or a text of several lines; or several
            of these. Of workers that train together, give all logs, or a folder of them, or one
            log in which each line begins with its worker: then the answer says which worker failed
            first. A dictionary gives the workers names.
        exit_code: How the process ended: 137, -9.
        signal: The signal that ended it: `SIGKILL`.
        kernel_log: What the kernel wrote meanwhile (`dmesg`), likewise; `auto` for what the kernel
            of this machine wrote since it started.
        facts: Of the machine it ran on: a struct, or a file of `fitguard facts`; `auto` for those
            of this machine.
        what_if: What else is known of that machine, in the doctor's keys: `{"tf": "2.10"}`. Values
            may be vague; what cannot be read is noted.
        command: What was started, for the next step that is named: `["train.py", "--epochs", "3"]`.
            Without it, what the log shows.
        batch_size: Likewise.
        guarded: Whether it ran under `fitguard run` already, which then is no next step.
        measured: What its flight record tells of the last minutes, in sentences.

    Returns:
        The causes, most likely first; `primary` is None where nothing decides. Of several workers,
        `workers` says which of them failed first, and the causes are those of that worker.

    Raises:
        UnreadableInput: if a file cannot be read.
        UsageError: for a signal that does not exist.

    Example:
        >>> import fitguard
        >>> fitguard.explain("OOM when allocating tensor with shape[8192,8192]\\n").primary
        'gpu-oom'
    """
    logs = collect_logs(log)
    notes: list[str] = []
    recogniser = Recogniser(knowledge().signatures)
    readings = [read_log(item.log, recogniser, item.name) for item in logs]
    if kernel_log == AUTO:
        kernel_log = running_kernel_log(notes)
    beside: list[Reading] = []
    if kernel_log is not None:
        beside.append(read_log(kernel_log, recogniser, KERNEL_LOG))
    if measured:
        beside.append(read_log("\n".join(measured).encode(), recogniser, FLIGHT_RECORD))
    sources = (*(["log"] if logs else []), *([KERNEL_LOG] if kernel_log is not None else []))
    around = Circumstances(
        recogniser=recogniser,
        exit_code=exit_code,
        signal=signal,
        facts=facts,
        what_if=what_if,
        command=command,
        batch_size=batch_size,
        guarded=guarded,
        sources=sources,
    )
    notes += [note for reading in (*readings, *beside) for note in reading.notes]
    files = {str(item.log) for item in logs if isinstance(item.log, str | Path)}
    workers = split_workers(logs, readings)
    broken_off: list[WorkerLog] = []
    if len(workers) > 1:
        telling, mute = set_mute_aside(workers, recogniser)
        notes += map(describe_mute, mute)
        if speak_of_each_other(telling, recogniser):
            return _add_paths(explain_workers(telling, mute, beside, around, notes), files)
        broken_off = find_broken_off(telling, recogniser)
    around = _add_ends(around, logs)
    lines = [line for reading in (*readings, *beside) for line in reading.lines]
    story, unread = tell_story(
        lines, sum(reading.line_count for reading in (*readings, *beside)), around
    )
    found = judge(story, [*unread, *notes], lines, around)
    if found.primary == "none" and broken_off and story.ending == Ending():
        found = leave_open(found, broken_off)
    return _add_paths(found, files)


def _add_ends(around: Circumstances, logs: Sequence[GivenLog]) -> Circumstances:
    """How the processes ended that wrote the logs, where the user does not say it."""
    codes = [item.exit_code for item in logs if item.exit_code is not None]
    signals = [item.signal for item in logs if item.signal]
    return replace(
        around,
        exit_code=codes[0] if codes and around.exit_code is None else around.exit_code,
        signal=around.signal or (signals[0] if signals else None),
    )


def _add_paths(explanation: Diagnosis, files: set[str]) -> Diagnosis:
    """The same, in which what was quoted from a file has its path."""

    def add_path(evidence: Evidence) -> Evidence:
        found = evidence.line is not None and evidence.source in files
        return msgspec.structs.replace(evidence, path=evidence.source) if found else evidence

    def add_paths_of_end(end: WorkerEnd) -> WorkerEnd:
        return msgspec.structs.replace(end, evidence=tuple(map(add_path, end.evidence)))

    return msgspec.structs.replace(
        explanation,
        causes=tuple(
            msgspec.structs.replace(found, evidence=tuple(map(add_path, found.evidence)))
            for found in explanation.causes
        ),
        noise=tuple(
            msgspec.structs.replace(noise, evidence=add_path(noise.evidence))
            for noise in explanation.noise
        ),
        workers=explanation.workers
        and msgspec.structs.replace(
            explanation.workers, ends=tuple(map(add_paths_of_end, explanation.workers.ends))
        ),
    )
