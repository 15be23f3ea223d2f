"""The doctor's report."""

from typing import Literal

from fitguard.schema.document import Document
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Finding, Skipped

DOCTOR_SCHEMA: Literal["fitguard/doctor/1"] = "fitguard/doctor/1"


class DoctorReport(Document, frozen=True, kw_only=True):
    """The findings, gravest first, with the facts behind them.

    Args:
        ok: False exactly when a finding of severity error stands.
        passed: Codes of the checks that were made and found nothing.
    """

    schema: Literal["fitguard/doctor/1"] = DOCTOR_SCHEMA
    ok: bool
    findings: tuple[Finding, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    passed: tuple[str, ...] = ()
    facts: Facts = Facts()
