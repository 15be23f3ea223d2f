"""A diagnosis in SARIF: one result for each cause, the primary one an error."""

from collections import Counter

from fitguard.report.diagnosis_parts import primary, told
from fitguard.report.sarif_log import Json, fingerprint, location, log, message, rule
from fitguard.schema.diagnosis import Diagnosis, FoundCause


def diagnosis_log(diagnosis: Diagnosis) -> str:
    """That nothing is wrong is no result; questions and notes are told by the run."""
    causes = [found for found in diagnosis.causes if found.cause != "none"]
    seen: Counter[str] = Counter()
    asked = [f"Would decide: {item.fact}. {item.how}" for item in diagnosis.questions]
    return log(
        rules=[rule(found.cause, found.cause, found.summary) for found in causes],
        results=[
            _result(found, number, "error" if found is primary(diagnosis) else "note", seen)
            for number, found in enumerate(causes)
        ],
        notices=[
            {"level": "note", "message": {"text": text}} for text in (*asked, *diagnosis.notes)
        ],
        successful=True,
    )


def _result(found: FoundCause, rule_index: int, level: str, seen: Counter[str]) -> Json:
    return {
        "ruleId": found.cause,
        "ruleIndex": rule_index,
        "level": level,
        "message": message([told(found), found.why], found.fix),
        "locations": [location(evidence) for evidence in found.evidence],
        "partialFingerprints": fingerprint(found.cause, "", found.evidence, seen),
        "properties": {"confidence": found.confidence},
    }
