"""SARIF 2.1.0, the form that code scanning reads; only the doctor's report has it."""

import hashlib
import json
import re
from collections import Counter
from importlib.metadata import PackageNotFoundError, version
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any
from urllib.parse import quote

from fitguard.report.documents import Document
from fitguard.report.redaction import cleaned
from fitguard.report.summary import broken_checks, gravest_first
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.finding import Evidence, Finding

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {"error": "error", "warning": "warning", "info": "note"}

# A source is a sentence; only one that is a path and nothing else names a file.
_PLAIN_PATH = re.compile(r"(?:/|~[\\/]|[A-Za-z]:[\\/])[^\s(),]*")

Json = dict[str, Any]


def to_sarif(document: Document) -> str:
    """One run with one result for each finding.

    Raises:
        UsageError: if the document is no doctor's report.
    """
    if not isinstance(document, DoctorReport):
        raise UsageError(
            f"Received --format sarif for {document.schema}. SARIF holds findings. Expected "
            "`fitguard doctor`, or one of the formats text, json, markdown, html."
        )
    report = cleaned(document)
    findings = gravest_first(report)
    codes = list(dict.fromkeys(finding.code for finding in findings))
    seen: Counter[str] = Counter()
    run = {
        "tool": {"driver": _driver(findings, codes)},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"HOME": {"description": {"text": "The home folder."}}},
        "invocations": [_invocation(report)],
        "results": [_result(finding, codes.index(finding.code), seen) for finding in findings],
    }
    whole = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _invocation(report: DoctorReport) -> Json:
    """How the run went: a check that broke is no finding, yet it must not pass unseen."""
    notices = [
        {
            "descriptor": {"id": check.code},
            "level": "error",
            "message": {"text": f"The check {check.code} {check.slug} broke: {check.reason}"},
        }
        for check in broken_checks(report)
    ]
    return {"executionSuccessful": not notices} | (
        {"toolExecutionNotifications": notices} if notices else {}
    )


def _driver(findings: list[Finding], codes: list[str]) -> Json:
    slugs = {finding.code: finding.slug for finding in findings}
    return {"name": "fitguard", **_version(), "rules": [_rule(code, slugs[code]) for code in codes]}


def _version() -> Json:
    try:
        return {"version": version("fitguard")}
    except PackageNotFoundError:  # run from a checkout that was not installed
        return {}


def _rule(code: str, slug: str) -> Json:
    described = {"text": slug.replace("-", " ") or code}
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in slug.split("-")) or code,
        "shortDescription": described,
        "fullDescription": described,
        "help": {"text": f"`fitguard explain {code}` shows the page of this check."},
    }


def _result(finding: Finding, rule_index: int, seen: Counter[str]) -> Json:
    return {
        "ruleId": finding.code,
        "ruleIndex": rule_index,
        "level": LEVELS[finding.severity],
        "message": {"text": _message(finding)},
        "locations": [_location(evidence) for evidence in finding.evidence],
        "partialFingerprints": {"fitguard/v1": _fingerprint(finding, seen)},
        "properties": {"slug": finding.slug, "confidence": finding.confidence},
    }


def _message(finding: Finding) -> str:
    fix = [f"Fix: {finding.fix.text}"] if finding.fix.text else []
    return "\n".join([finding.title, *fix, *(f"$ {command}" for command in finding.fix.commands)])


def _location(evidence: Evidence) -> Json:
    location: Json = {
        "message": {"text": evidence.text},
        "logicalLocations": [{"name": evidence.source, "kind": "resource"}],
    }
    if artifact := _artifact(evidence):
        place: Json = {"artifactLocation": artifact}
        if evidence.line is not None and evidence.line > 0:
            place["region"] = {"startLine": evidence.line}
        location["physicalLocation"] = place
    return location


def _artifact(evidence: Evidence) -> Json | None:
    """Where the evidence is in a file: its URI, relative to the home folder for `~`."""
    path = evidence.path or (evidence.source if _PLAIN_PATH.fullmatch(evidence.source) else "")
    if path.startswith(("~/", "~\\")):
        return {"uri": quote(path[2:].replace("\\", "/")), "uriBaseId": "HOME"}
    if path.startswith("/"):
        return {"uri": PurePosixPath(path).as_uri()}
    if re.match(r"[A-Za-z]:[\\/]", path):
        return {"uri": PureWindowsPath(path).as_uri()}
    return None


def _fingerprint(finding: Finding, seen: Counter[str]) -> str:
    """Equal from run to run though figures change; a number tells equal findings of a run apart."""
    figureless = re.sub(r"\d+", "#", finding.title)
    sources = [evidence.source for evidence in finding.evidence]
    parts = "\0".join([finding.code, figureless, *sources])
    digest = hashlib.sha256(parts.encode()).hexdigest()[:32]
    seen[digest] += 1
    return f"{digest}:{seen[digest]}"
