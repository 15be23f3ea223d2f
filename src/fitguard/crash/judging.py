"""Lines, and what else is known → the story of a run, and its ranked causes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fitguard.causes.framework.registry import all_causes
from fitguard.causes.framework.scales import Verdict
from fitguard.crash.allocator import allocations
from fitguard.crash.clues import clues
from fitguard.crash.command import find_command, read_command
from fitguard.crash.ending import ending
from fitguard.crash.given import combine_facts, findings
from fitguard.crash.leanings import list_named, verdict
from fitguard.crash.next_commands import Training
from fitguard.crash.next_steps import name_next_steps
from fitguard.crash.questions import doubts, questions
from fitguard.crash.ranking import PRIMARY, confidence, rank
from fitguard.crash.signals import Recogniser
from fitguard.crash.tracebacks import read_traceback
from fitguard.knowledge import knowledge
from fitguard.schema.crash import Line, Signal, Story
from fitguard.schema.diagnosis import Diagnosis, FoundCause, Noise
from fitguard.schema.facts import Facts

FLIGHT_RECORD = "flight record"


@dataclass(frozen=True)
class Circumstances:
    """What is known beside the lines of a log; the arguments of `explain`."""

    recogniser: Recogniser
    exit_code: int | None = None
    signal: str | None = None
    facts: Facts | str | Path | None = None
    what_if: Mapping[str, str] | None = None
    command: Sequence[str] = ()
    batch_size: int | None = None
    guarded: bool = False
    sources: tuple[str, ...] = ()


def tell_story(
    lines: Sequence[Line], line_count: int, around: Circumstances
) -> tuple[Story, list[str]]:
    """The story of a run, and notes on what could not be used.

    Raises:
        UsageError: for a signal that does not exist.
    """
    signals = tuple(filter(_means_what_it_says, around.recogniser.signals(lines)))
    known, unread = combine_facts(around.facts, around.what_if, clues(signals))
    seen_by = "fitguard run" if around.guarded else ""
    story = Story(
        signals=signals,
        known=frozenset(knowledge().signatures.by_name),
        traceback=read_traceback(lines),
        allocations=allocations(lines, signals),
        ending=ending(around.exit_code, around.signal, signals, seen_by),
        facts=known,
        findings=findings(known),
        lines=line_count,
        sources=around.sources,
    )
    return story, unread


def _means_what_it_says(signal: Signal) -> bool:
    """The sentences of the flight record are figures, and no person's description of a crash."""
    told = signal.source == FLIGHT_RECORD and signal.role == "words"
    return not told or signal.name == "xid-told"


def judge(
    story: Story, notes: Iterable[str], lines: Sequence[Line], around: Circumstances
) -> Diagnosis:
    """The ranked causes of a story, each with the next step."""
    command = around.command
    training = Training(
        command=read_command(command) if command else find_command(lines, story.traceback),
        guarded=around.guarded,
        batch_size=around.batch_size,
    )
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
            fallout=found.fallout,
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
    named = list_named(story, knowledge().signatures)
    for slug, cause in all_causes().items():
        try:
            found = verdict(cause, story, named)
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
