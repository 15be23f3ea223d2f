"""SARIF 2.1.0, the form that code scanning reads: one result for each finding or cause."""

from collections import Counter
from collections.abc import Iterable, Iterator

from fitguard.report.blocks import Block, Finding, Folded, Notice, Section, Steps
from fitguard.report.formats.sarif_log import Json, fingerprint, location, log, message, rule
from fitguard.report.privacy.redaction import LONGEST
from fitguard.report.registry import ENTRIES, Document, build_page, entry_of
from fitguard.schema.exit_codes import UsageError

LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def to_sarif(document: Document) -> str:
    """One run. That nothing is wrong is no result; questions and notes are told by the run.

    Raises:
        UsageError: if the document holds no findings.
    """
    if not entry_of(document).finds:
        commands = ", ".join(f"`{entry.finds}`" for entry in ENTRIES if entry.finds)
        raise UsageError(
            f"Received --format sarif for {document.schema}. SARIF holds findings. Expected "
            f"{commands}, or one of the formats text, json, markdown, html."
        )
    blocks = list(_flatten(build_page(document, LONGEST // 2).blocks))
    findings = [one for one in blocks if isinstance(one, Finding) and one.tone in LEVELS]
    titles = {finding.code: finding for finding in findings}
    seen: Counter[str] = Counter()
    return log(
        rules=[_rule(finding) for finding in titles.values()],
        results=[_result(finding, list(titles).index(finding.code), seen) for finding in findings],
        notices=[notice for block in blocks for notice in _notices(block)],
        successful=not any(isinstance(block, Notice) and block.code for block in blocks),
    )


def _flatten(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Section | Folded):
            yield from _flatten(block.blocks)


def _rule(finding: Finding) -> Json:
    if finding.is_cause:
        return rule(finding.code, finding.code, finding.title)
    return rule(finding.code, finding.slug)


def _result(finding: Finding, rule_index: int, seen: Counter[str]) -> Json:
    """A cause keeps its fingerprint whatever is said of it; a check finds several things."""
    named = "" if finding.is_cause else finding.title
    code = f"{finding.code}: " if finding.is_cause else ""
    slug = {} if finding.is_cause else {"slug": finding.slug}
    return {
        "ruleId": finding.code,
        "ruleIndex": rule_index,
        "level": LEVELS[finding.tone],
        "message": message([f"{code}{finding.title}", finding.why], finding.fix),
        "locations": _locate(finding),
        "partialFingerprints": fingerprint(finding.code, named, finding.evidence, seen),
        "properties": {**slug, "confidence": finding.confidence},
    }


def _locate(finding: Finding) -> list[Json]:
    """Places in files come first: code scanning shows the first place only."""
    called = (finding.place,) if finding.place else ()
    places = [location(evidence) for evidence in (*finding.evidence, *called)]
    return sorted(places, key=lambda place: "physicalLocation" not in place)


def _notices(block: Block) -> Iterator[Json]:
    """What must not pass unseen, though it is no result."""
    if isinstance(block, Steps):
        for what, how in block.steps:
            yield {"level": "note", "message": {"text": f"Would decide: {what}. {how}"}}
    if isinstance(block, Section) and block.told:
        yield {"level": "note", "message": {"text": block.told}}
    if isinstance(block, Notice):
        failed = {"descriptor": {"id": block.code}} if block.code else {}
        level = "error" if block.code else "note"
        yield {**failed, "level": level, "message": {"text": block.text}}
