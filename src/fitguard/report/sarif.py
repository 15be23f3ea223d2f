"""SARIF 2.1.0, the form that code scanning reads, for what holds findings or causes."""

from fitguard.report.documents import Document, Judged
from fitguard.report.excerpt import excerpted
from fitguard.report.redaction import LONGEST, cleaned
from fitguard.report.sarif_diagnosis import diagnosis_log
from fitguard.report.sarif_findings import findings_log
from fitguard.schema.diagnosis import Diagnosis
from fitguard.schema.exit_codes import UsageError


def to_sarif(document: Document) -> str:
    """One run with one result for each finding or cause.

    Raises:
        UsageError: if the document is neither a report with findings nor a diagnosis.
    """
    if isinstance(document, Judged):
        return findings_log(cleaned(document))
    if isinstance(document, Diagnosis):
        return diagnosis_log(cleaned(excerpted(document, LONGEST // 2)))
    raise UsageError(
        f"Received --format sarif for {document.schema}. SARIF holds findings. Expected "
        "`fitguard doctor`, `fitguard data FILE.py:FUNCTION`, `fitguard explain FILE`, or one of "
        "the formats text, json, markdown, html."
    )
