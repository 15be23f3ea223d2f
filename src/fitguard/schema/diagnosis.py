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
    """

    cause: CauseSlug
    summary: str = ""
    confidence: Confidence
    evidence: tuple[Evidence, ...]
    why: str
    fix: Fix


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


class Diagnosis(Document, frozen=True, kw_only=True):
    """Why a run died.

    Args:
        primary: The cause, None where nothing decides; `none` where nothing is wrong.
        causes: Ranked; the first is the primary one, if there is one.
        questions: Where nothing decides: the facts that would. Where nothing seems wrong, but the
            end of the run is not known: the facts that could show otherwise.
        notes: What was given and could not be read or used.
        lines: How many lines were read.
    """

    schema: Literal["fitguard/diagnosis/1"] = DIAGNOSIS_SCHEMA
    primary: CauseSlug | None = None
    causes: tuple[FoundCause, ...] = ()
    noise: tuple[Noise, ...] = ()
    questions: tuple[Question, ...] = ()
    notes: tuple[str, ...] = ()
    lines: int = 0
