"""What one look before a training says: machine, data and memory of each `fit`, and one verdict."""

from typing import Literal

import msgspec

from fitguard.schema.data import DataReport
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.document import Document
from fitguard.schema.plan import Plan

CHECK_SCHEMA: Literal["fitguard/check/1"] = "fitguard/check/1"

Verdict = Literal["ready", "warnings", "fails"]


class CheckedFit(msgspec.Struct, frozen=True, kw_only=True):
    """One call of `fit`.

    Args:
        number: Counted from 1, in the order in which the script calls.
        line: Of the script; 0 where it is not known.
        method: `fit`, `train_on_batch`, `fit_generator`.
        data, plan: None where they were not asked for, or could not be made.
        failures: What would end the training in this call, beside its data; the first line says
            what, the rest what to do.
        doubt: What the training step raised when it was traced for the plan; empty where nothing.
        notes: What the user should know of it, one sentence each.
    """

    number: int = 1
    line: int = 0
    method: str = "fit"
    model: str = ""
    data: DataReport | None = None
    plan: Plan | None = None
    failures: tuple[str, ...] = ()
    doubt: str = ""
    notes: tuple[str, ...] = ()


class NextStep(msgspec.Struct, frozen=True, kw_only=True):
    """What to do next.

    Args:
        title: What it is about: the title of a finding.
        text: What to do.
        commands: Commands that can be run as they are.
        code: Python to write into the script.
        fits: The numbers of the calls of `fit` that it is about; none for the machine.
        changes_results: Whether the numbers that a training gives change with it.
    """

    title: str
    text: str
    commands: tuple[str, ...] = ()
    code: str = ""
    fits: tuple[int, ...] = ()
    changes_results: bool = False


class CheckReport(Document, frozen=True, kw_only=True):
    """Whether a training would get to its end.

    Args:
        ok: False exactly when the verdict is `fails`.
        headline: The verdict in one sentence.
        script: As it was given; empty where a model was.
        steps: What to do next, the most urgent first.
        failure: Why the script did not get as far as training; empty where it did.
        notes: What was not looked at, one sentence each.
    """

    schema: Literal["fitguard/check/1"] = CHECK_SCHEMA
    ok: bool
    verdict: Verdict
    headline: str
    script: str = ""
    steps: tuple[NextStep, ...] = ()
    failure: str = ""
    doctor: DoctorReport | None = None
    fits: tuple[CheckedFit, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
