"""The telling part of a long quotation: what a signature knows it by, and what stands around it."""

import msgspec

from fitguard.schema.diagnosis import Diagnosis
from fitguard.schema.finding import Evidence

SEARCHED = 1_000_000
"""Characters of one line in which the telling part is looked for."""


def excerpted(diagnosis: Diagnosis, longest: int) -> Diagnosis:
    """The same diagnosis, in which no line of a quotation is much longer than `longest`."""
    return msgspec.structs.replace(
        diagnosis,
        causes=tuple(
            msgspec.structs.replace(
                found, evidence=tuple(_shortened(item, longest) for item in found.evidence)
            )
            for found in diagnosis.causes
        ),
        noise=tuple(
            msgspec.structs.replace(noise, evidence=_shortened(noise.evidence, longest))
            for noise in diagnosis.noise
        ),
    )


def telling_part(text: str, longest: int) -> str:
    """A line as it is, or as many characters of it, around what makes it mean something."""
    if len(text) <= longest:
        return text
    begin = max(0, _telling_place(text) - longest // 4)
    begin = min(begin, len(text) - longest)
    left_out = len(text) - longest
    before = "… " if begin else ""
    behind = " …" if begin + longest < len(text) else ""
    part = text[begin : begin + longest].strip()
    return f"{before}{part}{behind} ({left_out} more characters)"


def _shortened(evidence: Evidence, longest: int) -> Evidence:
    if len(evidence.text) <= longest:
        return evidence
    lines = [telling_part(line, longest) for line in evidence.text.split("\n")]
    return msgspec.structs.replace(evidence, text="\n".join(lines))


def _telling_place(text: str) -> int:
    """Where the longest text begins that a signature knows: the longest is the least common."""
    from fitguard.knowledge import knowledge  # few lines are that long

    searched = text[:SEARCHED]
    known = [anchor for anchor in knowledge().signatures.by_anchor if anchor in searched]
    return searched.index(max(known, key=len)) if known else 0
