"""A diagnosis: why a run died, ranked, each cause with what proves it and what to do."""

from typing import Literal

import msgspec

from fitguard.schema.document import Document
from fitguard.schema.finding import Confidence, Evidence, Fix

DIAGNOSIS_SCHEMA: Literal["fitguard/diagnosis/1"] = "fitguard/diagnosis/1"

CauseSlug = Literal[
    "gpu-oom",
    "gpu-memory-taken",
    "gpu-fragmentation",
    "gpu-memory-leak",
    "host-oom",
    "driver-too-old",
    "driver-broken",
    "cuda-missing",
    "cudnn-missing",
    "cudnn-mismatch",
    "cuda-path-conflict",
    "tf-cpu-only",
    "gpu-arch-unsupported",
    "cpu-isa",
    "package-conflict",
    "xla-toolchain",
    "hardware-fault",
    "watchdog-timeout",
    "data-shape-dtype",
    "data-label-range",
    "numeric-nan",
    "multi-gpu-comm",
    "container-gpu-access",
    "windows-gpu-unsupported",
    "framework-bug",
    "illegal-memory-access",
    "hang",
    "unknown",
    "none",
]


class FoundCause(msgspec.Struct, frozen=True, kw_only=True):
    """One cause that the evidence speaks for.

    Args:
        summary: One line: what happened, as the cause's page says it.
        why: One or two sentences: how the evidence leads to the cause, in this very case.
        fix: What to do about it, with the numbers that are known.
        fallout: Whether another worker failed first, and this one only tells of it: the failure
            itself is in another log.
    """

    cause: CauseSlug
    summary: str = ""
    confidence: Confidence
    evidence: tuple[Evidence, ...]
    why: str
    fix: Fix
    fallout: bool = False


class Noise(msgspec.Struct, frozen=True, kw_only=True):
    """Lines that look bad and are harmless.

    Args:
        name: Of the signature.
        meaning: Why nobody needs to worry.
        count: How many such lines there were.
    """

    name: str
    meaning: str
    count: int
    evidence: Evidence


class Question(msgspec.Struct, frozen=True):
    """A fact that would decide between causes, and how to get it."""

    fact: str
    how: str


WorkerPart = Literal["first", "later", "fallout", "silent", "well"]
"""What a worker has to do with the end of a joint training.

first: it failed first. later: it has a failure of its own, after the first. fallout: it only tells
that another one is gone or stuck. silent: its log ends without a failure. well: it ended well.
"""


class WorkerEnd(msgspec.Struct, frozen=True, kw_only=True):
    """How the log of one worker ends.

    Args:
        name: Its log, or what stands in front of its lines: `worker1.log`, `rank 3`.
        cause: Why it ended, as far as its own log tells; None where it does not.
        summary: One line.
        evidence: The line that tells it.
        time: When, as its log writes it; empty where it does not.
    """

    name: str
    part: WorkerPart
    cause: CauseSlug | None = None
    summary: str = ""
    evidence: tuple[Evidence, ...] = ()
    time: str = ""


class Workers(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a training that several workers did together.

    Args:
        first: The name of the worker that failed first; None where no log shows it.
        told_by: How that is known, in one or two sentences.
        ends: Of each worker, in the order in which the logs were given.
    """

    first: str | None
    told_by: str
    ends: tuple[WorkerEnd, ...]


class Diagnosis(Document, frozen=True, kw_only=True):
    """Why a run died.

    Args:
        primary: The cause, None where nothing decides; `none` where nothing is wrong.
        causes: Ranked; the first is the primary one, if there is one.
        questions: Where nothing decides: the facts that would. Where nothing seems wrong, but the
            end of the run is not known: the facts that could show otherwise.
        notes: What was given and could not be read or used.
        lines: How many lines were read.
        workers: Where the logs are those of several workers: which of them failed first. The causes
            are then those of that worker.
    """

    schema: Literal["fitguard/diagnosis/1"] = DIAGNOSIS_SCHEMA
    primary: CauseSlug | None = None
    causes: tuple[FoundCause, ...] = ()
    noise: tuple[Noise, ...] = ()
    questions: tuple[Question, ...] = ()
    notes: tuple[str, ...] = ()
    lines: int = 0
    workers: Workers | None = None
