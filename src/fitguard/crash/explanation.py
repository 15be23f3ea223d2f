"""`fitguard.explain()`: why did it die, and what now?"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from fitguard.causes.framework.registry import all_causes
from fitguard.causes.framework.scales import Verdict
from fitguard.crash.allocator import allocations
from fitguard.crash.clues import clues
from fitguard.crash.command import find_command, read_command
from fitguard.crash.ending import ending
from fitguard.crash.given import (
    AUTO,
    collect_logs,
    combine_facts,
    findings,
    read_log,
    running_kernel_log,
)
from fitguard.crash.leanings import verdict
from fitguard.crash.next_commands import Training
from fitguard.crash.next_steps import name_next_steps
from fitguard.crash.questions import doubts, questions
from fitguard.crash.ranking import PRIMARY, confidence, rank
from fitguard.crash.reader import Log
from fitguard.crash.signals import Recogniser
from fitguard.crash.tracebacks import read_traceback
from fitguard.knowledge import knowledge
from fitguard.schema.crash import Signal, Story
from fitguard.schema.diagnosis import Diagnosis, FoundCause, Noise
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence

KERNEL_LOG = "kernel log"
FLIGHT_RECORD = "flight record"


def explain(
    log: Log | Iterable[Log] = (),
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
            of these.
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
        The causes, most likely first; `primary` is None where nothing decides.

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
    readings = [read_log(item, recogniser) for item in logs]
    sources = ["log"] if logs else []
    if kernel_log == AUTO:
        kernel_log = running_kernel_log(notes)
    if kernel_log is not None:
        readings.append(read_log(kernel_log, recogniser, KERNEL_LOG))
        sources.append(KERNEL_LOG)
    if measured:
        readings.append(read_log("\n".join(measured).encode(), recogniser, FLIGHT_RECORD))
    lines = [line for reading in readings for line in reading.lines]
    signals = tuple(filter(_means_what_it_says, recogniser.signals(lines)))
    known, unread = combine_facts(facts, what_if, clues(signals))
    story = Story(
        signals=signals,
        known=frozenset(knowledge().signatures.by_name),
        traceback=read_traceback(lines),
        allocations=allocations(lines, signals),
        ending=ending(exit_code, signal, signals, "fitguard run" if guarded else ""),
        facts=known,
        findings=findings(known),
        lines=sum(reading.line_count for reading in readings),
        sources=tuple(sources),
    )
    notes = [*unread, *notes, *(note for reading in readings for note in reading.notes)]
    training = Training(
        command=read_command(command) if command else find_command(lines, story.traceback),
        guarded=guarded,
        batch_size=batch_size,
    )
    diagnosis = diagnose(story, notes, training)
    return _add_paths(diagnosis, {str(item) for item in logs if isinstance(item, str | Path)})


def _means_what_it_says(signal: Signal) -> bool:
    """The sentences of the flight record are figures, and no person's description of a crash."""
    told = signal.source == FLIGHT_RECORD and signal.role == "words"
    return not told or signal.name == "xid-told"


def diagnose(story: Story, notes: Iterable[str], training: Training) -> Diagnosis:
    """The ranked causes of a story, each with the next step."""
    notes = list(notes)
    verdicts = _verdicts(story, notes)
    ranked = rank(verdicts, story)
    decided = bool(ranked) and ranked[0][1] >= PRIMARY
    causes = [
        FoundCause(
            cause=all_causes()[slug].slug,
            summary=found.summary or all_causes()[slug].summary,
            confidence=confidence(weight),
            evidence=found.evidence,
            why=found.why,
            fix=found.fix,
        )
        for slug, weight, found in ranked
    ]
    primary = causes[0].cause if decided else None
    asked = questions(story, causes) if primary is None else ()
    return Diagnosis(
        primary=primary,
        causes=name_next_steps(causes, story, training),
        noise=_noise(story),
        questions=doubts(story) if primary == "none" else asked,
        notes=tuple(dict.fromkeys(notes)),
        lines=story.lines,
    )


def _verdicts(story: Story, notes: list[str]) -> dict[str, Verdict]:
    """What each cause says; one that chokes on a strange log costs itself only."""
    verdicts: dict[str, Verdict] = {}
    for slug, cause in all_causes().items():
        try:
            found = verdict(cause, story, knowledge().signatures)
        except Exception as error:
            notes.append(f"{slug} could not be judged: {type(error).__name__}: {error}")
        else:
            if found is not None:
                verdicts[slug] = found
    return verdicts


def _noise(story: Story) -> tuple[Noise, ...]:
    meanings = knowledge().signatures.meanings
    first = {signal.name: signal for signal in reversed(story.role("noise"))}
    return tuple(
        Noise(name=name, meaning=meanings[name], count=signal.count, evidence=signal.evidence)
        for name, signal in sorted(first.items(), key=lambda entry: entry[1].order)
    )


def _add_paths(explanation: Diagnosis, files: set[str]) -> Diagnosis:
    """The same, in which what was quoted from a file has its path."""

    def add_path(evidence: Evidence) -> Evidence:
        found = evidence.line is not None and evidence.source in files
        return msgspec.structs.replace(evidence, path=evidence.source) if found else evidence

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
    )
